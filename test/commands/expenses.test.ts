import { describe, expect, it } from 'vitest';
import { envelope, onePage, serviceEnv, startRecorder } from '../support/service.ts';
import { sitDown } from '../support/terminal.ts';
import { ask } from '../support/use-cli.ts';

/** A create counts its like before, so that a lost answer can be told. */

const ID = '8c1f2b3a-5d6e-4f70-8a9b-0c1d2e3f4a5b';
const MAIN = `--name Train --date 2026-11-20 --amount 48.60`;

const TRAIN = {
  ...{ id: ID, member: 'Ana Sousa', expense_name: 'Train', expense_date: 'Nov 20, 2026' },
  ...{ amount: 48.6, added_dte: 'Nov 21, 2026' },
};

describe('an expense', () => {
  it.each([
    [`expenses update ${ID} --amount 50`, 'missing --name, --date, --category'],
    [
      'expenses create --name x --date 2026-02-30 --amount 1 --category a',
      '"2026-02-30" is not a valid date',
    ],
    ['expenses create --name x --date today --amount 1,5 --category a', '--amount: "1,5" is not a number'],
    [`expenses delete ${ID}`, 'deleting 1 expense needs confirmation'],
    ['expenses list --date-from 2026-11-02 --date-to 2026-11-01', 'is before --date-from (2026-11-02)'],
  ])('is refused before any request: %s', async (line, message) => {
    const { exit, stderr, lines } = await ask(line);
    expect([exit, stderr, lines]).toEqual([2, expect.stringContaining(message), []]);
  });

  it('is booked by one who may not list expenses', async () => {
    const { exit, stdout } = await ask(`expenses create ${MAIN} --category 4 --json`, ({ line }) =>
      line.startsWith('GET')
        ? { status: 403, body: { success: false, message: 'No.', meta: {} } }
        : { body: envelope({ id: ID }) },
    );
    expect([exit, JSON.parse(stdout)]).toEqual([0, { id: ID }]);
  });

  it('at 80 columns is shown with what one decides by', async () => {
    const { stdout } = await ask(
      'expenses list',
      () => ({
        body: onePage([
          {
            ...TRAIN,
            member: 'Nora Lindqvist',
            expense_name: 'Lunch with the bakers',
            category: 'Travel',
            project: 'Harbour website',
            type: 'billable',
            note: 'two of us',
          },
        ]),
      }),
      { machine: { width: 80 } },
    );
    expect(stdout).toMatch(/^MEMBER +NAME +DATE +AMOUNT +CATEGORY +PROJECT +ID\n/);
  });

  it('is shown before it is deleted', async () => {
    const recorder = await startRecorder(({ line }) => ({
      body: line.startsWith('GET') ? onePage([TRAIN]) : envelope(null),
    }));
    const env = serviceEnv(recorder);
    const { screen, exit } = await sitDown(['expenses', 'delete', ID], { env, answer: () => 'n\r' });
    await recorder.close();
    expect(screen).toMatch(/Ana Sousa {2}Train {2}Nov 20( 2026)? {2}48\.60/);
    expect(exit).toBe(9);
  });
});
