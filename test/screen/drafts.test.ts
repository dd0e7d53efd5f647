import { describe, expect, it } from 'vitest';
import { compareDraft, toStoredDecisions } from '../../src/screen/review.ts';
import { createReviewState, listDecisions, type State } from '../../src/screen/state.ts';
import { ITEMS, item, press } from './items.ts';

/** Decisions that were not sent: what is kept of them, and what of it still holds. */

const NOW = Date.parse('2026-11-20T12:00:00Z');

const stored = (state: State, isStorable = (_text: string) => true) => ({
  saved_at: NOW - 720_000,
  decisions: toStoredDecisions(state, isStorable),
});

describe('a draft', () => {
  it('has all that was decided, as long as the items are as they were', () => {
    const before = press('a r n o enter s');
    const { draft, others } = compareDraft(stored(before), { items: ITEMS, isWhole: true }, NOW);
    expect(draft?.decisions).toEqual(before.decisions);
    expect(others).toEqual([]);
  });

  it('counts what waits no longer, and what has changed', () => {
    const draft = stored(press('a a a'));
    const items = [ITEMS[0] ?? item('a'), { ...item('c'), version: () => 'other' }];
    const { draft: left } = compareDraft(draft, { items, isWhole: true }, NOW);
    expect([...(left?.decisions.keys() ?? [])]).toEqual(['a']);
    expect(left?.told).toContain('Dropped 2: no longer waiting, or changed since.');
  });

  it('keeps what a filter hides', () => {
    const draft = stored(press('a a'));
    const { draft: left, others } = compareDraft(draft, { items: ITEMS.slice(0, 1), isWhole: false }, NOW);
    expect(left?.told).not.toContain('Dropped');
    expect(others).toEqual(draft.decisions.slice(1));
  });

  it('has no reason with a secret in it, and nothing of the items but a digest', () => {
    const draft = stored(press('r x y z enter a'), (text) => text !== 'xyz');
    expect(draft.decisions).toEqual([
      {
        key: 'b',
        verdict: 'approve',
        version: expect.stringMatching(/^[\w-]{16}$/),
      },
    ]);
  });

  it('is none where there was none', () => {
    expect(compareDraft(undefined, { items: ITEMS, isWhole: true }, NOW).draft).toBeUndefined();
  });
});

it('is where the next screen begins, and the first thing that can be undone', () => {
  const { draft } = compareDraft(stored(press('a a')), { items: ITEMS, isWhole: true }, NOW);
  const state = createReviewState(ITEMS, [], draft);
  expect(state.message).toBe('Continued with the draft saved 12 min ago: 2 decided. u discards it.');
  expect(listDecisions(state)).toHaveLength(2);
  const undone = press('u', press('end s u', state));
  expect([undone.decisions.size, undone.undoSteps]).toEqual([0, []]);
});
