import { existsSync, readdirSync, readFileSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { cleanHome, type Home, runBinary } from './support/binary.ts';
import { type Listener, startListener } from './support/listener.ts';
import { prepareQuickProcesses } from './support/quick-process.ts';
import { until } from './support/turned-clock.ts';
import { eventBody, post } from './support/webhook-sender.ts';

/** What a listener forwards, and the next one after it, as processes. */

let home: Home;
const running: Listener[] = [];
beforeEach(() => {
  home = cleanHome();
});
afterEach(async () => {
  for (const { child, ended } of running.splice(0)) {
    child.kill('SIGKILL');
    await ended;
  }
  home.remove();
});

const listen = async (args: readonly string[], env: Readonly<Record<string, string>> = {}) => {
  const listener = await startListener(args, { ...home.env, ...env });
  running.push(listener);
  return listener;
};
const ttctl = (...args: string[]) => runBinary(args, { env: home.env });
const stop = async ({ child, ended }: Listener, signal: NodeJS.Signals = 'SIGINT') => {
  child.kill(signal);
  return ended;
};
const received = async (...args: string[]): Promise<readonly Record<string, unknown>[]> =>
  JSON.parse((await ttctl('webhooks', 'received', '--json', ...args)).stdout);
const statesOf = (rows: readonly Record<string, unknown>[]) =>
  Object.fromEntries(rows.map(({ id, state, attempts }) => [id, `${state} ${attempts}`]));
const store = () => join(home.folder, '.local/state/ttctl/webhooks');
const send = async ({ url }: Listener, ...ids: string[]) => {
  for (const id of ids) expect((await post(url, eventBody('a'), { 'webhook-id': id })).status).toBe(200);
};
/** Overwrites how far one is, as though more had happened. */
const setState = (id: string, progress: object) => {
  for (const name of readdirSync(store()).filter((file) => file.endsWith('.json'))) {
    const path = join(store(), name);
    if (JSON.parse(readFileSync(path, 'utf8')).id !== id) continue;
    writeFileSync(path.replace(/json$/, 'state'), JSON.stringify({ version: 1, ...FAILED, ...progress }));
  }
};
const FAILED = { state: 'failed', attempts: 10, next_attempt_at: null, last_error: 'exit 1' };

describe.runIf(process.platform !== 'win32')('a listener', () => {
  it('tries again what was not accepted, and says how far it is', async () => {
    const quick = prepareQuickProcesses(home.folder);
    const command = `test -e ${home.folder}/mended`;
    const listener = await listen(['--exec', command], quick.env);
    await send(listener, 'm1');
    const [first] = (await listener.lines(1)).map((line) => JSON.parse(line));
    expect(first).toMatchObject({ state: 'pending', attempts: 1, exec: { exit: 1 }, last_error: 'exit 1' });
    expect(Date.parse(first.next_attempt_at)).toBeGreaterThan(0);
    writeFileSync(`${home.folder}/mended`, '');
    const seen = await listener.lines(2);
    await until(() => seen.at(-1)?.includes('"state":"done"') === true);
    const last = JSON.parse(seen.at(-1) ?? '');
    expect(last).toMatchObject({ state: 'done', exec: { exit: 0 }, repeat: false, last_error: null });
    expect(last.attempts).toBeGreaterThan(1);
    expect(statesOf(await received())).toEqual({ m1: `done ${last.attempts}` });
    expect(await received('--state', 'pending')).toEqual([]);
    const { stdout } = await ttctl('webhooks', 'received', 'm1', '--json');
    expect(JSON.parse(stdout)).toMatchObject({ state: 'done', attempts: last.attempts });
  });

  it('leaves to the next one what it has not forwarded; an attempt that it cut short does not count', async () => {
    const out = join(home.folder, 'out');
    const first = await listen(['--exec', `echo begun >> ${out}; exec sleep 60`]);
    await send(first, 'm1', 'm2');
    await until(() => existsSync(out));
    expect(statesOf(await received())).toEqual({ m1: 'pending 1', m2: 'pending 0' });
    const { exit } = await stop(first, 'SIGTERM');
    expect(exit).toBe(143);
    expect(statesOf(await received())).toEqual({ m1: 'pending 0', m2: 'pending 0' });
    const only = await listen(['--exec', `echo "$TTCTL_DELIVERY_ID" >> ${out}`, '--limit', '2']);
    expect((await only.ended).exit).toBe(0);
    expect(readFileSync(out, 'utf8')).toBe('begun\nm1\nm2\n');
    expect(statesOf(await received())).toEqual({ m1: 'done 1', m2: 'done 1' });
  });

  it('with --limit counts what it resumes too, and ends by what became of it', async () => {
    const quick = prepareQuickProcesses(home.folder);
    const first = await listen(['--exec', 'exit 1']);
    await send(first, 'm1', 'm2');
    await first.lines(2);
    await stop(first);
    const second = await listen(['--exec', 'test "$TTCTL_DELIVERY_ID" = m2', '--limit', '2'], quick.env);
    const { exit, stderr } = await second.ended;
    expect([exit, stderr]).toEqual([8, expect.stringContaining('1 of 2 deliveries not forwarded')]);
    const third = await listen(['--exec', 'true', '--limit', '1'], quick.env);
    expect((await third.ended).exit).toBe(0);
    // m1 comes again while m2 is still waited for, where time is short.
    expect(statesOf(await received())).toEqual({ m1: expect.stringMatching(/^done [3-9]$/), m2: 'done 2' });
  });

  it('goes on with what a killed one has begun', async () => {
    const out = join(home.folder, 'out');
    const first = await listen(['--exec', `echo $$ >> ${out}; exec sleep 60`]);
    await send(first, 'm1');
    await until(() => existsSync(out) && readFileSync(out, 'utf8').endsWith('\n'));
    await stop(first, 'SIGKILL');
    process.kill(Number(readFileSync(out, 'utf8')));
    expect(statesOf(await received())).toEqual({ m1: 'pending 1' });
    const second = await listen(['--exec', 'test "$TTCTL_REPEAT" = 1']);
    await second.lines(1);
    expect(statesOf(await received())).toEqual({ m1: 'done 2' });
  });

  it('ends a command that hangs, with all that it has started', async () => {
    const out = join(home.folder, 'out');
    const command = `sh -c 'echo $$ >> ${out}; exec sleep 60' | cat`;
    const listener = await listen(['--exec', command, '--handler-timeout', '1']);
    await send(listener, 'm1');
    const [row] = (await listener.lines(1)).map((line) => JSON.parse(line));
    expect(row).toMatchObject({
      exec: { error: 'did not finish within 1 s' },
      state: 'pending',
      attempts: 1,
    });
    const pid = Number(readFileSync(out, 'utf8'));
    expect(() => process.kill(pid, 0)).toThrow('ESRCH');
    for (const text of ['0', '-1', 'x', '1.5', '86401', '999999999999']) {
      const { exit, stderr } = await ttctl('webhooks', 'listen', '--exec', 'true', '--handler-timeout', text);
      expect([exit, stderr]).toEqual([2, expect.stringContaining(`--handler-timeout: "${text}"`)]);
    }
  });

  it('with --answer-after-handler responds once it was forwarded', async () => {
    const command = `cat > /dev/null; test -e ${home.folder}/mended`;
    const listener = await listen(['--exec', command, '--answer-after-handler']);
    const answer = () => post(listener.url, eventBody('a'), { 'webhook-id': 'm1' });
    expect(await answer()).toEqual({ status: 503, text: 'stored, but not forwarded: exit 1' });
    writeFileSync(`${home.folder}/mended`, '');
    expect(await answer()).toEqual({ status: 200, text: 'stored and forwarded' });
    expect(statesOf(await received())).toEqual({ m1: 'done 2' });
    for (const [flags, words] of [
      [['--answer-after-handler'], '--answer-after-handler needs --forward or --exec'],
      [['--answer-after-handler', '--forward-status', '--forward', 'http://127.0.0.1:1/'], 'cannot be used'],
    ] as const) {
      const { exit, stderr } = await ttctl('webhooks', 'listen', '--port', '0', ...flags);
      expect([exit, stderr]).toEqual([2, expect.stringContaining(words)]);
    }
  });

  it('answers those who wait for a command when it is stopped', async () => {
    const out = join(home.folder, 'out');
    const flags = ['--exec', `echo begun >> ${out}; exec sleep 60`, '--answer-after-handler'];
    const listener = await listen(flags);
    const answers = ['m1', 'm2'].map((id) => post(listener.url, eventBody('a'), { 'webhook-id': id }));
    await until(() => existsSync(out));
    await until(async () => (await received()).length === 2);
    await stop(listener);
    expect((await Promise.all(answers)).map(({ status }) => status)).toEqual([503, 503]);
  });

  it('is the only one that forwards from a folder, for as long as it lives', async () => {
    const flags = ['webhooks', 'listen', '--port', '0', '--exec', 'true', '--limit', '1'];
    const first = await listen(['--exec', 'true']);
    const second = await ttctl(...flags);
    expect(second.exit).toBe(1);
    expect(second.stderr).toContain(`another listener already forwards the deliveries in ${store()}`);
    expect(second.stderr).toContain(`It is process ${first.child.pid}.`);
    expect(second.stderr).toContain('--store <folder>');
    // One that only receives is none.
    const other = await listen([]);
    await send(other, 'm1');
    expect(statesOf(await received())).toEqual({ m1: 'null 0' });
    await stop(first, 'SIGKILL');
    const next = await listen(['--exec', 'true', '--limit', '1']);
    await send(next, 'm2');
    expect((await next.ended).exit).toBe(0);
    expect(statesOf(await received())).toEqual({ m1: 'null 0', m2: 'done 1' });
  });
});

describe.runIf(process.platform !== 'win32')('webhooks replay --failed', () => {
  it('forwards what was given up, the earliest first, and then it is done', async () => {
    const listener = await listen(['--exec', 'true']);
    await send(listener, 'm1', 'm2', 'm3', 'm4');
    await listener.lines(4);
    await stop(listener);
    for (const id of ['m3', 'm1']) setState(id, {});
    setState('m4', { state: 'pending', attempts: 2, next_attempt_at: '2030-01-01T00:00:00Z' });
    const out = join(home.folder, 'out');
    const replay = (command: string, ...args: string[]) =>
      ttctl('webhooks', 'replay', '--failed', '--exec', command, '--json', ...args);
    expect((await replay('exit 3', '--dry-run')).stdout).toContain('"planned"');
    const refused = await replay('exit 3');
    expect(refused.exit).toBe(6);
    expect(statesOf(await received())).toMatchObject({ m1: 'failed 11', m3: 'failed 11' });
    const done = await replay(`echo "$TTCTL_DELIVERY_ID" >> ${out}`);
    expect(done.exit, done.stderr).toBe(0);
    expect(readFileSync(out, 'utf8')).toBe('m1\nm3\n');
    expect(statesOf(await received())).toEqual({
      ...{ m1: 'done 12', m2: 'done 1', m3: 'done 12', m4: 'pending 2' },
    });
    expect(await replay('true')).toMatchObject({ exit: 0, stdout: '[]\n' });
    // One that is named is done too.
    expect((await ttctl('webhooks', 'replay', 'm4', '--exec', 'exit 1')).exit).toBe(6);
    expect((await ttctl('webhooks', 'replay', 'm4', '--exec', 'true')).exit).toBe(0);
    expect(statesOf(await received('--state', 'done'))).toMatchObject({ m4: 'done 3' });
    const both = await ttctl('webhooks', 'replay', 'm1', '--failed', '--exec', 'true');
    expect([both.exit, both.stderr]).toEqual([2, expect.stringContaining('--failed cannot be used')]);
    const filter = await ttctl('webhooks', 'received', 'm1', '--state', 'done');
    expect([filter.exit, filter.stderr]).toEqual([2, expect.stringContaining('--state cannot be used')]);
    const before = await ttctl('webhooks', 'received', '--state', 'done', 'prune');
    expect([before.exit, before.stderr]).toEqual([2, expect.stringContaining('Put --state after prune.')]);
  });
});

describe.runIf(process.platform !== 'win32')('webhooks received prune', () => {
  /** As though it had been received long ago. */
  const makeOld = (...ids: string[]) => {
    for (const name of readdirSync(store()).filter((file) => file.endsWith('.json'))) {
      const path = join(store(), name);
      const stored = JSON.parse(readFileSync(path, 'utf8'));
      if (!ids.includes(stored.id)) continue;
      writeFileSync(path, JSON.stringify({ ...stored, received_at: '2020-01-01T00:00:00Z' }));
      utimesSync(path, 0, 0);
    }
  };
  const idsOf = async () => (await received()).map(({ id }) => id).sort();

  it('removes what is old, once it is confirmed, and what is pending only by name', async () => {
    const listener = await listen(['--exec', 'true']);
    await send(listener, 'done', 'failed', 'pending', 'new');
    await listener.lines(4);
    await stop(listener);
    const plain = await listen([]);
    await send(plain, 'none');
    await stop(plain);
    setState('failed', {});
    setState('pending', { state: 'pending', attempts: 1 });
    makeOld('done', 'failed', 'pending', 'none');
    const prune = (...args: string[]) =>
      ttctl('webhooks', 'received', 'prune', '--older-than', '30d', ...args);
    const asked = await prune();
    expect([asked.exit, asked.stderr]).toEqual([2, expect.stringContaining('--yes')]);
    const planned = await prune('--dry-run', '--json');
    expect(JSON.parse(planned.stdout)).toMatchObject({ deliveries: 3, planned: true });
    expect(await idsOf()).toHaveLength(5);
    expect(JSON.parse((await prune('--state', 'failed', '--yes', '--json')).stdout)).toMatchObject({
      deliveries: 1,
    });
    expect(await idsOf()).toEqual(['done', 'new', 'none', 'pending']);
    const done = await prune('--yes');
    expect([done.exit, done.stderr]).toEqual([0, expect.stringContaining('1 delivery is still pending')]);
    expect(await idsOf()).toEqual(['new', 'pending']);
    expect((await prune('--yes', '--state', 'pending')).exit).toBe(0);
    expect(await idsOf()).toEqual(['new']);
    expect(readdirSync(store()).filter((name) => /\.(json|state)$/.test(name))).toHaveLength(2);
    expect(await ttctl('webhooks', 'received', 'prune')).toMatchObject({
      exit: 2,
      stderr: expect.stringContaining('--older-than'),
    });
  });

  it('leaves what cannot be read to whoever has put it there', async () => {
    const plain = await listen([]);
    await send(plain, 'm1');
    await stop(plain);
    const [name = ''] = readdirSync(store()).filter((file) => file.endsWith('.json'));
    writeFileSync(join(store(), name), '{');
    utimesSync(join(store(), name), 0, 0);
    const { stdout } = await ttctl(
      ...['webhooks', 'received', 'prune', '--older-than', '1d', '--yes', '--json'],
    );
    expect(JSON.parse(stdout)).toMatchObject({ deliveries: 0 });
    expect(existsSync(join(store(), name))).toBe(true);
    rmSync(join(store(), name));
  });
});
