import { expect, it } from 'vitest';
import { findNearest } from '../../src/parsing/names.ts';

/** The word that was meant is named; another one is not. */

const STATES = ['open', 'submitted', 'approved', 'rejected'];

it.each([
  ['opne', 'open'],
  ['opn', 'open'],
  ['submited', 'submitted'],
  ['aproved', 'approved'],
  ['rejcted', 'rejected'],
])('%s is near %s', (word, meant) => {
  expect(findNearest(word, STATES)).toBe(meant);
});

it.each(['nope', 'done', 'x'])('%s is near nothing', (word) => {
  expect(findNearest(word, STATES)).toBeUndefined();
});

it.each([
  ['lsit', 'list'],
  ['gte', 'get'],
  ['ls', 'list'],
  ['udpate', 'update'],
])('letters that have changed places, or are left out, are one slip: %s', (word, meant) => {
  expect(findNearest(word, ['list', 'get', 'update', 'archive'])).toBe(meant);
});
