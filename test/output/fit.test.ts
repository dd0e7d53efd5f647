import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { chooseFitting, fitWidths } from '../../src/output/formats/table.ts';
import { GAP } from '../../src/output/terminal.ts';

interface ColumnWidth {
  readonly natural: number;
  readonly drop: number;
  readonly least?: number;
}
const text = (natural: number, drop = 0, least = 28): ColumnWidth => ({ natural, drop, least });
const fixed = (natural: number, drop = 0): ColumnWidth => ({ natural, drop });

describe('the columns that stay', () => {
  it('are all in a pipe, and where there is room', () => {
    expect(chooseFitting([text(500), fixed(9, 1)], undefined)).toEqual([0, 1]);
    expect(chooseFitting([text(500), fixed(9, 1)], 511)).toEqual([0, 1]);
  });

  it('are those that matter more; a text is shortened first, as far as it may be', () => {
    // The name, a state, when it was asked for, a note, whether it is paid.
    const columns = [text(18, 0, 10), fixed(8), fixed(9, 5), text(30, 4, 10), fixed(4, 3)];
    expect(chooseFitting(columns, 60)).toEqual([0, 1, 2, 3, 4]);
    expect(chooseFitting(columns, 48)).toEqual([0, 1, 3, 4]);
    expect(chooseFitting(columns, 36)).toEqual([0, 1, 4]);
    expect(chooseFitting([fixed(36)], 20)).toEqual([0]);
  });

  it('never are wider than the terminal, nor is what is fixed shortened, while one column fits', () => {
    const column = fc.record({
      natural: fc.integer({ min: 1, max: 90 }),
      drop: fc.nat(4),
      least: fc.option(fc.integer({ min: 8, max: 28 }), { nil: undefined }),
    });
    fc.assert(
      fc.property(
        fc.array(column, { minLength: 1, maxLength: 9 }),
        fc.integer({ min: 20, max: 200 }),
        (drawn, width) => {
          const columns = drawn.map(({ least, ...rest }) =>
            least === undefined ? rest : { ...rest, least },
          );
          const kept = chooseFitting(columns, width).map((i): ColumnWidth => columns[i] ?? fixed(0));
          const widths = fitWidths(kept, width);
          expect(kept.length).toBeGreaterThan(0);
          if (kept.length > 1)
            expect(widths.reduce((sum, one) => sum + one + GAP, -GAP)).toBeLessThanOrEqual(width);
          for (const [i, { natural, least }] of kept.entries()) {
            expect(widths[i]).toBeLessThanOrEqual(natural);
            if (least === undefined) expect(widths[i]).toBe(natural);
          }
        },
      ),
    );
  });
});

describe('their widths', () => {
  it('keep every column', () => {
    expect(fitWidths([fixed(36), text(50), fixed(9)], 60)).toEqual([36, 11, 9]);
    expect(fitWidths([fixed(36), text(50), fixed(9)], 40)).toEqual([36, 3, 9]);
    expect(fitWidths([fixed(36), text(50)], undefined)).toEqual([36, 50]);
    // A name gives way before an address does.
    expect(fitWidths([text(90, 0, 12), text(23)], 44)).toEqual([19, 23]);
  });
});
