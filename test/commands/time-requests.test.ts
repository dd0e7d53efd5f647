import { describe, expect, it } from 'vitest';
import { literal } from '../support/literal.ts';
import { quickClock } from '../support/quick-clock.ts';
import { onePage } from '../support/recorder.ts';
import { ask } from '../support/use-cli.ts';

/**
 * Decisions are POSTs here (docs/service.md, Time requests). A create counts its like before, so that a lost answer can
 * be told.
 */

const ID = '8c1f2b3a-5d6e-4f70-8a9b-0c1d2e3f4a5b';
const PAGE = 'page=1&per_page=100';

/** A create of member 17 on contract 21. */
const created = (before: string, after: string, start: string, end: string, more = ''): [string, string] => [
  `GET /time-requests?workspace_id=7&user_id=17&date_from=${before}&date_to=${after}&${PAGE}`,
  `POST /time-requests?workspace_id=7 {"workspace_id":7,"user_id":17,"contract_id":21,"start":"${start}","end":"${end}"${more}}`,
];

literal(`
time-requests list
> GET /time-requests?workspace_id=7&${PAGE}
time-requests list --status pending --member 17 --date-from 2026-11-01 --date-to 2026-11-30 --id ${ID}
> GET /time-requests?workspace_id=7&status=pending&user_id=17&date_from=2026-11-01&date_to=2026-11-30&id=${ID}&${PAGE}
time-requests get ${ID}
> GET /time-requests/${ID}?workspace_id=7
time-requests create --member 17 --contract 21 --start 2026-11-20T09:00 --end 2026-11-20T12:30 --timezone Europe/Lisbon --task 5 --notes x
> ${created('2026-11-19', '2026-11-21', '2026-11-20T09:00:00+00:00', '2026-11-20T12:30:00+00:00', ',"task_id":5,"notes":"x"').join('\n> ')}
time-requests create --member 17 --contract 21 --start 2026-07-20T09:00 --end 2026-07-20T12:30 --timezone America/New_York
> ${created('2026-07-19', '2026-07-21', '2026-07-20T09:00:00-04:00', '2026-07-20T12:30:00-04:00').join('\n> ')}
time-requests create --member 17 --contract 21 --start 2026-11-20T09:00+05:30 --end 2026-11-20T09:00Z --timezone Asia/Tokyo
> ${created('2026-11-19', '2026-11-21', '2026-11-20T09:00:00+05:30', '2026-11-20T09:00:00+00:00').join('\n> ')}
time-requests approve ${ID} --yes
> POST /time-requests/${ID}/approve?workspace_id=7 {"workspace_id":7}
time-requests reject ${ID} --comment no --yes
> POST /time-requests/${ID}/reject?workspace_id=7 {"workspace_id":7,"comment":"no"}
`);

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
