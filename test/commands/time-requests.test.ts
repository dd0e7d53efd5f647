import { describe, expect, it } from 'vitest';
import { quickClock } from '../support/clocks.ts';
import { onePage } from '../support/service.ts';
import { ask } from '../support/use-cli.ts';

/**
 * Decisions are POSTs here (docs/service.md, Time requests). A create counts its like before, so that a lost answer can
 * be told.
 */

describe('a time request', () => {
  it.each([
    ['--start 2026-11-20T09:00Z --end 2026-11-20T09:00Z', 'is not after --start'],
    ['--start 2026-11-20T09:00Z --end 2026-11-20T09:30+01:00', 'is not after --start'],
    ['--start 2026-11-20T09:00 --end 2026-11-20T10:00 --timezone Europe/Nowhere', 'is not a time zone'],
    ['--start 2026-03-29T02:30 --end 2026-03-29T05:00 --timezone Europe/Berlin', 'does not exist in Europe'],
    ['--start 2026-11-20 --end 2026-11-20T10:00', 'is not a time'],
    ['--start 2026-11-20T10:00', 'missing --end'],
  ])('is refused before any request: %s', async (times, message) => {
    const line = `time-requests create --member ana@example.com --contract 21 ${times}`;
    const { exit, stderr, lines } = await ask(line);
    expect([exit, stderr, lines]).toEqual([2, expect.stringContaining(message), []]);
  });
});

describe('--timezone', () => {
  it('is checked though nothing needs it', async () => {
    const { exit, lines } = await ask('time-requests list --timezone Europe/Nowhere --json');
    expect([exit, lines]).toEqual([2, []]);
  });

  it('is the zone of periods, and of what is shown', async () => {
    const rows = [
      { id: 'a', user_id: 17, status: 'pending', start: '2026-11-20T23:30:00Z', end: '2026-11-21T01:00:00Z' },
    ];
    // 2026-11-20T13:00Z is the 21st already on Kiritimati, and its week began on the 16th.
    const machine = { clock: { ...quickClock, now: () => Date.parse('2026-11-20T13:00:00Z') } };
    const list = (zone: string) =>
      ask(
        `time-requests list --period today --timezone ${zone}`,
        ({ line }) => ({ body: onePage(line.startsWith('GET /time-requests') ? rows : []) }),
        { machine },
      );
    const [{ stdout, stderr, lines }, west] = [
      await list('Pacific/Kiritimati'),
      await list('America/New_York'),
    ];
    expect(stderr).toBe('');
    expect([lines[0], west.lines[0]]).toEqual([
      expect.stringContaining('date_from=2026-11-21'),
      expect.stringContaining('date_from=2026-11-20'),
    ]);
    expect(stdout).toContain('2026-11-21 13:30+14');
    expect(stdout).toContain('1:30');
  });
});
