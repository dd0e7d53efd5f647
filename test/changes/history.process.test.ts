import { readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { parseRun, type RunSettings } from '../../src/changes/journal.ts';
import { samples } from '../samples.ts';
import { bulkFiles, copyRun, runFile, runFiles } from '../support/runs.ts';
import { envelope, onePage } from '../support/service.ts';
import { openCli, type Row, useCli } from '../support/use-cli.ts';
import { startListener } from '../support/webhooks.ts';

/** The history of writes: what makes an entry, how it is read, and what it survives. */

const sandbox = useCli({ sandbox: 'demo' });
const { run, read, rows, entries, writes, file, sit } = sandbox;

const UPDATE = 'members update 108 --weekly-hours-limit 32';
const HOURS = 'id,weekly_hours_limit\n105,11\n106,12\n108,13\n';
const updateMany = () => run(`members update --from-file ${file('rows.csv', HOURS)} --yes`);

describe('a write', () => {
  const [before, status] = [{ weekly_hours_limit: 40 }, 'done'];
  const label = 'Aoife Byrne  aoife@lindenhof.example';
  const api = { operation: 'api', before: null, after: null };
  it.each<[line: string, exit: number, ...expected: Row[]]>([
    [
      UPDATE,
      0,
      {
        ...{ operation: 'members.update', target: '108', label, account: null, workspace_id: 101, status },
        ...{ before, after: { weekly_hours_limit: 32 } },
      },
    ],
    [
      'projects create --name New --notes One',
      0,
      { operation: 'projects.create', status, before: null, after: { name: 'New', notes: 'One' } },
    ],
    [
      'members update --from-file FILE --yes',
      0,
      { target: '105', status, before, after: { weekly_hours_limit: 11 } },
      { target: '106', status, before, after: { weekly_hours_limit: 12 } },
      { target: '108', status, before, after: { weekly_hours_limit: 13 } },
    ],
    ['leaves approve 4711 --yes', 5, { operation: 'leaves.approve', target: '4711', status: 'failed' }],
    ['api PUT /members/108 --field weekly_hours_limit:=3', 0, { ...api, target: 'PUT /members/108', status }],
    ['api PUT /members/108 --field weekly_hours_limit=x', 6, { ...api, status: 'failed' }],
  ])('%s leaves exactly one entry each', async (line, exit, ...expected) => {
    const command = line.replace('FILE', file('rows.csv', HOURS));
    expect(await run(command)).toMatchObject({ exit });
    const found = (await entries()).toReversed();
    expect(found).toMatchObject(expected);
    for (const [n, entry] of found.entries()) {
      expect(Object.keys(entry)).toEqual([
        ...['id', 'time', 'run', 'account', 'workspace_id', 'command', 'operation', 'target', 'label'],
        ...['before', 'after', 'status', 'request_id', 'caller', 'caller_url', 'sandbox'],
      ]);
      const id = `${entry['run']}-${n + 1}`;
      const time = expect.stringMatching(/^\d{4}-\d\d-\d\dT.*Z$/);
      expect(entry).toMatchObject({ id, request_id: id, command, time });
      expect(await rows(`history show ${id}`)).toEqual([entry]);
      expect(await read(`history show ${id}`)).toContain(command);
    }
    expect(await writes()).toHaveLength(expected.length);
  });

  it.each([
    [409, 'failed'],
    [422, 'failed'],
    [500, 'unknown'],
  ])('that is refused with %i leaves one, single or a row: %s', async (code, refused) => {
    for (const update of [() => run(UPDATE), updateMany]) {
      await read(`sandbox fault add members update --status ${code}`);
      await update();
    }
    const found = (await entries()).toReversed().map(({ target, status }) => `${target} ${status}`);
    expect(found).toEqual([`108 ${refused}`, `105 ${refused}`, '106 done', '108 done']);
  });

  it.each([
    `${UPDATE} --dry-run`,
    'members update --from-file FILE --dry-run',
    'members update --from-file FILE --plan PLAN',
    'api PUT /members/108 --field weekly_hours_limit:=3 --dry-run',
    'members list',
    'api GET /members',
    'members update 108 --weekly-hours-limit 40',
    'members restore 108',
    'members archive 108',
    'members update --from-file FILE --yes --max-changes 1',
    'members update --from-file FILE --yes --no-history',
    'members update --from-file FILE --yes --no-journal',
    `${UPDATE} --no-history`,
    `${UPDATE} --no-journal`,
    'api PUT /members/108 --field weekly_hours_limit:=3 --no-history',
  ])('%s leaves none', async (line) => {
    await run(line.replace('FILE', file('rows.csv', HOURS)).replace('PLAN', file('p.ndjson')));
    expect([await entries(), await rows('jobs list')]).toEqual([[], []]);
  });

  it.each([
    ['', ['members.get', 'members.update']],
    ['--no-history', ['members.update']],
    ['--no-journal', ['members.update']],
  ])('takes one read for its old values, and none without the history: %s', async (flag, operations) => {
    await read(`${UPDATE} ${flag}`);
    expect((await rows('sandbox log')).map(({ operation }) => operation)).toEqual(operations);
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
    const sent = t.requests.flatMap(({ line, headers }) =>
      line.startsWith('GET ') ? [] : [headers['x-request-id']],
    );
    const found = await t.rows('history list');
    expect(sent.length).toBe(5);
    expect(found.map(({ id }) => id).sort()).toEqual(sent.sort());
    expect(found.map(({ request_id: id }) => id).sort()).toEqual(sent);
  });
});

describe('history list', () => {
  it('has what fits each filter, and all of that', async () => {
    await run(UPDATE);
    await read('sandbox fault add members update --status 422');
    await updateMany();
    await run('members archive 106 --yes');
    await run('leaves approve 4711 --yes');
    await run('viewers assign 113 --project 114');
    await run('tasks unassign 132 --project 114 --member 108');
    await run('api PUT /members/109 --field weekly_hours_limit:=3');
    await read('sandbox fault add expenses create --status 500 --after-commit');
    await read('sandbox fault add expenses list --status 500 --times 50');
    const lost = 'expenses create --name Ferry --date 2026-11-02 --amount 9.90 --category Travel';
    await run(lost, { env: { TTCTL_MAX_WAIT: '0' } });
    const all = await entries();
    expect(all.length).toBe(10);
    expect(new Set(all.map(({ status }) => status))).toEqual(new Set(['done', 'failed', 'unknown']));
    const times = all.map(({ time }) => String(time));
    expect(times).toEqual(times.toSorted().reverse());
    const check = async (flags: string, count: number, fits: (entry: Row) => boolean) => {
      const wanted = all.filter(fits);
      expect([flags, await entries(flags)]).toEqual([flags, wanted]);
      expect([flags, wanted.length]).toEqual([flags, count]);
    };
    for (const name of ['status', 'target', 'operation', 'run'])
      for (const value of new Set(all.map((entry) => entry[name]))) {
        const found = all.filter((entry) => entry[name] === value);
        expect([name, value, await entries(`--${name} "${value}"`)]).toEqual([name, value, found]);
      }
    await check('--operation leaves.reject', 0, () => false);
    const flags = '--operation members.update --status failed --target 105';
    await check(flags, 1, ({ target, status }) => `${target} ${status}` === '105 failed');
    // Whose record it is, by id; by name and address the same ones.
    const ofAoife = ({ operation, target }: Row) =>
      (target === '108' && operation === 'members.update') || operation === 'tasks.unassign';
    await check('--member 108', 3, ofAoife);
    for (const name of ['AOIFE@lindenhof', 'byrne']) await check(`--member ${name}`, 3, ofAoife);
    for (const nobody of ['nobody@x.example', '".*"']) await check(`--member ${nobody}`, 0, () => false);
    await read('profile set other --base-url https://other.example/api/v2');
    for (const always of ['--period today', '--date-from 2020-01-01', '--profile sandbox'])
      await check(always, 10, () => true);
    for (const never of ['--period last-week', '--date-to 2020-01-01', '--profile other'])
      await check(never, 0, () => false);
    expect(await rows('history list --limit 3')).toHaveLength(3);
    const { stdout } = await sit('history list', undefined, { columns: 80 });
    expect(stdout).toMatch(/^TIME +STATUS +RECORD +CHANGE/m);
  });

  it('knows days in the zone that is asked for', async () => {
    await run(UPDATE);
    const [entry] = await entries();
    for (const zone of ['Pacific/Kiritimati', 'Pacific/Pago_Pago', 'UTC']) {
      const day = new Intl.DateTimeFormat('sv', { timeZone: zone }).format(new Date(String(entry?.['time'])));
      const other = new Date(Date.parse(day) - 86_400_000).toISOString().slice(0, 10);
      const ofDay = (one: string) => entries(`--date-from ${one} --date-to ${one} --timezone ${zone}`);
      expect([zone, await ofDay(day), await ofDay(other)]).toEqual([zone, [entry], []]);
    }
  });

  it('takes every write for --operation', async () => {
    for (const { operation } of [...samples, { operation: 'api' }])
      expect(await entries(`--operation ${operation}`)).toEqual([]);
  });

  it.each(['foo', '../x', '20261121-0900-kfm', '20261121-0900-kfm-1', '%'])(
    '%s is no entry: exit 2',
    async (id) => {
      await run(UPDATE);
      for (const line of [`history show ${id}`, `history list --run ${id}`]) {
        const { exit, stderr } = await run(line);
        expect([exit, stderr]).toEqual([2, expect.stringContaining('To list them: ttctl history list')]);
      }
    },
  );
});

it('a state directory that cannot be written stops no single write, of which people are told once; a run over many does not begin', async () => {
  await read('members list');
  const runs = file('state/runs', 'in its place');
  for (const line of [UPDATE, 'api PUT /members/108 --field weekly_hours_limit:=3']) {
    const { exit, stderr } = await run(line);
    expect([exit, stderr.match(/not written to the history/g)]).toEqual([0, ['not written to the history']]);
  }
  const many = await updateMany();
  expect([many.exit, many.stderr]).toEqual([2, expect.stringContaining('--no-history')]);
  expect(await writes()).toEqual(['PUT /members/108', 'PUT /members/108']);
  rmSync(runs);
  expect(await entries()).toEqual([]);
});

describe('the file of a single write', () => {
  it('cut anywhere: the others are whole, and that is done, unknown, or cannot be read', async () => {
    await read(UPDATE);
    const others = runFiles(sandbox.state);
    await read('members update 108 --weekly-hours-limit 33');
    const [path = ''] = runFiles(sandbox.state).filter((one) => !others.includes(one));
    const whole = readFileSync(path);
    const seen = new Set<unknown>();
    for (let size = 0; size < whole.length; size += 37) {
      writeFileSync(path, whole.subarray(0, size));
      const statuses = (await entries()).map(({ status }) => status);
      expect(statuses).toContain('done');
      for (const status of statuses) seen.add(status);
      const unknown = statuses.filter((status) => status === 'unknown');
      expect(await entries('--status unknown')).toHaveLength(unknown.length);
    }
    expect([...seen].sort()).toEqual(['done', 'unknown']);
  });

  it('whose write was changed is not believed', async () => {
    await read(UPDATE);
    const [path = ''] = runFiles(sandbox.state);
    const text = readFileSync(path, 'utf8');
    writeFileSync(path, text.replace('"weekly_hours_limit":32', '"weekly_hours_limit":9'));
    const { stdout, stderr } = await run('history list --json');
    const told = `is damaged, and what it sent is not listed: ${path}`;
    expect([JSON.parse(stdout), stderr]).toEqual([[], expect.stringContaining(told)]);
  });

  it('tells whose record it is where a list was read', async () => {
    await updateMany();
    const aoife = '"member":{"id":"108","name":"Aoife Byrne","email":"aoife@lindenhof.example"}';
    expect(readFileSync(bulkFiles(sandbox.state)[0] ?? '', 'utf8')).toContain(aoife);
    await read('timesheets approve --all --clean --yes --period last-week');
    expect((await entries())[0]?.['label']).toMatch(/^Nora Lindqvist {2}.*33:30$/);
  });
});

describe('history prune', () => {
  const PRUNE = 'history prune --older-than 180d';

  it('removes what is older, and nothing else', async () => {
    await read(UPDATE);
    const kept = await entries();
    const head = { created_at: '2020-01-02T09:00:00Z' };
    copyRun(runFiles(sandbox.state)[0] ?? '', runFile(sandbox.state, '20200102-0900-bcdfghjk'), { head });
    const foreign = file('state/runs/2020-01/20200103.jsonl', 'not ours\n');
    for (const line of [PRUNE, 'history prune']) expect((await run(line)).exit).toBe(2);
    expect(await rows(`${PRUNE} --dry-run`)).toMatchObject([{ runs: 1 }]);
    expect(await entries()).toHaveLength(2);
    expect(await rows(`${PRUNE} --yes`)).toMatchObject([{ runs: 1 }]);
    expect(await entries()).toEqual(kept);
    expect(await rows(`${PRUNE} --yes`)).toMatchObject([{ runs: 0 }]);
    expect(readFileSync(foreign, 'utf8')).toBe('not ours\n');
  });

  it('keeps a run that is not finished, and tells of it', async () => {
    await read('members archive 105 106 --yes');
    const [path = ''] = bulkFiles(sandbox.state);
    const [finished, id] = ['20200101-0900-bcd', '20200102-0900-bcd'];
    copyRun(path, runFile(sandbox.state, finished));
    copyRun(path, runFile(sandbox.state, id), { steps: 0 });
    const listOld = () => bulkFiles(sandbox.state).filter((one) => one.includes('/2020-'));
    expect(await rows(`${PRUNE} --dry-run`)).toMatchObject([{ runs: 1, kept: [id], planned: true }]);
    for (const flag of ['--dry-run', '--yes']) {
      const { stderr } = await run(`${PRUNE} ${flag}`);
      expect(stderr).toContain(`1 bulk run is unfinished and kept. To finish: ttctl jobs resume ${id}\n`);
    }
    expect(listOld()).toEqual([runFile(sandbox.state, id)]);
    expect(await rows('jobs list --state interrupted')).toMatchObject([{ id }]);
    expect(await rows(`${PRUNE} --yes`)).toMatchObject([{ runs: 0, kept: [id] }]);
    rmSync(runFile(sandbox.state, id));
    expect((await run(`${PRUNE} --yes`)).stderr).not.toContain('kept');
    const damaged = runFile(sandbox.state, '20200103-0900-bcd');
    writeFileSync(damaged, 'half a l', { mode: 0o600 });
    expect((await run(`${PRUNE} --yes`)).stderr).toContain('the journal of 20200103-0900-bcd is damaged');
    expect(listOld()).toEqual([damaged]);
  });
});

describe('jobs list', () => {
  it('has the runs of more than one write, and those that are not over', async () => {
    await read(UPDATE);
    await read('sandbox fault add members update --status 429 --retry-after 99');
    expect((await run('members update 108 --weekly-hours-limit 33 --max-wait 0')).exit).toBe(7);
    await read('sandbox fault clear');
    expect(await rows('jobs list')).toEqual([]);
    await read('sandbox fault add members update --status 422');
    await updateMany();
    await read('members archive 105 106 --yes');
    const states = async (flags = '') => (await rows(`jobs list ${flags}`)).map(({ state }) => state);
    expect(await states()).toEqual(['done', 'failed']);
    // A single write whose process was killed.
    await read('members update 108 --weekly-hours-limit 33');
    const path = runFile(sandbox.state, String((await entries())[0]?.['run']));
    copyRun(path, path, { steps: 1 });
    for (const flags of ['', '--profile sandbox'])
      expect(await states(flags)).toEqual(['unknown', 'done', 'failed']);
    for (const state of ['unknown', 'done', 'failed'])
      expect(await states(`--state ${state}`)).toEqual([state]);
    for (const state of ['running', 'interrupted']) expect(await states(`--state ${state}`)).toEqual([]);
    expect((await run('jobs list --state nothing')).exit).toBe(2);
  });

  it('has with --profile the runs of that profile alone', async () => {
    await read('members archive 105 106 --yes');
    const [path = ''] = bulkFiles(sandbox.state);
    const settings = parseRun(readFileSync(path, 'utf8')).head?.run as RunSettings;
    const head = { run: { ...settings, profile: 'work' } };
    copyRun(path, runFile(sandbox.state, '20200101-0900-bcd'), { head });
    expect(await rows('jobs list')).toHaveLength(2);
    expect(await rows('jobs list --profile sandbox')).toMatchObject([{ id: basename(path, '.jsonl') }]);
  });
});

describe('processes', () => {
  it('eight at once lose no entry, and break no line', async () => {
    await sandbox.process('sandbox status');
    const names = Array.from({ length: 8 }, (_, n) => [`P ${n} 0`, `P ${n} 1`, `P ${n} 2`]);
    const create = async (own: readonly string[]) => {
      for (const name of own)
        expect((await sandbox.process(['projects', 'create', '--name', name])).exit).toBe(0);
    };
    await Promise.all(names.map(create));
    const made = (await entries()).map(({ after }) => Object(after).name);
    expect(made.sort()).toEqual(names.flat());
    for (const path of runFiles(sandbox.state)) {
      const text = readFileSync(path, 'utf8');
      const steps = text.split('\n').length - 3;
      const { damaged } = parseRun(text);
      expect([path, damaged, steps, statSync(path).mode & 0o777]).toEqual([path, false, 2, 0o600]);
    }
  });

  it('of `webhooks listen --create` leave two: its webhook is made, and removed', async () => {
    const listener = await startListener(['--create', '--event', 'project.created'], sandbox.processEnv());
    const made = { operation: 'webhooks.create', status: 'done' };
    expect(await entries()).toMatchObject([made]);
    listener.child.kill('SIGINT');
    await listener.ended;
    expect(await entries()).toMatchObject([{ operation: 'webhooks.delete', status: 'done' }, made]);
  });
});

describe('secrets', () => {
  const CREATE = 'webhooks create --url https://h.example/x --event tracker.stopped';
  const webhook = {
    id: 'w1',
    url: 'https://h.example/x',
    events: ['tracker.stopped'],
    token: 'whsec_canary9b3d',
  };

  it('are in no file of the state directory: token, client secret, invitation link, token of a webhook', async () => {
    const [TOKEN, SECRET] = ['canary-token-5f1c', 'canary-client-secret-31e0'];
    const t = await openCli({
      env: { TTCTL_TOKEN: TOKEN, TTCTL_CLIENT_SECRET: SECRET, TTCTL_CLIENT_ID: 'x' },
      service({ line }) {
        const invited = { user_id: 17, invitation_link: 'https://x.example/join/canary-link-77aa' };
        if (line.startsWith('POST /members')) return { body: envelope(invited) };
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
    const paths = readdirSync(t.state, { recursive: true, encoding: 'utf8' }).map((name) =>
      join(t.state, name),
    );
    const files = [plan, ...paths.filter((path) => statSync(path).isFile())];
    const texts = files.map((path) => readFileSync(path, 'utf8'));
    expect(texts[0]).toContain('"ttctl_plan":');
    expect(files.filter((_, n) => texts[n]?.includes('canary'))).toEqual([]);
  });

  it('are not what a dry run would change, and in no warning of an answer that differs', async () => {
    const t = await openCli({
      service({ line }) {
        if (line.includes('page=')) return { body: onePage([webhook]) };
        return { body: envelope(line.includes('/projects/') ? { id: 5 } : webhook) };
      },
    });
    const typed = `${CREATE} --field 'token:="canary-typed-4d2e"'`;
    const planned = await t.json(`${typed} --dry-run`);
    expect(planned.after.token).toBe('***');
    const { exit, stderr } = await t.run(`${typed} --json`);
    expect([exit, stderr]).toEqual([0, 'warning: token: sent ***, the record shows ***\n']);
    const raw = await t.json(`projects update 5 --field 'api_token:="canary-typed-4d2e"' --dry-run`);
    expect(raw.after).toEqual({ api_token: '***' });
    const url = 'https://me:canary-word-08@h.example/x';
    const named = await t.run(`webhooks create --url ${url} --event tracker.stopped --dry-run`);
    expect(named.stdout).toContain('https://***@h.example/x');
    expect(named.stdout + named.stderr + JSON.stringify(planned)).not.toContain('canary');
  });
});
