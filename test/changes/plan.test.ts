import { copyFileSync, existsSync, readFileSync, statSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { formatRun, type RunHead } from '../../src/changes/journal.ts';
import { type PlanWrite, parsePlan } from '../../src/changes/plan.ts';
import { UsageError } from '../../src/errors.ts';
import { prepareSample, samples } from '../samples.ts';
import { startFaultyService } from '../support/faulty-service.ts';
import { atThisFileEnd } from '../support/folder.ts';
import { bulkFiles, copyRun, runFile } from '../support/runs.ts';
import { type Row, useCli } from '../support/use-cli.ts';

/** Changes that are written to a file, checked, and sent later, in the sandbox: as planned to the byte, or not at all. */

const sandbox = useCli({ sandbox: 'demo' });
const { run, read: succeed, rows: readRows } = sandbox;

/** Where a plan of this sandbox goes. */
const planFile = (): string => `${sandbox.state}.ndjson`;

interface Request {
  readonly method: string;
  readonly path: string;
  readonly query: Row;
  readonly body: unknown;
}

const toText = ({ method, path, query, body }: Request): string =>
  JSON.stringify([method, path, query, body]);

/** The writes that the service has seen since the log was cleared, as text: to the byte. */
const writesSeen = async (): Promise<readonly string[]> =>
  ((await readRows('sandbox log')) as unknown as Request[])
    .filter(({ method }) => method !== 'GET')
    .map(toText)
    .sort();

const readPlan = (file: string) => parsePlan(readFileSync(file, 'utf8'), file);

const fileOf = (text: string, name = 'rows.csv') => sandbox.file(name, text);

/**
 * Writes that can be planned: what is set, and to what, where the change has a value; what somebody else does to a record
 * meanwhile, and what `plan check` says of it then.
 */
const HOURS = [
  'weekly_hours_limit',
  '33',
  'update ID --weekly-hours-limit 12',
  'moved',
  { weekly_hours_limit: 12 },
] as const;
const REJECTED = [
  undefined,
  undefined,
  'reject ID --reason Theirs --yes',
  'moved',
  { status: 'rejected' },
] as const;
const NOTES = 'Zoë’s ""plan"" ☕, \u2028';
const KINDS: readonly (readonly [
  ...[noun: string, filter: string, verb: string, field: string | undefined, value: string | undefined],
  ...[theirs: string, status: string, after: Row],
])[] = [
  ['members', '--status active', 'update', ...HOURS],
  ['contracts', '', 'update', ...HOURS],
  ['projects', '', 'update', 'notes', NOTES, 'update ID --notes Theirs', 'moved', { notes: 'Theirs' }],
  ['timesheets', '--status submitted', 'approve', ...REJECTED],
  ['leaves', '--status pending', 'approve', ...REJECTED],
  ['expenses', '', 'delete', undefined, undefined, 'delete ID --yes', 'gone', {}],
];

describe('a plan', () => {
  it.each(KINDS)('%s %s: is sent to the byte, but for what has moved', async (...kind) => {
    const [noun, filter, verb, field = '', value, theirs, now, after] = kind;
    const live = (await readRows(`${noun} list ${filter}`)).filter(({ deleted_at: gone }) => gone == null);
    // The third has its value already.
    const kept = live.slice(2).find((row) => value === undefined || row[field] != null);
    const [first, second, third] = [live[0], live[1], kept].map((row) => String(row?.['id']));
    const targets = [first, second, ...(kept === undefined ? [] : [third])] as string[];
    const cells = targets.map((id) => `${id},"${id === third ? kept?.[field] : value}"\n`);
    const line =
      value === undefined
        ? `${noun} ${verb} ${targets.join(' ')}`
        : `${noun} ${verb} --from-file ${fileOf(`id,${field}\n${cells.join('')}`)}`;
    const planned = value === undefined ? targets : targets.slice(0, 2);
    const file = planFile();
    await succeed('sandbox snapshot save before');
    await succeed('sandbox log --clear');
    await succeed(`${line} --plan ${file}`);
    expect([await writesSeen(), await readRows('sandbox snapshot diff before')]).toEqual([[], []]);
    const { head, rows } = readPlan(file);
    expect(rows.map(({ target }) => target)).toEqual(planned);
    expect([head.rows, statSync(file).mode & 0o777]).toEqual([rows.length, 0o600]);
    expect((await run(`plan check ${file}`)).exit).toBe(0);

    await succeed(`${noun} ${theirs.replace('ID', second ?? '')}`);
    const check = await run(`plan check ${file} --json`);
    expect(check.exit, check.stderr).toBe(10);
    const [, { n, target, label, seen } = {} as PlanWrite] = rows;
    const before = Object.fromEntries(Object.keys(after).map((key) => [key, seen?.[key]]));
    const operation = `${noun}.${verb}`;
    const told = { n, operation, target, label, message: null, status: now, before, after };
    expect(JSON.parse(check.stdout)).toEqual([told]);
    await succeed('sandbox log --clear');
    const none = await run(`plan apply ${file} --yes --all-or-nothing --json`);
    expect([none.exit, JSON.parse(none.stderr).error.code, none.stdout]).toEqual([10, 'moved', '']);
    expect(await writesSeen()).toEqual([]);

    const { stdout, exit } = await run(`plan apply ${file} --yes --json`);
    expect(exit).toBe(8);
    expect(
      JSON.parse(stdout).map(({ target, status, error }: Row) => [target, status, Object(error).code]),
    ).toEqual(planned.map((one) => (one === second ? [one, 'skipped', 'moved'] : [one, 'done', undefined])));
    const counts = { done: planned.length - 1, failed: 0, skipped: 1 };
    expect((await readRows('jobs list --limit 1'))[0]).toMatchObject(counts);
    const left = rows.filter((row) => row.target !== second);
    const sent = left.map(({ request }) => toText(request as unknown as Request)).sort();
    expect(await writesSeen()).toEqual(sent);
    expect((await run(`plan apply ${file} --yes`)).exit).toBe(2);
    expect(await writesSeen()).toEqual(sent);
  });
});

describe('every write', () => {
  const raw = [
    `projects update 114 --field 'extra:={"a":[1.50,null,"é"]}' --field notes=Raw`,
    'members update 108 --timezone Asia/Tokyo --field weekly_hours_limit:=12.0',
  ].map((line) => ({ operation: line, line, request: '' }));

  it.each([...samples, ...raw])(
    '$operation: its plan has the request that it sends itself',
    async (sample) => {
      const { line: command, request } = await prepareSample(sandbox, sample);
      await succeed('sandbox snapshot save before');
      await succeed('sandbox log --clear');
      await succeed(`${command} --plan ${planFile()}`);
      expect(await writesSeen()).toEqual([]);
      const [, ...planned] = readFileSync(planFile(), 'utf8').trimEnd().split('\n');
      const requests = planned.map((row) => toText(JSON.parse(row).request));
      const { exit, stderr } = await run(`plan apply ${planFile()} --yes --debug`);
      expect(exit, stderr).toBe(0);
      // To the byte: numbers as they were written.
      const [, body] = /,"body":(\{.*\})\},"seen":/.exec(planned[0] ?? '') ?? [];
      const trace = stderr.replace(/^([→←]) \d+ /gm, '$1 ');
      const { path } = JSON.parse(planned[0] ?? '').request;
      expect(trace).toContain(body === undefined ? `${path}\n` : `\n→ ${body}\n`);
      const applied = await writesSeen();
      await succeed('sandbox snapshot restore before');
      await succeed('sandbox log --clear');
      await succeed(`${command} --yes`);
      expect([applied, await writesSeen()]).toEqual([requests, requests]);
      if (request !== '') expect(await sandbox.sent()).toEqual([request]);
      expect(planned).toHaveLength(1);
    },
  );

  it('is of the workspace of its plan, which a raw field may name', async () => {
    const file = planFile();
    await succeed(`projects create --name Ours --field workspace_id:=146 --plan ${file}`);
    const [head, row] = readFileSync(file, 'utf8')
      .split('\n')
      .map((text) => JSON.parse(text || 'null'));
    expect([head.workspace_id, row.request.body]).toEqual([146, { workspace_id: 146, name: 'Ours' }]);
  });
});

