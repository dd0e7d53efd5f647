import fc from 'fast-check';
import stringWidth from 'string-width';
import { beforeAll, expect, it } from 'vitest';
import { PLAIN_PALETTE, prepareWidths } from '../../src/output/terminal.ts';
import { findWanted, type ReviewInfo, renderFrame, type Style } from '../../src/screen/frame.ts';
import { createReviewState, pressKey, type State } from '../../src/screen/state.ts';
import { burst, item, press } from './items.ts';

beforeAll(() => prepareWidths(['山']));

const style: Style = { palette: PLAIN_PALETTE, unicode: true };
const SHEET: ReviewInfo = { warnings: [], evidence: new Map(), account: [], action: 'send' };
/** What is known around the first item. */
const KNOWN: ReviewInfo = {
  ...SHEET,
  evidence: new Map([
    [
      'a',
      [
        { label: 'weekly limit', lines: ['40:00'] },
        {
          label: 'last 6 weeks',
          lines: ['1:30 above the average of 38:30'],
          bars: [
            { label: 'Nov 2–8', amount: 20, text: '20:00', note: '' },
            { label: 'Nov 9–15', amount: 40, text: '40:00', note: 'this one' },
          ],
        },
      ],
    ],
  ]),
};

/** The screen, after these keys. */
const show = (keys: string | State, columns: number, rows: number, info = SHEET, unicode = true): string =>
  renderFrame(info, typeof keys === 'string' ? press(keys) : keys, { columns, rows }, { ...style, unicode })
    .lines.map((line) => line.trimEnd())
    .join('\n');

it.each([40, 80, 120])(
  'the review of many decisions is scrolled through line by line, at %i columns',
  (columns) => {
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
  },
);

it('the list at 80 columns', () => {
  expect(show('a j space', 80, 18)).toBe(
    `
Inbox: 5 waiting, 1 with a warning, 1 to approve, 1 selected
     MEMBER     AMOUNT  KIND          WHEN      WAITING  DETAILS
  ✓  Ana Sousa   38:30  timesheet     Nov 9–15      5 d
     Åsa Öberg   38:30  leave         Nov 9–15      5 d  Annual leave: "Walkin…
 ● ! 山田 太郎   38:30  timesheet     Nov 9–15      5 d  1:30 over the limit o…
›    דנה כהן     38:30  leave         Nov 9–15      5 d
     Eva Novak   38:30  time request  Nov 9–15      5 d  Harbour website









a approve  r reject  S review  ? help  q quit  u undo  space select  Enter view`.slice(1),
  );
});

it('the list at 40 columns, without UTF-8', () => {
  expect(show('a r x enter', 40, 12, SHEET, false)).toBe(
    `
Inbox: 5 waiting, 1 to approve, 1 to...
     MEMBER     AMOUNT  WHEN
  +  Ana Sousa   38:30  Nov 9–15
  x  Åsa Öberg   38:30  Nov 9–15
>  ! 山田 太郎   38:30  Nov 9–15
     דנה כהן     38:30  Nov 9–15
     Eva Novak   38:30  Nov 9–15



a approve  r reject  S review  ? help`.slice(1),
  );
});

it('the list at 40 columns tells who and how much, however long names and dates are', () => {
  const items = [
    item('a', { who: 'Maximiliana Featherstonehaugh', when: 'Dec 28 2026–Jan 2 2027', amount: '141:30' }),
    item('b', { who: 'Bo Ek', amount: '5 d', warnings: ['begins today'] }),
  ];
  const text = show(createReviewState(items, []), 40, 14);
  expect(text).toMatch(/^› +Maximil.* 141:30$/m);
  expect(text).toMatch(/^ {3}! Bo Ek .* 5 d$/m);
});

it('the list beside the evidence at 110 columns has the kind and the days whole', () => {
  const when = 'Dec 27 2026–Jan 3 2027';
  const items = [item('a', { who: 'Tomasz Zieliński', when }), item('b')];
  const text = show(createReviewState(items, []), 110, 14);
  expect(text).toMatch(/^› {4}Tomasz Zieliński {3}38:30 {2}timesheet {2}Dec 27 2026–Jan 3 2027 │/m);
  expect(text).toContain('timesheet  Nov 9–15               │');
  expect(text).toMatch(/ {2}c select clean {2}\/ filter$/);
});

it('the list at 40 columns has what is said and asked in full', () => {
  expect(show('A a', 40, 14)).toContain('All reviewed. Press S to continue.');
  const asks = (keys: string) => show(keys, 40, 16).replaceAll('\n', ' ');
  expect(asks('r')).toContain('Reason (the member will see it):');
  expect(asks('r')).toContain('Esc to go back, Up and Down to pick a recent one.');
  expect(asks('/ "xy"')).toContain('No matches. Press Esc to clear the filter.');
});

it('the page of one item shows all of it, and what is chosen for it', () => {
  const text = show('j r "no" enter up enter', 60, 20);
  expect(text).toContain('2 of 5');
  expect(text).toContain('when           Mon Nov 9 to Sun Nov 15');
  expect(text).toContain('✗ reject: no');
});

it('the review sums up what would be sent, rejections with their reasons', () => {
  const text = show('a r "no" enter s S', 60, 20);
  expect(text).toMatch(/Reject 1\n {2}✗ Åsa Öberg .*\n {4}"no"\n\nApprove 1\n {2}✓ Ana Sousa/);
  expect(text).toContain('3 left undecided.');
  expect(text).toContain('Enter to send');
  expect(show(burst('a S'), 60, 20)).not.toContain('Enter to send');
});

