import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type LoopbackServer, startServer } from './support/loopback.ts';
import { BIN, cleanHome, finished, type Home } from './support/process.ts';

/** Processes that write into one pipe, as `xargs -P` starts them: no line of one is within a line of another. */

const PROCESSES = 6;
const ROWS = 60;

/** Rows of all lengths up to some 3,500 bytes, each made of one letter: a mixed line has two. */
const rowsOf = (letter: string) =>
  Array.from({ length: ROWS }, (_, n) => ({ id: letter.repeat(1 + ((n * 59) % 3500)) }));

let home: Home;
let server: LoopbackServer;

beforeAll(async () => {
  home = cleanHome();
  server = await startServer(({ url }, response) => {
    const letter = /letter=(.)/.exec(url)?.[1] ?? '?';
    if (url.includes('/members/')) {
      response.statusCode = 404;
      response.end(JSON.stringify({ success: false, message: letter.repeat(2000) }));
    } else response.end(JSON.stringify({ success: true, message: 'OK', data: rowsOf(letter) }));
  });
});
afterAll(async () => {
  await server.close();
  home.remove();
});

/** What they write into the pipe that they share; stderr too. */
const together = async (args: string): Promise<readonly string[]> => {
  const letters = Array.from({ length: PROCESSES }, (_, n) => String.fromCharCode(97 + n));
  const lines = letters.map(
    (letter) => `"${process.execPath}" "${BIN}" ${args} --param letter=${letter} 2>&1 &`,
  );
  const child = spawn('sh', ['-c', `(${lines.join('\n')}\nwait) | cat`], {
    env: {
      ...home.env,
      TTCTL_BASE_URL: `http://127.0.0.1:${server.port}`,
      TTCTL_TOKEN: 'x',
      TTCTL_WORKSPACE: '7',
      TTCTL_RATE_LIMIT: 'off',
    },
  });
  const { stdout, stderr, exit } = await finished(child);
  expect({ stderr, exit }).toEqual({ stderr: '', exit: 0 });
  expect(stdout).toMatch(/\n$/);
  return stdout.slice(0, -1).split('\n');
};

/** How many lines each letter has, where a line is of one letter alone. */
const counts = (lines: readonly string[], shape: RegExp): Readonly<Record<string, number>> => {
  const found: Record<string, number> = {};
  for (const line of lines) {
    const letter = shape.exec(line)?.[1] ?? `mixed: ${line.slice(0, 80)}`;
    found[letter] = (found[letter] ?? 0) + 1;
  }
  return found;
};

const each = (count: number) =>
  Object.fromEntries(Array.from({ length: PROCESSES }, (_, n) => [String.fromCharCode(97 + n), count]));

describe.runIf(existsSync('/bin/sh'))('processes that share a pipe', () => {
  it.each([
    ['ids', /^(\w)\1*$/],
    ['tsv', /^(\w)\1*$/],
    ['csv', /^(\w)\1*\r$/],
    ['ndjson', /^\{"id":"(\w)\1*"\}$/],
  ])('write whole lines of %s', async (format, shape) => {
    const lines = await together(`members list -o ${format} --no-header --quiet`);
    expect(counts(lines, shape)).toEqual(each(ROWS));
  });

  it('write whole errors in JSON', async () => {
    const lines = await together('members get 5 --json');
    expect(counts(lines, /^\{"error":.*"message":"(\w)\1*"[^{}]*\}\}$/)).toEqual(each(1));
  });
});