/** A plan in the seed demo: 104 gets 20 hours a week, 106 gets 33, and 105 has what it gets. */
const ROWS = 'id,weekly_hours_limit\n104,20\n105,40\n106,33\n';
const makePlan = async (): Promise<string> => {
  const file = planFile();
  await succeed(`members update --from-file ${fileOf(ROWS)} --plan ${file}`);
  await succeed('sandbox log --clear');
  return file;
};

const targetsSent = async (): Promise<readonly unknown[]> =>
  (await writesSeen()).map((line) => JSON.parse(line)[1]);

/** The whole of what is said of a plan that is refused. */
const expectRefused = async (file: string, words: RegExp | string): Promise<void> => {
  for (const line of ['plan check', 'plan apply --yes', 'plan apply --yes --all-or-nothing --again']) {
    const { exit, stdout, stderr } = await run(`${line} ${file}`);
    expect([exit, stdout, stderr]).toEqual([2, '', expect.stringMatching(words)]);
    expect(stderr).toMatch(/\nhint: (Nothing was sent\. |The profile points elsewhere\. |Pass it: )/);
  }
};

describe('what is not a plan', () => {
  const harm = (bytes: Buffer, at: number, how: string, byte: number): Buffer => {
    if (how === 'cut') return bytes.subarray(0, at);
    const [before, after] = [bytes.subarray(0, at), bytes.subarray(at + 1)];
    if (how === 'delete') return Buffer.concat([before, after]);
    if (how === 'insert') return Buffer.concat([before, Buffer.from([byte]), bytes.subarray(at)]);
    return Buffer.concat([before, Buffer.from([(bytes[at] ?? 0) ^ byte]), after]);
  };

  it.each(['two rows', 'no rows'])('is refused at every single byte (%s)', async (rows) => {
    const file = await makePlan();
    if (rows === 'no rows') await succeed(`members update 105 --weekly-hours-limit 40 --plan ${file}`);
    const bytes = readFileSync(file);
    const accepted: string[] = [];
    for (const how of ['flip', 'insert', 'delete', 'cut'])
      for (const [at] of bytes.entries()) {
        try {
          // 32: the other case of a letter.
          parsePlan(harm(bytes, at, how, 32).toString('utf8'), 'p');
          accepted.push(`${how} ${at}`);
        } catch (error) {
          if (!(error instanceof UsageError)) throw error;
        }
      }
    expect(accepted).toEqual([]);
    expect(parsePlan(bytes.toString('utf8'), 'p').rows).toHaveLength(rows === 'no rows' ? 0 : 2);
  });

  it('is refused where somebody has edited it', async () => {
    const file = await makePlan();
    const text = readFileSync(file, 'utf8');
    await expectRefused(
      fileOf(text.replaceAll('"weekly_hours_limit":20', '"weekly_hours_limit":60'), 'edited.ndjson'),
      /^error: \S+edited\.ndjson: the plan was changed after it was made: its checksum/,
    );
    const lines = text.split('\n');
    await expectRefused(
      fileOf([...lines.slice(0, 2), ...lines.slice(3)].join('\n'), 'short.ndjson'),
      /^error: \S+short\.ndjson: the plan is incomplete or has extra lines\n/,
    );
    await expectRefused(fileOf(ROWS, 'rows.csv'), /^error: \S+rows\.csv:1: not a plan: /);
    expect(await readRows('sandbox log')).toEqual([]);
  });

  it.each<[string, Partial<Record<keyof RunHead, unknown>>, RegExp]>([
    ['version', { ttctl_plan: 2 }, /:1: a plan of version 2: this ttctl reads version 1\n/],
    [
      'workspace',
      { workspace_id: 999 },
      /the plan is for another workspace\n.*workspace 999; this is workspace 101/,
    ],
    ['service', { base_url: 'https://else.example' }, /for another service\n.*https:\/\/else\.example/],
  ])('is refused where it is of another %s', async (_what, change, words) => {
    const { head, rows } = readPlan(await makePlan());
    const { sha256: _old, ...rest } = head;
    const other = { ...rest, ...change } as Omit<RunHead, 'sha256'>;
    const { workspace_id: id } = other;
    const moved = rows.map(({ request, ...row }) => ({
      ...row,
      request: {
        ...request,
        query: { workspace_id: `${id}` },
        body: { ...Object(request.body), workspace_id: id },
      },
    }));
    await expectRefused(fileOf(formatRun(other, moved), 'other.ndjson'), words);
    expect(await readRows('sandbox log')).toEqual([]);
  });
});

