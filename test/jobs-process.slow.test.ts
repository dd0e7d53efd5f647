import type { ChildProcess } from 'node:child_process';
import { spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type FaultyService, startFaultyService } from './support/faulty-service.ts';
import { BIN, cleanHome, finished, type Home, runBinary, startBinary } from './support/process.ts';
import { runFiles } from './support/runs.ts';

/** Jobs of processes: signals, two at once, a full disk, memory. */

let home: Home;
let service: FaultyService;
let latency: number | Promise<void>;
let ids: readonly string[];
const env = () => ({ ...home.env, ...service.env });

beforeEach(async () => {
  home = cleanHome();
  latency = 30;
  service = await startFaultyService({
    seed: 'month-end',
    keyOf: (line) => line.split('/')[2] ?? '',
    latency: () => latency,
  });
  ids = (await ttctl('timesheets list --status submitted --output ids')).stdout.trim().split('\n');
});
afterEach(async () => {
  await service.close();
  home.remove();
});

const approve = (...more: readonly string[]): readonly [ChildProcess, ReturnType<typeof finished>] => {
  const child = startBinary(['timesheets', 'approve', '-', '--yes', '--json', ...more], { env: env() });
  return [child, finished(child, ids.join('\n'))];
};
const journal = () => runFiles(join(home.folder, '.local/state/ttctl'))[0] ?? '';
const jobId = () => basename(journal(), '.jsonl');
const ttctl = (line: string) => runBinary(line.split(' '), { env: env() });
const list = async () => JSON.parse((await ttctl('jobs list --json')).stdout)[0] as Record<string, unknown>;
const resume = (flags = '') => ttctl(`jobs resume ${jobId()} --json ${flags}`.trim());
const once = () => {
  expect([...service.applied.values()].filter((times) => times !== 1)).toEqual([]);
  expect(service.applied.size).toBe(ids.length);
  expect([...service.arrived.values()].filter((times) => times !== 1)).toEqual([]);
};

describe('Ctrl-C', () => {
  it('finishes what is on its way, says how to go on, and that completes it', async () => {
    const [child, ended] = approve();
    await service.afterWrites(40);
    child.kill('SIGINT');
    const { exit, stdout, stderr } = await ended;
    expect(exit).toBe(130);
    const results = JSON.parse(stdout) as { status: string }[];
    const done = results.filter(({ status }) => status === 'done').length;
    expect(done).toBe(service.applied.size);
    const { error } = JSON.parse(stderr.trim().split('\n').at(-1) ?? '');
    expect(error.message).toBe(`interrupted: ${done} approved, 0 failed, ${ids.length - done} not sent`);
    expect(error.hint).toContain(`ttctl jobs resume ${jobId()}`);
    expect(await list()).toMatchObject({ state: 'interrupted', done, unknown: 0, left: ids.length - done });
    expect((await resume()).exit).toBe(0);
    once();
  });

  it('twice leaves at once, and nothing is lost', async () => {
    let answer = (): void => {};
    latency = new Promise((resolve) => {
      answer = resolve;
    });
    const [child, ended] = approve('--timeout', '600');
    // Nothing is answered: there are never more on their way.
    await service.afterWrites(10);
    child.kill('SIGINT');
    // Two that come at the same time are one to a process.
    const again = setInterval(() => child.kill('SIGINT'), 60);
    const { exit, stderr } = await ended;
    clearInterval(again);
    expect(exit).toBe(130);
    answer();
    const { error } = JSON.parse(stderr.trim().split('\n').at(-1) ?? '');
    expect(error).toMatchObject({ code: 'interrupted', exit: 130 });
    expect(error.hint).toBe('See what was sent: ttctl history list --status unknown');
    latency = 0;
    expect(await list()).toMatchObject({ state: 'interrupted' });
    const further = await resume('--timeout 5');
    expect(further.exit, further.stderr).toBe(0);
    once();
  });
});

it('a job is gone on with by one process at a time', async () => {
  latency = 400;
  const [child, ended] = approve();
  await service.afterWrites(20);
  expect(await list()).toMatchObject({ state: 'running' });
  const early = await resume('--timeout 60');
  expect(early.exit).toBe(2);
  expect(early.stderr).toContain('job_running');
  child.kill('SIGKILL');
  await ended;
  let answer = (): void => {};
  latency = new Promise((resolve) => {
    answer = resolve;
  });
  const both = [resume('--timeout 60'), resume('--timeout 60')];
  // The one at work gets no answer until the other has been refused.
  expect((await Promise.race(both)).exit).toBe(2);
  answer();
  expect((await Promise.all(both)).map(({ exit }) => exit).sort()).toEqual([0, 2]);
  once();
});

