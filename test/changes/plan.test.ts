import { copyFileSync, existsSync, readFileSync, statSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { formatRun, type RunHead } from '../../src/changes/journal.ts';
import { parsePlan } from '../../src/changes/plan.ts';
import { UsageError } from '../../src/errors.ts';
import { prepareSample, samples } from '../samples.ts';
import { bulkFiles, copyRun, runFile } from '../support/runs.ts';
import { type Row, useCli } from '../support/use-cli.ts';

/** Changes that are written to a file, checked, and sent later, in the sandbox: as planned to the byte, or not at all. */

const sandbox = useCli({ sandbox: 'demo' });
const { run, read, rows, json, sent, writes, file } = sandbox;

const readPlan = (path: string) => parsePlan(readFileSync(path, 'utf8'), path);
/** The writes of a plan, as `sent` tells them. */
const listPlanned = (path: string): readonly string[] =>
  readPlan(path).rows.map(({ request: { method, path: to, query, body } }) => {
    const asked = new URLSearchParams(query as Record<string, string>).toString();
    return `${method} ${to}${asked && `?${asked}`}${body === undefined ? '' : ` ${JSON.stringify(body)}`}`;
  });

const NOTES = 'Zoë’s ""plan"" ☕, \u2028';

describe('a plan', () => {
  it.each([
    [
      'members update',
      'id,weekly_hours_limit\n104,33\n105,33\n106,40\n',
      'update ID --weekly-hours-limit 12',
      { weekly_hours_limit: 12 },
    ],
    [
      'projects update',
      `id,notes\n114,"${NOTES}"\n116,"${NOTES}"\n115,Second phase begins after the summer\n`,
      'update ID --notes Theirs',
      { notes: 'Theirs' },
    ],
    [
      'timesheets approve',
      'timesheets list --status submitted',
      'reject ID --reason Theirs --yes',
      { status: 'rejected' },
    ],
    ['expenses delete', 'expenses list', 'delete ID --yes', undefined],
  ])('of %s is sent to the byte, but for what has moved', async (command, input, theirs, after) => {
    const [noun, verb] = command.split(' ');
    // The third row of a file says what is so already.
    const isFile = input.includes('\n');
    const found = isFile ? [] : (await rows(input)).slice(0, 3).map(({ id }) => String(id));
    const text = isFile ? input : `id\n${found.join('\n')}\n`;
    const ids = isFile ? [...input.matchAll(/^\d+/gm)].slice(0, 2).map(String) : found;
    const [plan, moved = ''] = [file('p.ndjson'), ids[1]];
    await read('sandbox snapshot save before');
    await read(`${command} --from-file ${file('rows.csv', text)} --plan ${plan}`);
    expect([await sent(), await rows('sandbox snapshot diff before')]).toEqual([[], []]);
    const { head, rows: planned } = readPlan(plan);
    expect(planned.map(({ target }) => target)).toEqual(ids);
    expect([head.rows, statSync(plan).mode & 0o777]).toEqual([ids.length, 0o600]);
    await read(`plan check ${plan}`);

    await read(`${noun} ${theirs.replace('ID', moved)}`);
    const { exit, stdout } = await run(`plan check ${plan} --json`);
    const { label, seen } = { ...planned[1] };
    const before = Object.fromEntries(Object.keys({ ...after }).map((key) => [key, seen?.[key]]));
    const status = after === undefined ? 'gone' : 'moved';
    const told = { n: 2, operation: `${noun}.${verb}`, target: moved, label, message: null, status };
    expect([exit, JSON.parse(stdout)]).toEqual([10, [{ ...told, before, after: { ...after } }]]);
    await read('sandbox log --clear');
    const none = await run(`plan apply ${plan} --yes --all-or-nothing --json`);
    expect([none.exit, JSON.parse(none.stderr).error.code, none.stdout]).toEqual([10, 'moved', '']);
    expect(await sent()).toEqual([]);

    const applied = await run(`plan apply ${plan} --yes --json`);
    const results = JSON.parse(applied.stdout).map((row: Row) => [
      row['target'],
      row['status'],
      Object(row['error']).code,
    ]);
    const wanted = ids.map((id) => (id === moved ? [id, 'skipped', 'moved'] : [id, 'done', undefined]));
    expect([applied.exit, results]).toEqual([8, wanted]);
    const counts = { done: ids.length - 1, failed: 0, skipped: 1 };
    expect(await rows('jobs list --limit 1')).toMatchObject([counts]);
    const [first, , ...others] = listPlanned(plan);
    expect([...(await sent())].sort()).toEqual([first, ...others].sort());
    expect((await run(`plan apply ${plan} --yes`)).exit).toBe(2);
    expect(await sent()).toHaveLength(ids.length - 1);
  });

  it.each([
    ...samples,
    {
      operation: 'projects.update with raw fields',
      line: `projects update 114 --field 'extra:={"a":[1.50,null,"é"]}' --field notes=Raw`,
      request:
        'PUT /projects/114?workspace_id=101 {"workspace_id":101,"extra":{"a":[1.5,null,"é"]},"notes":"Raw"}',
    },
  ])('has the one request of its command, and sends it: $operation', async (sample) => {
    const { line, request } = await prepareSample(sandbox, sample);
    const plan = file('p.ndjson');
    const before = await sent();
    await read(`${line} --plan ${plan}`);
    expect([await sent(), listPlanned(plan)]).toEqual([before, [request]]);
    const { exit, stderr } = await run(`plan apply ${plan} --yes --debug`);
    expect([exit, await sent()]).toEqual([0, [...before, request]]);
    const [body = ''] = /\{.*/.exec(request) ?? [];
    expect(stderr).toContain(` ${body}`);
  });

  it('is of the workspace that a raw field names', async () => {
    const plan = file('p.ndjson');
    await read(`projects create --name Ours --field workspace_id:=146 --plan ${plan}`);
    expect(readPlan(plan).head.workspace_id).toBe(146);
    expect(listPlanned(plan)).toEqual(['POST /projects?workspace_id=146 {"workspace_id":146,"name":"Ours"}']);
  });
});

/** A plan: 104 gets 20 hours a week, 106 gets 33, and 105 has what it gets. */
const ROWS = 'id,weekly_hours_limit\n104,20\n105,40\n106,33\n';
const makePlan = async (): Promise<string> => {
  const plan = file('plan.ndjson');
  await read(`members update --from-file ${file('rows.csv', ROWS)} --plan ${plan}`);
  await read('sandbox log --clear');
  return plan;
};
const BOTH = ['PUT /members/104', 'PUT /members/106'];

const expectRefused = async (plan: string, words: RegExp): Promise<void> => {
  for (const line of ['plan check', 'plan apply --yes', 'plan apply --yes --all-or-nothing --again']) {
    const { exit, stdout, stderr } = await run(`${line} ${plan}`);
    expect([exit, stdout, stderr]).toEqual([2, '', expect.stringMatching(words)]);
    expect(stderr).toMatch(/\nhint: (Nothing was sent\. |The profile points elsewhere\. |Pass it: )/);
  }
  expect(await rows('sandbox log')).toEqual([]);
};

describe('what is not a plan', () => {
  it.each(['two rows', 'no rows'])('is refused at every single byte (%s)', async (many) => {
    const plan = await makePlan();
    if (many === 'no rows') await read(`members update 105 --weekly-hours-limit 40 --plan ${plan}`);
    const bytes = readFileSync(plan);
    for (const at of bytes.keys()) {
      const [before, byte, after] = [
        bytes.subarray(0, at),
        bytes.subarray(at, at + 1),
        bytes.subarray(at + 1),
      ];
      // The other case of a letter.
      const other = Buffer.from([Number(byte[0]) ^ 32]);
      const harms = {
        cut: [before],
        deleted: [before, after],
        inserted: [before, other, byte, after],
        changed: [before, other, after],
      };
      for (const [how, parts] of Object.entries(harms)) {
        const parse = () => parsePlan(Buffer.concat(parts).toString(), 'p');
        expect(parse, `${how} at ${at}`).toThrow(UsageError);
      }
    }
    expect(readPlan(plan).rows).toHaveLength(many === 'no rows' ? 0 : 2);
  });

  it('is refused where somebody has edited it', async () => {
    const text = readFileSync(await makePlan(), 'utf8');
    await expectRefused(
      file('edited.ndjson', text.replaceAll('"weekly_hours_limit":20', '"weekly_hours_limit":60')),
      /^error: \S+edited\.ndjson: the plan was changed after it was made: its checksum/,
    );
    const short = file('short.ndjson', text.replace(/\n.*\n$/, '\n'));
    await expectRefused(short, /^error: \S+short\.ndjson: the plan is incomplete or has extra lines\n/);
    await expectRefused(file('rows.csv', ROWS), /^error: \S+rows\.csv:1: not a plan: /);
  });

  it.each<[string, object, RegExp]>([
    ['version', { ttctl_plan: 2 }, /:1: a plan of version 2: this ttctl reads version 1\n/],
    [
      'workspace',
      { workspace_id: 999 },
      /the plan is for another workspace\n.*workspace 999; this is workspace 101/,
    ],
    [
      'service',
      { base_url: 'https://else.example' },
      /^error: the plan is for another service\n.*https:\/\/else\.example/,
    ],
  ])('is refused where it is of another %s', async (_what, change, words) => {
    const { head, rows: planned } = readPlan(await makePlan());
    const other = { ...head, ...change, sha256: undefined } as Omit<RunHead, 'sha256'>;
    const { workspace_id: id } = other;
    const moved = planned.map(({ request, ...row }) => ({
      ...row,
      request: {
        ...request,
        query: { workspace_id: `${id}` },
        body: { ...Object(request.body), workspace_id: id },
      },
    }));
    await expectRefused(file('other.ndjson', formatRun(other, moved)), words);
  });
});

describe('a plan that was applied', () => {
  it('is not applied by two at once', async () => {
    const plan = await makePlan();
    const ended = await Promise.all([1, 2, 3].map(() => run(`plan apply ${plan} --yes`)));
    expect(ended.map(({ exit }) => exit).sort()).toEqual([0, 2, 2]);
    for (const { exit, stderr } of ended)
      if (exit === 2)
        expect(stderr).toMatch(/this plan (is being applied in another process|was already applied)/);
    expect([...(await writes())].sort()).toEqual(BOTH);
  });

  it('is not applied again, by its content, but for --again', async () => {
    const [plan, copy] = [await makePlan(), file('copy.ndjson')];
    await read(`plan apply ${plan} --yes`);
    copyFileSync(plan, copy);
    for (const one of [plan, copy]) {
      const { exit, stderr } = await run(`plan apply ${one} --yes`);
      const words = /^error: this plan was already applied on this machine\n.*\nhint: See the/;
      expect([exit, stderr]).toEqual([2, expect.stringMatching(words)]);
    }
    expect([...(await writes())].sort()).toEqual(BOTH);
    // One record is as the plan saw it once more; the other is as it was planned.
    await read('members update 104 --weekly-hours-limit 40');
    const again = await rows(`plan apply ${copy} --yes --again`);
    expect(again.map(({ status }) => status)).toEqual(['done', 'unchanged']);
    expect([...(await writes())].sort()).toEqual([...Array(3).fill(BOTH[0]), BOTH[1]]);
  });

  it('is one of which something was sent: not after a check, a question, a dry run, too many, or a move', async () => {
    const plan = await makePlan();
    await read(`plan check ${plan}`);
    await read(`plan apply ${plan} --dry-run`);
    for (const [flags, words] of [
      ['', 'applying 2 changes needs confirmation'],
      ['--yes --max-changes 1', '2 changes would be applied, but --max-changes allows 1'],
    ]) {
      const { exit, stderr } = await run(`plan apply ${plan} ${flags}`);
      expect([exit, stderr]).toEqual([2, expect.stringContaining(`error: ${words}\n`)]);
    }
    await read('members update 106 --weekly-hours-limit 11');
    const stderr =
      'error: nothing was sent: 1 of 2 records changed since the plan was made\n' +
      `hint: See which: ttctl plan check ${plan}\n`;
    const moved = await run(`plan apply ${plan} --yes --all-or-nothing`);
    expect(moved).toEqual({ exit: 10, stdout: '', stderr });
    await read('members update 104 --weekly-hours-limit 11');
    // A job, of which no row is sent.
    expect((await run(`plan apply ${plan} --yes`)).exit).toBe(8);
    for (const id of [104, 106]) await read(`members update ${id} --weekly-hours-limit 40`);
    await read('sandbox log --clear');
    await read(`plan apply ${plan} --yes --all-or-nothing --max-changes 2`);
    expect([...(await writes())].sort()).toEqual(BOTH);
  });

  it('is not gone on with by a run that was cut off before another applied it', async () => {
    const plan = file('plan.ndjson');
    await read(`projects create --name "New pier" --plan ${plan}`);
    await read(`plan apply ${plan} --yes`);
    const id = '20260101-0000-abc';
    copyRun(bulkFiles(sandbox.state)[0] ?? '', runFile(sandbox.state, id), { steps: 0, head: { id } });
    const { exit, stderr } = await run(`jobs resume ${id}`);
    expect([exit, stderr]).toEqual([2, expect.stringContaining('error: this plan was already applied')]);
    expect(await writes()).toEqual(['POST /projects']);
  });

  it('is finished with the command line that leads back to its service, where it was cut off', async () => {
    const plan = await makePlan();
    await read('sandbox fault add members update --status 401');
    expect((await run(`plan apply ${plan} --yes`)).exit).toBe(8);
    const { exit, stderr } = await run(`plan apply ${plan} --yes --profile sandbox`);
    expect(exit).toBe(2);
    expect(stderr).toMatch(/Finish it with: ttctl jobs resume \S+ --profile sandbox$/m);
  });

  it('by another account tells of it', async () => {
    const plan = file('plan.ndjson');
    await read(`members update 108 --weekly-hours-limit 20 --plan ${plan}`);
    sandbox.env['TTCTL_TOKEN'] = (await read('sandbox token create --as samir@lindenhof.example')).trim();
    const { exit, stderr } = await run(`plan apply ${plan} --yes`);
    const told =
      'This plan was made by nora@lindenhof.example; you are applying it as samir@lindenhof.example.';
    expect([exit, stderr]).toEqual([0, expect.stringContaining(told)]);
    expect(await writes()).toEqual(['PUT /members/108']);
    expect(await rows('history list')).toMatchObject([{ account: 'samir@lindenhof.example' }]);
  });
});

describe('no plan is written', () => {
  it('where a row fails', async () => {
    const base = file('base.csv', 'id,role\n108,Regular User\n109,Regular User\n');
    const mine = file('mine.csv', 'id,role\n108,Team manager\n109,Team manager\n');
    await read('members update 108 --role project-manager');
    const line = `members update --from-file ${mine} --base ${base} --plan ${file('p.ndjson')}`;
    const { exit, stderr } = await run(line);
    expect([exit, stderr]).toEqual([
      8,
      expect.stringContaining('hint: No plan was written. Correct these first.'),
    ]);
    expect(existsSync(file('p.ndjson'))).toBe(false);
  });

  it.each([
    'members update 104 --field token=canary-1234567',
    'webhooks create --url https://h.example/?api_key=canary-1234567 --event tracker.started',
  ])('where a request has a secret in it: %s', async (line) => {
    const { exit, stderr } = await run(`${line} --plan ${file('p.ndjson')}`);
    const words = /^error: no plan was written: the request for \S+ contains a secret\nhint: /;
    expect([exit, stderr]).toEqual([2, expect.stringMatching(words)]);
    expect(stderr).not.toContain('canary');
    expect(existsSync(file('p.ndjson'))).toBe(false);
  });
});

describe('a plan, read', () => {
  it('goes through a pipe, and is JSON with its rows', async () => {
    const stdin = await read('members update 104 --weekly-hours-limit 20 --plan -');
    const [row] = parsePlan(stdin, '-').rows;
    const shown = { ...row, status: 'planned', at: null, message: null, error: null };
    expect(await rows('plan show -', { stdin })).toEqual([shown]);
    await read('plan check -', { stdin });
    const { stderr } = await run('plan show -', { stdin: stdin.slice(1) });
    expect(stderr).toMatch(/^error: stdin:1: not a plan: /);
    await read('plan apply - --yes', { stdin });
    expect(await writes()).toEqual(['PUT /members/104']);
  });

  it('may have no changes', async () => {
    const plan = file('plan.ndjson');
    const { stderr } = await run(`members update 105 --weekly-hours-limit 40 --plan ${plan}`);
    expect(stderr).toContain(`Saved a plan of 0 changes to ${plan}. Nothing was sent.`);
    for (const line of ['plan show', 'plan check', 'plan apply', 'plan apply --yes --all-or-nothing'])
      await read(`${line} ${plan}`);
    expect(await json(`plan apply ${plan} --yes`)).toEqual([]);
    expect(await writes()).toEqual([]);
  });

  it('says what to heed before anybody agrees', async () => {
    const [{ id } = {}] = await rows('expenses list');
    const plan = file('plan.ndjson');
    await read(`expenses delete ${id} --plan ${plan}`);
    const told = '1 change permanently deletes a record.';
    expect((await run(`plan show ${plan}`)).stderr).toContain(told);
    const markdown = await read(`plan show ${plan} -o markdown`);
    expect(markdown).toMatch(/^### Plan: 1 change\n/);
    expect(markdown).toContain(`> **Warning:** ${told}\n`);
  });
});

describe('a record that cannot be compared', () => {
  it('is not written where it cannot be read', async () => {
    const plan = file('plan.ndjson');
    const ours = file('rows.csv', 'id,notes\n114,Ours\n116,Ours\n');
    await read(`projects update --from-file ${ours} --plan ${plan}`);
    for (const verb of ['get', 'list'])
      await read(`sandbox fault add projects ${verb} --status 403 --times 90`);
    for (const [line, exit, status] of [
      ['plan check', 10, 'unread'],
      ['plan apply --yes', 4, 'failed'],
    ] as const) {
      const ended = await run(`${line} ${plan} --json`);
      expect([ended.exit, JSON.parse(ended.stdout)]).toMatchObject([exit, [{ status }, { status }]]);
    }
    expect((await run(`plan apply ${plan} --yes --all-or-nothing`)).exit).toBe(10);
    expect(await writes()).toEqual([]);
  });

  it('is compared without its old values that are secrets, which are not in the plan', async () => {
    const address = 'https://h.example/?token=canary-1234567';
    const id = await read(`webhooks create --url ${address} --event tracker.started --output ids`);
    const plan = file('plan.ndjson');
    const change = `--url https://h.example/ --event tracker.started --plan ${plan}`;
    await read(`webhooks update ${id.trim()} ${change}`);
    expect(readFileSync(plan, 'utf8')).not.toContain('canary');
    const seen = { events: ['tracker.started'] };
    expect(readPlan(plan).rows).toMatchObject([{ seen, before: seen }]);
    await read(`plan check ${plan}`);
    await read(`plan apply ${plan} --yes`);
  });

  it('is said where there is none yet', async () => {
    const plan = file('plan.ndjson');
    await read(`projects create --name Ours --plan ${plan}`);
    const { exit, stderr } = await run(`plan check ${plan}`);
    expect([exit, stderr]).toEqual([0, expect.stringContaining('\n1 not checked: the plan has nothing to ')]);
  });
});
