import { execFileSync } from 'node:child_process';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { safeLines } from '../../../src/output/safe-text.ts';
import { formatShellLine, splitShellWords } from '../../../src/prompts/missing/shell.ts';

const posix = (words: readonly string[]) => formatShellLine(words, 'linux', {});

describe('for sh', () => {
  it.each([
    [['ttctl', 'members', 'archive', '17'], 'ttctl members archive 17'],
    [['--reason', "it's late"], "--reason 'it'\\''s late'"],
    [['', '$HOME', '`x`', '*'], "'' '$HOME' '`x`' '*'"],
    [['=ls', 'a=b', '~'], "'=ls' a=b '~'"],
  ])('%j is %s', (words, line) => {
    expect(posix(words)).toBe(line);
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
        const line = posix(words);
        expect(safeLines(line)).toBe(line);
        const script = `for word in ${line}; do printf '%s\\0' "$word"; done`;
        const out = execFileSync('sh', ['-c', script], { encoding: 'utf8' });
        expect(out.split('\0').slice(0, -1)).toEqual(words);
      }),
      { numRuns: 60 },
    );
  });
});

describe('on Windows', () => {
  const inPowerShell = (word: string) => formatShellLine([word], 'win32', {});
  const inCmd = (word: string) => formatShellLine([word], 'win32', { PROMPT: '$P$G' });

  it.each([
    ['members', 'members', 'members'],
    ['two words', '"two words"', '"two words"'],
    ['a,b', '"a,b"', '"a,b"'],
    ["it's $HOME", "'it''s $HOME'", '"it\'s $HOME"'.replace(/"/g, '^"')],
    ['100%', "'100%'", '^"100^%^"'],
    ['say "x"', '\'say "x"\'', '^"say \\^"x\\^"^"'],
    ['', '""', '""'],
  ])('%j is %s in PowerShell, %s in cmd', (word, powerShell, cmd) => {
    expect([inPowerShell(word), inCmd(word)]).toEqual([powerShell, cmd]);
  });
});

describe('a line read as words', () => {
  it.each([
    ['npm test', ['npm', 'test']],
    ['sh -c "a b" \'c d\' e\\ f', ['sh', '-c', 'a b', 'c d', 'e f']],
    ['x"y"z  ""', ['xyz', '']],
    ['', []],
  ])('%j', (line, words) => {
    expect(splitShellWords(line)).toEqual(words);
  });

  it('refuses a quote that is not closed', () => {
    expect(() => splitShellWords('say "x')).toThrow('unclosed quote');
  });
});
