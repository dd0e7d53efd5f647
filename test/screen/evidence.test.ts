import stringWidth from 'string-width';
import { beforeAll, describe, expect, it } from 'vitest';
import type { Evidence } from '../../src/decide/evidence.ts';
import { PLAIN_PALETTE, prepareWidths } from '../../src/output/terminal.ts';
import { findWanted, type ReviewInfo, renderFrame, type Style } from '../../src/screen/frame.ts';
import { createReviewState, type State } from '../../src/screen/state.ts';
import { item, press } from './items.ts';

beforeAll(() => prepareWidths(['山']));

/** What is known around an item, on the screen. */

const style: Style = { palette: PLAIN_PALETTE, unicode: true };
const WIDE = { columns: 100, rows: 24 };
const NARROW = { columns: 99, rows: 24 };
const EVIDENCE: Evidence = [
  { label: 'weekly limit', lines: ['40:00'] },
  {
    label: 'last 6 weeks',
    lines: ['1:30 above the average of 38:30'],
    bars: [
      { label: 'Nov 2–8', amount: 20, text: '20:00', note: '' },
      { label: 'Nov 9–15', amount: 40, text: '40:00', note: 'this one' },
    ],
  },
];

const info = (more: Partial<ReviewInfo> = {}): ReviewInfo => ({
  warnings: [],
  evidence: new Map([['a', EVIDENCE]]),
  account: [],
  action: 'send',
  ...more,
});

const draw = (state: State, size = WIDE, more: Partial<Style> = {}) =>
  renderFrame(info(), state, size, { ...style, ...more }).lines.map((line) => line.trimEnd());

describe('the evidence is read', () => {
  it.each([
    ['', WIDE, 'a'],
    ['j j j', WIDE, 'd'],
    ['r', WIDE, 'a'],
    ['enter', WIDE, 'a'],
    ['?', WIDE, undefined],
    ['a S', WIDE, undefined],
    ['', NARROW, undefined],
    ['enter', NARROW, 'a'],
    ['enter r', NARROW, 'a'],
    ['enter j', NARROW, 'b'],
  ])('for what is on the screen: %s', (keys, size, wanted) => {
    expect(findWanted(press(keys), size)).toBe(wanted);
  });
});

describe('the panel', () => {
  it('is beside the list from 100 columns on', () => {
    const lines = draw(press(''));
    expect(lines.slice(1, 10)).toEqual([
      '     MEMBER     AMOUNT  KIND   WHEN      WAITING  DETAILS  │ Ana Sousa, timesheet, Nov 9–15, 38:30',
      '›    Ana Sousa   38:30  sheet  Nov 9–15      5 d           │',
      '     Åsa Öberg   38:30  leave  Nov 9–15      5 d  Annual…  │ weekly limit   40:00',
      '   ! 山田 太郎   38:30  sheet  Nov 9–15      5 d  1:30 ov… │ last 6 weeks',
      '     דנה כהן     38:30  leave  Nov 9–15      5 d           │   Nov 2–8  ██████       20:00',
      '     Eva Novak   38:30  time   Nov 9–15      5 d  Harbour… │   Nov 9–15 ███████████  40:00 this one',
      '                                                           │   1:30 above the average of 38:30',
      '                                                           │',
      '                                                           │',
    ]);
    expect(draw(press(''), NARROW).join('\n')).not.toContain('weekly limit');
  });

  it('says so while it is read, and has ASCII forms', () => {
    expect(draw(press('j')).join('\n')).toContain('│ loading...');
    const ascii = draw(press(''), WIDE, { unicode: false }).join('\n');
    expect(ascii).toMatch(/\| {3}Nov 2–8 {2}###### {7}20:00\n/);
    expect(ascii).not.toMatch(/[│█›]/);
  });

  it('is on the page of one item on any terminal', () => {
    expect(draw(press('enter'), { columns: 40, rows: 24 }).join('\n')).toMatch(
      /weekly limit {3}40:00\nlast 6 weeks\n {2}Nov 2–8 {2}█+▌? +20:00/,
    );
  });

  it('tells that there is more', () => {
    expect(draw(press(''), { columns: 100, rows: 9 }).join('\n')).toContain('│ Press Enter for the rest.');
  });
});

describe('the list', () => {
  const MANY = Array.from({ length: 60 }, (_, n) => item(`k${n}`));

  it.each([
    ['', '1–21 of 60'],
    ['G', '40–60 of 60'],
    ['pagedown pagedown pagedown pagedown', '11–31 of 60'],
  ])('says what part of it is shown: %s', (keys, range) => {
    const state = press(keys, createReviewState(MANY, []));
    const { lines } = renderFrame(info(), state, { columns: 80, rows: 26 }, style);
    expect(lines.map((line) => line.trim())).toContain(range);
  });

  it('has its cursor line in one look from edge to edge', () => {
    const palette = { ...PLAIN_PALETTE, cursor: (text: string) => `<${text}>`, waiting: () => 'COLOUR' };
    const { lines } = renderFrame(info(), press('j j'), { columns: 80, rows: 24 }, { ...style, palette });
    const current = lines.filter((line) => line.startsWith('<'));
    expect(current).toHaveLength(1);
    expect(current[0]).toMatch(/^<› .*山田 太郎.*over the limit.* *>$/);
    expect(stringWidth(current[0] ?? '')).toBe(81);
  });
});
