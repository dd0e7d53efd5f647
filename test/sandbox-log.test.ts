import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { followLog } from '../src/commands/sandbox/log-pages.ts';
import type { Context } from '../src/context.ts';
import { createMemoryLog, listRowsAfter, type StoredLogRow } from '../src/sandbox/log.ts';
import { openLogFile } from '../src/sandbox/log-file.ts';
import { finished, startBinary } from './support/binary.ts';
import { KINDS, type Tried, tryEmbedded } from './support/instrument.ts';

/** What came in, what became of it, and the command that sends the same. */

const words = (text: string): string[] => text.split(' ');

/** A command line as a shell takes it apart. */
const shellWords = (line: string): string[] =>
  execFileSync('sh', ['-c', `printf '%s\\0' ${line}`], { encoding: 'utf8' })
    .split('\0')
    .slice(0, -1);

let sandbox: Tried;

type Row = Record<string, unknown>;
const log = (): Promise<Row[]> => sandbox.json(words('sandbox log'));
const ids = async (text: string): Promise<string[]> =>
  (await sandbox.run([...words(text), '-o', 'ids'])).stdout.trim().split('\n');

describe('the command line of a row', () => {
  let lines: string[][];
  beforeAll(async () => {
    sandbox = await tryEmbedded();
    const project = (await ids('projects list'))[0] ?? '';
    const [member = '', other = ''] = await ids('members list --status active --role regular-user');
    const task = (await ids(`tasks list --project ${project}`))[0] ?? '';
    const sheets = await ids('timesheets list --status submitted');
    const leave = (await ids('leaves list --status pending'))[0] ?? '';
    const request = (await ids('time-requests list --status pending'))[0] ?? '';
    const category = (await ids('expenses categories'))[0] ?? '';
    const viewer = (await ids('viewers list'))[0] ?? '';
    const [contract] = await sandbox.json(['contracts', 'list', '--member', member]);
    const hook = (await ids('webhooks list'))[0] ?? '';
    const people = ['--assignee', member, '--assignee', String(contract.user_id)];
    lines = [
      words('workspaces list'),
      words('members list --role team-manager --status active'),
      words('members list --limit 3'),
      words('members list --page 2 --per-page 5'),
      words('members list --param color=blue'),
      ['members', 'get', member],
      words('members invite q@example.com --firstname Q --lastname R --role project-manager'),
      [
        'members',
        'update',
        member,
        '--firstname',
        "O'Neil & Söhne",
        '--rate-status',
        'hidden',
        '--remove-avatar',
      ],
      ['members', 'update', member, '--field', 'shoe size=43', '--field', 'left:={"a":[1,null]}'],
      ['members', 'archive', other, '--yes'],
      ['members', 'restore', other],
      ['viewers', 'assign', viewer, '--project', project],
      ['projects', 'create', '--name', '-1 day', '--start-date', '2026-01-02', '--budget', '12.5'],
      ['projects', 'list', '--name', 'web'],
      ['contracts', 'list', '--member', member, '--status', 'active'],
      ['contracts', 'update', String(contract.id), '--screenshots', 'no_preview', '--rate', '12.5'],
      ['tasks', 'list', '--project', project, '--status', 'in-progress', '--priority', 'urgent'],
      [
        'tasks',
        'create',
        '--project',
        project,
        '--title',
        'x',
        '--status',
        'done',
        '--priority',
        'low',
        ...people,
      ],
      ['tasks', 'assign', task, '--project', project, '--member', String(contract.user_id)],
      ['timesheets', 'list', '--status', 'submitted', '--date-from', '2026-01-01', '--date-to', '2030-01-01'],
      ['timesheets', 'approve', sheets[0] ?? '', '--yes'],
      ['timesheets', 'reject', sheets[1] ?? '', '--reason', 'a "quoted" $reason', '--yes'],
      ['leaves', 'list', '--paid', 'yes', '--member', member],
      ['leaves', 'reject', leave, '--reason', 'no', '--yes'],
      words('leaves balances --date-from 2026-01-01 --date-to 2026-12-31'),
      [
        'time-requests',
        'create',
        '--member',
        member,
        '--contract',
        String(contract.id),
        '--start',
        '2026-03-02T09:00+02:00',
        '--end',
        '2026-03-02T10:00+02:00',
      ],
      ['time-requests', 'approve', request, '--yes'],
      [
        'expenses',
        'create',
        '--name',
        'Train',
        '--date',
        '2026-01-05',
        '--amount',
        '48.6',
        '--category',
        category,
        '--billable',
      ],
      words('webhooks create --url https://a.example/x --event tracker.started --event tracker.stopped'),
      ['webhooks', 'update', hook, '--url', 'https://b.example/', '--event', 'tracker.started'],
      ['webhooks', 'delete', hook, '--yes'],
      words('time-tracking stop'),
      words('members list --workspace 146'),
      words('api GET /reports/tracked-hours --param start_date=2026-01-01'),
      ['api', 'POST', '/time-tracking/start', '--field', 'note=a b', '--field', 'n:=3'],
    ];
    for (const line of lines) await sandbox.run(line);
  });
  afterAll(() => sandbox.close());

  it('parses, and plans or sends the same request', async () => {
    const rows = await log();
    const routes = new Set(rows.map(({ route }) => route));
    expect(routes.size).toBeGreaterThan(25);
    let plans = 0;
    for (const row of rows) {
      const command = String(row.command);
      const [program, ...args] = shellWords(command);
      expect(program).toBe('ttctl');
      const request = { method: row.method, path: row.path, query: row.query, body: row.body };
      const { stdout, stderr } = await sandbox.run([...args, '--dry-run', '--output', 'json']);
      if (row.method === 'GET') {
        const sent = (await log()).filter(({ path }) => path === row.path).at(-1);
        expect({ command, ...sent }).toMatchObject(request);
      } else {
        expect(stderr, command).toBe('');
        const printed = JSON.parse(stdout);
        const result = Array.isArray(printed) ? printed[0] : printed;
        // What was carried out is as the command line would have it.
        if (result.status === 'unchanged') continue;
        const planned = result.request;
        plans += 1;
        expect({ command, ...planned, body: planned.body ?? null }).toEqual({ command, ...request });
      }
    }
    expect(plans).toBeGreaterThan(10);
  });

  it('is what a person would write', async () => {
    const lines = (await log()).map(({ command }) => command);
    for (const line of [
      'ttctl members list',
      'ttctl members list --limit 3',
      'ttctl members list --page 2 --per-page 5',
      'ttctl members list --status active --role team-manager',
      'ttctl members list --workspace 146',
      'ttctl members list --param color=blue',
      'ttctl time-tracking stop',
    ]) {
      expect(lines).toContain(line);
    }
  });
});

