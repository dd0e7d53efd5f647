import fc from 'fast-check';
import stringWidth from 'string-width';
import { beforeAll, describe, expect, it } from 'vitest';
import type { Evidence } from '../../src/decide/evidence.ts';
import { PLAIN_PALETTE, prepareWidths } from '../../src/output/terminal.ts';
import { findWanted, type ReviewInfo, renderFrame, type Style } from '../../src/screen/frame.ts';
import { createReviewState, pressKey, type State } from '../../src/screen/state.ts';
import { ITEMS, item, press } from './items.ts';

beforeAll(() => prepareWidths(['山']));

const style: Style = { palette: PLAIN_PALETTE, unicode: true };
const SHEET: ReviewInfo = { warnings: [], evidence: new Map(), account: [], action: 'send' };

const typed = (...names: readonly string[]): State =>
  press(names.join(' '), createReviewState(ITEMS, ['Friday is missing']));

const shown = (state: State, columns: number, rows: number, more: Partial<Style> = {}): string =>
  renderFrame(SHEET, state, { columns, rows }, { ...style, ...more })
    .lines.map((line) => line.trimEnd())
    .join('\n');

describe('the review of many decisions', () => {
  it.each([40, 80, 120])('is scrolled through line by line, at %i columns', (columns) => {
    const warnings = ['1:30 over the limit', 'also requests leave Nov 9–15'];
    const items = Array.from({ length: 30 }, (_, n) =>
      item(`i${n}`, {
        who: `山田 太郎 ${'of the night shift '.repeat(n % 3)}`,
        warnings: n % 3 === 0 ? warnings : [],
      }),
    );
    const state = press('A a S', createReviewState(items, []));
    const whole = renderFrame(SHEET, state, { columns, rows: 400 }, style);
    expect(whole.maxScroll).toBe(0);
    const lines = whole.lines.slice(1, -1).join('\n').trimEnd().split('\n');
    const { maxScroll, page } = renderFrame(SHEET, state, { columns, rows: 12 }, style);
    const seen = Array.from({ length: maxScroll + 1 }, (_, scroll) =>
      renderFrame(SHEET, { ...state, scroll }, { columns, rows: 12 }, style).lines.slice(1, 1 + page),
    );
    expect(seen).toEqual(seen.map((_, top) => lines.slice(top, top + page)));
    expect(lines).toHaveLength(maxScroll + page + 1);
  });
});

describe('the list', () => {
  it('at 80 columns', () => {
    expect(shown(typed('a', 'j', 'space'), 80, 18)).toBe(
      `
Inbox: 5 waiting, 1 to approve, 1 selected
     MEMBER     AMOUNT  KIND   WHEN      WAITING  DETAILS
  ✓  Ana Sousa   38:30  sheet  Nov 9–15      5 d
     Åsa Öberg   38:30  leave  Nov 9–15      5 d  Annual leave: "Walking in Ke…
 ● ! 山田 太郎   38:30  sheet  Nov 9–15      5 d  1:30 over the limit of 40:00…
›    דנה כהן     38:30  leave  Nov 9–15      5 d
     Eva Novak   38:30  time   Nov 9–15      5 d  Harbour website









a approve  r reject  S review  ? help  q quit  u undo  space select  Enter view`.slice(1),
    );
  });

  it('at 40 columns, without UTF-8', () => {
    expect(shown(typed('a', 'r', 'x', 'enter'), 40, 12, { unicode: false })).toBe(
      `
Inbox: 5 waiting, 1 to approve, 1 to...
     MEMBER     AMOUNT  KIND   WHEN
  +  Ana Sousa   38:30  sheet  Nov 9–15
  x  Åsa Öberg   38:30  leave  Nov 9–15
>  ! 山田 太郎   38:30  sheet  Nov 9–15
     דנה כהן     38:30  leave  Nov 9–15
     Eva Novak   38:30  time   Nov 9–15



a approve  r reject  S review  ? help`.slice(1),
    );
  });

  it('at 40 columns tells who and how much, however long names and dates are', () => {
    const items = [
      item('a', { who: 'Maximiliana Featherstonehaugh', when: 'Dec 28 2026–Jan 2 2027', amount: '141:30' }),
      item('b', { who: 'Bo Ek', amount: '5 d', warnings: ['begins today'] }),
    ];
    const text = shown(createReviewState(items, []), 40, 14);
    expect(text).toMatch(/^› +Maximil.* 141:30$/m);
    expect(text).toMatch(/^ {3}! Bo Ek .* 5 d$/m);
  });

  it('beside the evidence at 110 columns has the kind and the days whole', () => {
    const when = 'Dec 27 2026–Jan 3 2027';
    const items = [item('a', { who: 'Tomasz Zieliński', when }), item('b')];
    const text = shown(createReviewState(items, []), 110, 14);
    expect(text).toMatch(/^› {4}Tomasz Zieliński {3}38:30 {2}sheet {2}Dec 27 2026–Jan 3 2027 │/m);
    expect(text).toContain('sheet  Nov 9–15               │');
    expect(text).toMatch(/ {2}n next warning$/);
  });

  it('at 40 columns has what is said and asked in full', () => {
    expect(shown(typed('A', 'a'), 40, 14)).toContain('All reviewed. Press S to continue.');
    const asks = (...keys: readonly string[]) => shown(typed(...keys), 40, 16).replaceAll('\n', ' ');
    expect(asks('r')).toContain('Reason (the member will see it):');
    expect(asks('r')).toContain('Esc to go back, Up and Down to pick a recent one.');
    expect(asks('/', 'x', 'y')).toContain('No matches. Press Esc to clear the filter.');
  });
});

