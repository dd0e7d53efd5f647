import { execFileSync } from 'node:child_process';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { defineCommand } from '../../src/cli/command.ts';
import type { Invocation } from '../../src/cli/flag.ts';
import { type Flag, isFlag, type Positional } from '../../src/cli/flag.ts';
import { parseCommandLine } from '../../src/cli/parse.ts';
import { safeLines } from '../../src/output/safe-text.ts';
import { formatShellLine, PromptedAnswers } from '../../src/prompts/answers.ts';

const reason: Flag = { name: 'reason', value: 'reason', about: '' };
const event: Flag = { name: 'event', value: 'event', about: '', repeatable: true };

const invocationOf = (flags: readonly Flag[], positionals: readonly Positional[] = []): Invocation => ({
  command: defineCommand({ path: 'x', examples: [], flags, positionals, run: async () => {} }),
  options: {},
  globals: {},
  operands: [],
  typed: [],
  repeated: [],
});

const given = (source: Flag | Positional, values: readonly string[], args: readonly string[] = ['x']) => {
  const invocation = isFlag(source) ? invocationOf([source]) : invocationOf([], [source]);
  const asked = new PromptedAnswers();
  asked.give(invocation, source, values);
  return { options: invocation.options, positionals: invocation.operands, line: asked.buildLine(args) };
};

describe('an answer', () => {
  it.each([
    ['late', ['--reason', 'late']],
    // As a word of its own `-h` would be a flag.
    ['-h', ['--reason=-h']],
    ['--', ['--reason=--']],
  ])('%j is what the flag would have got, and words that give it again', (value, words) => {
    const { options, line } = given(reason, [value]);
    expect(options).toEqual({ reason: value });
    expect(line).toEqual(['x', ...words]);
  });

  it.each(['late', '-h', '--'])('%j is read again from the words that give it', async (value) => {
    const { options, line = [] } = given(reason, [value], ['timesheets', 'reject', 'x']);
    expect((await parseCommandLine(line, () => false)).options).toMatchObject(options);
  });

  it('of several values repeats the flag', () => {
    const { options, line } = given(event, ['a.b', 'c.d']);
    expect(options).toEqual({ event: ['a.b', 'c.d'] });
    expect(line).toEqual(['x', '--event', 'a.b', '--event', 'c.d']);
  });

  it.each([
    ['yes', ['--billable'], true],
    ['no', ['--no-billable'], false],
  ])('%s to a switch is one of its sides', (answer, words, value) => {
    const billable: Flag = { name: 'billable', about: '' };
    const invocation = invocationOf([billable, { name: 'no-billable', about: '' }]);
    const asked = new PromptedAnswers();
    asked.give(invocation, billable, [answer]);
    expect([invocation.options, asked.buildLine([])]).toEqual([{ billable: value }, words]);
  });

  it('to a positional takes its place; what looks like a flag stands behind the end of flags', () => {
    const one: Positional = { name: 'id', about: '', required: false };
    expect(given({ ...one, variadic: true }, ['17', '18'])).toMatchObject({
      positionals: [['17', '18']],
      line: ['x', '17', '18'],
    });
    expect(given(one, ['-17'])).toMatchObject({
      positionals: ['-17'],
      line: ['x', '--', '-17'],
    });
    expect(given(one, ['17'], ['x', '--', 'y']).line).toEqual(['x', '--', 'y', '17']);
  });
});

it('a run that asked for no more than a confirmation has no line', () => {
  const asked = new PromptedAnswers();
  asked.confirm();
  expect(asked.buildLine(['x'])).toBe(undefined);
  asked.give(invocationOf([reason]), reason, ['late']);
  expect(asked.buildLine(['x'])).toEqual(['x', '--reason', 'late', '--yes']);
});

it('any words come back from a shell as they were, and nothing in them is hidden from the reader', () => {
  const word = fc.oneof(
    fc.string({ unit: 'grapheme', maxLength: 20 }),
    fc.string({
      unit: fc.constantFrom("'", '"', '\\', '$', '`', ' ', '!', '\n', '\u202e', '\u200d', 'ש', 'x'),
    }),
  );
  // A shell takes line feeds from the end of what a command prints, and words have no NUL.
  const able = word.filter((text) => !/\n$|\0|\p{Cs}/u.test(text));
  fc.assert(
    fc.property(fc.array(able, { minLength: 1, maxLength: 8 }), (words) => {
      const line = formatShellLine(words);
      expect(safeLines(line)).toBe(line);
      const script = `for word in ${line}; do printf '%s\\0' "$word"; done`;
      const out = execFileSync('sh', ['-c', script], { encoding: 'utf8' });
      expect(out.split('\0').slice(1, -1)).toEqual(words);
    }),
    { numRuns: 40 },
  );
});