describe('a plan that was applied', () => {
  const SENT = ['/members/104', '/members/106'];

  it('is not applied by two at once', async () => {
    const file = await makePlan();
    const ended = await Promise.all([1, 2, 3].map(() => run(`plan apply ${file} --yes`)));
    const refused = ended.filter(({ exit }) => exit === 2);
    expect(ended.map(({ exit }) => exit).sort()).toEqual([0, 2, 2]);
    for (const { stderr } of refused)
      expect(stderr).toMatch(/this plan (is being applied in another process|was already applied)/);
    expect(await targetsSent()).toEqual(SENT);
  });

  it('is not applied again, by its content, but for --again', async () => {
    const file = await makePlan();
    await succeed(`plan apply ${file} --yes`);
    const copy = `${file}.copy`;
    copyFileSync(file, copy);
    for (const one of [file, copy]) {
      const { exit, stderr } = await run(`plan apply ${one} --yes`);
      expect([exit, stderr]).toEqual([
        2,
        expect.stringMatching(/^error: this plan was already applied on this machine\n.*\nhint: See the/),
      ]);
    }
    expect(await targetsSent()).toEqual(SENT);
    // One record is as it saw it once more; the others are as planned.
    await succeed('members update 104 --weekly-hours-limit 40');
    const again = await run(`plan apply ${copy} --yes --again --json`);
    // The other is as it was planned already.
    expect([again.exit, JSON.parse(again.stdout).map(({ status }: Row) => status)]).toEqual([
      0,
      ['done', 'unchanged'],
    ]);
    expect(await targetsSent()).toEqual(['/members/104', ...SENT, '/members/104'].sort());
  });

  it('is one of which something was sent: not after a check, a question, a dry run, too many, or a move', async () => {
    const file = await makePlan();
    const says = async (line: string) => {
      const { exit, stderr } = await run(line);
      return [exit, /(?:error|hint): .*/.exec(stderr)?.[0]];
    };
    await succeed(`plan check ${file}`);
    await succeed(`plan apply ${file} --dry-run`);
    expect(await says(`plan apply ${file}`)).toEqual([2, 'error: applying 2 changes needs confirmation']);
    expect(await says(`plan apply ${file} --yes --max-changes 1`)).toEqual([
      2,
      'error: 2 changes would be applied, but --max-changes allows 1',
    ]);
    await succeed('members update 106 --weekly-hours-limit 11');
    expect(await run(`plan apply ${file} --yes --all-or-nothing`)).toEqual({
      exit: 10,
      stdout: '',
      stderr:
        'error: nothing was sent: 1 of 2 records changed since the plan was made\n' +
        `hint: See which: ttctl plan check ${file}\n`,
    });
    await succeed('members update 104 --weekly-hours-limit 11');
    // A job, of which no row is sent.
    expect((await run(`plan apply ${file} --yes`)).exit).toBe(8);
    for (const id of [104, 106]) await succeed(`members update ${id} --weekly-hours-limit 40`);
    await succeed('sandbox log --clear');
    await succeed(`plan apply ${file} --yes --all-or-nothing --max-changes 2`);
    expect(await targetsSent()).toEqual(SENT);
  });

  it('is not gone on with by a run that was cut off before another applied it', async () => {
    const file = planFile();
    await succeed(`projects create --name "New pier" --plan ${file}`);
    await succeed(`plan apply ${file} --yes`);
    const state = sandbox.state;
    const id = '20260101-0000-abc';
    copyRun(bulkFiles(state)[0] ?? '', runFile(state, id), { steps: 0, head: { id } });
    const { exit, stderr } = await run(`jobs resume ${id}`);
    expect([exit, stderr]).toEqual([2, expect.stringContaining('error: this plan was already applied')]);
    expect((await readRows('projects list')).filter(({ name }) => name === 'New pier').length).toBe(1);
  });

  it('is finished with the command line that leads back to its service, where it was cut off', async () => {
    const file = await makePlan();
    await succeed('sandbox fault add members update --status 401');
    expect((await run(`plan apply ${file} --yes`)).exit).toBe(8);
    const { exit, stderr } = await run(`plan apply ${file} --yes --profile sandbox`);
    expect(exit).toBe(2);
    expect(stderr).toMatch(/Finish it with: ttctl jobs resume \S+ --profile sandbox$/m);
  });
});

