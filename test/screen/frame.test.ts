import fc from 'fast-check';
import stringWidth from 'string-width';
import { beforeAll, describe, expect, it } from 'vitest';
import { PLAIN_PALETTE, prepareWidths } from '../../src/output/terminal.ts';
import { type ReviewInfo, renderFrame } from '../../src/screen/frame.ts';
import type { Style } from '../../src/screen/pages.ts';
import { createReviewState, pressKey, type State } from '../../src/screen/state.ts';
import { ITEMS, item, press } from './items.ts';

beforeAll(() => prepareWidths(['é']));

const style: Style = { palette: PLAIN_PALETTE, unicode: true };
const SHEET: ReviewInfo = { warnings: [], evidence: new Map(), account: [], action: 'send' };

const typed = (...names: readonly string[]): State =>
  press(names.join(' '), createReviewState(ITEMS, ['Friday is missing']));

const shown = (state: State, columns: number, rows: number, more: Partial<Style> = {}): string =>
  renderFrame(SHEET, state, { columns, rows }, { ...style, ...more })
    .lines.map((line) => line.trimEnd())
    .join('\n');

describe('the review of thousands of decisions', () => {
  const open = (count: number): State => {
    const items = Array.from({ length: count }, (_, n) =>
      item(`i${n}`, {
        ...(n % 5 === 0 ? { who: `山田 太郎 ${'of the night shift '.repeat(n % 3)}` } : {}),
        ...(n % 3 === 0 ? { warnings: ['1:30 over the limit', 'also requests leave Nov 9–15'] } : {}),
      }),
    );
    return press('A a S', createReviewState(items, []));
  };

  it.each([40, 80, 120])('is scrolled through line by line, at %i columns', (columns) => {
    const state = open(30);
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
     WAITING  KIND   MEMBER     WHEN      AMOUNT  DETAILS
  ✓      5 d  sheet  Ana Sousa  Nov 9–15   38:30
         5 d  leave  Åsa Öberg  Nov 9–15   38:30  Annual leave: "Walking in Ke…
 ● !     5 d  sheet  山田 太郎  Nov 9–15   38:30  1:30 over the limit of 40:00…
›        5 d  leave  דנה כהן    Nov 9–15   38:30
         5 d  time   Eva Novak  Nov 9–15   38:30  Harbour website




דנה כהן, leave, Mon Nov 9 to Sun Nov 15




a approve  r reject  S review  ? help  q quit  u undo  space select  Enter view`.slice(1),
    );
  });

  it('at 40 columns, without UTF-8', () => {
    expect(shown(typed('a', 'r', 'x', 'enter'), 40, 12, { unicode: false })).toBe(
      `
Inbox: 5 waiting, 1 to approve, 1 to...
     KIND   MEMBER     WHEN      AMOUNT
  +  sheet  Ana Sousa  Nov 9–15   38:30
  x  leave  Åsa Öberg  Nov 9–15   38:30
>  ! sheet  山田 太郎  Nov 9–15   38:30
     leave  דנה כהן    Nov 9–15   38:30
     time   Eva Novak  Nov 9–15   38:30



a approve  r reject  S review  ? help`.slice(1),
    );
  });

  it('at 40 columns tells how much, however long names and dates are', () => {
    const items = [
      item('a', { who: 'Maximiliana Featherstonehaugh', when: 'Dec 28 2026–Jan 2 2027', amount: '141:30' }),
      item('b', { who: 'Bo Ek', amount: '5 d', warnings: ['begins today'] }),
    ];
    const text = shown(createReviewState(items, []), 40, 14);
    expect(text).toMatch(/^› +(sheet +)?Maximil\S* +Dec 28\S*.* 141:30$/m);
    expect(text).toMatch(/^ {3}! (sheet +)?Bo Ek .* 5 d$/m);
  });

  it('at 40 columns has what is said and asked in full', () => {
    expect(shown(typed('A', 'a'), 40, 14)).toContain('All reviewed. Press S to continue.');
    expect(shown(typed('A', 's'), 40, 14)).toContain('Nothing left to review.');
    const asks = (...keys: readonly string[]) => shown(typed(...keys), 40, 16).replaceAll('\n', ' ');
    expect(asks('r')).toContain('Reason (the member will see it):');
    expect(asks('r')).toContain('Esc to go back, Up and Down to pick a recent one.');
    expect(asks('/', 'x', 'y')).toContain('No matches. Press Esc to clear the filter.');
  });

  it('has names of any width in one line', () => {
    const lines = shown(typed(), 100, 20)
      .split('\n')
      .filter((line) => line.includes('Nov 9–15') && line.includes('38:30'));
    expect(new Set(lines.map((line) => stringWidth(line.slice(0, line.indexOf('9–15')))))).toHaveLength(1);
  });
});

it('of 120 columns has the kind and the amount beside what is known around a request', () => {
  const items = [
    item('a', { who: 'Tomasz Zieliński', kind: 'time-request' }),
    item('b', { when: 'Dec 25 2026–Jan 1 2027', kind: 'leave' }),
  ];
  const [, heading] = shown(createReviewState(items, []), 120, 20).split('\n');
  expect(heading).toMatch(/WAITING +KIND +MEMBER +WHEN +AMOUNT/);
});

describe('the other pages', () => {
  it('show all of one, and what is chosen for it', () => {
    const text = shown(typed('j', 'r', 'n', 'o', 'enter', 'up', 'enter'), 60, 20);
    expect(text).toContain('2 of 5');
    expect(text).toContain('when           Mon Nov 9 to Sun Nov 15');
    expect(text).toContain('✗ reject: no');
  });

  it('at 40 columns show a remark under one sign, and an id whole', () => {
    const id = '7442420a-c539-4725-be99-c7c33d44f2dc';
    const text = 'the policy requires a reason, but none is given';
    const one = item('x', {
      facts: () => [
        ['warning', text],
        ['id', id],
      ],
    });
    const state = pressKey(
      createReviewState([one], []),
      { name: 'enter', text: '' },
      { page: 5, maxScroll: 20 },
    );
    expect(shown(state, 40, 14).split('\n').slice(2, 7)).toEqual([
      'warning        the policy requires a',
      '               reason, but none is',
      '               given',
      'id',
      `  ${id}`,
    ]);
  });

  it('sum up what would be sent, rejections with their reasons', () => {
    const text = shown(typed('a', 'r', 'n', 'o', 'enter', 's', 'S'), 60, 20);
    expect(text).toMatch(/Reject 1\n {2}✗ Åsa Öberg .*\n {6}"no"\n\nApprove 1\n {2}✓ Ana Sousa/);
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

const texts = fc.string({ unit: 'grapheme', maxLength: 90 }).map((text) => text.replace(/\p{C}/gu, ''));
const KEYS = 'a r s S ? / enter escape j space A q x pagedown n tab'.split(' ');

describe('any terminal', () => {
  it('of 20 columns has the hint at the rest of an item cut, not wrapped by the terminal', () => {
    const text = shown(createReviewState([item('a', { warnings: ['x '.repeat(60)] })], []), 20, 15);
    expect(text).toContain('\nPress Enter for th…\n');
  });

  it('gets no line that is too wide, and no line too many', () => {
    fc.assert(
      fc.property(
        fc.array(texts, { minLength: 1, maxLength: 5 }),
        fc.array(fc.constantFrom(...KEYS), { maxLength: 12 }),
        fc.integer({ min: 20, max: 220 }),
        fc.integer({ min: 4, max: 60 }),
        fc.boolean(),
        (names, keys, columns, rows, unicode) => {
          const items = names.map((text, n) =>
            item(String(n), {
              who: text,
              note: text,
              warnings: n % 2 === 0 ? [text] : [],
              facts: () => [['who', text]],
            }),
          );
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
