import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { compareDraft, toStoredDecisions } from '../../src/screen/review.ts';
import { createReviewState, listDecisions, listVisible, type State } from '../../src/screen/state.ts';
import { burst, ITEMS, item, press, pressOne, startReview } from './items.ts';

/** What each key does, what a burst of keys does not, and what is kept of decisions that were not sent. */

/** `a approve, b reject: no` */
const decided = ({ decisions }: State): string =>
  [...decisions]
    .map(([key, { verdict, reason }]) => `${key} ${verdict}${reason ? `: ${reason}` : ''}`)
    .join(', ');

it.each([
  ['a', 'a approve'],
  ['a a', 'a approve, b approve'],
  ['j j s', 'c skip'],
  ['r "no" enter', 'a reject: no'],
  ['r "  no  " enter', 'a reject: no'],
  ['r enter', ''],
  ['r "no" escape', ''],
  ['r up enter', 'a reject: Friday is missing'],
  ['r up up enter', 'a reject: Twice'],
  ['r up up up down enter', 'a reject: Friday is missing'],
  ['r up "!" enter', 'a reject: Friday is missing!'],
  ['r "nox" backspace enter', 'a reject: no'],
  ['r "one two" ctrl-w "three" enter', 'a reject: one three'],
  ['r "one" ctrl-u "two" enter', 'a reject: two'],
  ['space j space a', 'a approve, c approve'],
  ['space space r "no" enter', 'a reject: no, b reject: no'],
  ['tab j tab a', 'a approve, c approve'],
  ['n a', 'c approve'],
  ['n n a', 'c approve'],
  ['A a', 'a approve, b approve, c approve, d approve, e approve'],
  ['c a', 'a approve, b approve, d approve, e approve'],
  ['A escape a', 'a approve'],
  ['A left a', 'a approve'],
  ['A h a', 'a approve'],
  ['end a', 'e approve'],
  ['G a g a', 'e approve, a approve'],
  ['pagedown a', 'c approve'],
  ['end pageup a', 'c approve'],
  ['k k a', 'a approve'],
  ['enter a a', 'a approve, b approve'],
  ['enter j r "no" enter', 'b reject: no'],
  ['a up r "no" enter', 'a reject: no'],
])('%s', (keys, expected) => {
  expect(decided(press(keys))).toBe(expected);
});

it('a decision is for what is selected and shown, and on nothing that a filter hides', () => {
  const state = press('A / "kerry" enter a');
  expect(decided(state)).toEqual('b approve');
  expect([...state.selected]).toEqual(['a', 'c', 'd', 'e']);
});

it('a decision does nothing where nothing is shown', () => {
  expect(decided(press('/ "nobody" enter a r s space A a'))).toEqual('');
});

it.each([['enter'], ['?'], ['a S']])('no decision is taken from words after /: %s', (keys) => {
  const before = press(keys);
  const after = press('/ "farah"', before);
  expect(after).toMatchObject({ mode: 'filter', input: 'farah' });
  expect(after.decisions).toEqual(before.decisions);
  expect(press('enter', press('/ "eva"', before))).toMatchObject({ mode: 'list', currentKey: 'e' });
});

it('the screen says when all is decided', () => {
  expect(press('A a').message).toContain('Press S to continue');
  expect(press('a').message).toBe('');
});

it.each([
  ['/ "ASA" enter', 'b'],
  ['/ "kerry"', 'b'],
  ['/ "sousa" enter escape', 'abcde'],
  ['/ "sousa" escape', 'abcde'],
  ['/ "leave כהן"', 'd'],
  ['/ "太郎"', 'c'],
  ['/ "x" backspace enter', 'abcde'],
])('filters %s', (keys, shown) => {
  const visible = listVisible(press(keys)).map((item) => item.key);
  expect(visible.join('')).toBe(shown);
});

it('filters keep the cursor on the item where they show it, else on the first', () => {
  expect(press('j / "leave"').currentKey).toBe('b');
  expect(press('j / "timesheet"').currentKey).toBe('a');
  expect(press('/ "eva" enter').currentKey).toBe('e');
});

