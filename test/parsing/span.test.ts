import { expect, it } from 'vitest';
import { formatDuration } from '../../src/parsing/duration.ts';

it.each([
  [-3, '0 s'],
  [0.4, '0 s'],
  [59, '59 s'],
  [72, '1 min 12 s'],
  [3780, '1 h 3 min'],
])('%d s is %s', (seconds, text) => {
  expect(formatDuration(seconds)).toBe(text);
});
