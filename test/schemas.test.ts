import { join } from 'node:path';
import type { ValidateFunction } from 'ajv/dist/2020.js';
import { describe, expect, it } from 'vitest';
import { hasFlag } from '../src/cli/command.ts';
import { describeOutput } from '../src/commands/outputs.ts';
import { buildOutputSchema } from '../src/commands/schema/output-schema.ts';
import { COMMON_SCHEMAS } from '../src/commands/schema/schemas.ts';
import { ownSandbox, type Row } from './changes/own-sandbox.ts';
import { compile, problemsOf } from './support/closed-schema.ts';
import { readLog } from './support/event-log.ts';
import { leaves } from './support/tree.ts';

/** Every key that a command prints, in JSON and NDJSON, in records, results, errors and logs, is in its schema. */

const all = await leaves();

const common = (name: string): ValidateFunction => compile(COMMON_SCHEMAS[name]?.());
const validators = new Map<string, ValidateFunction>();
const validatorOf = (path: string): ValidateFunction => {
  const leaf = all.find((one) => one.path === path);
  if (leaf === undefined) throw new Error(`no command ${path}`);
  const validate = validators.get(path) ?? compile(buildOutputSchema(leaf.command));
  validators.set(path, validate);
  return validate;
};

const pathOf = (line: string): string =>
  all
    .map(({ path }) => path)
    .filter((path) => `${line} `.startsWith(`${path} `))
    .sort((a, b) => b.length - a.length)[0] ?? '';

/** Commands that print no JSON of their own, or a page for a browser; the others are in schemas-processes. */
const ELSEWHERE = new Set([
  ...['completion bash', 'completion zsh', 'completion fish', 'completion powershell', 'sandbox exec'],
  ...['webhooks listen', 'sandbox start', 'sandbox env', 'auth login', 'auth refresh'],
  ...['webhooks replay'],
]);

const isError = common('error-schema');
const isLogLine = common('log-schema');