describe('the other pages', () => {
  it('show all of one, and what is chosen for it', () => {
    const text = shown(typed('j', 'r', 'n', 'o', 'enter', 'up', 'enter'), 60, 20);
    expect(text).toContain('2 of 5');
    expect(text).toContain('when           Mon Nov 9 to Sun Nov 15');
    expect(text).toContain('✗ reject: no');
  });

  it('sum up what would be sent, rejections with their reasons', () => {
    const text = shown(typed('a', 'r', 'n', 'o', 'enter', 's', 'S'), 60, 20);
    expect(text).toMatch(/Reject 1\n {2}✗ Åsa Öberg .*\n {4}"no"\n\nApprove 1\n {2}✓ Ana Sousa/);
    expect(text).toContain('3 left undecided.');
    expect(text).toContain('Enter to send');
    const opened = pressKey(typed('a'), { name: 'S', text: 'S' }, { page: 5, maxScroll: 20 });
    expect(shown(opened, 60, 20)).not.toContain('Enter to send');
  });

  it('ask for a reason with the recent ones at hand, what is typed in the last line', () => {
    const { lines } = renderFrame(SHEET, typed('r', 'n', 'o'), { columns: 60, rows: 16 }, style);
    expect(lines.at(-1)).toBe('> no');
    expect(lines.join('\n')).toContain('Reject Ana Sousa. Reason');
    expect(lines.join('\n')).toContain('    Friday is missing');
    expect(renderFrame(SHEET, typed('/', 'x'), { columns: 60, rows: 16 }, style).lines.at(-1)).toBe(
      'Filter: x',
    );
  });

  it('tell that there is more below', () => {
    expect(shown(typed('?'), 60, 10)).toContain('... PgDn for more');
    expect(shown(typed('?', 'end'), 60, 30)).not.toContain('more: PgDn');
  });

  it('show what is missing all the time', () => {
    const sheet = { ...SHEET, warnings: ['time requests are missing: Forbidden'] };
    for (const keys of [[], ['enter'], ['?'], ['a', 'S'], ['r']]) {
      const { lines } = renderFrame(sheet, typed(...keys), { columns: 60, rows: 20 }, style);
      expect(lines[1]).toBe('! time requests are missing: Forbidden');
    }
  });
});

/** What is known around an item, on the screen. */
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

const KNOWN: ReviewInfo = { ...SHEET, evidence: new Map([['a', EVIDENCE]]) };
const draw = (state: State, size = WIDE, more: Partial<Style> = {}) =>
  renderFrame(KNOWN, state, size, { ...style, ...more }).lines.map((line) => line.trimEnd());

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
    const { lines } = renderFrame(KNOWN, state, { columns: 80, rows: 26 }, style);
    expect(lines.map((line) => line.trim())).toContain(range);
  });

  it('has its cursor line in one look from edge to edge', () => {
    const palette = { ...PLAIN_PALETTE, cursor: (text: string) => `<${text}>`, waiting: () => 'COLOUR' };
    const { lines } = renderFrame(KNOWN, press('j j'), { columns: 80, rows: 24 }, { ...style, palette });
    const current = lines.filter((line) => line.startsWith('<'));
    expect(current).toHaveLength(1);
    expect(current[0]).toMatch(/^<› .*山田 太郎.*over the limit.* *>$/);
    expect(stringWidth(current[0] ?? '')).toBe(81);
  });
});

const texts = fc.string({ unit: 'grapheme', maxLength: 90 }).map((text) => text.replace(/\p{C}/gu, ''));
const KEYS = 'a r s S ? / enter escape j space A q x pagedown n tab'.split(' ');

describe('any terminal', () => {
  it('gets no line that is too wide, and no line too many', () => {
    fc.assert(
      fc.property(
        fc.array(texts, { minLength: 1, maxLength: 5 }),
        fc.array(fc.constantFrom(...KEYS), { maxLength: 12 }),
        fc.integer({ min: 20, max: 220 }),
        fc.integer({ min: 4, max: 60 }),
        fc.boolean(),
        (names, keys, columns, rows, unicode) => {
          const items = names.map((text, n) => {
            const warnings = n % 2 === 0 ? [text] : [];
            return item(String(n), { who: text, note: text, warnings, facts: () => [['who', text]] });
          });
          const size = { columns, rows };
          const sheet = { ...SHEET, warnings: [names.join(' ')] };
          let state = createReviewState(items, names);
          for (const name of keys) {
            const frame = renderFrame(sheet, state, size, { ...style, unicode });
            expect(frame.lines.length).toBeLessThan(rows);
            for (const line of frame.lines) expect(stringWidth(line)).toBeLessThan(columns);
            state = pressKey(state, { name, text: name.length === 1 ? name : '' }, frame);
          }
        },
      ),
      // No room is left beside the label.
      { numRuns: 60, examples: [[[''], ['/', 'a', 'a'], 20, 4, false]] },
    );
  });
});
