import { describe, expect, it, vi } from 'vitest';
import type { Transport } from '../src/http/transport.ts';
import { answerRead, writeLines } from './samples.ts';
import { quickClock } from './support/clocks.ts';
import { words } from './support/in-process.ts';
import { type Answer, plainAnswer, type Recorded } from './support/service.ts';
import { openCli } from './support/use-cli.ts';

/**
 * No write is sent twice unless the service said that it did not happen. Held for every
 * write command there is, against a service that counts.
 */

const FAULTS: Readonly<Record<string, Answer>> = {
  'the connection is cut': { cut: true },
  'no answer comes': { silent: true },
  'the answer is 500': { status: 500, body: { success: false, message: 'Server Error' } },
  'the answer is HTML': { headers: { 'content-type': 'text/html' }, body: '<h1>Welcome</h1>' },
};

const worldOf = (fault: Answer) => ({
  write: () => fault,
  ...(fault.silent ? { timeout: '15' } : {}),
});

interface World {
  /** What becomes of the nth sending (from 0) of one and the same write. */
  readonly write: (sending: number, request: Recorded) => Answer;
  /** Whether nothing can be read any more once a write has come. */
  readonly blind?: boolean;
  /** Seconds of the quick clock. */
  readonly timeout?: string;
}

/** Runs a command line in a world; gives what became of it and how often each write came. */
const attempt = async (line: string, world: World, open = openCli) => {
  const args = words(line);
  const counts = new Map<string, number>();
  const service = (request: Recorded): Answer => {
    if (request.line.startsWith('GET '))
      return world.blind && counts.size > 0 ? { cut: true } : answerRead(request, args);
    const key = `${request.line} ${JSON.stringify(request.body)}`;
    const before = counts.get(key) ?? 0;
    counts.set(key, before + 1);
    return world.write(before, request);
  };
  const cli = await open({ service, clock: quickClock });
  try {
    const ended = await cli.run([...args, '--yes', '--json', '--timeout', world.timeout ?? '500']);
    const value: unknown = ended.stdout === '' ? [] : JSON.parse(ended.stdout);
    const results = (Array.isArray(value) ? value : [value]) as { status?: string; operation?: string }[];
    // The record itself, where it was made and found.
    const statusOf = (result: { status?: string; operation?: string }) =>
      result.operation === undefined ? 'done' : result.status;
    return { ...ended, sendings: [...counts.values()], statuses: results.map(statusOf) };
  } finally {
    await cli.close();
  }
};

type Ended = Awaited<ReturnType<typeof attempt>>;

const once = ({ sendings, stderr }: Ended): void => {
  expect(sendings, stderr).not.toEqual([]);
  expect(
    sendings.filter((count) => count !== 1),
    stderr,
  ).toEqual([]);
};

type Become = 'done' | 'unknown';

/**
 * What the records tell of each write here: every record is 17 and has nothing else, and lists show what is on the
 * command line, before as after. So whoever is restored is there, whoever is archived is there still, nothing new has
 * come, whoever is taken off a task is on it still, and of the fields of an update, and of states, nothing can be seen.
 */
const SHOWN_DONE: readonly string[] = ['members restore', 'viewers restore', 'expenses delete'];

/** A raw write has no result, and nobody looks for what became of it. */
const isRaw = (path: string): boolean => path === 'api';

/** Every result says what the records tell, and so does the exit: silence is never no. */
const honest = ({ statuses, exit, stderr }: Ended, path: string, become: Become): void => {
  expect(exit, stderr).toBe(become === 'done' ? 0 : 7);
  if (isRaw(path)) expect(statuses, stderr).toEqual([]);
  else expect([...new Set(statuses)], stderr).toEqual([become]);
};

describe.concurrent.each(Object.entries(FAULTS))('when %s, the write is sent once:', (_name, fault) => {
  it.each(writeLines)('%s', async (path, line) => {
    const ended = await attempt(line, worldOf(fault));
    once(ended);
    honest(ended, path, SHOWN_DONE.includes(path) ? 'done' : 'unknown');
  });

  it.each(writeLines)('%s, and unknown where nothing can be read after it', async (path, line) => {
    const ended = await attempt(line, { ...worldOf(fault), blind: true });
    once(ended);
    honest(ended, path, 'unknown');
  });
});

describe.concurrent('after 429 the write is sent again and done:', () => {
  it.each(writeLines)('%s', async (_path, line) => {
    const body = { success: false, message: 'Too Many' };
    const refusal = { status: 429, headers: { 'retry-after': '1' }, body };
    const ended = await attempt(line, {
      write: (sending, request) => (sending === 0 ? refusal : plainAnswer(request)),
    });
    expect(ended.exit, ended.stderr).toBe(0);
    expect([...new Set(ended.sendings)]).toEqual([2]);
  });
});

/** What others do: whatever goes wrong is sent again. */
const blindRetry = (next: Transport): Transport => {
  const tries = 3;
  const again = async (request: Parameters<Transport>[0], left: number) => {
    try {
      const answer = await next(request);
      if (left === 0 || (answer.status < 500 && answer.body.startsWith('{'))) return answer;
    } catch (error) {
      if (left === 0) throw error;
    }
    return again(request, left - 1);
  };
  return (request) => again(request, tries);
};

describe('a program that retries blindly', () => {
  it.each(Object.entries(FAULTS))('is found out when %s', async (_name, fault) => {
    vi.resetModules();
    vi.doMock('../src/http/links.ts', async (original) => ({
      ...(await original<object>()),
      withRetries: blindRetry,
    }));
    try {
      const bad = await import('./support/use-cli.ts');
      const line = 'members restore 17';
      const ended = await attempt(line, worldOf(fault), bad.openCli);
      expect(ended.sendings).toEqual([4]);
      expect(() => once(ended)).toThrow();
    } finally {
      vi.doUnmock('../src/http/links.ts');
      vi.resetModules();
    }
  });
});
