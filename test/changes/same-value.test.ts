import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { isSameValue } from '../../src/parsing/names.ts';

/** Values compare by meaning: numbers by value, days and times in any form, words. */

const NUMBER = { type: 'number' } as const;
const WHOLE = { type: 'integer' } as const;
const TEXT = { type: 'string' } as const;
const ROLE = { type: 'string', choices: ['Regular User', 'Team manager'] } as const;
const STATUS = { type: 'integer', words: { open: 0, 'in-progress': 10 } } as const;
const TIME = { type: 'datetime' } as const;

describe('are the same', () => {
  it.each([
    [75.5, '75.50', NUMBER],
    [5, '5', WHOLE],
    ['9007199254740993', '9007199254740993', {}],
    ['75.5', 75.5, {}],
    [true, 1, { type: 'boolean' }],
    [false, 'no', { type: 'boolean' }],
    ['2026-12-18', 'Dec 18, 2026', { type: 'date' }],
    ['2026-12-18', '2026-12-18T00:00:00.000000Z', { type: 'date' }],
    ['2026-11-20T09:00:00+00:00', '2026-11-20T10:00:00+01:00', TIME],
    // Without a zone: of the one in which it is that.
    ['2026-11-20T09:00:00Z', '2026-11-20 09:00', TIME],
    ['2026-11-20T09:00:00Z', '2026-11-20 23:00:00', TIME],
    ['2026-11-20T09:00:59Z', '2026-11-19T21:00', TIME],
    ['2026-11-20T09:00:00Z', 'Nov 20, 2026 1:00 AM', TIME],
    ['2026-11-20T23:00:00Z', '2026-11-21', TIME],
    ['2026-11-20T01:00:00Z', '2026-11-19', TIME],
    ['2026-11-20T09:00:00Z', '09:00', TIME],
    ['2026-11-20T09:00:00Z', '20.11.2026 09:00', TIME],
    ['Regular User', 'regular_user', ROLE],
    ['ANA@x.example', 'ana@x.example', { type: 'email' }],
    [10, 'In Progress', STATUS],
    ['  two\r\nlines', 'two\nlines', TEXT],
    ['e\u0301', '\u00e9', TEXT],
    ['', null, TEXT],
    [null, undefined, TEXT],
    [['a', 'b'], ['b', 'a', 'a'], {}],
    [[1, 2], ['2', '1'], {}],
    // What stands there for what was sent cannot be known.
    [['a'], [{ id: 1, name: 'a' }], {}],
    [5, { id: 5, toString: 1 }, WHOLE],
    [{ a: 1 }, { a: 1, b: 2 }, {}],
    // As a number that keeps its digits is written by JSON.stringify.
    [75.5, { toJSON: () => '75.50' }, NUMBER],
  ] as const)('%j and %j', (sent, shown, about) => {
    expect(isSameValue(sent, shown, about)).toBe(true);
  });
});

describe('are not the same', () => {
  it.each([
    [0, '', NUMBER],
    [0, null, NUMBER],
    [75.5, 75, NUMBER],
    ['9007199254740993', '9007199254740992', {}],
    ['007', '7', TEXT],
    ['2026-12-18', 'Dec 17, 2026', { type: 'date' }],
    ['2026-11-20T09:00:00Z', '2026-11-20T09:00:00+01:00', TIME],
    ['2026-11-20T09:00:00Z', '2025-11-20 09:00', TIME],
    ['2026-11-20T09:00:00Z', '2027-11-20T09:00:00.000000', TIME],
    ['2026-11-20T09:00:00Z', 'Nov 20, 2025 9:00 AM', TIME],
    ['2026-11-20T09:00:00Z', '2026-11-20 23:01', TIME],
    ['2026-11-20T09:00:00Z', '2026-11-19 20:58', TIME],
    ['2026-11-20T09:00:00Z', '2026-11-18', TIME],
    ['2026-11-20T09:00:00Z', '2026-11-22', TIME],
    ['Regular User', 'Team manager', ROLE],
    ['Fix it', 'fix it', TEXT],
    [10, 'Open', STATUS],
    [['a'], ['a', 'b'], {}],
    ['x', '', TEXT],
  ] as const)('%j and %j', (sent, shown, about) => {
    expect(isSameValue(sent, shown, about)).toBe(false);
  });
});

it('whatever a service shows, nothing throws, and a value is the same as itself', () => {
  fc.assert(
    fc.property(fc.jsonValue(), fc.jsonValue(), (one, other) => {
      expect(typeof isSameValue(one, other)).toBe('boolean');
      expect(isSameValue(one, structuredClone(one))).toBe(true);
    }),
  );
});
