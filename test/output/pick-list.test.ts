import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  findItems,
  foldCase,
  getPosition,
  getVisibleRange,
  INITIAL_PICK_STATE,
  listPicked,
  movePosition,
  type PickItem,
  type PickState,
  toggleItem,
  typeSearch,
} from '../../src/output/pick-list.ts';

const itemOf = (name: string, id = 1): PickItem => ({
  row: { id },
  cells: [name],
  text: foldCase(`${name} ${id}`),
});
const names = (items: readonly PickItem[]) => items.map(({ cells }) => cells[0]);

describe('a search', () => {
  const people = ['Joana Müller', 'Ana Sousa', 'Zoë Annan', 'דָּנִיֵּאל כהן', '田中 芽衣'].map((name, i) =>
    itemOf(name, i),
  );

  it.each([
    ['', ['Joana Müller', 'Ana Sousa', 'Zoë Annan', 'דָּנִיֵּאל כהן', '田中 芽衣']],
    ['an', ['Ana Sousa', 'Zoë Annan', 'Joana Müller']],
    ['zoe', ['Zoë Annan']],
    ['MULLER joa', ['Joana Müller']],
    ['  sousa  ', ['Ana Sousa']],
    ['דניאל', ['דָּנִיֵּאל כהן']],
    ['芽', ['田中 芽衣']],
    ['4', ['田中 芽衣']],
    ['nobody', []],
  ])('for %j finds, the beginnings of words first', (search, expected) => {
    expect(names(findItems(people, search))).toEqual(expected);
  });
});

describe('the keys', () => {
  const items = Array.from({ length: 30 }, (_, i) => itemOf(`person ${i}`, i));

  it('move and stop at both ends; another search begins at its first', () => {
    const down = movePosition(INITIAL_PICK_STATE, items, 10);
    expect(getPosition(items, down)).toBe(10);
    expect(getPosition(items, movePosition(down, items, 100))).toBe(29);
    expect(getPosition(items, movePosition(down, items, -100))).toBe(0);
    expect(getPosition(items, typeSearch(down, 'person'))).toBe(0);
    expect(getPosition(items, typeSearch(down, ''))).toBe(10);
  });

  it('stay at the same record when others come before it', () => {
    const at = movePosition(INITIAL_PICK_STATE, items, 3);
    const more = [itemOf('earlier', 99), ...items];
    expect(names(listPicked(at, more, more))).toEqual(['person 3']);
  });

  it('pick the marked ones, in the order in which they stand; with none marked the one pointed at', () => {
    const two = toggleItem(toggleItem(movePosition(INITIAL_PICK_STATE, items, 5), items), items);
    expect(names(listPicked(two, items, items))).toEqual(['person 5', 'person 6']);
    expect(names(listPicked(movePosition(INITIAL_PICK_STATE, items, 5), items, items))).toEqual(['person 5']);
    expect(listPicked(INITIAL_PICK_STATE, items, [])).toEqual([]);
    expect(toggleItem(INITIAL_PICK_STATE, []).message).toBe('No matches.');
  });

  it('never pick what was neither marked nor pointed at; marking twice is not marking', () => {
    type Press = 'mark' | { readonly step: number } | { readonly text: string };
    const key: fc.Arbitrary<Press> = fc.oneof(
      fc.constant('mark' as const),
      fc.integer({ min: -12, max: 12 }).map((step) => ({ step })),
      fc.constantFrom('', 'person', '1', 'son 2', 'zzz').map((text) => ({ text })),
    );
    const shownIn = ({ search }: PickState) => findItems(items, search);
    const pointedAt = (state: PickState) =>
      shownIn(state)
        .slice(getPosition(shownIn(state), state))
        .slice(0, 1);
    const pressed = (state: PickState, one: Press): PickState => {
      if (one === 'mark') return toggleItem(state, shownIn(state));
      return 'text' in one ? typeSearch(state, one.text) : movePosition(state, shownIn(state), one.step);
    };
    fc.assert(
      fc.property(fc.array(key, { maxLength: 40 }), (keys) => {
        const marked = new Set<PickItem>();
        let state: PickState = INITIAL_PICK_STATE;
        for (const one of keys) {
          const touched = one === 'mark' ? pointedAt(state) : [];
          for (const item of touched) if (!marked.delete(item)) marked.add(item);
          state = pressed(state, one);
        }
        const expected = marked.size > 0 ? items.filter((item) => marked.has(item)) : pointedAt(state);
        expect(listPicked(state, items, shownIn(state))).toEqual(expected);
      }),
    );
  });

  it('keep what is pointed at on the screen', () => {
    fc.assert(
      fc.property(fc.nat(200), fc.nat(200), fc.integer({ min: 1, max: 20 }), (count, at, height) => {
        const position = Math.min(at, Math.max(0, count - 1));
        const [from, to] = getVisibleRange(count, position, height);
        expect(to - from).toBe(Math.min(count, height));
        if (count > 0) expect(from <= position && position < to).toBe(true);
      }),
    );
  });
});