describe.each(KINDS)('the log of the %s sandbox', (_kind, open) => {
  afterEach(() => sandbox.close());

  it('tells time, operation, status, fault, what is left, and what nobody reads', async () => {
    sandbox = await open();
    await sandbox.run(words('sandbox fault add members get --status 500'));
    await sandbox.run(words('members list --param color=blue --limit 5'));
    await sandbox.run(words('members get 102'), { TTCTL_SANDBOX_CLOCK: 'advance' });
    const [first, second] = await log();
    expect(first).toMatchObject({
      at: expect.stringMatching(/Z$/),
      request_id: expect.stringMatching(/^\d{8}-\d{4}-[a-z]{8}-1$/),
      operation: 'members.list',
      route: 'GET /members',
      method: 'GET',
      path: '/members',
      query: { workspace_id: '101', page: '1', per_page: '5', color: 'blue' },
      body: null,
      status: 200,
      fault: null,
      remaining: 149,
      unread: ['query.color'],
      member: 'nora@lindenhof.example',
      duration_ms: expect.any(Number),
    });
    expect(second).toMatchObject({ operation: 'members.get', status: 500, fault: '500', remaining: null });
    expect((await sandbox.run(words('sandbox log'))).stdout).toMatch(/TIME +OPERATION +STATUS/);
    expect((await sandbox.run(words('sandbox log -o ids --limit 1 --quiet'))).stdout).toMatch(/^\w{10}\n$/);
    expect((await sandbox.run(words('sandbox log --limit 1'))).stderr).toContain('Showing 1 of 3.');
    expect(await sandbox.json(words('sandbox log --clear'))).toEqual({ cleared: true });
    expect(await log()).toEqual([]);
  });

  it('shows no secret', async () => {
    sandbox = await open();
    const body = ['--field', 'token=canary-0123', '--field', 'nested:={"client_secret":"canary-4567"}'];
    await sandbox.run(['api', 'POST', '/oauth/canary', ...body, '--param', 'access_token=canary-89ab']);
    await sandbox.run(words('members list'));
    const rows = JSON.stringify(await log());
    expect(rows).toContain('***');
    expect(rows).not.toContain('canary-');
    expect(rows).not.toContain('sbx_');
  });

  it('goes on with what comes in, row by row', async () => {
    sandbox = await open();
    await sandbox.run(words('members list'));
    for (const format of ['ndjson', 'json', 'table']) {
      const follow = startBinary(words(`sandbox log -f -o ${format}`), { env: sandbox.env });
      const end = finished(follow);
      let seen = '';
      const shows = (text: string) =>
        new Promise<void>((resolve) => {
          const look = () => void (seen.includes(text) && resolve());
          follow.stdout?.on('data', look);
          look();
        });
      follow.stdout?.on('data', (chunk) => {
        seen += chunk;
      });
      await shows('members.list');
      await sandbox.run(words('projects list'));
      await shows('projects.list');
      follow.kill('SIGINT');
      expect((await end).exit).toBe(130);
      await sandbox.run(words('sandbox log --clear'));
      await sandbox.run(words('members list'));
    }
    expect((await sandbox.run(words('sandbox log -f --sort at'))).exit).toBe(2);
  });
});