describe('the schemas', () => {
  const sandbox = ownSandbox();

  it('name every key of every command, in JSON and NDJSON, of every error, and of every line of the log', async () => {
    const log = join(sandbox.env()['TTCTL_CONFIG_DIR'] ?? '', '..', 'schemas.ndjson');
    const used = new Set<string>();
    const problems: string[] = [];
    const expectValid = (...value: Parameters<typeof problemsOf>) =>
      void problems.push(...problemsOf(...value));
    const checkError = (stderr: string, line: string): void => {
      const last = stderr.trimEnd().split('\n').at(-1) ?? '';
      expectValid(isError, JSON.parse(last), `the error of ${line}`);
    };
    const start = async (line: string, exits: readonly number[] = [0]) => {
      const path = pathOf(line);
      used.add(path);
      const { stdout, stderr, exit } = await sandbox.run(`${line} --yes`, {
        env: { TTCTL_LOG: log, TTCTL_OUTPUT: 'json' },
      });
      if (!exits.includes(exit)) problems.push(`${line}: exit ${exit} ${stderr}`);
      if (exit !== 0 && exit !== 10) checkError(stderr, line);
      return { path, stdout };
    };
    /** Runs a command, whose JSON has to be as its schema says. */
    const run = async (line: string, exits?: readonly number[]): Promise<unknown> => {
      const { path, stdout } = await start(line, exits);
      if (stdout === '') return undefined;
      const printed: unknown = JSON.parse(stdout);
      expectValid(validatorOf(path), printed, line);
      return printed;
    };
    /** The same as a list: in NDJSON, and in groups. */
    const list = async (line: string, exits?: readonly number[]): Promise<readonly Row[]> => {
      const rows = (await run(line, exits)) as readonly Row[];
      const { stdout } = await start(`${line} --output ndjson`, exits);
      const each = stdout.split('\n').filter(Boolean);
      for (const text of each)
        expectValid(validatorOf(pathOf(line)), [JSON.parse(text)], `${line} as NDJSON`);
      if (each.length !== rows?.length) problems.push(`${line}: ${each.length} lines`);
      const leaf = all.find(({ path }) => path === pathOf(line));
      const field = Object.keys(rows?.[0] ?? {})[0];
      if (
        leaf !== undefined &&
        hasFlag(leaf.command, 'group-by') &&
        field !== undefined &&
        !line.includes('--columns')
      )
        await run(`${line} --group-by ${field} --sum ${field === 'id' ? 'status' : 'id'}`, [0, 2, 10]);
      return rows ?? [];
    };
    const idOf = (rows: readonly Row[], at = 0): string => String(rows[at]?.['id']);
    const week = '--period last-week';

    await run('status');
    await list('inbox');
    await list('workspaces list');
    const members = await list('members list');
    await list('members list --limit 2 --columns email,id');
    const [first, second] = [idOf(members, 4), idOf(members, 5)];
    await run(`members get ${first}`);
    await run('members invite new@example.com --firstname New --lastname One --role regular-user');
    await run(`members update ${first} --weekly-hours-limit 11`);
    await run(`members update ${first} --weekly-hours-limit 12 --dry-run`);
    await run(`members archive ${first} ${second} --dry-run`);
    await run(`members archive ${first} ${second}`);
    await run(`members archive ${first} ${second}`);
    const restored = await start(`members restore ${first} ${second} --output ndjson`);
    for (const text of restored.stdout.split('\n').filter(Boolean))
      expectValid(validatorOf('members restore'), [JSON.parse(text)], 'a result as NDJSON');
    const projects = await list('projects list');
    const project = idOf(projects);
    const viewers = await list('viewers list');
    const viewer = idOf(viewers);
    await run(`viewers get ${viewer}`);
    await run('viewers invite view@example.com --firstname V --lastname W');
    await run(`viewers assign ${viewer} --project ${project}`);
    await run(`viewers unassign ${viewer} --project ${project}`);
    await run(`viewers archive ${viewer}`);
    await run(`viewers restore ${viewer}`);
    await run(`projects get ${project}`);
    const made = (await run('projects create --name Schema')) as Row;
    await run(`projects update ${String(made['id'])} --name Schemas`);
    const contracts = await list('contracts list');
    await run(`contracts get ${idOf(contracts)}`);
    const contract = (await run(`contracts create --project ${String(made['id'])} --member ${first}`)) as Row;
    await run(`contracts update ${String(contract['id'])} --weekly-hours-limit 9`);
    await run(`contracts archive ${String(contract['id'])}`);
    const task = (await run(`tasks create --project ${project} --title Schema`)) as Row;
    const ofProject = `--project ${project}`;
    await list(`tasks list ${ofProject}`);
    await run(`tasks get ${String(task['id'])}`);
    await run(`tasks update ${String(task['id'])} --title Other ${ofProject}`);
    await run(`tasks assign ${String(task['id'])} --member ${first} ${ofProject}`, [0, 6]);
    await list(`tasks assignees ${String(task['id'])} ${ofProject}`);
    await run(`tasks unassign ${String(task['id'])} --member ${first} ${ofProject}`, [0, 6]);
    await run(`tasks archive ${String(task['id'])} ${ofProject}`);
    await run(`projects archive ${String(made['id'])}`);
    await list('timesheets list');
    await list('timesheets list --columns +member.role,+warnings,+warning_messages');
    await list('expenses list --columns member.email,project.name');
    const waiting = await list('timesheets list --status submitted');
    await run(`timesheets unsubmit ${idOf(waiting)}`);
    await run(`timesheets submit ${idOf(waiting)}`);
    await run(`timesheets approve ${idOf(waiting)}`);
    await run(`timesheets reject ${idOf(waiting, 1)} --reason no`);
    await list('leaves list');
    const pending = await list('leaves list --status pending');
    await run(`leaves approve ${idOf(pending)}`, [0, 6]);
    await run(`leaves reject ${idOf(pending, 1)} --reason no`, [0, 5, 6]);
    await list('leaves balances --period this-year');
    await list('leaves policies');
    const requests = await list('time-requests list --status pending');
    await run(`time-requests get ${idOf(requests)}`);
    await run(`time-requests approve ${idOf(requests)}`);
    await run(`time-requests reject ${idOf(requests, 1)} --comment no`, [0, 5, 6]);
    const [active] = await list('contracts list --status active');
    const times = '--start 2026-11-20T09:00 --end 2026-11-20T10:00';
    await run(
      `time-requests create --member ${String(active?.['user_id'])} --contract ${String(active?.['id'])} ${times}`,
      [0, 6],
    );
    const categories = await list('expenses categories');
    await list('expenses list');
    const expense = `--name Train --date today --amount 5 --category ${idOf(categories)}`;
    const bought = (await run(`expenses create ${expense}`)) as Row;
    await run(`expenses update ${String(bought['id'])} ${expense.replace('5', '6')}`);
    await run(`expenses delete ${String(bought['id'])}`);
    await run('time-tracking stop', [0, 6]);
    await list(`close check ${week}`, [0, 10]);
    const hook = (await run('webhooks create --url http://127.0.0.1:9/hook --event member.updated')) as Row;
    await list('webhooks list');
    await run(`webhooks get ${String(hook['id'])}`);
    await run(`webhooks update ${String(hook['id'])} --url http://127.0.0.1:9/h --event member.updated`);
    await list('webhooks received');
    await run('webhooks received prune --older-than 1d');
    await run('api GET /members');
    const rules = sandbox.file('rules:\n  - name: all\n    when: "true"\n    decide: hold\n', 'rules.yaml');
    await start(`inbox decide --rules ${rules}`, [0, 2]);

    const plan = join(sandbox.env()['TTCTL_CONFIG_DIR'] ?? '', '..', 'schemas.plan');
    await run(`members update ${first} --weekly-hours-limit 21 --plan ${plan}`);
    await list(`plan show ${plan}`);
    await list(`plan check ${plan}`, [0, 10]);
    await run(`plan apply ${plan}`);
    await run('sandbox fault add members archive --drop after --times 2');
    await run('sandbox fault add members get --status 500 --times 99');
    await run(`members archive ${first} ${second}`, [7, 8]);
    await list('sandbox fault list');
    await run('sandbox fault clear');
    const jobs = await list('jobs list');
    await list(`jobs show ${idOf(jobs)}`);
    await run(`jobs resume ${idOf(jobs)} --dry-run`);
    await run(`jobs resume ${idOf(jobs)}`);
    const entries = await list('history list');
    await run(`history show ${idOf(entries)}`);
    await run(`undo ${String(entries[0]?.['run'])}`, [0, 6, 8]);
    await run('history prune --older-than 1d');

    await run('auth status');
    await run('auth check', [0, 2, 3, 10]);
    await run('auth token', [0, 3]);
    await run('auth logout', [0, 3]);
    await run('profile set --profile other --base-url https://api.example.com/api/v2');
    await list('profile list');
    await run('profile show');
    await run('profile use other');
    await run('workspaces use 101 --dry-run');
    const exported = join(sandbox.env()['TTCTL_CONFIG_DIR'] ?? '', '..', 'schemas.export');
    await run(`workspaces export ${exported}`);
    await run(`workspaces diff ${exported}`, [0, 10]);
    await run(`workspaces apply ${exported}`, [0, 8]);
    await run('profile remove other --dry-run');
    await run('profile remove other');
    await list('doctor', [0, 10]);
    for (const line of [
      'status',
      'clock show',
      'clock set 2027-01-04T09:00',
      'clock advance 1h',
      'clock freeze',
      'clock resume',
    ])
      await run(`sandbox ${line}`);
    const plans = [...['auth logout', 'profile set --profile third --timezone UTC']];
    for (const line of plans) await run(`${line} --dry-run`, [0, 7]);
    await run('sandbox clock reset');
    await list('sandbox log --limit 3');
    await run('sandbox snapshot save one');
    await list('sandbox snapshot list');
    await list('sandbox snapshot diff one', [0, 10]);
    await run('sandbox snapshot restore one');
    await run('sandbox snapshot remove one');
    await run('sandbox token create --as nora@lindenhof.example --name nightly');
    await list('sandbox token list');
    await run('sandbox token revoke nightly');
    await run('sandbox app create --name Nightly --grant client-credentials');
    await list('sandbox app list');
    await list('sandbox webhooks trigger member.updated');
    const deliveries = await list('sandbox webhooks deliveries');
    await run(`sandbox webhooks show ${idOf(deliveries)}`);
    await run(`sandbox webhooks redeliver ${idOf(deliveries)}`);
    await run('sandbox webhooks deliver');
    await run(`webhooks delete ${String(hook['id'])}`);
    await run('schema members list');
    await run('sandbox stop', [0, 7]);
    await run('sandbox reset');

    // Errors of all kinds.
    for (const line of [
      'members get 99999',
      'members list --status x',
      'members get',
      'nothing',
      'members get a@b.example',
    ])
      await start(line, [2, 5]);
    await start('members list --workspace 999', [4, 5]);
    await start('members list --profile nobody', [2]);
    await start('jobs show 20200101-0000-xyz', [2]);
    await start(
      `members update ${first} --from-file ${sandbox.file('id,weekly_hours_limit\n1,x\n', 'bad.csv')}`,
      [2],
    );
    await start(`api POST /members --input ${sandbox.file('{"a":', 'bad.json')}`, [2]);
    for (const status of [400, 401, 403, 409, 422, 429, 500]) {
      await sandbox.run(`sandbox fault add members get --status ${status} --times 9`);
      await start(`members get ${first} --max-wait 0`, [3, 4, 6, 7]);
      await sandbox.run('sandbox fault clear');
    }
    await sandbox.run('sandbox fault add members list --drop before --times 9');
    await start('members list --max-wait 0', [7]);

    for (const line of readLog(log)) expectValid(isLogLine, line, 'a line of the log');
    expect(problems).toEqual([]);
    const untried = all.filter(
      ({ path, command }) =>
        !used.has(path) && !ELSEWHERE.has(path) && describeOutput(command)?.shape !== 'text',
    );
    expect(untried.map(({ path }) => path)).toEqual([]);
  });

  it('of errors, results, jobs and log lines say their version', async () => {
    for (const name of ['error', 'result', 'job', 'log']) {
      const { stdout, exit } = await sandbox.run(`schema --${name}-schema`);
      expect([name, exit]).toEqual([name, 0]);
      expect(JSON.parse(stdout)).toMatchObject({ $id: `urn:ttctl:schema:${name}:1` });
    }
    const { stdout } = await sandbox.run('schema timesheets list --output-schema');
    const schema = JSON.parse(stdout);
    expect(schema.$id).toBe('urn:ttctl:schema:timesheets.list:1');
    expect(schema.$defs.record.properties.status.enum).toEqual([
      ...['open', 'pending', 'submitted', 'rejected', 'approved'],
      null,
    ]);
    expect(schema.$defs.group.properties.status).toEqual(schema.$defs.record.properties.status);
  });

  it.each([
    ['schema members list --log-schema', '--log-schema takes no command'],
    ['schema --log-schema --openapi', '--openapi cannot be used with --log-schema'],
    [
      'schema members list --output-schema --error-schema',
      '--error-schema cannot be used with --output-schema',
    ],
  ])('are asked for one at a time: %s', async (line, message) => {
    const { exit, stderr } = await sandbox.run(line);
    expect(exit).toBe(2);
    expect(stderr).toContain(message);
  });

  it('have no room for a key that they do not name, once they are closed', () => {
    const wrong = { target: '1', status: 'done', operation: 'x', surprise: 1 };
    expect(problemsOf(common('result-schema'), wrong, 'a result')).toEqual([
      'a result:  must NOT have additional properties {"additionalProperty":"surprise"}',
    ]);
  });
});
