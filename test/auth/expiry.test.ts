import { describe, expect, it } from 'vitest';
import type { Credential } from '../../src/auth/credentials.ts';
import {
  countDaysUntil,
  describeExpiry,
  formatExpiryDay,
  getAccessExpiry,
  getSignInExpiry,
  isRenewable,
  isRenewalDue,
} from '../../src/auth/session.ts';

/** When tokens end: 15 days, 30 days, 6 months (docs/service.md, Limits). */

const NOW = Date.parse('2026-11-20T12:00:00Z');
const MINUTE = 60_000;
const DAY = 1_440 * MINUTE;
const iso = (ms: number): string => new Date(ms).toISOString();

const personal = (created: string): Credential => ({
  kind: 'personal',
  base_url: 'https://h',
  access_token: 't',
  created_at: created,
});
const oauth = (change: Partial<Credential> = {}): Credential => ({
  kind: 'oauth',
  base_url: 'https://h',
  token_url: 'https://h',
  client_id: 'c',
  access_token: 't',
  refresh_token: 'r',
  created_at: iso(NOW),
  access_expires_at: iso(NOW + 15 * DAY),
  refresh_expires_at: iso(NOW + 30 * DAY),
  ...change,
});

it.each([
  ['2026-05-20', '2026-11-20'],
  ['2026-08-31', '2027-02-28'],
  ['2027-08-31', '2028-02-29'],
  ['2026-11-02T10:00:00Z', '2027-05-02'],
])('a Personal Access Token of %s ends on %s', (created, end) => {
  expect([getAccessExpiry(personal(created)), getSignInExpiry(personal(created))]).toEqual([end, end]);
});

it('what is not known is not made up', () => {
  expect(getAccessExpiry(oauth({ access_expires_at: undefined }))).toBeNull();
  expect(getSignInExpiry(oauth({ refresh_expires_at: undefined }))).toBeNull();
  expect(isRenewalDue(oauth({ access_expires_at: undefined }), NOW)).toBe(false);
  expect(isRenewalDue(personal('2020-01-01'), NOW)).toBe(false);
});

describe('a sign-in', () => {
  it('lasts as long as its refresh token, or, once that is refused, its access token', () => {
    expect(getSignInExpiry(oauth())).toBe(iso(NOW + 30 * DAY));
    expect(getSignInExpiry(oauth({ dead: true }))).toBe(iso(NOW + 15 * DAY));
    expect(getSignInExpiry(oauth({ refresh_token: undefined }))).toBe(iso(NOW + 15 * DAY));
    expect(getSignInExpiry(oauth({ kind: 'client', refresh_token: undefined }))).toBeNull();
  });

  it('is renewable with a refresh token, its host and its client', () => {
    expect(isRenewable(oauth())).toBe(true);
    for (const lack of ['refresh_token', 'token_url', 'client_id'] as const)
      expect(isRenewable(oauth({ [lack]: undefined })), lack).toBe(false);
    expect(isRenewable(oauth({ dead: true }))).toBe(false);
    expect(isRenewable(personal('2026-11-01'))).toBe(false);
  });

  it('of a minute is due after nine tenths of it, not from its start', () => {
    const short = oauth({ access_expires_at: iso(NOW + MINUTE) });
    expect([
      isRenewalDue(short, NOW),
      isRenewalDue(short, NOW + 53_000),
      isRenewalDue(short, NOW + 54_000),
    ]).toEqual([false, false, true]);
  });
});

const UTC = () => 'UTC';

describe('the day of an end', () => {
  it.each([
    ['2026-11-30', 'Pacific/Auckland', 'Nov 30'],
    ['2027-05-18', 'UTC', 'May 18 2027'],
    ['2026-11-30T23:30:00Z', 'UTC', 'Nov 30'],
    ['2026-11-30T23:30:00Z', 'Europe/Berlin', 'Dec 1'],
    ['2026-11-30T03:00:00+00:00', 'America/New_York', 'Nov 29'],
  ])('%s is in %s %s', (end, zone, day) => {
    expect(formatExpiryDay(end, Date.parse('2026-11-20T09:00:00Z'), () => zone)).toBe(day);
  });
});

describe('the notice', () => {
  it.each([
    [30 * DAY, undefined],
    [30 * DAY - 1, '29 days'],
    [DAY, '1 day '],
    [DAY - 1, 'less than a day'],
    [-1, 'expired on'],
  ])('%i ms before the end of a token: %s', (left, says) => {
    const text = describeExpiry({ ...personal('2026-11-01'), access_expires_at: iso(NOW + left) }, NOW, UTC);
    if (says === undefined) expect(text).toBeUndefined();
    else expect(text).toContain(says);
  });

  it('is not given on the first day of a sign-in that lives 30 days', () => {
    expect(describeExpiry(oauth(), NOW, UTC)).toBeUndefined();
    expect(describeExpiry(oauth(), NOW + 22 * DAY, UTC)).toBeUndefined();
    expect(describeExpiry(oauth(), NOW + 23 * DAY + 1, UTC)).toContain('6 days');
  });
});

it('days are whole, rounded down', () => {
  expect([countDaysUntil(iso(NOW + DAY - 1), NOW), countDaysUntil(iso(NOW - 1), NOW)]).toEqual([0, -1]);
});
