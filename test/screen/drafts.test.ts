import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { compareDraft, openPlace, toStoredDecisions } from '../../src/screen/drafts.ts';
import { createReviewState, listDecisions, type State } from '../../src/screen/state.ts';
import { makeFolder } from '../support/folder.ts';
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
    const { offer, others } = compareDraft(stored(before), { items: ITEMS, isWhole: true }, NOW);
    expect(offer).toEqual({ decisions: before.decisions, gone: 0, saved: '12 min ago' });
    expect(others).toEqual([]);
  });

  it('counts what waits no longer, and what has changed', () => {
    const draft = stored(press('a a a'));
    const items = [ITEMS[0] ?? item('a'), { ...item('c'), version: () => 'other' }];
    const { offer } = compareDraft(draft, { items, isWhole: true }, NOW);
    expect([...(offer?.decisions.keys() ?? [])]).toEqual(['a']);
    expect(offer?.gone).toBe(2);
  });

  it('keeps what a filter hides', () => {
    const draft = stored(press('a a'));
    const { offer, others } = compareDraft(draft, { items: ITEMS.slice(0, 1), isWhole: false }, NOW);
    expect(offer?.gone).toBe(0);
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

  it('is not offered where there is none', () => {
    expect(compareDraft(undefined, { items: ITEMS, isWhole: true }, NOW).offer).toBeUndefined();
  });
});

describe('an offered draft', () => {
  const offered = () => {
    const { offer } = compareDraft(stored(press('a a')), { items: ITEMS, isWhole: true }, NOW);
    return createReviewState(ITEMS, [], offer);
  };

  it.each([
    ['enter', 2],
    ['d', 0],
  ])('is answered with %s', (key, count) => {
    const state = press(key, offered());
    expect([state.mode, state.draft, listDecisions(state).length]).toEqual(['list', undefined, count]);
  });

  it.each(['n', 'y', 'a', 'x', 'space'])('is not answered with %s, which the screen does not name', (key) => {
    expect(press(key, offered()).mode).toBe('draft');
  });

  it.each(['a', 'escape', 'S', '/', 'space', 'r', '?', 'u'])('is not answered with %s', (key) => {
    expect(press(key, offered())).toMatchObject({ mode: 'draft', end: undefined });
  });

  it('is left as it is with q', () => {
    expect(press('q', offered())).toMatchObject({ end: 'leave', mode: 'draft' });
  });
});

describe('the file', () => {
  let folder: string;
  beforeEach(() => {
    folder = makeFolder();
  });

  it('keeps of each place its draft and its reasons, and nothing that was taken away', () => {
    const [seven, eight] = [openPlace(folder, 'work 7'), openPlace(folder, 'work 8')];
    const draft = stored(press('a'));
    expect(seven.change({ draft })).toBeUndefined();
    eight.change({ draft });
    eight.change({ reasons: ['late'] });
    seven.change({ draft: undefined });
    expect(openPlace(folder, 'work 7').find()).toEqual({ place: 'work 7' });
    expect(openPlace(folder, 'work 8').find()).toEqual({ place: 'work 8', draft, reasons: ['late'] });
  });

  it.each([
    { draft: null },
    { draft: { saved_at: 'now', decisions: [] } },
    { draft: { saved_at: NOW, decisions: [null] } },
    { draft: { saved_at: NOW, decisions: [{ key: 'a', verdict: 'approve', version: 1 }] } },
    { draft: { saved_at: NOW, decisions: [{ key: 'a', verdict: 'other', version: 'v' }] } },
    { draft: { saved_at: NOW, decisions: [{ key: 'a', verdict: 'reject', version: 'v' }] } },
    { reasons: [3] },
  ])('counts as empty with %j', (values) => {
    mkdirSync(join(folder, 'inbox'), { mode: 0o700 });
    const places = [{ place: 'x', ...values }];
    writeFileSync(join(folder, 'inbox/places.json'), JSON.stringify(places), { mode: 0o600 });
    expect(openPlace(folder, 'x').find()).toEqual({ place: 'x' });
  });

  it('says why nothing can be kept', () => {
    const draft = stored(press('a'));
    expect(openPlace(undefined, 'x').change({ draft })).toBe('no state directory is known');
    expect(openPlace('/dev/null', 'x').change({ draft })).toMatch(/\/dev\/null/);
  });
});