it('a single write is gone on with when its process has ended, not while it waits for its answer', async () => {
  let answer = (): void => {};
  latency = new Promise((resolve) => {
    answer = resolve;
  });
  const [id = ''] = ids;
  const child = startBinary(['timesheets', 'reject', id, '--reason', 'r', '--yes'], { env: env() });
  const ended = finished(child);
  await service.afterWrites(1);
  expect(await list()).toMatchObject({ state: 'running', unknown: 0, left: 1 });
  const early = await resume();
  expect([early.exit, early.stderr]).toEqual([2, expect.stringContaining('job_running')]);
  child.kill('SIGKILL');
  await ended;
  expect(await list()).toMatchObject({ state: 'unknown', unknown: 1, left: 0 });
  expect((await resume()).exit).toBe(0);
  expect([service.applied.get(id), service.arrived.get(id)]).toEqual([1, 1]);
  answer();
});

it('a service that is still at work on what a killed run sent is waited for', async () => {
  const late = await startFaultyService({
    seed: 'demo',
    keyOf: (_line, body) => String(body['expense_name']),
    fault: () => 'late',
  });
  try {
    const settings = { env: { ...home.env, ...late.env, TTCTL_TIMEOUT: '5', TTCTL_SETTLE: '2' } };
    const { stdout } = await runBinary(['expenses', 'categories', '--output', 'ids'], settings);
    const names = Array.from({ length: 12 }, (_, n) => `Item ${n},2026-11-02,12,${stdout.split('\n')[0]}\n`);
    const child = startBinary(['expenses', 'create', '--from-file', '-', '--yes'], settings);
    const ended = finished(child, `name,date,amount,category\n${names.join('')}`);
    await late.afterWrites(12);
    child.kill('SIGKILL');
    await ended;
    expect((await runBinary(['jobs', 'resume', jobId()], settings)).exit).toBe(0);
    expect([...late.applied.values()]).toEqual(names.map(() => 1));
  } finally {
    await late.close();
  }
});

it('a disk that is full in the middle ends the run; what was on its way is looked up', async () => {
  latency = 5;
  // The plan of 180 rows fits, and a part of the steps.
  const line = 'trap "" XFSZ; ulimit -f 66; exec "$NODE" "$BIN" timesheets approve - --yes --json';
  const shell = spawn('bash', ['-c', line], { env: { ...env(), NODE: process.execPath, BIN } });
  const { exit, stderr } = await finished(shell, ids.join('\n'));
  expect(stderr).toContain('cannot write');
  expect(exit).toBe(1);
  const before = service.applied.size;
  expect(before).toBeGreaterThan(0);
  expect(before).toBeLessThan(ids.length);
  const further = await resume('--timeout 5');
  expect(further.exit, further.stderr).toBe(0);
  once();
});

describe('memory', () => {
  /** The most that the process had in memory at once, in megabytes. */
  const peakOf = async (rows: number): Promise<number> => {
    const names = Array.from({ length: rows }, (_, n) => `Item ${n},2026-11-02,12,x\n`);
    const stream = await startFaultyService({
      seed: 'demo',
      keyOf: (_line, body) => String(body['expense_name']),
    });
    const own = cleanHome();
    try {
      // Little room: else the heap grows for want of a reason to tidy, and that says nothing.
      const heap = { NODE_OPTIONS: '--max-semi-space-size=1 --max-old-space-size=32' };
      const settings = { env: { ...own.env, ...stream.env, ...heap } };
      const { stdout } = await runBinary(['expenses', 'categories', '--output', 'ids'], settings);
      const category = stdout.split('\n')[0] ?? '';
      const input = `name,date,amount,category\n${names.join('').replaceAll(',x\n', `,${category}\n`)}`;
      const child = startBinary(
        ['expenses', 'create', '--from-file', '-', '--yes', '-o', 'ndjson'],
        settings,
      );
      let peak = 0;
      const look = setInterval(() => {
        try {
          const text = readFileSync(`/proc/${child.pid}/status`, 'utf8');
          peak = Math.max(peak, Number(/VmHWM:\s+(\d+)/.exec(text)?.[1] ?? 0) / 1024);
        } catch {}
      }, 5);
      const { exit, stderr } = await finished(child, input);
      clearInterval(look);
      expect(exit, stderr).toBe(0);
      expect(stream.applied.size).toBe(rows);
      return peak;
    } finally {
      await stream.close();
      own.remove();
    }
  };

  it.skipIf(process.platform !== 'linux')('does not grow with the rows', async () => {
    // Up to a thousand the heap fills what room it has; from then on only what is kept of each row counts.
    const [few, many] = [await peakOf(1000), await peakOf(3000)];
    process.stderr.write(`memory: ${few.toFixed(0)} MB for 1,000 rows, ${many.toFixed(0)} MB for 3,000\n`);
    expect(many - few).toBeLessThan(24);
  });
});
