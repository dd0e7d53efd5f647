import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { fitTracks, GAP, type Track } from '../../src/terminal/layout.ts';

const text = (natural: number, drop = 0): Track => ({ natural, drop, elastic: true });
const fixed = (natural: number, drop = 0): Track => ({ natural, drop, elastic: false });

describe('fitTracks', () => {
  it('leaves all as it is in a pipe, and where there is room', () => {
    const whole = { kept: [0, 1], widths: [500, 9] };
    expect(fitTracks([text(500), fixed(9, 1)], undefined)).toEqual(whole);
    expect(fitTracks([text(500), fixed(9, 1)], 511)).toEqual(whole);
  });

  it('drops the highest first, and only as many as it must', () => {
    expect(fitTracks([fixed(10), fixed(10, 1), fixed(10, 9), fixed(10, 5)], 34).kept).toEqual([0, 1, 3]);
    expect(fitTracks([fixed(10), fixed(10, 1), fixed(10, 9), fixed(10, 5)], 33).kept).toEqual([0, 1]);
  });

  it('shortens a very long text before it drops another column for it', () => {
    expect(fitTracks([text(200), fixed(10, 1)], 60)).toEqual({ kept: [0, 1], widths: [48, 10] });
  });

  it('shortens the widest text, and an id only when all else is short', () => {
    expect(fitTracks([fixed(36), text(20), text(12)], 70).widths).toEqual([36, 18, 12]);
    expect(fitTracks([fixed(36), text(20), text(12)], 60).widths).toEqual([36, 10, 10]);
    expect(fitTracks([fixed(36), text(20), text(12)], 50).widths).toEqual([30, 8, 8]);
  });

  it('never is wider than the terminal while three columns each fit', () => {
    const track = fc.record({
      natural: fc.integer({ min: 1, max: 90 }),
      drop: fc.nat(3),
      elastic: fc.boolean(),
    });
    fc.assert(
      fc.property(
        fc.array(track, { minLength: 1, maxLength: 9 }),
        fc.integer({ min: 45, max: 200 }),
        (tracks, width) => {
          const { kept, widths } = fitTracks(tracks, width);
          expect(widths.reduce((sum, w) => sum + w + GAP, -GAP)).toBeLessThanOrEqual(width);
          expect(widths.every((w, i) => w <= (tracks[kept[i] ?? 0]?.natural ?? 0))).toBe(true);
          expect(tracks.every((t, i) => t.drop > 0 || kept.includes(i))).toBe(true);
        },
      ),
    );
  });
});
