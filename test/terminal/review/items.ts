import type { ReviewItem } from '../../../src/review.ts';

/** Things to review in tests. */

export const item = (key: string, more: Partial<ReviewItem> = {}): ReviewItem => ({
  key,
  kind: 'timesheet',
  who: `Person ${key}`,
  when: '9–15 Nov',
  amount: '38:30',
  waits: '5 d',
  about: undefined,
  note: undefined,
  matters: [],
  facts: [
    ['what', 'timesheet'],
    ['who', `Person ${key}`],
    ['when', 'Mon 9 Nov to Sun 15 Nov'],
    ['id', key],
  ],
  ...more,
});

export const ITEMS: readonly ReviewItem[] = [
  item('a', { who: 'Ana Sousa' }),
  item('b', { who: 'Åsa Öberg', kind: 'leave', note: 'Walking in Kerry', about: 'Annual leave' }),
  item('c', { who: '山田 太郎', matters: ['1:30 over the limit of 40:00 a week'] }),
  item('d', { who: 'דנה כהן', kind: 'leave' }),
  item('e', { who: 'Eva Novak', kind: 'time', about: 'Harbour website' }),
];
