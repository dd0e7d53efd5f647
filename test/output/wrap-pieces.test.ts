import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  splitAddress,
  splitAnywhere,
  splitJson,
  splitWords,
  type TextPiece,
  wrapPieces,
} from '../../src/output/wrap.ts';

/** Where lines break on a terminal. */

const measure = (text: string): number => text.length;
const at = (width: number, pieces: readonly TextPiece[], indent = 4) =>
  wrapPieces('→', pieces, { width, indent, measure });

describe('a flow of pieces', () => {
  it('fills a line, then goes on below it', () => {
    expect(at(20, splitWords('one two three four five six'))).toEqual([
      '→ one two three four',
      '    five six',
    ]);
    expect(at(Number.POSITIVE_INFINITY, splitWords('one two'))).toEqual(['→ one two']);
  });

  it('keeps a command whole, so that it can be copied', () => {
    expect(
      splitWords('See: ttctl jobs show 7 (or not), then. Or ttctl help.').map(({ text }) => text),
    ).toEqual([...['See:', 'ttctl jobs show 7', '(or', 'not),', 'then.', 'Or', 'ttctl help.']]);
  });

  it('takes no more work where no line is ever full', () => {
    const words = 'word '.repeat(10_000);
    let measured = 0;
    const lines = wrapPieces('→', splitWords(words), {
      ...{ width: Number.POSITIVE_INFINITY, indent: 4 },
      measure: (text) => {
        measured += text.length;
        return text.length;
      },
    });
    expect(lines).toEqual([`→ ${words.trimEnd()}`]);
    expect(measured).toBeLessThan(4 * words.length);
  });

  it('loses nothing, and is never wider than the terminal where all may be broken', () => {
    const text = fc.stringMatching(/^[a-z/?&,"{}: ]{1,60}$/).filter((one) => one.trim() === one);
    const seams = fc.constantFrom(splitAnywhere, splitAddress, splitJson);
    const pieces = fc.array(fc.record({ text, gap: fc.constantFrom(1, 2), seams }), { minLength: 1 });
    fc.assert(
      fc.property(pieces, fc.integer({ min: 8, max: 60 }), (all, width) => {
        const lines = at(width, all);
        expect(Math.max(...lines.map((line) => line.length))).toBeLessThanOrEqual(width);
        const seen = (parts: readonly string[]) => parts.join('').replaceAll(' ', '');
        expect(seen(lines)).toBe(seen(['→', ...all.map((piece) => piece.text)]));
      }),
    );
  });
});
