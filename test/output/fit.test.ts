import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type ColumnWidth, fitColumns, fitWidths } from '../../src/output/fit.ts';
import { GAP } from '../../src/output/terminal.ts';

const text = (natural: number, drop = 0, least = 28): ColumnWidth => ({ natural, drop, least });
const fixed = (natural: number, drop = 0): ColumnWidth => ({ natural, drop });
const id = (natural: number): ColumnWidth => ({ natural, drop: 0, id: true });

describe('fitColumns', () => {
  it('leaves all as it is in a pipe, and where there is room', () => {
    const whole = { kept: [0, 1], widths: [500, 9] };
    expect(fitColumns([text(500), fixed(9, 1)], undefined)).toEqual(whole);
    expect(fitColumns([text(500), fixed(9, 1)], 511)).toEqual(whole);
  });

  it('gives up a wide id rather than what the record is about, and takes back what was dropped for it', () => {
    const tracks = [id(36), text(16, 0, 10), fixed(9), fixed(5, 1)];
    expect(fitColumns(tracks, 61)).toEqual({ kept: [0, 1, 2], widths: [36, 12, 9] });
    expect(fitColumns(tracks, 56)).toEqual({ kept: [1, 2, 3], widths: [16, 9, 5] });
    expect(fitColumns([id(3), text(20), fixed(9)], 22)).toEqual({ kept: [0, 1], widths: [3, 17] });
    expect(fitColumns([id(36)], 20)).toEqual({ kept: [0], widths: [36] });
  });

  it('cuts no name for a column that matters less, and takes back what has room after all', () => {
    // The name, a state, when it was asked for, a note, whether it is paid.
    const tracks = [text(18, 0, 10), fixed(8), fixed(9, 5), text(30, 4, 10), fixed(4, 3)];
    expect(fitColumns(tracks, 60)).toEqual({ kept: [0, 1, 3, 4], widths: [18, 8, 24, 4] });
    expect(fitColumns(tracks, 36)).toEqual({ kept: [0, 1, 4], widths: [18, 8, 4] });
  });

  it('never is wider than the terminal, never shortens what is fixed, while one column fits', () => {
    const track = fc.record({
      natural: fc.integer({ min: 1, max: 90 }),
      drop: fc.nat(4),
      least: fc.option(fc.integer({ min: 8, max: 28 }), { nil: undefined }),
      id: fc.boolean(),
    });
    fc.assert(
      fc.property(
        fc.array(track, { minLength: 1, maxLength: 9 }),
        fc.integer({ min: 20, max: 200 }),
        (drawn, width) => {
          const tracks = drawn.map(({ least, ...rest }) => (least === undefined ? rest : { ...rest, least }));
          const { kept, widths } = fitColumns(tracks, width);
          const total = widths.reduce((sum, w) => sum + w + GAP, -GAP);
          expect(kept.length).toBeGreaterThan(0);
          if (kept.length > 1) expect(total).toBeLessThanOrEqual(width);
          for (const [i, at] of kept.entries()) {
            const { natural, least }: ColumnWidth = tracks[at] ?? fixed(0);
            expect(widths[i]).toBeLessThanOrEqual(natural);
            if (least === undefined) expect(widths[i]).toBe(natural);
          }
        },
      ),
    );
  });
});

describe('fitWidths', () => {
  it('keeps every column', () => {
    expect(fitWidths([fixed(36), text(50), fixed(9)], 60)).toEqual([36, 11, 9]);
    expect(fitWidths([fixed(36), text(50), fixed(9)], 40)).toEqual([36, 3, 9]);
    expect(fitWidths([fixed(36), text(50)], undefined)).toEqual([36, 50]);
    // A name gives way before an address does.
    expect(fitWidths([text(90, 0, 12), text(23)], 44)).toEqual([19, 23]);
  });
});