it('the page of a reason has the question with the recent ones at hand, what is typed in the last line', () => {
  expect(show('r "no"', 60, 16)).toMatch(
    /Reject Ana Sousa. Reason[\s\S]*\n {4}Friday is missing\n[\s\S]*\n> no$/,
  );
  expect(show('/ "x"', 60, 16)).toMatch(/\nFilter: x$/);
});

it('a page tells that there is more below', () => {
  expect(show('?', 60, 10)).toContain('... PgDn for more');
  expect(show('?', 60, 60)).not.toContain('for more');
});

it('what is missing is shown on every page', () => {
  const sheet = { ...SHEET, warnings: ['time requests are missing: Forbidden'] };
  for (const keys of ['', 'enter', '?', 'a S', 'r'])
    expect(show(keys, 60, 20, sheet).split('\n')[1]).toBe('! time requests are missing: Forbidden');
});

it.each([
  ['', 100, 'a'],
  ['j j j', 100, 'd'],
  ['r', 100, 'a'],
  ['enter', 100, 'a'],
  ['?', 100, undefined],
  ['a S', 100, undefined],
  ['', 99, undefined],
  ['enter', 99, 'a'],
  ['enter r', 99, 'a'],
  ['enter j', 99, 'b'],
])('the evidence is read for what is on the screen: %s at %i columns', (keys, columns, wanted) => {
  expect(findWanted(press(keys), { columns, rows: 24 })).toBe(wanted);
});

it('the panel is beside the list from 100 columns on', () => {
  expect(show('', 100, 24, KNOWN).split('\n').slice(1, 10)).toEqual([
    '     MEMBER     AMOUNT  KIND          WHEN      WAITING    │ Ana Sousa, timesheet, Nov 9–15, 38:30',
    '›    Ana Sousa   38:30  timesheet     Nov 9–15      5 d    │',
    '     Åsa Öberg   38:30  leave         Nov 9–15      5 d    │ weekly limit   40:00',
    '   ! 山田 太郎   38:30  timesheet     Nov 9–15      5 d    │ last 6 weeks',
    '     דנה כהן     38:30  leave         Nov 9–15      5 d    │   Nov 2–8  ██████       20:00',
    '     Eva Novak   38:30  time request  Nov 9–15      5 d    │   Nov 9–15 ███████████  40:00 this one',
    '                                                           │   1:30 above the average of 38:30',
    '                                                           │',
    '                                                           │',
  ]);
  expect(show('', 99, 24, KNOWN)).not.toContain('weekly limit');
});

it('the panel says so while it is read, and has ASCII forms', () => {
  expect(show('j', 100, 24, KNOWN)).toContain('│ loading...');
  const ascii = show('', 100, 24, KNOWN, false);
  expect(ascii).toMatch(/\| {3}Nov 2–8 {2}###### {7}20:00\n/);
  expect(ascii).not.toMatch(/[│█›]/);
});

it('the panel is on the page of one item on any terminal', () => {
  expect(show('enter', 40, 24, KNOWN)).toMatch(
    /weekly limit {3}40:00\nlast 6 weeks\n {2}Nov 2–8 {2}█+▌? +20:00/,
  );
});

it('the panel tells that there is more', () => {
  expect(show('', 100, 9, KNOWN)).toContain('│ Press Enter for the rest.');
});

it.each([
  ['', '1–21 of 60'],
  ['G', '40–60 of 60'],
  ['pagedown '.repeat(10), '11–31 of 60'],
])('the list says what part of it is shown: %s', (keys, range) => {
  const many = Array.from({ length: 60 }, (_, n) => item(`k${n}`));
  expect(show(press(keys, createReviewState(many, [])), 80, 26)).toMatch(new RegExp(`^ *${range}$`, 'm'));
});

it('the list has its cursor line in one look from edge to edge', () => {
  const palette = { ...PLAIN_PALETTE, cursor: (text: string) => `<${text}>`, waiting: () => 'COLOUR' };
  const { lines } = renderFrame(KNOWN, press('j j'), { columns: 80, rows: 24 }, { ...style, palette });
  const current = lines.filter((line) => line.startsWith('<'));
  expect(current).toHaveLength(1);
  expect(current[0]).toMatch(/^<› .*山田 太郎.*over the limit.* *>$/);
  expect(stringWidth(current[0] ?? '')).toBe(81);
});

it('no line is too wide for any terminal, and none too many', () => {
  const texts = fc.string({ unit: 'grapheme', maxLength: 90 }).map((text) => text.replace(/\p{C}/gu, ''));
  const keys = 'a r s S ? / enter escape j space A q x pagedown n tab'.split(' ');
  fc.assert(
    fc.property(
      fc.array(texts, { minLength: 1, maxLength: 5 }),
      fc.array(fc.constantFrom(...keys), { maxLength: 12 }),
      fc.integer({ min: 20, max: 220 }),
      fc.integer({ min: 4, max: 60 }),
      fc.boolean(),
      (names, pressed, columns, rows, unicode) => {
        const items = names.map((text, n) => {
          const warnings = n % 2 === 0 ? [text] : [];
          return item(String(n), { who: text, note: text, warnings, facts: () => [['who', text]] });
        });
        const size = { columns, rows };
        const sheet = { ...SHEET, warnings: [names.join(' ')] };
        let state = createReviewState(items, names);
        for (const name of pressed) {
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
