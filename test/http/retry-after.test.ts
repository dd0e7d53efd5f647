import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { parseRetryAfter, readServerTime } from '../../src/http/transport.ts';

const NOW = Date.UTC(1994, 10, 6, 8, 49, 0);

describe('Retry-After', () => {
  test.each([
    ['60', 60_000],
    ['1', 1000],
    ['0', 0],
    ['1.5', 2000],
    ['0.2, 1', 1000],
    [' 5 ', 5000],
    ['1, 60', 60_000],
    ['9'.repeat(400), Number.MAX_SAFE_INTEGER],
    ['Sun, 06 Nov 1994 08:49:37 GMT', 37_000],
    ['Sun, 06 Nov 1994 08:48:00 GMT', 0],
  ])('%s', (value, ms) => {
    expect(parseRetryAfter(value, NOW)).toBe(ms);
  });

  test.each([undefined, '', '-1', '1.', 'soon', '1e3', '0x10', 'Sun, 06 Nov 1994', '2026-11-20T09:00:00Z'])(
    '%s says nothing',
    (value) => expect(parseRetryAfter(value, NOW)).toBeUndefined(),
  );

  test('any date is waited for to the second, and one gone by is no wait', () => {
    const second = fc.integer({ min: 0, max: 4_000_000_000 });
    fc.assert(
      fc.property(second, second, (now, at) => {
        const header = new Date(at * 1000).toUTCString();
        expect(parseRetryAfter(header, now * 1000)).toBe(Math.max(0, at - now) * 1000);
      }),
    );
  });

  test('a date without a time to count from says nothing', () => {
    expect(parseRetryAfter('Sun, 06 Nov 1994 08:49:37 GMT', undefined)).toBeUndefined();
  });
});

test('the time of an answer is its own date', () => {
  expect(readServerTime({ date: 'Sun, 06 Nov 1994 08:49:00 GMT' })).toBe(NOW);
  expect(readServerTime({ date: 'yesterday' })).toBeUndefined();
  expect(readServerTime({})).toBeUndefined();
});
