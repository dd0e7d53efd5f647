import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { parseFaultRoute } from '../src/sandbox/faults.ts';
import { quickClock } from './support/clocks.ts';
import { openCli, SANDBOX_KINDS, type SandboxCli } from './support/use-cli.ts';

/** Calls of the sandbox that fail on purpose, driven and met through the command line. */

const errorOf = ({ stderr }: { readonly stderr: string }) =>
  JSON.parse(stderr.trim().split('\n').at(-1) ?? '').error;

/** A fault of a read, met however often it is tried: flags → exit code and code of the error. */
const OF_A_READ: readonly (readonly [flags: string, exit: number, code: string])[] = [
  ['--status 302', 7, 'not_the_api'],
  ['--status 400', 6, 'refused'],
  ['--status 401', 3, 'unauthenticated'],
  ['--status 403', 4, 'forbidden'],
  ['--status 404', 5, 'not_found'],
  ['--status 409', 6, 'conflict'],
  ['--status 422', 6, 'invalid'],
  ['--status 429', 7, 'rate_limited'],
  ['--status 429 --retry-after 7', 7, 'rate_limited'],
  ['--status 500', 7, 'service_error'],
  ['--status 503 --retry-after 5', 7, 'service_error'],
  ['--status 502 --body html', 7, 'not_the_api'],
  ['--drop before', 7, 'connection_reset'],
  ['--drop after', 7, 'connection_reset'],
  ['--body truncated', 7, 'truncated'],
  ['--body html', 7, 'not_the_api'],
  ['--body failure', 6, 'refused'],
];

/** A fault of a write: what is told of it, and whether it was done. */
const OF_A_WRITE: readonly (readonly [flags: string, exit: number, status: string, done: boolean])[] = [
  ['--status 500', 7, 'unknown', false],
  ['--status 500 --after-commit', 0, 'done', true],
  ['--status 404 --after-commit', 5, 'failed', true],
  ['--status 409', 6, 'failed', false],
  ['--status 429 --retry-after 1', 0, 'done', true],
  ['--drop before', 7, 'unknown', false],
  ['--drop after', 0, 'done', true],
  ['--body truncated', 0, 'done', true],
  ['--body html', 0, 'done', true],
  ['--body failure', 6, 'failed', false],
  ['--body failure --after-commit', 0, 'unchanged', true],
];