it('undo takes back one decision after the other, whatever they were for', () => {
  const state = press('a r "no" enter j space space s');
  expect(decided(state)).toEqual('a approve, b reject: no, d skip, e skip');
  expect(decided(press('u', state))).toEqual('a approve, b reject: no');
  expect([...press('u', state).selected]).toEqual(['d', 'e']);
  expect(decided(press('u u', state))).toEqual('a approve');
  expect(press('u u', state).message).toBe('Undone.');
  expect(decided(press('u u u', state))).toEqual('');
  expect(press('u u u u', state).message).toBe('Nothing to undo.');
});

it('undo goes back to where it was decided', () => {
  expect(press('a end u').currentKey).toBe('a');
  expect(press('space j space end a g u')).toMatchObject({ currentKey: 'e' });
  expect(press('end enter a u')).toMatchObject({ currentKey: 'e', mode: 'detail' });
});

it('undo takes a filter away that hides what was undone, and no other', () => {
  const hidden = press('a / "kerry" enter u');
  expect(hidden).toMatchObject({ currentKey: 'a', filter: '' });
  expect(press('/ "sousa" enter a u')).toMatchObject({ currentKey: 'a', filter: 'sousa' });
});

it('undo gives back what a decision had replaced', () => {
  expect(decided(press('a k r "no" enter u'))).toEqual('a approve');
});

it('the end comes with S and Enter, not with S alone, and not with nothing to send', () => {
  expect(press('a S')).toMatchObject({ mode: 'summary', end: undefined });
  expect(press('a S enter').end).toBe('send');
  expect(press('a S escape')).toMatchObject({ mode: 'list', end: undefined });
  const message = 'Nothing is decided yet. Press a to approve, r to reject.';
  expect(press('S')).toMatchObject({ mode: 'list', end: undefined, message });
  expect(press('s S').mode).toBe('list');
});

it('the end comes with q, whatever was chosen', () => {
  for (const keys of ['q', 's q', 'a q', 'a enter q']) expect(press(keys).end).toBe('leave');
  expect(listDecisions(press('a q'))).toHaveLength(1);
});

it('the end sends in the order of the items, skipped ones left out', () => {
  expect(listDecisions(press('end a g s j r "no" enter'))).toEqual([
    { key: 'c', verdict: 'reject', reason: 'no' },
    { key: 'e', verdict: 'approve' },
  ]);
});

const NAMES = (
  'a r s u space tab A c / ? q S y n j k g G h l up down left right enter escape backspace home end pageup pagedown ' +
  'ctrl-u ctrl-w ctrl-b ctrl-f x ö pause pause pause paste-start paste-end'
).split(' ');
const anyKeys = fc.array(fc.constantFrom(...NAMES), { maxLength: 60 });

it('any keys decide nothing that is not chosen and shown, keep the cursor on what is, and end with q or a second Enter', () => {
  const checkDecisions = (state: State, next: State, name: string): void => {
    const changed = [...next.decisions].filter(([at, it]) => state.decisions.get(at) !== it);
    if (changed.length === 0) return;
    // Enter after a reason is held until a pause.
    expect(['a', 's', 'pause']).toContain(name);
    const shown = listVisible({ ...state, mode: 'list' }).map((item) => item.key);
    for (const [at, decision] of changed) {
      expect(shown).toContain(at);
      expect(state.mode === 'reason').toBe(decision.verdict === 'reject');
    }
  };
  const checkEnd = ({ mode }: State, next: State, last: readonly string[]): void => {
    if (next.end === 'leave') expect(last[1]).toBe('q');
    if (next.end !== 'send') return;
    expect([...last, mode]).toEqual(['pause', 'enter', 'summary']);
    expect(listDecisions(next).length).toBeGreaterThan(0);
  };
  const law = fc.property(anyKeys, (names) => {
    let [state, previous] = [startReview(), ''];
    for (const name of names) {
      const next = pressOne(state, name);
      if (name !== 'u') checkDecisions(state, next, name);
      if (state.end === undefined) checkEnd(state, next, [previous, name]);
      const shown = listVisible(next).map((item) => item.key);
      expect(shown.includes(next.currentKey ?? '') || shown.length === 0).toBe(true);
      [previous, state] = [name, next];
    }
  });
  fc.assert(law, { numRuns: 300, examples: [[['a', 'S', 'pause', 'enter', 'enter', 'pause']]] });
});

