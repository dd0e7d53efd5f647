import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { ERROR_CODES } from '../src/error-codes.ts';
import { runInProcess } from './support/in-process.ts';

/** The table of error codes. That every error has one of them, the compiler checks (`FailureFacts` in src/errors.ts). */

const sources = readdirSync('src', { recursive: true, encoding: 'utf8' })
  .filter((file) => file.endsWith('.ts'))
  .map((file) => readFileSync(`src/${file}`, 'utf8').replace(/const ERROR_CODES = \{[^}]*\}/, ''));
const codes = Object.entries(ERROR_CODES);

describe('the codes of errors', () => {
  it('are in alphabetical order, in snake_case, each with a phrase', () => {
    const names = codes.map(([name]) => name);
    expect(names).toEqual([...names].sort());
    for (const [name, meaning] of codes) {
      expect(name).toMatch(/^[a-z]+(_[a-z]+)*$/);
      expect(meaning).toMatch(/^[a-z][^\n]*[^.]$/);
    }
  });

  it('are all given by some error', () => {
    const isGiven = (name: string) =>
      sources.some((text) => text.includes(`'${name}'`) || text.includes(`\n  ${name}: {`));
    expect(codes.map(([name]) => name).filter((name) => !isGiven(name))).toEqual([]);
  });

  it('are no others: only what an older version or another process wrote passes unchecked', () => {
    const unchecked = /code as (?:Failure|FailureFacts)\['code'\]|as ErrorCode(?!\[)/g;
    expect(sources.flatMap((text) => text.match(unchecked) ?? []).length).toBe(1);
  });

  it('are listed by help and in the documentation', async () => {
    const { stdout } = await runInProcess(['help', 'errors']);
    const page = readFileSync('docs/logs.md', 'utf8');
    for (const [name, meaning] of codes) {
      expect(stdout).toMatch(new RegExp(`^ +${name}\\s`, 'm'));
      expect(page).toContain(`| \`${name}\` | ${meaning} |`);
    }
  });
});