const SOME = 25;

describe('a log that is followed', () => {
  const followed = async (limit?: number): Promise<unknown[]> => {
    const interrupted = AbortSignal.abort({ exit: 130 });
    const context = { window: { limit }, settings: {}, interrupted, exit: () => {} } as unknown as Context;
    const all = Array.from({ length: SOME }, (_, i) => row(String(i + 1)));
    const control = { log: async () => all, status: async () => ({ workspaces: [] }) };
    const view = { control, program: { commands: [] } } as unknown as Parameters<typeof followLog>[1];
    const rows: unknown[] = [];
    for await (const { id } of followLog(context, view)) rows.push(id);
    return rows;
  };

  it('begins with the latest 10, or as many as are asked for', async () => {
    expect(await followed()).toEqual(Array.from({ length: 10 }, (_, i) => String(SOME - 9 + i)));
    expect(await followed(2)).toEqual(['24', '25']);
    expect(await followed(100)).toHaveLength(SOME);
  });
});

const row = (id: string, more: Partial<StoredLogRow> = {}): StoredLogRow => ({
  id,
  request_id: null,
  at: '2026-03-18T10:00:00.000Z',
  method: 'GET',
  path: '/members',
  query: {},
  body: null,
  route: 'GET /members',
  status: 200,
  fault: null,
  remaining: null,
  unread: [],
  member: null,
  duration_ms: 1,
  ...more,
});

describe('what is kept', () => {
  it('is the latest in memory', () => {
    const kept = createMemoryLog(3);
    for (let id = 1; id <= 100; id += 1) kept.add(row(String(id)));
    expect(kept.rows().map(({ id }) => id)).toEqual(['98', '99', '100']);
    expect(listRowsAfter(kept.rows(), '98').map(({ id }) => id)).toEqual(['99', '100']);
    expect(listRowsAfter(kept.rows(), 'gone')).toHaveLength(3);
    kept.clear();
    expect(kept.rows()).toEqual([]);
  });

  it('is bounded in the file, and survives what is torn in it', async () => {
    sandbox = await tryEmbedded();
    const { state } = await sandbox.json(words('sandbox status'));
    const file = `${state}.log`;
    const kept = openLogFile(file);
    for (let id = 1; id <= 1500; id += 1) kept.add(row(String(id)));
    expect(kept.rows()).toHaveLength(1000);
    expect(kept.rows().at(-1)?.id).toBe('1500');
    for (let id = 0; id < 400; id += 1) kept.add(row(`long${id}`, { body: 'x'.repeat(4000) }));
    expect(statSync(file).size).toBeLessThanOrEqual(1024 * 1024);
    expect(kept.rows().at(-1)?.id).toBe('long399');
    expect(statSync(file).mode & 0o777).toBe(0o600);
    writeFileSync(file, `${readFileSync(file, 'utf8')}\n{"id":"torn`);
    kept.add(row('after'));
    expect(kept.rows().at(-1)?.id).toBe('after');
    kept.clear();
    expect(existsSync(file)).toBe(false);
    await sandbox.close();
  });
});

describe('a server that ends', () => {
  it('ends the log that follows it', async () => {
    sandbox = await KINDS[1][1]();
    await sandbox.run(words('members list'));
    const follow = startBinary(words('sandbox log -f -o ndjson'), { env: sandbox.env });
    const end = finished(follow);
    await new Promise((resolve) => follow.stdout?.once('data', resolve));
    await sandbox.close();
    expect((await end).exit).toBe(0);
  });
});