describe('no plan is written', () => {
  it('where a row fails', async () => {
    const text = await succeed('members list -o csv');
    const mine = fileOf(text.replace(',Regular User,Europe/Dublin', ',Team manager,Europe/Dublin'), 'm.csv');
    const base = fileOf(text, 'base.csv');
    await succeed('members update 108 --role project-manager');
    const { exit, stderr } = await run(
      `members update --from-file ${mine} --base ${base} --plan ${planFile()}`,
    );
    expect([exit, stderr]).toEqual([
      8,
      expect.stringContaining('hint: No plan was written. Correct these first.'),
    ]);
    expect(existsSync(planFile())).toBe(false);
  });

  it.each([
    ['members update 104 --field token=canary-1234567', 'canary-1234567'],
    [
      'webhooks create --url https://h.example/?api_key=canary-1234567 --event tracker.started',
      'canary-1234567',
    ],
  ])('where a request has a secret in it: %s', async (line, canary) => {
    const { exit, stderr } = await run(`${line} --plan ${planFile()}`);
    expect([exit, stderr]).toEqual([
      2,
      expect.stringMatching(/^error: no plan was written: the request for \S+ contains a secret\nhint: /),
    ]);
    expect(stderr).not.toContain(canary);
    expect(existsSync(planFile())).toBe(false);
  });
});

