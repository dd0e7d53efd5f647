import { foldCase } from '../../src/parsing/text.ts';
import {
  createReviewState,
  endBurst,
  pressKey,
  type ReviewItem,
  type State,
} from '../../src/screen/state.ts';

/** Things to review in tests, and the keys that are pressed. */

export const item = (key: string, more: Partial<ReviewItem> = {}): ReviewItem => {
  const one = {
    ...{ key, kind: 'timesheet', who: `Person ${key}`, when: 'Nov 9–15', amount: '38:30', waits: '5 d' },
    ...{ about: undefined, note: undefined, warnings: [], version: () => key, ...more },
  } as const;
  const { who, kind, when, about, note } = one;
  const facts = () =>
    [
      ['who', who],
      ['when', 'Mon Nov 9 to Sun Nov 15'],
      ['id', key],
    ] as const;
  return { facts, search: () => foldCase([who, kind, when, about, note].join('\n')), ...one };
};

export const ITEMS: readonly ReviewItem[] = [
  item('a', { who: 'Ana Sousa' }),
  item('b', { who: 'Åsa Öberg', kind: 'leave', note: 'Walking in Kerry', about: 'Annual leave' }),
  item('c', { who: '山田 太郎', warnings: ['1:30 over the limit of 40:00 a week'] }),
  item('d', { who: 'דנה כהן', kind: 'leave' }),
  item('e', { who: 'Eva Novak', kind: 'time request', about: 'Harbour website' }),
];

export const startReview = (): State => createReviewState(ITEMS, ['Friday is missing', 'Twice']);

/** `a`, `space`, `ctrl-u`; or `pause`: for a while no key comes. */
export const pressOne = (state: State, name: string): State => {
  const room = { page: 2, maxScroll: 3 };
  const text = name === 'space' ? ' ' : [...name].length === 1 ? name : '';
  return name === 'pause' ? endBurst(state, room) : pressKey(state, { name, text }, room);
};

/** Of `r "no" enter`: what is in quotes is typed. */
const listKeys = (keys: string): readonly string[] =>
  [...keys.matchAll(/"([^"]*)"|(\S+)/g)].flatMap(([, text = '', name]) =>
    name === undefined ? [...text].map((c) => (c === ' ' ? 'space' : c)) : [name],
  );

/** Keys without a pause between them. */
export const burst = (keys: string, state = startReview()): State => listKeys(keys).reduce(pressOne, state);

/** By hand: a pause after each key. */
export const press = (keys: string, state = startReview()): State =>
  listKeys(keys).reduce((now, name) => pressOne(pressOne(now, name), 'pause'), state);