it('any keys leave undo the inverse of the last decision', () => {
  const law = fc.property(anyKeys, fc.constantFrom('a', 's', 'r "no" enter'), (names, decision) => {
    const before = pressOne(names.reduce(pressOne, startReview()), 'pause');
    const isOpen = before.mode === 'list' || before.mode === 'detail';
    if (before.isPasting || before.end !== undefined || !isOpen) return;
    const after = press(decision, before);
    if (after.undoSteps.length === before.undoSteps.length) return;
    const { decisions, selected, undoSteps } = press('u', after);
    const expected = [before.decisions, before.selected, before.undoSteps];
    expect([decisions, selected, undoSteps]).toEqual(expected);
  });
  fc.assert(law);
});

it.each([
  ['S and Enter', 'a S enter pause'],
  ['S that is held', 'a S S S S pause'],
  ['Enter after more', 'a S pause x enter pause'],
  ['what opened the review', 'a S enter pause S y enter pause'],
  ['a paste before the review', 'a S pause paste-start enter paste-end enter pause'],
])('a burst of keys sends nothing: %s', (_name, keys) => {
  expect(burst(keys)).toMatchObject({ mode: 'summary', end: undefined });
  expect(burst('pause enter', burst(keys)).end).toBe('send');
});

it('a burst of keys on the review scrolls', () => {
  expect(burst('a S pagedown pagedown')).toMatchObject({ mode: 'summary', scroll: 3 });
});

it('a burst of keys after the end of a text is dropped', () => {
  const state = burst('r "Friday is missing" enter a a S enter pause');
  expect(decided(state)).toEqual('a reject: Friday is missing');
  expect(state.mode).toBe('list');
});

it('a burst of keys that is a paste is a text where text is typed, and nothing elsewhere', () => {
  const paste = 'paste-start "a S" paste-end';
  expect(decided(burst(`r ${paste} enter pause`))).toEqual('a reject: a S');
  for (const keys of ['', 'enter', '?', 'a S pause'])
    expect(burst(`${keys} ${paste}`)).toEqual({
      ...burst(keys),
      isDeaf: keys.includes('S'),
      message: 'Pasted text is ignored here.',
    });
  // Its other part comes after a pause.
  expect(decided(burst('r "no" enter paste-start a pause a paste-end a pause'))).toEqual('a reject: no');
});

describe('a draft of what was not sent', () => {
  const NOW = Date.parse('2026-11-20T12:00:00Z');
  const stored = (state: State, isStorable = (_text: string) => true) => ({
    saved_at: NOW - 720_000,
    decisions: toStoredDecisions(state, isStorable),
  });

  it('counts what waits no longer, and what has changed', () => {
    const draft = stored(press('a a a'));
    const items = [ITEMS[0] ?? item('a'), { ...item('c'), version: () => 'other' }];
    const { draft: left } = compareDraft(draft, { items, isWhole: true }, NOW);
    expect([...(left?.decisions.keys() ?? [])]).toEqual(['a']);
    expect(left?.told).toContain('Dropped 2: no longer waiting, or changed since.');
  });

  it('has no reason with a secret in it, and nothing of the items but a digest', () => {
    const draft = stored(press('r x y z enter a'), (text) => text !== 'xyz');
    const version = expect.stringMatching(/^[\w-]{16}$/);
    expect(draft.decisions).toEqual([{ key: 'b', verdict: 'approve', version }]);
  });

  it('is where the next screen begins, and the first thing that can be undone', () => {
    const { draft } = compareDraft(stored(press('a a')), { items: ITEMS, isWhole: true }, NOW);
    const state = createReviewState(ITEMS, [], draft);
    expect(state.message).toBe('Continued with the draft saved 12 min ago: 2 decided. u discards it.');
    expect(listDecisions(state)).toHaveLength(2);
    const undone = press('u', press('end s u', state));
    expect([undone.decisions.size, undone.undoSteps]).toEqual([0, []]);
  });
});