describe.each(SANDBOX_KINDS)('the faults of the %s sandbox', (_kind, open) => {
  let sandbox: SandboxCli;
  let sheets: string[];
  beforeAll(async () => {
    sandbox = await open('month-end');
    const { stdout } = await sandbox.run('timesheets list --status submitted -o ids');
    sheets = stdout.trim().split('\n');
  });
  afterAll(() => sandbox.close());
  beforeEach(async () => {
    await sandbox.json('sandbox fault clear');
    await sandbox.run('sandbox log --clear');
  });
  const add = (text: string) => sandbox.json(`sandbox fault add ${text}`);
  const faults = (): Promise<Record<string, unknown>[]> => sandbox.json('sandbox fault list');
  const calls = async (operation: string): Promise<number> =>
    (await sandbox.json('sandbox log')).filter((row: { operation: string }) => row.operation === operation)
      .length;

  it.each(OF_A_READ)('members list with %s ends with exit %i', async (flags, exit, code) => {
    await add(`members list --times 20 ${flags}`);
    const met = await sandbox.run('members list --json', { clock: quickClock });
    expect({ exit: met.exit, ...errorOf(met) }).toMatchObject({ exit, code });
    expect(met.stdout).toBe('');
  });

  it.each(OF_A_WRITE)('timesheets approve with %s: exit %i, %s', async (flags, exit, status, done) => {
    const id = sheets.pop() ?? '';
    await add(`timesheets approve ${flags}`);
    const met = await sandbox.run(['timesheets', 'approve', id, '--yes', '--json'], { clock: quickClock });
    expect({ exit: met.exit, status: JSON.parse(met.stdout)[0].status }).toEqual({ exit, status });
    const [sheet] = await sandbox.json(['timesheets', 'list', '--id', id]);
    expect(sheet.status).toBe(done ? 'approved' : 'submitted');
    // Sent again only where the service had said that it did not happen.
    expect(await calls('timesheets.approve')).toBe(flags.includes('429') ? 2 : 1);
  });

  it('is of the first calls, in the order in which they were added, and then of no more', async () => {
    await add('members list --times 2 --status 503');
    await add('members list --status 404');
    const exits: number[] = [];
    for (let call = 0; call < 4; call += 1) {
      exits.push((await sandbox.run('members list --max-wait 0')).exit);
    }
    expect(exits).toEqual([7, 7, 5, 0]);
    expect(
      (await faults()).map(({ left, times, fault }: Record<string, unknown>) => [left, times, fault]),
    ).toEqual([
      [0, 2, '503'],
      [0, 1, '404'],
    ]);
    expect((await sandbox.run('members get 102 --json')).exit).toBe(0);
  });

  it('passes when a read is tried again', async () => {
    await add('members list --times 3 --status 500');
    expect((await sandbox.run('members list -o ids', { clock: quickClock })).exit).toBe(0);
    expect(await calls('members.list')).toBe(4);
  });

  it('is late', async () => {
    await add('members list --latency 60s');
    const late = await sandbox.run('members list --json --timeout 2 --max-wait 0');
    expect({ exit: late.exit, code: errorOf(late).code }).toEqual({ exit: 7, code: 'timeout' });
    await add('members list --latency 200ms');
    expect((await sandbox.run('members list -o ids')).exit).toBe(0);
    const [, row] = await sandbox.json('sandbox log');
    expect(row).toMatchObject({ status: 200, fault: 'delayed 0.2 s' });
    // A timer may count from the beginning of its turn.
    expect(row.duration_ms).toBeGreaterThanOrEqual(190);
  });

  it('answers in the shape of the API, and says which fault it is', async () => {
    const { id } = await add('members list --status 429 --retry-after 9');
    const met = await sandbox.run('members list --json --max-wait 0 --debug');
    expect(errorOf(met)).toMatchObject({
      message: 'Too Many Attempts.',
      reason: `fault ${id} of the sandbox`,
    });
    expect(met.stderr).toContain('retry-after: 9');
  });

  it.each([
    ['timesheets aprove --status 500', 'unknown operation: timesheets aprove'],
    ['PUT /timesheet/{id}/approve --status 500', 'unknown operation: PUT /timesheet/{id}/approve'],
    ['constructor --status 500', 'unknown operation'],
    ['members list', 'needs --status, --drop, --body or --latency'],
    ['members list --status 200', 'from 300 to 599'],
    ['members list --status abc', 'not a whole number'],
    ['members list --times 0 --status 500', '--times'],
    ['members list --drop never', 'before, after'],
    ['members list --body trucated', 'is not one of truncated, html, failure'],
    ['members list --latency 3', '--latency: "3" is not a duration'],
    ['members list --latency 2h', '--latency must be from 0 to 1h'],
    ['members list --drop after --status 500', '--drop cannot be used with --status'],
    ['members list --after-commit --latency 1s', '--after-commit needs'],
    ['members list --status 429 --after-commit', '--after-commit needs --status (not 429)'],
    ['members list --status 500 --retry-after 3', '--retry-after needs'],
  ])('refuses "%s" before anything is changed', async (text, why) => {
    const refused = await sandbox.run(`sandbox fault add ${text}`);
    expect(refused.exit).toBe(2);
    expect(refused.stderr).toContain(why);
    expect(await faults()).toEqual([]);
  });

  it('is taken away, one or all', async () => {
    for (const status of [500, 501, 502]) await add(`members list --status ${status}`);
    const [first, second] = (await faults()).map(({ id }) => String(id));
    expect(await sandbox.json(`sandbox fault clear ${second}`)).toEqual({ cleared: 1 });
    expect((await sandbox.run(`sandbox fault clear ${first} 99`)).exit).toBe(2);
    expect((await faults()).map(({ fault }) => fault)).toEqual(['500', '502']);
    expect(await sandbox.json('sandbox fault clear')).toEqual({ cleared: 2 });
    expect((await sandbox.run('members list -o ids')).exit).toBe(0);
  });
});

describe('faults', () => {
  it.each([
    ['timesheets.approve', 'PUT /timesheets/{timesheetId}/approve'],
    ['put /timesheets/{id}/approve', 'PUT /timesheets/{timesheetId}/approve'],
    ['PUT /api/v2/timesheets/8c1f/approve?workspace_id=101', 'PUT /timesheets/{timesheetId}/approve'],
    ['GET /leaves/policies', 'GET /leaves/policies'],
  ])('named %s are of %s', (text, route) => {
    expect(parseFaultRoute(text)).toBe(route);
  });

  it('of the token address are answered as OAuth2 does', async () => {
    const sandbox = await openCli({ sandbox: { limits: true } });
    const url = String((await sandbox.json('sandbox status')).url);
    const body = new URLSearchParams({ grant_type: 'x' });
    const ask = () => fetch(`${url}/oauth/token`, { method: 'POST', body });
    for (const [status, expected, error] of [
      ['400', 400, 'invalid_grant'],
      ['401', 401, 'invalid_client'],
      ['429 --retry-after 3', 429, 'server_error'],
      ['503', 503, 'temporarily_unavailable'],
    ] as const) {
      await sandbox.json(`sandbox fault add POST /oauth/token --status ${status}`);
      const answer = await ask();
      expect([answer.status, await answer.json()]).toMatchObject([expected, { error }]);
    }
    await sandbox.json('sandbox fault add POST /oauth/token --drop before');
    await expect(ask()).rejects.toThrow();
    expect((await ask()).status).toBe(400);
    const log = (await sandbox.rows('sandbox log')).map(({ status, fault }) => [status, fault]);
    expect(log.at(-2)).toEqual([null, 'dropped before the work']);
  });
});
