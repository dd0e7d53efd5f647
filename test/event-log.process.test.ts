import { spawn, spawnSync } from 'node:child_process';
import { chmodSync, existsSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { expectLogged, expectOneRun, parseLog, readLog } from './support/event-log.ts';
import { BIN, finished } from './support/process.ts';
import { member } from './support/records.ts';
import { type Row, useCli } from './support/use-cli.ts';

/** `--log`: what is in it, and what happens where it cannot be written. */

describe('a log of the sandbox', () => {
  const sandbox = useCli({ sandbox: 'demo' });

  /** Runs a command with a log of its own. */
  const logged = async (line: string) => {
    const file = sandbox.file('own.ndjson');
    const { exit } = await sandbox.run(`${line} --log ${file}`);
    const lines = readLog(file);
    expectOneRun(lines, exit);
    return lines.filter(({ event }) => !event.startsWith('run.'));
  };

  it('has every request that the service saw, with its id, in order of sending', async () => {
    const file = sandbox.file('all.ndjson');
    const run = async (line: string, exit = 0): Promise<void> => {
      const ended = await sandbox.run(line, { env: { TTCTL_LOG: file } });
      expect([line, ended.exit, ended.exit === exit ? '' : ended.stderr]).toEqual([line, exit, '']);
    };
    const plan = sandbox.file('plan.ndjson');
    for (const line of ['status', 'doctor', 'inbox --json', 'members list --limit 3']) await run(line);
    await run('close check --period last-month --quiet', 10);
    for (const _ of [1, 2]) await run('members update 108 --weekly-hours-limit 33');
    await run('members archive 106 107 --yes');
    await run(`undo ${String((await sandbox.entries())[0]?.['run'])} --yes`);
    await run(`members update 108 --weekly-hours-limit 31 --plan ${plan}`);
    await run(`plan apply ${plan} --yes`);
    await run('timesheets approve t1 --dry-run');
    await run('sandbox fault add members update --drop after');
    await run('members update 108 --weekly-hours-limit 30');
    await run('sandbox fault add members list --status 429 --retry-after 2');
    await run('members list');
    // The job is left with two rows of which nothing is known.
    await run('sandbox fault add members archive --drop after --times 2');
    await run('sandbox fault add members get --status 500 --times 99');
    await run('members archive 106 107 --yes', 7);
    await run('sandbox fault clear');
    const [job] = await sandbox.rows('jobs list');
    await run(`jobs resume ${String(job?.['id'])} --yes`);
    await run('webhooks create --url http://127.0.0.1:9/hook --event member.updated');
    await run('api GET /members/108');
    await run('api POST /nothing --field token=canary-0123 --param access_token=canary-4567', 5);
    await run(`api POST /nothing --field 'token:="canary-89ab"'`, 5);
    await run(`api /nothing -H 'Cookie: a=canary-cdef; b=canary-0124'`, 2);
    await run('webhooks create --url http://me:canary-3210@127.0.0.1:9/x --event project.created');
    await run(`api /nothing --header=X-Api-Key:canary-5678`, 2);
    const [webhook] = await sandbox.rows('webhooks list');
    const seen = (await sandbox.rows('sandbox log')).slice(0, -1);
    const received = seen.map(({ method, path, request_id }) => ({
      ...{ line: `${method} ${path}`, headers: { 'x-request-id': String(request_id) } },
    }));
    expect(received.length).toBeGreaterThan(40);
    expectLogged(readLog(file), received);
    const text = sandbox.text('all.ndjson');
    for (const secret of ['canary', 'sbx_', String(webhook?.['token'])]) expect(text).not.toContain(secret);
    expect(text).toContain('token=***');
  });

  it('tells why a request is sent again', async () => {
    await sandbox.run('sandbox fault add members get --status 429 --retry-after 2');
    const lines = await logged('members get 108');
    const about = { operation: 'members.get', target: '108' };
    expect(lines).toMatchObject([
      { event: 'request', ...about, attempt: 1 },
      { event: 'response', ...about, attempt: 1, status: 429 },
      { event: 'decision', ...about, attempt: 1, decision: 'retry', reason: 'rate_limited', ms: 2000 },
      { event: 'request', ...about, attempt: 2 },
      { event: 'response', ...about, attempt: 2, status: 200 },
    ]);
    expect(new Set(lines.map(({ request_id: id }) => id)).size).toBe(1);
    expect(lines.map(({ n }) => n)).toEqual([1, 1, 1, 1, 1]);
  });

  it.each([
    ['after', 'done', 'done'],
    ['before', 'not_done', 'unknown'],
  ])(
    'tells what the records showed of a write whose response was lost: dropped %s',
    async (drop, reason, outcome) => {
      await sandbox.run(`sandbox fault add members update --drop ${drop}`);
      const lines = await logged('members update 108 --weekly-hours-limit 12 --no-history');
      const about = { operation: 'members.update', target: '108' };
      expect(lines.filter(({ operation }) => operation === 'members.update')).toMatchObject([
        { event: 'request', ...about, attempt: 1 },
        { event: 'response', ...about, attempt: 1, error: { code: expect.any(String) } },
        { event: 'decision', ...about, attempt: 1, decision: 'give_up', reason: 'unknown_outcome' },
        { event: 'decision', ...about, decision: 'reconcile', reason },
        { event: 'result', ...about, outcome },
      ]);
    },
  );

  it('has the id of the history in every line about a write that is recorded', async () => {
    const lines = await logged('members archive 106 107 --yes');
    const ids = (await sandbox.entries()).map((entry) => entry['request_id']);
    const about = (id: unknown) => lines.flatMap(({ request_id, event }) => (request_id === id ? event : []));
    const all = ['request', 'response', 'result'];
    expect(ids.map(about)).toEqual([all, all]);
  });

  it('has the result of a call without a command', async () => {
    const lines = await logged('api POST /members/106/restore');
    expect(lines.at(-1)).toMatchObject({ event: 'result', operation: 'api', outcome: expect.any(String) });
  });

  it('of a run that fails says why', async () => {
    const file = sandbox.file('failed.ndjson');
    await sandbox.run(`members get 999 --log ${file}`);
    const error = { code: 'not_found', message: expect.any(String) };
    expect(readLog(file).at(-1)).toMatchObject({ event: 'run.end', exit: 5, requests: 1, error });
  });
});

describe('a log', () => {
  const t = useCli({ service: { members: [member(17, 'Ana')] } });
  const { run } = t;
  const archive = 'members archive 17 18 --yes --json';

  it('is appended to a file that only its owner can read, and keeps the mode of one that is there', async () => {
    const [file, open] = [t.file('log'), t.file('open', '')];
    await run(`members get 17 --log ${file}`);
    const first = t.text('log');
    await run(`members get 17 --log=${file}`);
    expect(t.text('log').startsWith(first)).toBe(true);
    expect(new Set(readLog(file).map(({ run }) => run)).size).toBe(2);
    chmodSync(open, 0o644);
    await run(`members get 17 --log ${open}`);
    expectOneRun(readLog(open), 0);
    expect([file, open].map((path) => statSync(path).mode & 0o777)).toEqual([0o600, 0o644]);
  });

  it('tells who ran what, and how it ended', async () => {
    const { stderr } = await run('members get 17 --json --log -');
    const [start, request, response, end, ...others] = parseLog(stderr);
    expect(others).toEqual([]);
    expect(start).toMatchObject({
      ...{ event: 'run.start', version: expect.stringMatching(/^\d/), pid: expect.any(Number) },
      ...{ command: 'members get 17 --json --log -', profile: 'default', workspace: '7' },
      base: t.env['TTCTL_BASE_URL'],
    });
    const about = {
      ...{ n: 1, attempt: 1, operation: 'members.get', target: '17', method: 'GET', path: '/members/17' },
    };
    const query = { workspace_id: '7' };
    expect(request).toMatchObject({ ...about, event: 'request', request_id: `${start?.run}-1`, query });
    expect(request?.['waited_ms']).toBeGreaterThanOrEqual(0);
    expect(response).toMatchObject({ ...about, event: 'response', status: 200, ms: expect.any(Number) });
    expect(end).toMatchObject({ event: 'run.end', exit: 0, requests: 1, ms: expect.any(Number) });
  });

  it('on stderr ends before the error, which stays the last line', async () => {
    const { stderr, exit } = await run('members get .. --json --log -');
    const lines = parseLog(stderr);
    expect(exit).toBe(2);
    expect(lines.at(-2)).toMatchObject({ event: 'run.end', exit: 2 });
    expect(lines.at(-1)).toEqual({ error: expect.objectContaining({ exit: 2 }) });
  });

  it('has each line of processes that share it whole: xargs -P 8', async () => {
    const file = t.file('log');
    const env = t.processEnv({ NODE: process.execPath, BIN, TTCTL_LOG: file });
    const line = 'seq 24 | xargs -P 8 -I % "$NODE" "$BIN" members get % --quiet >/dev/null';
    expect(await finished(spawn('sh', ['-c', line], { env }))).toMatchObject({ exit: 0, stderr: '' });
    const lines = readLog(file);
    expect([new Set(lines.map(({ run }) => run)).size, lines.length]).toEqual([24, 24 * 4]);
    const ids = t.requests.map(({ headers }) => headers['x-request-id']);
    expect(new Set(ids).size).toBe(24);
    const logged = lines.flatMap((one) => (one.event === 'request' ? [one['request_id']] : []));
    expect(logged.sort()).toEqual([...ids].sort());
  });

  it('that cannot be opened is exit 2, before any request', async () => {
    spawnSync('mkfifo', [t.file('pipe')]);
    for (const path of [t.file('gone/log'), t.folder, join(BIN, 'log'), t.file('pipe'), '""']) {
      const { exit, stderr } = await run(`${archive} --log ${path}`);
      const message = expect.stringMatching(/^(cannot write the log to|--log) /);
      expect([exit, JSON.parse(stderr).error]).toEqual([
        2,
        expect.objectContaining({ code: 'bad_value', message }),
      ]);
    }
    expect(t.requests).toEqual([]);
  });

  it.runIf(existsSync('/dev/full'))(
    'that takes nothing more is told once at the end: nothing is left out, nothing is sent again, a failure keeps its exit',
    async () => {
      const { exit, stdout, stderr } = await run(`${archive} --log /dev/full`);
      expect(exit).toBe(1);
      expect((JSON.parse(stdout) as Row[]).map((row) => row['status'])).toEqual(['done', 'done']);
      const { error } = JSON.parse(stderr);
      expect(error).toMatchObject({ code: 'log_failed', exit: 1, message: 'the log is incomplete' });
      expect(error.hint).toMatch(/do not run it again/);
      expect(t.sent()).toHaveLength(2);
      t.refused = /^GET/;
      const failed = await run('members get 17 --json --log /dev/full');
      const [warning = '', last = ''] = failed.stderr.split('\n');
      expect(warning).toMatch(/^warning: the log is incomplete: /);
      expect(JSON.parse(last)).toMatchObject({ error: { code: 'forbidden', exit: 4 } });
      expect(failed.exit).toBe(4);
    },
  );

  it('keeps requests in flight apart, with --debug too', async () => {
    const file = t.file('log');
    const { stderr } = await run(`members archive 20 21 22 23 24 25 --yes --json --debug --log ${file}`);
    const lines = readLog(file);
    expectLogged(lines, t.requests);
    for (const { event, n, path, method, status } of lines) {
      if (event === 'request')
        expect(stderr).toMatch(new RegExp(`^→ ${n} \\S+Z ${method} http\\S+${path}\\?`, 'm'));
      if (event === 'response')
        expect(stderr).toMatch(new RegExp(`^← ${n} \\S+Z ${status} in \\d+ ms$`, 'm'));
    }
    expect(lines.filter(({ event }) => event === 'request').length).toBeGreaterThanOrEqual(6);
  });

  it('is not needed for the id of each request', async () => {
    expect((await run('members get 17 --json')).stderr).toBe('');
    expect(t.requests[0]?.headers['x-request-id']).toMatch(/^\d{8}-\d{4}-[a-z]{8}-1$/);
  });
});