describe('a plan, read', () => {
  const TIME = /\d{4}-\d\d-\d\dT[\d:.]+Z/;

  it('is a table for people, and markdown for a pull request, without asking the service', async () => {
    const file = await makePlan();
    const nothing = `${sandbox.state}-nothing`;
    sandbox.env['TTCTL_STATE_DIR'] = nothing;
    const { stdout, stderr } = await run(`plan show ${file}`);
    const { command } = readPlan(file).head;
    expect(stdout.replace(TIME, 'TIME')).toBe(
      [
        `command    ${command}`,
        'made       TIME by nora@lindenhof.example',
        'service    embedded',
        'workspace  101',
        'changes    2 members.update',
        'recorded   names and old values: plan check compares them with the service',
        '',
        'N  RECORD                                OPERATION       TARGET  CHANGE',
        '1  Grace Okafor grace@lindenhof.example  members.update  104     hours a week: 40 → 20',
        '2  Mei Tanaka mei@lindenhof.example      members.update  106     hours a week: 40 → 33',
        '',
      ].join('\n'),
    );
    expect(stderr).toBe('');
    const markdown = await succeed(`plan show ${file} --output markdown`);
    expect(markdown.replace(TIME, 'TIME').replace(/command: .*/, 'command: COMMAND')).toBe(
      [
        '### Plan: 2 changes',
        '',
        '- command: COMMAND',
        '- made: TIME by nora@lindenhof.example',
        '- service: embedded',
        '- workspace: 101',
        '- changes: 2 members.update',
        '- recorded: names and old values: plan check compares them with the service',
        '',
        '| n | record | operation | target | change |',
        '| ---: | --- | --- | --- | --- |',
        '| 1 | Grace Okafor grace@lindenhof.example | members.update | 104 | hours a week: 40 → 20 |',
        '| 2 | Mei Tanaka mei@lindenhof.example | members.update | 106 | hours a week: 40 → 33 |',
        '',
      ].join('\n'),
    );
    expect(await readRows(`plan show ${file}`)).toEqual(
      readPlan(file).rows.map((row) => ({ ...row, status: 'planned', at: null, message: null, error: null })),
    );
    expect(existsSync(nothing)).toBe(false);
  });

  it('goes through a pipe', async () => {
    const { stdout, exit } = await run('members update 104 --weekly-hours-limit 20 --plan -');
    expect([exit, parsePlan(stdout, '-').rows.map(({ target }) => target)]).toEqual([0, ['104']]);
    expect(JSON.parse((await run('plan show - --json', { stdin: stdout })).stdout)).toMatchObject([
      { target: '104' },
    ]);
    expect((await run('plan check -', { stdin: stdout })).exit).toBe(0);
    expect((await run('plan show -', { stdin: stdout.slice(1) })).stderr).toMatch(
      /^error: stdin:1: not a plan: /,
    );
    await succeed('sandbox log --clear');
    expect((await run('plan apply - --yes', { stdin: stdout })).exit).toBe(0);
    expect(await targetsSent()).toEqual(['/members/104']);
  });

  it('may have no changes', async () => {
    const file = planFile();
    const { stderr } = await run(`members update 105 --weekly-hours-limit 40 --plan ${file}`);
    expect(stderr).toContain(`Saved a plan of 0 changes to ${file}. Nothing was sent.`);
    await succeed('sandbox log --clear');
    for (const line of ['plan show', 'plan check', 'plan apply', 'plan apply --yes --all-or-nothing'])
      expect((await run(`${line} ${file}`)).exit, line).toBe(0);
    expect(await run(`plan apply ${file} --yes --json`)).toMatchObject({ exit: 0, stdout: '[]\n' });
    expect(await writesSeen()).toEqual([]);
  });

  it('says what to heed before anybody agrees', async () => {
    const [{ id } = {}] = await readRows('expenses list');
    await succeed(`expenses delete ${id} --plan ${planFile()}`);
    const { stderr } = await run(`plan show ${planFile()}`);
    expect(stderr).toContain('1 change permanently deletes a record.');
    expect(await succeed(`plan show ${planFile()} -o markdown`)).toContain(
      '> **Warning:** 1 change permanently deletes a record.\n',
    );
  });
});

