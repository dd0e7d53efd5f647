import { existsSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { afterEach, describe, expect, it } from 'vitest';
import { createMemoryLog, openLogFile, type StoredLogRow } from '../src/sandbox/log.ts';
import { quickClock } from './support/clocks.ts';
import { finished, startBinary } from './support/process.ts';
import { openCli, SANDBOX_KINDS, type SandboxCli } from './support/use-cli.ts';

/** What came in, and what became of it. */

const words = (text: string): string[] => text.split(' ');

let sandbox: SandboxCli;

type Row = Record<string, unknown>;
const log = (): Promise<Row[]> => sandbox.json(words('sandbox log'));

describe.each(SANDBOX_KINDS)('the log of the %s sandbox', (kind, open) => {
  afterEach(() => sandbox.close());

  it('tells time, operation, status, fault, what is left, and what nobody reads', async () => {
    sandbox = await open();
    await sandbox.run(words('sandbox fault add members get --status 500'));
    await sandbox.run(words('members list --param color=blue --limit 5'));
    await sandbox.run(words('members get 102'), { clock: quickClock });
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
      remaining: kind === 'server' ? 149 : null,
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
    const begin = async () => {
      await sandbox.run(words('viewers list'));
      for (let row = 0; row < 10; row += 1) await sandbox.run(words('members list'));
    };
    await begin();
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
      // The latest 10 first.
      await shows('members.list');
      expect(seen).not.toContain('viewers.list');
      await sandbox.run(words('projects list'));
      await shows('projects.list');
      follow.kill('SIGINT');
      expect((await end).exit).toBe(130);
      await sandbox.run(words('sandbox log --clear'));
      await begin();
    }
    expect((await sandbox.run(words('sandbox log -f --sort at'))).exit).toBe(2);
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
    const kept = createMemoryLog();
    for (let id = 1; id <= 1002; id += 1) kept.add(row(String(id)));
    expect([kept.rows().length, kept.rows()[0]?.id, kept.rows().at(-1)?.id]).toEqual([1000, '3', '1002']);
    kept.clear();
    expect(kept.rows()).toEqual([]);
  });

  it('is bounded in the file, and survives what is torn in it', async () => {
    sandbox = await openCli({ sandbox: 'demo' });
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
    sandbox = await openCli({ sandbox: { limits: true } });
    await sandbox.run(words('members list'));
    const follow = startBinary(words('sandbox log -f -o ndjson'), { env: sandbox.env });
    const end = finished(follow);
    await new Promise((resolve) => follow.stdout?.once('data', resolve));
    await sandbox.close();
    expect((await end).exit).toBe(0);
  });
});
