import { describe, expect, it } from 'vitest';
import { envelope, onePage } from '../support/service.ts';
import { useCli } from '../support/use-cli.ts';

/** What is written is chosen by filters, and a server or a proxy may ignore any of them. */

const person = (id: number, email: string, more = {}) => ({ id, email, status: 'active', ...more });
const decidable = (id: string, user: number, more = {}) => ({
  id,
  user_id: user,
  status: 'pending',
  ...more,
});
const LISTS: Record<string, readonly object[]> = {
  members: [
    person(17, 'Ana@example.com', { current_role: 'Team manager' }),
    person(18, 'bo@example.com', { current_role: 'Regular User', status: 'inactive' }),
    person(19, 'mei@example.com'),
  ],
  'project-viewers': [person(31, 'vi@example.com'), person(32, 'wu@example.com')],
  projects: [
    { id: 5, name: 'New Harbour' },
    { id: 6, name: 'Kiosk' },
  ],
  contracts: [
    { id: 1, project_id: 5, user_id: 17, status: 'active' },
    { id: 2, project_id: 6, user_id: 18, status: 'active' },
    { id: 3, project_id: 5, user_id: 17, status: 'paused' },
  ],
  tasks: [
    { id: 1, project_id: 5, status: 1, priority: 1 },
    { id: 2, project_id: 6, status: 2, priority: 1 },
  ],
  timesheets: [
    { id: 's45', user_id: 17, date_from: '2026-11-02', date_to: '2026-11-08', status: 'submitted' },
    { id: 's46', user_id: 17, date_from: '2026-11-09', date_to: '2026-11-15', status: 'submitted' },
    { id: 's46b', member: { id: 18 }, date_from: '2026-11-09', date_to: '2026-11-15', status: 'submitted' },
    { id: 'bare', status: 'submitted' },
  ],
  leaves: [
    decidable('l1', 17, { policy_id: 3, is_paid: 'yes', start_date: '2026-11-02', end_date: '2026-11-12' }),
    decidable('l2', 18, { policy_id: 4, is_paid: false, start_date: '2026-11-20', end_date: null }),
  ],
  'time-requests': [
    decidable('t1', 17, { start: '2026-11-08T23:30:00Z', end: '2026-11-09T00:30:00Z' }),
    decidable('t2', 18, { start: '2026-11-09T22:00:00-05:00', end: '2026-11-09T23:00:00-05:00' }),
    decidable('t3', 18, { start: '2026-11-20T08:00:00Z', end: '2026-11-20T09:00:00Z' }),
  ],
};

const { run, sent } = useCli({
  service: ({ line }) => {
    const name = /^GET \/(?:.*\/)?([\w-]+)\?/.exec(line)?.[1] ?? '';
    return { body: line.startsWith('GET') ? onePage(LISTS[name] ?? []) : envelope(null) };
  },
});
const targets = () => sent().map((line) => /\/([\w]+)(\/approve|\/submit)?[? ]/.exec(line)?.[1] ?? line);

describe('a filter that is ignored chooses nothing: what shows another value is left out, and told', () => {
  it.each([
    // The third member does not show the role.
    ['members archive --all --role team-manager', 'role', 1, ['17', '19']],
    ['members archive --all --email ANA@example.com', 'email', 2, ['17']],
    ['viewers archive --all --email wu@example.com', 'email', 1, ['32']],
    ['projects archive --all --name harbour', 'name', 1, ['5']],
    ['contracts archive --all --project 6', 'project_id', 2, ['2']],
    ['tasks archive --all --project 5', 'project_id', 1, ['1']],
    ['timesheets approve --all --period 2026-W45', 'date_to', 2, ['s45', 'bare']],
    ['timesheets approve --all --date-from 2026-11-09', 'date_from', 1, ['s46', 's46b', 'bare']],
    ['timesheets approve --all --id s46', 'id', 3, ['s46']],
    ['leaves approve --all --policy 4', 'policy_id', 1, ['l2']],
    ['leaves approve --all --paid no', 'is_paid', 1, ['l2']],
    ['leaves approve --all --period 2026-W46', 'date_to', 1, ['l1']],
    ['time-requests approve --all --member 17', 'user_id', 2, ['t1']],
  ] as const)('%s', async (line, flags, count, chosen) => {
    const { exit, stderr } = await run(`${line} --yes`);
    expect([exit, targets().sort()]).toEqual([0, [...chosen].sort()]);
    const rows = count === 1 ? '1 row that did not match was' : `${count} rows that did not match were`;
    expect(stderr).toContain(`the service ignored ${flags}: ${rows} left out`);
  });

  it.each([
    ['members archive --all --status inactive', '2 members have the status "active"', ['18']],
    ['contracts archive --all --status paused', '2 contracts have the status "active"', ['3']],
  ] as const)('%s', async (line, said, chosen) => {
    const { exit, stderr } = await run(`${line} --yes`);
    expect([exit, targets()]).toEqual([0, chosen]);
    expect(stderr).toContain(`${said}, which was not asked for`);
  });

  it('a moment at the edge of the period may be on the next day elsewhere', async () => {
    const { exit } = await run(
      'time-requests approve --all --date-from 2026-11-10 --date-to 2026-11-12 --yes',
    );
    expect([exit, targets().sort()]).toEqual([0, ['t1', 't2']]);
  });

  it('a record named by its member is one of those that the filters mean', async () => {
    const { exit, stderr } = await run('timesheets approve ana@example.com --period 2026-W46 --yes');
    expect([exit, targets()]).toEqual([0, ['s46']]);
    expect(stderr).toContain('the service ignored date_from: 1 row that did not match was left out');
  });

  it('nothing is told of a service that heeds them', async () => {
    const { stderr } = await run('timesheets approve --all --date-from 2026-11-01 --yes');
    expect([targets().length, stderr]).toEqual([4, expect.not.stringContaining('ignored')]);
  });

  it('the inbox has what its period means', async () => {
    const { stdout } = await run('inbox --period 2026-W45 -o ids');
    expect(stdout.split('\n').filter(Boolean)).toEqual(expect.not.arrayContaining(['s46', 'l2', 't3']));
    expect(stdout).toContain('s45');
  });
});

describe('R10: a status that nobody knows, or asked for, is named and chosen by nothing', () => {
  const sheet = (id: string, status: string | undefined) => ({ ...LISTS.timesheets?.[0], id, status });
  const odd = [
    sheet('a', 'pending_review'),
    sheet('b', 'Pending_Review'),
    sheet('c', 'approved'),
    sheet('d', 'SUBMITTED'),
    sheet('e', undefined),
  ];
  const UNKNOWN = '2 timesheets have the status "pending_review", which is not known';
  const OTHER = '1 timesheet has the status "approved", which was not asked for';
  const NONE = '1 timesheet has no status';

  it.each([
    ['timesheets approve --all --yes', ['d']],
    ['timesheets list --status submitted', []],
    ["timesheets list --status submitted --where 'user_id == `17`' -o ids", []],
    ['inbox --kind timesheet', []],
    ['members archive 17 --dry-run', []],
  ])('%s', async (line, sent) => {
    const known = LISTS.timesheets;
    LISTS.timesheets = odd;
    const { stdout, stderr, exit } = await run(line);
    LISTS.timesheets = known ?? [];
    expect(exit, stderr).toBe(0);
    for (const said of [UNKNOWN, OTHER, NONE]) expect(stderr).toContain(said);
    expect(targets()).toEqual(sent);
    if (line.endsWith('ids')) expect(stdout).toBe('d\n');
  });
});
