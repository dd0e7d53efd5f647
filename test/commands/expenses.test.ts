import { describe, expect, it } from 'vitest';
import { sitDown } from '../support/at-a-terminal.ts';
import { literal } from '../support/literal.ts';
import { envelope, onePage, serviceEnv, startRecorder } from '../support/recorder.ts';
import { ask } from '../support/use-cli.ts';

/** A create counts its like before, so that a lost answer can be told. */

const ID = '8c1f2b3a-5d6e-4f70-8a9b-0c1d2e3f4a5b';
const CATEGORY = '0d9be1d5-3c5f-4b5c-9c55-2a3f0f6f8a11';
const PAGE = 'page=1&per_page=100';
const LIKE = `GET /expenses?workspace_id=7&date_from=2026-11-20&date_to=2026-11-20&${PAGE}`;
const MAIN = `--name Train --date 2026-11-20 --amount 48.60`;

literal(`
expenses list
> GET /expenses?workspace_id=7&${PAGE}
expenses list --id ${ID} --date-from 2026-11-01 --date-to 2026-11-30
> GET /expenses?workspace_id=7&id=${ID}&date_from=2026-11-01&date_to=2026-11-30&${PAGE}
expenses create ${MAIN} --category ${CATEGORY} --project 9 --note "two of us" --billable
> ${LIKE}
> POST /expenses?workspace_id=7 {"workspace_id":7,"expense_name":"Train","date":"2026-11-20","amount":48.6,"category_id":"${CATEGORY}","project_id":9,"note":"two of us","is_billable":true}
expenses create ${MAIN} --category 4 --no-billable
> ${LIKE}
> POST /expenses?workspace_id=7 {"workspace_id":7,"expense_name":"Train","date":"2026-11-20","amount":48.6,"category_id":"4","is_billable":false}
expenses create ${MAIN} --category 4
> ${LIKE}
> POST /expenses?workspace_id=7 {"workspace_id":7,"expense_name":"Train","date":"2026-11-20","amount":48.6,"category_id":"4"}
expenses update ${ID} ${MAIN} --category ${CATEGORY}
> GET /expenses?workspace_id=7&id=${ID}&page=1&per_page=100
> PUT /expenses/${ID}?workspace_id=7 {"workspace_id":7,"expense_name":"Train","date":"2026-11-20","amount":48.6,"category_id":"${CATEGORY}"}
expenses delete ${ID} --yes
> DELETE /expenses/${ID}?workspace_id=7 {"workspace_id":7}
expenses categories
> GET /expenses/categories?workspace_id=7
expenses categories --id ${CATEGORY}
> GET /expenses/categories?workspace_id=7&id=${CATEGORY}
`);

const CATEGORIES = [
  { id: CATEGORY, name: 'Travel' },
  { id: 'cat_meals', name: 'Meals' },
];

literal(
  `
expenses create ${MAIN} --category travel --project "harbour website"
> GET /expenses/categories?workspace_id=7
> GET /projects?workspace_id=7&name=harbour%20website&page=1&per_page=100
> ${LIKE}
> POST /expenses?workspace_id=7 {"workspace_id":7,"expense_name":"Train","date":"2026-11-20","amount":48.6,"category_id":"${CATEGORY}","project_id":9}
# An id need be neither digits nor a UUID.
expenses update ${ID} ${MAIN} --category cat_meals
> GET /expenses/categories?workspace_id=7
> GET /expenses?workspace_id=7&id=${ID}&page=1&per_page=100
> PUT /expenses/${ID}?workspace_id=7 {"workspace_id":7,"expense_name":"Train","date":"2026-11-20","amount":48.6,"category_id":"cat_meals"}
`,
  ({ line }) => {
    if (line.startsWith('GET /expenses/categories')) return { body: onePage(CATEGORIES) };
    if (line.startsWith('GET /projects')) return { body: onePage([{ id: 9, name: 'Harbour website' }]) };
    return { body: line.startsWith('GET') ? onePage([]) : envelope({ id: ID }) };
  },
);

const TRAIN = {
  ...{ id: ID, member: 'Ana Sousa', expense_name: 'Train', expense_date: 'Nov 20, 2026' },
  ...{ amount: 48.6, added_dte: 'Nov 21, 2026' },
};

describe('an expense', () => {
  it.each([
    [`expenses update ${ID} --amount 50`, 'missing --name, --date, --category'],
    ['expenses create --name x --date 2026-02-30 --amount 1 --category a', '2026-02-30 is not a valid date'],
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
