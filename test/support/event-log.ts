import { readFileSync } from 'node:fs';
import { expect } from 'vitest';

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

export interface Received {
  /** `PUT /timesheets/17/approve?workspace_id=7`; the query is not compared. */
  readonly line: string;
  readonly requestId: string | undefined;
}

const nameOf = ({ line, requestId }: Received): string => `${requestId} ${line.split('?')[0]}`;

/** Where each request of the log arrived: of those with the same id the first is the first. */
const arrivalsOf = (names: readonly string[], received: readonly string[]): readonly number[] => {
  const next = new Map<string, number>();
  return names.map((name) => {
    const at = received.indexOf(name, (next.get(name) ?? -1) + 1);
    next.set(name, at);
    return at;
  });
};

/**
 * Every request that was received is in the log with its id, once, and no other; and in the order of sending: what
 * was sent after a response arrived after the request of that response.
 */
export const expectLogged = (lines: readonly LogLine[], received: readonly Received[]): void => {
  const logged = lines.filter(({ event }) => event === 'request');
  const names = logged.map(({ request_id, method, path }) => `${request_id} ${method} ${path}`);
  const arrived = received.map(nameOf);
  expect([...names].sort()).toEqual([...arrived].sort());
  expect(arrived.filter((name) => name.startsWith('undefined'))).toEqual([]);
  const arrivals = arrivalsOf(names, arrived);
  let latest = -1;
  for (const line of lines) {
    if (line.event === 'response') {
      const at = logged.findIndex(
        ({ n, attempt, run }) => n === line.n && attempt === line.attempt && run === line.run,
      );
      latest = Math.max(latest, arrivals[at] ?? -1);
    }
    if (line.event === 'request') expect(arrivals[logged.indexOf(line)]).toBeGreaterThan(latest);
  }
};

/** Of one run: it begins and ends, and each of its lines says which run it is. */
export const expectOneRun = (lines: readonly LogLine[], exit: number): void => {
  expect(lines.map(({ event }) => event).filter((event) => event.startsWith('run.'))).toEqual([
    'run.start',
    'run.end',
  ]);
  expect(lines[0]?.event).toBe('run.start');
  expect(lines.at(-1)).toMatchObject({ event: 'run.end', exit });
  expect(new Set(lines.map(({ run }) => run)).size).toBe(1);
  const times = lines.map(({ time }) => time);
  expect(times).toEqual([...times].sort());
};
