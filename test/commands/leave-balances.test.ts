import { describe, expect, it } from 'vitest';
import { quickClock } from '../support/clocks.ts';
import { onePage } from '../support/service.ts';
import { ask } from '../support/use-cli.ts';

/** `leaves balances` in formats without nesting, and its usual days. */

const ROWS = [
  {
    user_id: 1,
    user_name: 'Ana',
    leave_information: [
      { leave_type: 'Annual', balance: '10 days' },
      { leave_type: 'user_id', balance: '1 hour' },
    ],
    total_balance: '11 days',
  },
  { user_id: 2, user_name: 'Bo', leave_information: null, total_balance: null },
  { user_id: 3, user_name: 'Cy', leave_information: [{ leave_type: 'Sick', balance: '2 days' }] },
];

const machine = { clock: { ...quickClock, now: () => Date.UTC(2026, 10, 20) } };
const run = (line: string) => ask(`leaves balances ${line}`, () => ({ body: onePage(ROWS) }), { machine });

describe('leaves balances', () => {
  it('has a column for each policy in CSV, with the values as they were sent', async () => {
    expect((await run('-o csv')).stdout.split('\r\n')).toEqual([
      'user_id,user_name,Annual,Sick,total_balance',
      '1,Ana,10 days,,11 days',
      '2,Bo,,,',
      '3,Cy,,2 days,',
      '',
    ]);
  });

  it('R12: has a row for each balance with --long, its unit apart', async () => {
    expect((await run('--long -o tsv')).stdout.split('\n')).toEqual([
      'user_id\tuser_name\tleave_type\tbalance\tbalance_unit',
      '1\tAna\tAnnual\t10\tdays',
      '1\tAna\tuser_id\t1\thours',
      '3\tCy\tSick\t2\tdays',
      '',
    ]);
  });

  it.each(['--json', '--query [] -o json', '--long --json'])(
    'is in JSON as it was sent: %s',
    async (flags) => {
      expect(JSON.parse((await run(flags)).stdout)).toEqual(ROWS);
    },
  );

  it('tells namesakes apart for people', async () => {
    const before = [...ROWS];
    ROWS.push({ user_id: 4, user_name: 'Bo', leave_information: null, total_balance: null });
    for (const line of ['', '--long -o markdown']) {
      const { stdout } = await run(line);
      if (line === '') expect(stdout).toMatch(/^Ana +10 [\s\S]*^Bo \(2\) [\s\S]*^Bo \(4\) /m);
      expect(stdout).not.toMatch(/Ana \(/);
    }
    ROWS.splice(0, ROWS.length, ...before);
  });

  it('is about the current year where no days are named', async () => {
    const days = async (line: string) =>
      /date_from=[^&]*&date_to=[^&]*/.exec((await run(line)).lines[0] ?? '')?.[0];
    expect(await days('')).toBe('date_from=2026-01-01&date_to=2026-12-31');
    expect(await days('--date-from 2026-02-01 --date-to 2026-02-03')).toBe(
      'date_from=2026-02-01&date_to=2026-02-03',
    );
    expect(await days('--period last-year')).toBe('date_from=2025-01-01&date_to=2025-12-31');
    expect(await days('--param date_from=2020-01-01 --param date_to=2020-12-31')).toBe(
      'date_from=2020-01-01&date_to=2020-12-31',
    );
    expect(await run('--date-to 2026-02-03')).toMatchObject({ exit: 2, lines: [] });
  });
});