describe('a record that cannot be compared', () => {
  it('is not written where it cannot be read', async () => {
    const file = planFile();
    await succeed(`projects update --from-file ${fileOf('id,notes\n114,Ours\n116,Ours\n')} --plan ${file}`);
    await succeed('sandbox log --clear');
    await succeed('sandbox fault add projects get --status 403 --times 90');
    await succeed('sandbox fault add projects list --status 403 --times 90');
    const check = await run(`plan check ${file} --json`);
    const apply = await run(`plan apply ${file} --yes --json`);
    const statuses = (text: string) => JSON.parse(text).map(({ status }: Row) => status);
    expect([check.exit, statuses(check.stdout)]).toEqual([10, ['unread', 'unread']]);
    expect([apply.exit, statuses(apply.stdout)]).toEqual([4, ['failed', 'failed']]);
    expect((await run(`plan apply ${file} --yes --all-or-nothing`)).exit).toBe(10);
    expect(await writesSeen()).toEqual([]);
  });

  it('is compared without its old values that are secrets, which are not in the plan', async () => {
    const address = 'https://h.example/?token=canary-1234567';
    const { stdout } = await run(`webhooks create --url ${address} --event tracker.started --output ids`);
    const change = `webhooks update ${stdout.trim()} --url https://h.example/ --event tracker.started`;
    await succeed(`${change} --plan ${planFile()}`);
    expect(readFileSync(planFile(), 'utf8')).not.toContain('canary');
    const seen = { events: ['tracker.started'] };
    expect(readPlan(planFile()).rows).toMatchObject([{ seen, before: seen }]);
    expect((await run(`plan check ${planFile()}`)).exit).toBe(0);
    await succeed(`plan apply ${planFile()} --yes`);
  });

  it('is said where there is none yet', async () => {
    await succeed(`projects create --name Ours --plan ${planFile()}`);
    expect(await run(`plan check ${planFile()}`)).toMatchObject({
      exit: 0,
      stderr: expect.stringContaining('1 not checked: the plan has nothing to compare with.\n'),
    });
  });
});

describe('over the wire', () => {
  /** In place of the embedded sandbox. */
  const start = async () => {
    const service = await startFaultyService({ seed: 'demo', keyOf: (line) => line });
    atThisFileEnd(() => service.close());
    const as = { as: 'samir@lindenhof.example', scopes: ['read', 'write'] };
    const executive = await service.hosted.control.createToken(as);
    delete sandbox.env['TTCTL_PROFILE'];
    Object.assign(sandbox.env, service.env);
    return { service, executive: executive.token };
  };

  it('another account may apply it, and is told', async () => {
    const { service, executive } = await start();
    await succeed(`members update 108 --weekly-hours-limit 20 --plan ${planFile()}`);
    sandbox.env['TTCTL_TOKEN'] = executive;
    const { exit, stderr } = await run(`plan apply ${planFile()} --yes`);
    const told =
      'This plan was made by nora@lindenhof.example; you are applying it as samir@lindenhof.example.';
    expect([exit, stderr]).toEqual([0, expect.stringContaining(told)]);
    expect([...service.applied]).toEqual([['PUT /members/108', 1]]);
    expect(await readRows('history list')).toMatchObject([{ account: 'samir@lindenhof.example' }]);
  });

  it('another service sees no request of it', async () => {
    const { service: other } = await start();
    const elsewhere = { ...sandbox.env };
    const { service } = await start();
    await succeed(`members update 108 --weekly-hours-limit 20 --plan ${planFile()}`);
    const { base_url } = readPlan(planFile()).head;
    Object.assign(sandbox.env, elsewhere);
    const { origin } = new URL(elsewhere['TTCTL_BASE_URL'] ?? '');
    await expectRefused(planFile(), /^error: the plan is for another service\n/);
    await expectRefused(planFile(), `It is for service ${base_url}; this is service ${origin}.`);
    expect([other.statuses.size, [...service.arrived]]).toEqual([0, []]);
  });
});
