import { readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { allOperations } from '../../src/api/operations.ts';
import { ENTRY_FIELDS } from '../../src/changes/jobs.ts';
import { parseRun, type RunSettings } from '../../src/changes/journal.ts';
import { bulkFiles, copyRun, runFile, runFiles } from '../support/runs.ts';
import { envelope, onePage } from '../support/service.ts';
import { openCli, type Row, useCli } from '../support/use-cli.ts';
import { startListener } from '../support/webhooks.ts';

/** The history of writes: what makes an entry, how it is read, and what it survives. */

const sandbox = useCli({ sandbox: 'demo' });
const { run, read, rows, entries, writes } = sandbox;

const KEYS = [
  ...['id', 'time', 'run', 'account', 'workspace_id', 'command', 'operation', 'target', 'label'],
  ...['before', 'after', 'status', 'request_id'],
];

const state = (): string => sandbox.state;
/** All text below the folder. */
const textOf = (folder: string): string =>
  readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .map((name) => join(folder, name))
    .filter((path) => statSync(path).isFile())
    .map((path) => readFileSync(path, 'utf8'))
    .join('\n');

const HOURS = 'id,weekly_hours_limit\n105,11\n106,12\n108,13\n';

/** A command line, how it ends, and its entries. */
const HOURS_BEFORE = { before: { weekly_hours_limit: 40 } };
const AOIFE = {
  target: '108',
  label: 'Aoife Byrne  aoife@lindenhof.example',
  account: null,
  workspace_id: 101,
};
const WRITES: readonly [line: string, exit: number, expected: readonly Row[]][] = [
  [
    'members update 108 --weekly-hours-limit 32',
    0,
    [
      {
        operation: 'members.update',
        ...AOIFE,
        ...HOURS_BEFORE,
        after: { weekly_hours_limit: 32 },
        status: 'done',
      },
    ],
  ],
  [
    'projects create --name New --notes One',
    0,
    [{ operation: 'projects.create', status: 'done', before: null, after: { name: 'New', notes: 'One' } }],
  ],
  ['members archive 108 --yes', 0, [{ operation: 'members.archive', target: '108', status: 'done' }]],
  ['time-tracking stop', 0, [{ operation: 'time-tracking.stop', status: 'done' }]],
  [
    'members archive 105 106 108 --yes',
    0,
    ['105', '106', '108'].map((target) => ({ operation: 'members.archive', target, status: 'done' })),
  ],
  [
    'members update --from-file FILE --yes',
    0,
    ['105', '106', '108'].map((target, n) => ({
      ...{ target, ...HOURS_BEFORE, after: { weekly_hours_limit: n + 11 } },
    })),
  ],
  ['leaves approve 4711 --yes', 5, [{ operation: 'leaves.approve', target: '4711', status: 'failed' }]],
  [
    'api PUT /members/108 --field weekly_hours_limit:=3',
    0,
    [{ operation: 'api', target: 'PUT /members/108', status: 'done', before: null, after: null }],
  ],
  ['api PUT /members/108 --field weekly_hours_limit=x', 6, [{ operation: 'api', status: 'failed' }]],
];

describe('a write', () => {
  it.each(WRITES)('%s leaves exactly one entry each', async (line, exit, expected) => {
    const command = line.replace('FILE', sandbox.file('rows.csv', HOURS));
    const ended = await run(command);
    expect([ended.stderr, ended.exit]).toEqual([expect.any(String), exit]);
    const found = (await entries()).toReversed();
    expect(found).toMatchObject(expected);
    expect(found.length).toBe(expected.length);
    for (const [n, entry] of found.entries()) {
      expect(Object.keys(entry)).toEqual(KEYS);
      expect(entry).toMatchObject({
        id: `${entry['run']}-${n + 1}`,
        request_id: entry['id'],
        command,
        time: expect.stringMatching(/^\d{4}-\d\d-\d\dT.*Z$/),
      });
    }
    expect(KEYS).toEqual(ENTRY_FIELDS);
    expect((await writes()).length).toBe(expected.length);
  });

  it.each([409, 422, 500])('that is refused with %i leaves one, single or a row', async (status) => {
    await read(`sandbox fault add members update --status ${status}`);
    await run('members update 108 --weekly-hours-limit 32');
    await read(`sandbox fault add members update --status ${status}`);
    await run(`members update --from-file ${sandbox.file('rows.csv', HOURS)} --yes`);
    const found = (await entries()).toReversed();
    const refused = status === 500 ? 'unknown' : 'failed';
    expect(found.map(({ target, status }) => [target, status])).toEqual([
      ['108', refused],
      ['105', refused],
      ['106', 'done'],
      ['108', 'done'],
    ]);
  });

  it.each([
    'members update 108 --weekly-hours-limit 32 --dry-run',
    'members update --from-file FILE --dry-run',
    'members update --from-file FILE --plan PLAN',
    'api PUT /members/108 --field weekly_hours_limit:=3 --dry-run',
    'members list',
    'members get 108',
    'api GET /members',
    'members update 108 --weekly-hours-limit 40',
    'members restore 108',
    'members update 108 --weekly-hours-limit x',
    'members update 108',
    'members archive 108',
    'members update --from-file FILE --yes --max-changes 1',
    'members update --from-file FILE --yes --no-history',
    'members update --from-file FILE --yes --no-journal',
    'members update 108 --weekly-hours-limit 32 --no-history',
    'members update 108 --weekly-hours-limit 32 --no-journal',
    'api PUT /members/108 --field weekly_hours_limit:=3 --no-history',
  ])('%s leaves none', async (line) => {
    const command = line
      .replace('FILE', sandbox.file('rows.csv', HOURS))
      .replace('PLAN', sandbox.file('p.ndjson'));
    await run(command);
    expect(await entries()).toEqual([]);
    expect(await rows('jobs list')).toEqual([]);
  });

  it('takes one read for its old values, and none without the history', async () => {
    const operations = async (line: string) => {
      await sandbox.renew();
      await read(line);
      return (await rows('sandbox log')).map(({ operation }) => operation);
    };
    const line = 'members update 108 --weekly-hours-limit 32';
    expect(await operations(line)).toEqual(['members.get', 'members.update']);
    expect(await operations(`${line} --no-history`)).toEqual(['members.update']);
    expect(await operations(`${line} --no-journal`)).toEqual(['members.update']);
  });

  it('goes out with the id of its entry', async () => {
    const t = await openCli({
      service: ({ line }) => ({
        body: line.startsWith('GET /members?') ? onePage([]) : envelope({ id: 17, status: 'active' }),
      }),
    });
    await t.run('members update 17 --weekly-hours-limit 32');
    await t.run('members archive 17 18 19 --yes');
    await t.run('api DELETE /members/17');
    const writes = t.requests.filter(({ line }) => !line.startsWith('GET '));
    const sent = writes.map(({ headers }) => headers['x-request-id']);
    const found = await t.rows('history list');
    expect(sent.length).toBe(5);
    expect(found.map(({ request_id: id }) => id).sort()).toEqual(sent.sort());
    expect(found.map(({ id }) => id).sort()).toEqual(sent);
  });
});

/** A history with every kind of entry. */
const fill = async (): Promise<void> => {
  await run('members update 108 --weekly-hours-limit 32');
  await run('sandbox fault add members update --status 422');
  await run(`members update --from-file ${sandbox.file('rows.csv', HOURS)} --yes`);
  await run('members archive 106 --yes');
  await run('leaves approve 4711 --yes');
  await run('viewers assign 113 --project 114');
  await run('tasks unassign 132 --project 114 --member 108');
  await run('api PUT /members/109 --field weekly_hours_limit:=3');
  await run('sandbox fault add expenses create --status 500 --after-commit');
  await run('sandbox fault add expenses list --status 500 --times 50');
  await run('expenses create --name Ferry --date 2026-11-02 --amount 9.90 --category Travel', {
    env: { TTCTL_MAX_WAIT: '0' },
  });
  await run('sandbox fault clear');
};

describe('history list', () => {
  it('has what fits each filter, and all of that', async () => {
    await fill();
    const all = await entries();
    expect(all.length).toBe(10);
    expect(new Set(all.map(({ status }) => status))).toEqual(new Set(['done', 'failed', 'unknown']));
    const check = async (flags: string, fits: (entry: Row) => boolean) => {
      const wanted = all.filter(fits).map(({ id }) => id);
      expect([flags, (await entries(flags)).map(({ id }) => id)]).toEqual([flags, wanted]);
      return wanted.length;
    };
    const same = (name: string, value: unknown) => (entry: Row) => entry[name] === value;
    for (const status of ['done', 'failed', 'unknown']) {
      expect(await check(`--status ${status}`, same('status', status))).toBeGreaterThan(0);
    }
    for (const name of ['target', 'operation', 'run']) {
      for (const value of new Set(all.map((entry) => entry[name])))
        expect(await check(`--${name} "${value}"`, same(name, value))).toBeGreaterThan(0);
    }
    await check('--operation leaves.reject', () => false);
    await check(
      '--operation members.update --status failed --target 105',
      ({ operation, status, target }) => [operation, status, target].join() === 'members.update,failed,105',
    );
    // Whose record it is, by id; and by what is known of them.
    const ofAoife = ({ operation, target }: Row) =>
      (target === '108' && operation === 'members.update') || operation === 'tasks.unassign';
    expect(await check('--member 108', ofAoife)).toBe(3);
    const named = (part: string) => (entry: Row) =>
      `${entry['target']} ${entry['label']}`.toLowerCase().includes(part);
    expect(await check('--member AOIFE@lindenhof', named('aoife@lindenhof'))).toBe(2);
    expect(await check('--member byrne', named('byrne'))).toBeGreaterThan(1);
    await check('--member nobody@x.example', () => false);
    await check('--member ".*"', () => false);
    expect(await check('--period today', () => true)).toBe(10);
    await check('--period last-week', () => false);
    await check('--date-to 2020-01-01', () => false);
    await check('--date-from 2020-01-01', () => true);
    expect((await rows('history list --limit 3')).length).toBe(3);
    const times = all.map(({ time }) => String(time));
    expect(times).toEqual(times.toSorted().reverse());
  });

  it('knows days in the zone that is asked for', async () => {
    await run('members update 108 --weekly-hours-limit 32');
    const [entry] = await entries();
    for (const zone of ['Pacific/Kiritimati', 'Pacific/Pago_Pago', 'UTC']) {
      const day = new Intl.DateTimeFormat('sv', { timeZone: zone }).format(new Date(String(entry?.['time'])));
      const other = new Date(Date.parse(day) - 86_400_000).toISOString().slice(0, 10);
      const ofDay = (one: string) => entries(`--date-from ${one} --date-to ${one} --timezone ${zone}`);
      expect([zone, (await ofDay(day)).length, (await ofDay(other)).length]).toEqual([zone, 1, 0]);
    }
  });

  it('shows one entry with the same keys, and its command', async () => {
    await fill();
    for (const { id } of await entries()) {
      const [shown] = await rows(`history show ${id}`);
      expect(Object.keys(shown ?? {})).toEqual(KEYS);
      expect(await read(`history show ${id}`)).toContain(String(shown?.['command']));
    }
  });

  it.each(['foo', '../x', '20261121-0900-kfm', '20261121-0900-kfm-1', '%'])(
    '%s is no entry: exit 2',
    async (id) => {
      await run('members update 108 --weekly-hours-limit 32');
      for (const line of [`history show ${id}`, `history list --run ${id}`]) {
        const { exit, stderr } = await run(line);
        expect([exit, stderr]).toEqual([2, expect.stringContaining('hint: List them: ttctl history list')]);
      }
    },
  );
});

describe('a state directory that cannot be written', () => {
  it('stops no single write, of which people are told once; a run over many does not begin', async () => {
    await read('members list');
    writeFileSync(join(state(), 'runs'), 'in its place');
    const { exit, stderr } = await run('members update 108 --weekly-hours-limit 32');
    expect([exit, stderr.match(/not written to the history/g)?.length]).toEqual([0, 1]);
    expect(await writes()).toEqual(['PUT /members/108']);
    const many = await run(`members update --from-file ${sandbox.file('rows.csv', HOURS)} --yes`);
    expect([many.exit, many.stderr]).toEqual([2, expect.stringContaining('--no-history')]);
    expect(await writes()).toEqual(['PUT /members/108']);
    const raw = await run('api PUT /members/108 --field weekly_hours_limit:=3');
    expect([raw.exit, raw.stderr]).toEqual([0, expect.stringContaining('not written to the history')]);
    rmSync(join(state(), 'runs'));
    expect(await entries()).toEqual([]);
  });
});

describe('the file of a single write', () => {
  const update = (hours: number) => run(`members update 108 --weekly-hours-limit ${hours}`);

  it('is its own: one a write, in the folder of its month, which it has to itself', async () => {
    await update(1);
    await update(2);
    const files = runFiles(state());
    expect(files.map((path) => basename(dirname(path)))).toEqual(
      Array(2).fill(expect.stringMatching(/^\d{4}-\d\d$/)),
    );
    expect(files.map((path) => [basename(path).length, statSync(path).mode & 0o777])).toEqual(
      Array(2).fill(['20261121-0900-bcdfghjk.jsonl'.length, 0o600]),
    );
    expect(readdirSync(dirname(files[0] ?? '')).sort()).toEqual(files.map((path) => basename(path)).sort());
  });

  it('cut anywhere: the others are whole, and that is done, unknown, or cannot be read', async () => {
    await update(1);
    const others = runFiles(state());
    await update(2);
    const [path = ''] = runFiles(state()).filter((file) => !others.includes(file));
    const whole = readFileSync(path);
    const seen = new Set<unknown>();
    for (let size = 0; size < whole.length; size += 37) {
      writeFileSync(path, whole.subarray(0, size));
      const statuses = (await entries()).map(({ status }) => status);
      expect(statuses).toContain('done');
      for (const status of statuses) seen.add(status);
      const unknown = statuses.filter((status) => status === 'unknown').length;
      expect((await entries('--status unknown')).length).toBe(unknown);
    }
    expect([...seen].sort()).toEqual(['done', 'unknown']);
  });

  it('whose write was changed is not believed', async () => {
    await update(2);
    const [path = ''] = runFiles(state());
    writeFileSync(
      path,
      readFileSync(path, 'utf8').replace('"weekly_hours_limit":2', '"weekly_hours_limit":9'),
    );
    expect(await entries()).toEqual([]);
    expect((await run('history list')).stderr).toContain(
      `is damaged, and what it sent is not listed: ${path}`,
    );
  });

  it('tells whose record it is where a list was read', async () => {
    await run(`members update --from-file ${sandbox.file('rows.csv', HOURS)} --yes`);
    const [path = ''] = bulkFiles(state());
    expect(readFileSync(path, 'utf8')).toContain(
      '"member":{"id":"108","name":"Aoife Byrne","email":"aoife@lindenhof.example"}',
    );
    await run('timesheets approve --all --clean --yes --period last-week');
    expect((await entries()).at(0)?.['label']).toMatch(/^Nora Lindqvist {2}.*33:30$/);
  });
});

describe('history prune', () => {
  it('removes what is older, and nothing else', async () => {
    await run('members update 108 --weekly-hours-limit 32');
    const id = String((await entries())[0]?.['id']);
    const [path = ''] = runFiles(state());
    copyRun(path, runFile(state(), '20200102-0900-bcdfghjk'), {
      head: { created_at: '2020-01-02T09:00:00Z' },
    });
    const foreign = join(state(), 'runs/2020-01/20200103.jsonl');
    writeFileSync(foreign, 'not ours\n');
    expect((await entries()).length).toBe(2);
    expect(await run('history prune --older-than 180d')).toMatchObject({ exit: 2 });
    expect(await rows('history prune --older-than 180d --dry-run')).toMatchObject([{ runs: 1 }]);
    expect((await entries()).length).toBe(2);
    expect(await rows('history prune --older-than 180d --yes')).toMatchObject([{ runs: 1 }]);
    expect((await entries()).map((entry) => entry['id'])).toEqual([id]);
    expect(await rows('history prune --older-than 180d --yes')).toMatchObject([{ runs: 0 }]);
    expect(readFileSync(foreign, 'utf8')).toBe('not ours\n');
    expect((await run('history prune')).exit).toBe(2);
  });
});

describe('history prune of bulk runs', () => {
  const prune = () => run('history prune --older-than 180d --yes');
  const old = () =>
    bulkFiles(state())
      .map((path) => basename(path, '.jsonl'))
      .filter((id) => id.startsWith('2020'));

  it('keeps a run that is not finished, and tells of it', async () => {
    await run('members archive 105 106 --yes');
    const [path = ''] = bulkFiles(state());
    /** The same run of another day, up to a step. */
    const age = (id: string, steps?: number): void =>
      copyRun(path, runFile(state(), id), steps === undefined ? {} : { steps });
    {
      age('20200101-0900-bcd');
      age('20200102-0900-bcd', 0);
      const kept = ['20200102-0900-bcd'];
      const planned = await rows('history prune --older-than 180d --dry-run');
      expect(planned).toMatchObject([{ runs: 1, kept, planned: true }]);
      const plan = await run('history prune --older-than 180d --dry-run');
      const { exit, stderr } = await prune();
      expect(exit).toBe(0);
      for (const text of [plan.stderr, stderr]) {
        const told = '1 bulk run is unfinished and kept. To finish: ttctl jobs resume 20200102-0900-bcd\n';
        expect(text).toContain(told);
      }
      expect(old()).toEqual(['20200102-0900-bcd']);
      expect(await rows('jobs list --state interrupted')).toMatchObject([{ id: kept[0] }]);
      expect(await rows('history prune --older-than 180d --yes')).toMatchObject([{ runs: 0, kept }]);
    }
    rmSync(runFile(state(), '20200102-0900-bcd'));
    expect((await prune()).stderr).not.toContain('kept');
    writeFileSync(runFile(state(), '20200103-0900-bcd'), 'half a l', { mode: 0o600 });
    expect((await prune()).stderr).toContain('the journal of 20200103-0900-bcd is damaged');
    expect(old()).toEqual(['20200103-0900-bcd']);
  });
});

describe('jobs list', () => {
  it('has the runs of more than one write, and those that are not over', async () => {
    await run('members update 108 --weekly-hours-limit 32');
    await run('sandbox fault add members update --status 429 --retry-after 99');
    expect((await run('members update 108 --weekly-hours-limit 33 --max-wait 0')).exit).toBe(7);
    await run('sandbox fault clear');
    expect(await rows('jobs list')).toEqual([]);
    await run('sandbox fault add members update --status 422');
    await run(`members update --from-file ${sandbox.file('rows.csv', HOURS)} --yes`);
    await run('members archive 105 106 --yes');
    const states = async (flags = '') => (await rows(`jobs list ${flags}`)).map(({ state }) => state);
    expect(await states()).toEqual(['done', 'failed']);
    // A single write whose process was killed.
    await run('members update 108 --weekly-hours-limit 33');
    const path = runFile(state(), String((await entries())[0]?.['run']));
    copyRun(path, path, { steps: 1 });
    expect(await states()).toEqual(['unknown', 'done', 'failed']);
    for (const state of ['unknown', 'done', 'failed'])
      expect(await states(`--state ${state}`)).toEqual([state]);
    for (const state of ['running', 'interrupted']) expect(await states(`--state ${state}`)).toEqual([]);
    expect(await states('--profile sandbox')).toEqual(['unknown', 'done', 'failed']);
    expect((await run('jobs list --state nothing')).exit).toBe(2);
  });

  it('has with --profile the runs of that profile alone', async () => {
    await run('members archive 105 106 --yes');
    const [path = ''] = bulkFiles(state());
    const id = '20200101-0900-bcd';
    const settings = parseRun(readFileSync(path, 'utf8')).head?.run as RunSettings;
    copyRun(path, runFile(state(), id), { head: { run: { ...settings, profile: 'work' } } });
    expect((await rows('jobs list')).length).toBe(2);
    expect((await rows('jobs list --profile sandbox')).map((row) => row['id'])).not.toContain(id);
    expect((await rows('jobs list --profile sandbox')).length).toBe(1);
  });
});

describe('processes', () => {
  it('eight at once lose no entry, and break no line', async () => {
    const rounds = [0, 1, 2];
    await sandbox.process('sandbox status');
    const all = Array.from({ length: 8 }, (_, n) => n);
    const work = all.map(async (n) => {
      for (const round of rounds) {
        const { exit } = await sandbox.process(`projects create --name "P ${n} ${round}"`);
        expect(exit).toBe(0);
      }
    });
    await Promise.all(work);
    const names = (await entries()).map(({ after }) => (after as Row)['name']);
    expect(names.sort()).toEqual(all.flatMap((n) => rounds.map((round) => `P ${n} ${round}`)).sort());
    for (const path of runFiles(state())) {
      const text = readFileSync(path, 'utf8');
      const steps = text.split('\n').length - 3;
      const { damaged } = parseRun(text);
      expect([path, damaged, steps, statSync(path).mode & 0o777]).toEqual([path, false, 2, 0o600]);
    }
  });

  it('of `webhooks listen --create` leave two: its webhook is made, and removed', async () => {
    const flags = ['--create', '--event', 'project.created'];
    const listener = await startListener(flags, sandbox.processEnv());
    expect(await entries()).toMatchObject([{ operation: 'webhooks.create', status: 'done' }]);
    listener.child.kill('SIGINT');
    await listener.ended;
    expect(await entries()).toMatchObject([
      { operation: 'webhooks.delete', status: 'done' },
      { operation: 'webhooks.create', status: 'done' },
    ]);
  });
});

describe('secrets', () => {
  const [TOKEN, LINK, HOOK] = [
    'canary-token-5f1c',
    'https://x.example/join/canary-link-77aa',
    'whsec_canaryhook9b3d',
  ];
  const SECRET = 'canary-client-secret-31e0';
  const CREATE = 'webhooks create --url https://h.example/x --event tracker.stopped';
  const webhook = { id: 'w1', url: 'https://h.example/x', events: ['tracker.stopped'], token: HOOK };

  it('are in no file of the state directory: token, client secret, invitation link, token of a webhook', async () => {
    const t = await openCli({
      env: { TTCTL_TOKEN: TOKEN, TTCTL_CLIENT_SECRET: SECRET, TTCTL_CLIENT_ID: 'x' },
      service({ line }) {
        if (line.startsWith('POST /members'))
          return { body: envelope({ user_id: 17, invitation_link: LINK }) };
        if (line.startsWith('POST /webhooks')) return { body: envelope(webhook) };
        if (line.startsWith('GET /webhooks'))
          return { body: line.includes('page=') ? onePage([webhook]) : envelope(webhook) };
        if (line.startsWith('PUT '))
          return { status: 422, body: { success: false, message: `No: ${TOKEN}`, meta: {} } };
        return { body: envelope({ id: 17, firstname: TOKEN, status: 'active' }) };
      },
    });
    const people = t.file(
      'people.csv',
      'email,firstname,lastname,role\na@x.example,A,B,regular-user\nb@x.example,A,B,regular-user\n',
    );
    const plan = t.file('people.ndjson', '');
    for (const line of [
      'members invite a@x.example --firstname A --lastname B --role regular-user --json',
      `members invite --from-file ${people} --yes --json`,
      `${CREATE} --json`,
      'webhooks delete w1 --yes',
      `members update 17 --firstname ${TOKEN}`,
      `members update 17 18 --firstname ${TOKEN}`,
      `api POST /members --field note=${TOKEN} --field client_secret=${SECRET}`,
      `api PUT /members/17?token=${TOKEN} --field firstname=x`,
      'members archive 17 18 --yes',
      `members invite --from-file ${people} --plan ${plan}`,
      `plan apply ${plan} --yes --json --show-secrets`,
      `${CREATE} --field 'token:="canary-typed-4d2e"'`,
      'webhooks create --url https://me:canary-word-08@h.example/x --event tracker.stopped',
    ])
      await t.run(line);
    expect((await t.rows('history list')).length).toBeGreaterThanOrEqual(8);
    const text = textOf(t.state) + readFileSync(plan, 'utf8');
    expect(text).toContain('"ttctl_plan":');

    for (const canary of [TOKEN, SECRET, LINK, HOOK, 'canary'])
      expect([canary, text.includes(canary)]).toEqual([canary, false]);
  });

  it('are not what a dry run would change, and in no warning of an answer that differs', async () => {
    const t = await openCli({
      service({ line }) {
        if (line.includes('page=')) return { body: onePage([webhook]) };
        return { body: envelope(line.includes('/projects/') ? { id: 5 } : webhook) };
      },
    });
    const line = `${CREATE} --field 'token:="canary-typed-4d2e"' --json`;
    const planned = await t.run(`${line} --dry-run`);
    expect([planned.exit, JSON.parse(planned.stdout).after.token]).toEqual([0, '***']);
    expect(planned.stdout).not.toContain('canary');
    const sent = await t.run(line);
    expect([sent.exit, sent.stderr]).toEqual([0, 'warning: token: sent ***, the record shows ***\n']);
    const other = await t.json(`projects update 5 --field 'api_token:="canary-typed-4d2e"' --dry-run`);
    expect(other.after).toEqual({ api_token: '***' });
    const url = 'https://me:canary-word-08@h.example/x';
    const named = await t.run(`webhooks create --url ${url} --event tracker.stopped --dry-run`);
    expect(named.stdout).toContain('https://me:***@h.example/x');
    expect(named.stdout + named.stderr).not.toContain('canary');
  });
});

it('every write of the table can be named with --operation', async () => {
  const ids = allOperations.flatMap(({ id, method }) => (method === 'GET' ? [] : [id]));
  for (const id of [...ids, 'api']) expect((await run(`history list --operation ${id}`)).exit).toBe(0);
  expect(await entries()).toEqual([]);
});
