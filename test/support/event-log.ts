import { readFileSync } from 'node:fs';
import { expect } from 'vitest';
import type { Recorded } from './service.ts';

/** A log as `--log` writes it, held against what a service received. */

export interface LogLine {
  readonly time: string;
  readonly run: string;
  readonly event: string;
  readonly [member: string]: unknown;
}

/** @returns its lines; fails for what is no whole line of JSON */
export const parseLog = (text: string): readonly LogLine[] => {
  expect(text).toMatch(/^(\{[^\n]*\}\n)*$/);
  return text
    .split('\n')
    .slice(0, -1)
    .map((line) => JSON.parse(line));
};

export const readLog = (file: string): readonly LogLine[] => parseLog(readFileSync(file, 'utf8'));

/**
 * Every request that was received is in the log with its id, once, and no other; and in the order of sending: what
 * was sent after a response arrived after the request of that response.
 * @param received `line`: `PUT /timesheets/17/approve?workspace_id=7`, whose query is not compared
 */
export const expectLogged = (
  lines: readonly LogLine[],
  received: readonly Pick<Recorded, 'line' | 'headers'>[],
): void => {
  const arrived = received.map(({ line, headers }) => `${headers['x-request-id']} ${line.split('?')[0]}`);
  expect(arrived.filter((name) => name.startsWith('undefined'))).toEqual([]);
  const logged = lines.filter(({ event }) => event === 'request');
  const names = logged.map(({ request_id, method, path }) => `${request_id} ${method} ${path}`);
  expect(names.toSorted()).toEqual(arrived.toSorted());
  // Of those with the same id the first is the first.
  const left = [...arrived];
  const arrivals = names.map((name) => {
    const at = left.indexOf(name);
    left[at] = '';
    return at;
  });
  let latest = -1;
  for (const line of lines) {
    const { n, attempt, run } = line;
    const at = logged.findIndex((one) => one.n === n && one.attempt === attempt && one.run === run);
    if (line.event === 'request') expect(arrivals[logged.indexOf(line)]).toBeGreaterThan(latest);
    if (line.event === 'response') latest = Math.max(latest, arrivals[at] ?? -1);
  }
};

/** Of one run: it begins and ends, and each of its lines says which run it is. */
export const expectOneRun = (lines: readonly LogLine[], exit: number): void => {
  const marks = lines.flatMap(({ event }, index) => (event.startsWith('run.') ? [[index, event]] : []));
  const last = lines.length - 1;
  expect(marks).toEqual([
    [0, 'run.start'],
    [last, 'run.end'],
  ]);
  expect(lines[last]).toMatchObject({ exit });
  expect(new Set(lines.map(({ run }) => run)).size).toBe(1);
  const times = lines.map(({ time }) => time);
  expect(times).toEqual(times.toSorted());
};
