import { foldCase } from '../../src/parsing/text.ts';
import {
  createReviewState,
  endBurst,
  pressKey,
  type ReviewItem,
  type Room,
  type State,
} from '../../src/screen/state.ts';

/** Things to review in tests, and the keys that are pressed. */

export const item = (key: string, more: Partial<ReviewItem> = {}): ReviewItem => {
  const one: Omit<ReviewItem, 'search'> = {
    key,
    kind: 'timesheet',
    who: `Person ${key}`,
    when: 'Nov 9–15',
    amount: '38:30',
    waits: '5 d',
    about: undefined,
    note: undefined,
    warnings: [],
    version: () => key,
    facts: () => [
      ['what', 'timesheet'],
      ['who', `Person ${key}`],
      ['when', 'Mon Nov 9 to Sun Nov 15'],
      ['id', key],
    ],
    ...more,
  };
  const { who, kind, when, about, note } = one;
  return { ...one, search: () => foldCase([who, kind, when, about, note].join('\n')) };
};

export const ITEMS: readonly ReviewItem[] = [
  item('a', { who: 'Ana Sousa' }),
  item('b', {
    who: 'Åsa Öberg',
    kind: 'leave',
    note: 'Walking in Kerry',
    about: 'Annual leave',
  }),
  item('c', { who: '山田 太郎', warnings: ['1:30 over the limit of 40:00 a week'] }),
  item('d', { who: 'דנה כהן', kind: 'leave' }),
  item('e', { who: 'Eva Novak', kind: 'time-request', about: 'Harbour website' }),
];

const ROOM: Room = { page: 5, maxScroll: 20 };

/** Keys apart by spaces, a pause after each. */
export const press = (names: string, state = createReviewState(ITEMS, [])): State =>
  names
    .split(' ')
    .filter(Boolean)
    .reduce(
      (now, name) => endBurst(pressKey(now, { name, text: name.length === 1 ? name : '' }, ROOM), ROOM),
      state,
    );
