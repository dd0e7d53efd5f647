import { spawn } from 'node:child_process';
import { readFileSync, statSync } from 'node:fs';
import { basename, dirname } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { type FaultyService, startFaultyService } from './support/faulty-service.ts';
import { atThisFileEnd } from './support/folder.ts';
import { BIN, finished } from './support/process.ts';
import { runFiles } from './support/runs.ts';
import { useCli } from './support/use-cli.ts';

/** Jobs of processes: signals, two at once, a full disk, memory. */

const t = useCli();
let service: FaultyService;
let latency: number | Promise<void>;
let ids: readonly string[];
beforeEach(async () => {
  latency = 30;
  const keyOf = (line: string) => line.split('/')[2] ?? '';
  service = await startFaultyService({ seed: 'month-end', keyOf, latency: () => latency });
  atThisFileEnd(() => service.close());
  Object.assign(t.env, service.env);
  ids = (await t.rows('timesheets list --status submitted')).map(({ id }) => String(id));
});

/** New expenses, one a row, before a service of their own. */
const prepareExpenses = async (count: number, fault?: 'late') => {
  const keyOf = (_line: string, body: object) => String(Object(body).expense_name);
  const own = await startFaultyService({ seed: 'demo', keyOf, fault: () => fault });
  atThisFileEnd(() => own.close());
  Object.assign(t.env, own.env);
  const [category] = await t.rows('expenses categories');
  const rows = Array.from({ length: count }, (_, n) => `Item ${n},2026-11-02,12,${category?.['id']}\n`);
  return { own, input: `name,date,amount,category\n${rows.join('')}` };
};
/** Nothing is answered any more. @returns what lets all answers go */
const hold = () => {
  let release = () => {};
  latency = new Promise((resolve) => {
    release = resolve;
  });
  return release;
};
const approve = (flags = '') => {
  const child = t.start(`timesheets approve - --yes --json ${flags}`);
  return [child, finished(child, ids.join('\n'))] as const;
};
const journal = () => runFiles(t.state)[0] ?? '';
const jobId = () => basename(journal(), '.jsonl');
const resume = (flags = '') => t.process(`jobs resume ${jobId()} --json ${flags}`);
const findJob = async () => (await t.rows('jobs list'))[0];
const errorOf = (stderr: string) => JSON.parse(stderr.trim().split('\n').at(-1) ?? '').error;
const expectOnce = () => {
  expect([...service.applied.keys()].sort()).toEqual([...ids].sort());
  expect(new Set([...service.applied.values(), ...service.arrived.values()])).toEqual(new Set([1]));
};

it('Ctrl-C finishes what is on its way, says how to go on, and that completes it', async () => {
  const [child, ended] = approve();
  await service.afterWrites(40);
  const modes = [dirname(journal()), journal()].map((path) => statSync(path).mode & 0o777);
  expect(modes).toEqual([0o700, 0o600]);
  child.kill('SIGINT');
  const { exit, stdout, stderr } = await ended;
  const done = (JSON.parse(stdout) as { status: string }[]).filter(({ status }) => status === 'done').length;
  expect([exit, done]).toEqual([130, service.applied.size]);
  const left = ids.length - done;
  expect(errorOf(stderr)).toMatchObject({
    message: `interrupted: ${done} approved, 0 failed, ${left} not sent`,
    hint: expect.stringContaining(`ttctl jobs resume ${jobId()}`),
  });
  expect(await findJob()).toMatchObject({ state: 'interrupted', done, unknown: 0, left });
  expect((await resume()).exit).toBe(0);
  expectOnce();
});

it('Ctrl-C twice leaves at once, and nothing is lost', async () => {
  const release = hold();
  const [child, ended] = approve('--timeout 600');
  // Nothing is answered: there are never more on their way.
  await service.afterWrites(10);
  child.kill('SIGINT');
  // Two that come at the same time are one to a process.
  const again = setInterval(() => child.kill('SIGINT'), 60);
  const { exit, stderr } = await ended;
  clearInterval(again);
  release();
  const hint = 'See what was sent: ttctl history list --status unknown';
  expect([exit, errorOf(stderr)]).toMatchObject([130, { code: 'interrupted', exit: 130, hint }]);
  latency = 0;
  expect(await findJob()).toMatchObject({ state: 'interrupted' });
  const further = await resume('--timeout 5');
  expect(further.exit, further.stderr).toBe(0);
  expectOnce();
});

