import { execFileSync } from 'node:child_process';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Completion } from '../../src/completion/shells.ts';
import { SHELLS, unquote } from '../../src/completion/shells.ts';

/** Values as each shell takes them: what it then makes of its own words is the value again. */

const HOSTILE = [
  'North Wind',
  'Client: Northwind',
  `Nord "Süd" & Co: it's $(touch pwned) \`touch pwned\` !x`,
  'a\\b',
  '*.md',
  '~root',
  '#1',
  '{a,b}',
  'a;b|c>d<e(f)',
  'ana@example.com',
  'x=y',
  'מיזם חדש',
  '山田 太郎',
  '👩‍👩‍👧 Family',
  "'",
  '"',
];

/** What bash makes of shell words: each value, as bash itself hands it to a program. */
const byBash = (words: readonly string[]): readonly string[] =>
  execFileSync('bash', ['-c', `printf '%s\\0' ${words.join(' ')}`], { encoding: 'utf8' })
    .split('\0')
    .slice(0, -1);

const askBash = (args: readonly string[]) => {
  const request = SHELLS['bash']?.(args, {});
  if (request === undefined) throw new Error('no bash');
  return request;
};

const answerOf = (value: string): Completion => ({ kept: '', candidates: [{ value }] });

/** The whole word after bash has put the candidate in behind what stands there. */
const completed = (raw: string, part: string, value: string, close: string): string => {
  const line = `ttctl x ${raw}`;
  const [, inserted = ''] = askBash([line, part]).print(answerOf(value)).split('\n');
  return `${raw.slice(0, raw.length - part.length)}${inserted}${close}`;
};

/** Text that a service may send and that is offered: no controls. */
const plainText = fc
  .string({ unit: 'grapheme', minLength: 1, maxLength: 30 })
  // biome-ignore lint/suspicious/noControlCharactersInRegex: such values are not offered
  .filter((text) => !/[\u0000-\u001f\u007f]/.test(text) && !/\p{Cs}/u.test(text));

describe('bash', () => {
  it.each([
    ['alone', '', ''],
    ['within double quotes', '"', '"'],
    ['within single quotes', "'", "'"],
  ])('makes the value again of what is put in %s', (_where, open, close) => {
    const texts = [...HOSTILE, ...fc.sample(plainText, { numRuns: 200, seed: 7 })];
    expect(byBash(texts.map((text) => completed(open, '', text, close)))).toEqual(texts);
  });

  it.each([
    ['ana@ex', '@ex', 'ana@example.com'],
    ['ana@ex', 'ex', 'ana@example.com'],
    ['Client:\\ N', '\\ N', 'Client: Northwind'],
    ['"Client: N', 'Client: N', 'Client: Northwind'],
    ['Client:', '', 'Client: Northwind'],
    ["'it'\\''s a", 's a', "it's all"],
  ])('goes on behind %s, of which it replaces %j', (raw, part, value) => {
    const close = unquote(raw).quote;
    expect(byBash([completed(raw, part, value, close)])).toEqual([value]);
  });

  it('offers only what goes on with what stands there', () => {
    const asked = askBash(['ttctl x Nor', 'Nor']);
    expect(asked.print({ kept: '', candidates: [{ value: 'South' }, { value: 'North' }] })).toBe('\nNorth\n');
  });
});

describe('a line of bash', () => {
  it.each([
    ['ttctl a b', ['a'], 'b'],
    ['ttctl a ', ['a'], ''],
    [`ttctl 'a b' "c \\"d" e\\ f g`, ['a b', 'c "d', 'e f'], 'g'],
    [`ttctl --x="a b`, [], '--x=a b'],
    ['ttctl "a\\b$x" ', ['a\\b$x'], ''],
  ])('%j is read as words', (line, words, typed) => {
    expect(askBash([line])).toMatchObject({ words, typed });
  });

  it('leaves redirections out, and files to bash', () => {
    const asked = askBash(['ttctl members list 2>/dev/null -o csv > o', 'o']);
    expect(asked.words).toEqual(['members', 'list', '-o', 'csv']);
    expect(asked.print(answerOf('other'))).toBe('files\n');
  });

  it('of any kind is read without an end that never comes', () => {
    fc.assert(
      fc.property(fc.string({ unit: fc.constantFrom(...`a '"\\$<>`) }), (raw) => {
        askBash([raw]);
        expect(typeof unquote(raw).text).toBe('string');
      }),
    );
  });
});

describe('powershell', () => {
  const reply = (words: readonly string[], answer: Completion) =>
    SHELLS['powershell']?.([], { TTCTL_COMPLETE_WORDS: words.join('\u001f') }).print(answer) ?? '';

  it('is answered in ASCII, with words that are safe to put in', () => {
    const candidates = HOSTILE.map((value) => ({ value }));
    const text = reply(['members', 'get', ''], { kept: '', candidates });
    expect(text).toMatch(/^[\x20-\x7e]+\n$/);
    const texts: readonly string[] = JSON.parse(text).candidates.map(
      ({ text: word }: { text: string }) => word,
    );
    expect(texts).toContain(`'Nord "Süd" & Co: it''s $(touch pwned) \`touch pwned\` !x'`);
    expect(texts).toContain("'ana@example.com'");
    // Within single quotes only a quote is special, doubled it is one; everything else is text as it is.
    const read = (word: string) => (word.startsWith("'") ? word.slice(1, -1).replaceAll("''", "'") : word);
    expect(texts.map(read)).toEqual(HOSTILE);
    for (const word of texts) expect(word).toMatch(/^('(?:[^'‘’‚‛]|'')*'|[\w./:+-][\w./:=+-]*)$/);
  });

  it('keeps what stands before the value, and tells whether files may follow', () => {
    const answer: Completion = {
      kept: '--role=',
      candidates: [{ value: 'Owner' }],
      files: true,
    };
    expect(JSON.parse(reply(['members', 'list', '--role=o'], answer))).toEqual({
      files: true,
      candidates: [{ text: '--role=Owner', list: 'Owner', tip: 'Owner' }],
    });
  });
});
