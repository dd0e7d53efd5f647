import { describe, expect, it } from 'vitest';
import { quickClock } from '../support/clocks.ts';
import { envelope, onePage } from '../support/service.ts';
import { ask } from '../support/use-cli.ts';

/** `workspace_id` goes into the query of a read, query and body of a write (docs/service.md, Where values travel). */

const ID = '8c1f2b3a-5d6e-4f70-8a9b-0c1d2e3f4a5b';

const POLICIES = [
  { id: 3, name: 'Annual leave' },
  { id: 4, name: 'Sick leave' },
];
const LEAVES = [
  { id: ID, status: 'pending' },
  { id: 'b', status: 'approved' },
];

const answer = ({ line }: { line: string }) => {
  if (!line.startsWith('GET')) return { body: envelope({ id: ID, reject_reason: 'late' }) };
  if (line.startsWith('GET /leaves/policies')) return { body: onePage(POLICIES) };
  return { body: onePage(line.startsWith('GET /members') ? [{ id: 17, email: 'ana@example.com' }] : LEAVES) };
};

describe('a decision', () => {
  it.each([
    [`leaves approve ${ID} --status pending --yes`, 'filters need --all'],
    ['leaves approve --all --status rejected --yes', 'only pending leave requests can be approved'],
    [`leaves reject ${ID} --yes`, 'missing --reason'],
    [`leaves approve ${ID}`, 'approving 1 leave request needs confirmation'],
  ])('is refused before any request: %s', async (line, message) => {
    const { exit, stderr, lines } = await ask(line, answer);
    expect([exit, stderr, lines]).toEqual([2, expect.stringContaining(`error: ${message}`), []]);
  });

  it('on one that is decided already is refused by the service, with a way to see it', async () => {
    const body = { success: false, message: 'Already approved.', meta: {} };
    const { exit, stderr } = await ask(`leaves approve ${ID} --yes`, () => ({ status: 400, body }));
    expect(exit).toBe(6);
    expect(stderr).toContain('error: Already approved.');
    expect(stderr).toContain(`ttctl leaves list --id ${ID}`);
  });
});

describe('for people', () => {
  const table = async (rows: readonly object[], line: string) => {
    const { stdout } = await ask(line, ({ line: asked }) => {
      const names = asked.startsWith('GET /members') ? [{ id: 17, firstname: 'Ana', lastname: 'Sousa' }] : [];
      const policies = asked.startsWith('GET /leaves/policies') ? POLICIES : [];
      return { body: onePage(/^GET .leaves(.balances)?\?/.test(asked) ? rows : [...names, ...policies]) };
    });
    return stdout.split('\n').map((text) => text.trim().split(/ {2,}/));
  };

  it('a leave says who, which, when, how long, paid or not; nothing of what it has not', async () => {
    const row = {
      id: 'l1',
      user_id: 17,
      policy_id: 4,
      start_date: '2026-12-05',
      end_date: '2026-12-09',
      total: { days: 5, hours: 40 },
      is_paid: 'yes',
      status: 'pending',
    };
    const [heading, cells] = await table([row], 'leaves list');
    expect(heading).toEqual(['MEMBER', 'POLICY', 'PERIOD', 'DAYS', 'STATUS', 'PAID', 'REQUESTED', 'ID']);
    expect(cells).toEqual([
      ...['Ana Sousa', 'Sick leave', '2026-12-05 to 2026-12-09', '5', 'pending', 'yes', '-', 'l1'],
    ]);
  });

  it('a leave says on a terminal how long it waits', async () => {
    const row = { id: 'l1', user_id: 17, status: 'pending', created_on: '2026-11-06T09:00:00Z' };
    const list = (machine = {}) =>
      ask(
        'leaves list --timezone UTC',
        ({ line }) => ({ body: onePage(line.startsWith('GET /leaves?') ? [row] : []) }),
        { machine },
      );
    const clock = { ...quickClock, now: () => Date.parse('2026-11-20T13:00:00Z') };
    const { stdout } = await list({ width: 200, clock });
    const piped = await list();
    expect(stdout).toContain('14 d ago');
    expect(piped.stdout).toContain('2026-11-06 09:00Z');
  });

  it('a balance is words, whatever comes', async () => {
    const rows = [
      {
        user_name: 'Ana',
        leave_information: [
          { leave_type: 'Annual', balance: '10 days' },
          { leave_type: 'Sick', balance: '1 hour' },
        ],
        total_balance: '11 days',
      },
      { user_name: 'Bo', leave_information: null, total_balance: null },
      { user_name: 'Cy', leave_information: [null, {}], total_balance: '2 weeks' },
    ];
    const lines = await table(rows, 'leaves balances --period 2026');
    expect(lines.slice(1, 4)).toEqual([
      ['Ana', '10 days', '1 hour', '-', '11 days'],
      ['Bo', '-', '-', '-', '-'],
      ['Cy', '-', '-', '-', '2 weeks'],
    ]);
  });
});