it('a job is gone on with by one process at a time', async () => {
  latency = 400;
  const [child, ended] = approve();
  await service.afterWrites(20);
  expect(await findJob()).toMatchObject({ state: 'running' });
  const early = await resume('--timeout 60');
  expect([early.exit, errorOf(early.stderr).code]).toEqual([2, 'job_running']);
  child.kill('SIGKILL');
  await ended;
  const release = hold();
  const both = [resume('--timeout 60'), resume('--timeout 60')];
  // The one at work gets no answer until the other has been refused.
  expect((await Promise.race(both)).exit).toBe(2);
  release();
  expect((await Promise.all(both)).map(({ exit }) => exit).sort()).toEqual([0, 2]);
  expectOnce();
});

it('a single write is gone on with when its process has ended, not while it waits for its answer', async () => {
  const release = hold();
  const [id = ''] = ids;
  const child = t.start(`timesheets reject ${id} --reason r --yes`);
  const ended = finished(child);
  await service.afterWrites(1);
  expect(await findJob()).toMatchObject({ state: 'running', unknown: 0, left: 1 });
  const early = await resume();
  expect([early.exit, errorOf(early.stderr).code]).toEqual([2, 'job_running']);
  child.kill('SIGKILL');
  await ended;
  expect(await findJob()).toMatchObject({ state: 'unknown', unknown: 1, left: 0 });
  expect((await resume()).exit).toBe(0);
  expect([service.applied.get(id), service.arrived.get(id)]).toEqual([1, 1]);
  release();
});

it('a service that is still at work on what a killed run sent is waited for', async () => {
  const { own, input } = await prepareExpenses(12, 'late');
  Object.assign(t.env, { TTCTL_TIMEOUT: '5', TTCTL_SETTLE: '2' });
  const child = t.start('expenses create --from-file - --yes');
  const ended = finished(child, input);
  await own.afterWrites(12);
  child.kill('SIGKILL');
  await ended;
  expect((await resume()).exit).toBe(0);
  expect([...own.applied.values()]).toEqual(Array(12).fill(1));
});

it('a disk that is full in the middle ends the run; what was on its way is looked up', async () => {
  latency = 5;
  // The plan of 180 rows fits, and a part of the steps.
  const line = 'trap "" XFSZ; ulimit -f 66; exec "$NODE" "$BIN" timesheets approve - --yes --json';
  const shell = spawn('bash', ['-c', line], { env: t.processEnv({ NODE: process.execPath, BIN }) });
  const { exit, stderr } = await finished(shell, ids.join('\n'));
  expect([exit, stderr]).toEqual([1, expect.stringContaining('cannot write')]);
  expect(service.applied.size).toBeGreaterThan(0);
  expect(service.applied.size).toBeLessThan(ids.length);
  const further = await resume('--timeout 5');
  expect(further.exit, further.stderr).toBe(0);
  expectOnce();
});

describe.runIf(process.platform === 'linux')('memory', () => {
  /** The most that the process had in memory at once, in megabytes. */
  const peakOf = async (rows: number): Promise<number> => {
    const { own, input } = await prepareExpenses(rows);
    // Little room: else the heap grows for want of a reason to tidy, and that says nothing.
    const env = { NODE_OPTIONS: '--max-semi-space-size=1 --max-old-space-size=32' };
    const child = t.start('expenses create --from-file - --yes -o ndjson', { env });
    let peak = 0;
    const look = setInterval(() => {
      try {
        const text = readFileSync(`/proc/${child.pid}/status`, 'utf8');
        peak = Math.max(peak, Number(/VmHWM:\s+(\d+)/.exec(text)?.[1] ?? 0) / 1024);
      } catch {}
    }, 5);
    const { exit, stderr } = await finished(child, input);
    clearInterval(look);
    expect([exit, own.applied.size], stderr).toEqual([0, rows]);
    return peak;
  };

  it('does not grow with the rows', async () => {
    // Up to a thousand the heap fills what room it has; from then on only what is kept of each row counts.
    const [few, many] = [await peakOf(1000), await peakOf(3000)];
    process.stderr.write(`memory: ${few.toFixed(0)} MB for 1,000 rows, ${many.toFixed(0)} MB for 3,000\n`);
    expect(many - few).toBeLessThan(24);
  });
});
