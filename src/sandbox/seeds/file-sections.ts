import * as read from '../read.ts';
import type { Contract, ExpenseCategory, LeavePolicy, Project } from '../records.ts';
import { invalid } from '../refusal.ts';
import { dayAfter } from '../sheets.ts';
import type { Membership } from '../world.ts';
import * as build from './builder.ts';
import * as entry from './entries.ts';
import { type Entry, mistake, named } from './entry-reader.ts';

/** The lists of a seed file, and how a row of each becomes a record. */

const ROLES = [
  'Owner',
  'Executive manager',
  'Team manager',
  'Project manager',
  'Regular User',
  'Project viewer',
] as const;

const DECISIONS = ['pending', 'approved', 'rejected'] as const;
const SHEETS = ['open', 'submitted', 'rejected', 'approved'] as const;

/** What the file has made so far, by the names that it uses. */
export interface Known {
  readonly file: string;
  readonly plot: build.Plot;
  readonly members: Map<string, Membership>;
  readonly projects: Map<string, Project>;
  readonly policies: Map<string, LeavePolicy>;
  readonly categories: Map<string, ExpenseCategory>;
}

const dayIn =
  (plot: build.Plot): read.Reader<string> =>
  (raw, name) => {
    const shift = raw === 'today' ? '0' : /^([+-]\d{1,4})d$/.exec(String(raw))?.[1];
    if (shift !== undefined) return build.dayAgo(plot, -Number(shift));
    if (!read.isDay(raw)) throw invalid(name, `${name} must be YYYY-MM-DD, today, -7d or +7d`);
    return raw;
  };

/** Without the fields that the file left out, so that the builder's defaults stand. */
const given = <T extends object>(fields: T): { [K in keyof T]?: Exclude<T[K], undefined> } =>
  Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as {
    [K in keyof T]?: Exclude<T[K], undefined>;
  };

const addMember = (known: Known, row: Entry): void => {
  const email = row.need('email', read.email);
  if (known.members.has(email)) throw mistake(known.file, row.line, `${email} appears twice`);
  const name = [row.need('firstname', read.anyText), row.need('lastname', read.anyText)] as const;
  const more = given({
    role: row.maybe('role', read.oneOf(ROLES)),
    status: row.maybe('status', read.oneOf(['active', 'inactive', 'left', 'unknown'])),
    zone: row.maybe('timezone', read.zoneName),
    team_name: row.maybe('team_name', read.anyText),
    title: row.maybe('title', read.anyText),
    rate: row.maybe('rate', read.amount),
    rate_status: row.maybe('rate_status', read.integer(0, 1)),
    weekly_hours_limit: row.maybe('weekly_hours_limit', read.integer(0)),
  });
  known.members.set(email, build.addPerson(known.plot, { email, name, ...more }));
};

const addProject = (known: Known, row: Entry): void => {
  const name = row.need('name', read.text);
  const people = row.maybe('members', read.listOf(named('member', known.members))) ?? [];
  const project = build.addProject(
    known.plot,
    name,
    given({
      is_billable: row.maybe('is_billable', read.flag),
      rate: row.maybe('rate', read.amount),
      estimation: row.maybe('estimation', read.amount),
      start_date: row.maybe('start_date', dayIn(known.plot)),
      deadline: row.maybe('deadline', dayIn(known.plot)),
      notes: row.maybe('notes', read.anyText),
    }),
  );
  known.projects.set(name, project);
  for (const person of people) build.addContract(known.plot, project, person.user_id);
};

const addTask = (known: Known, row: Entry): void => {
  const project = row.need('project', named('project', known.projects));
  const more = given({
    status: row.maybe('status', read.oneNumberOf([0, 10, 20, 30])),
    priority: row.maybe('priority', read.oneNumberOf([10, 20, 30, 40])),
    description: row.maybe('description', read.anyText),
  });
  build.addTask(known.plot, project, row.need('title', read.text), more);
};

const addTimesheet = (known: Known, row: Entry): void => {
  const member = row.need('member', named('member', known.members));
  const from = row.need('date_from', dayIn(known.plot));
  const status = row.need('status', read.oneOf(SHEETS));
  const minutes = Math.round((row.maybe('total_hours', read.amount) ?? 0) * 60);
  const reason = row.maybe('reject_reason', read.text) ?? null;
  const sheet = entry.addSheet(known.plot, member.user_id, 0, status, minutes, reason);
  sheet.date_from = from;
  sheet.date_to = row.maybe('date_to', dayIn(known.plot)) ?? dayAfter(from, 6);
  sheet.submitted_on = status === 'open' ? null : `${dayAfter(sheet.date_to, 1)}T08:00:00.000Z`;
  if (sheet.date_to < from) throw mistake(known.file, row.line, 'date_to is before date_from');
};

const addLeave = (known: Known, row: Entry): void => {
  const member = row.need('member', named('member', known.members));
  const policy = row.need('policy', named('leave policy', known.policies));
  const start = row.need('start_date', dayIn(known.plot));
  const end = row.need('end_date', dayIn(known.plot));
  if (end < start) throw mistake(known.file, row.line, 'end_date is before start_date');
  const days = Math.round((Date.parse(end) - Date.parse(start)) / 86_400_000) + 1;
  const status = row.maybe('status', read.oneOf(DECISIONS)) ?? 'pending';
  const note = row.maybe('note', read.anyText) ?? null;
  const leave = entry.addLeave(known.plot, member.user_id, policy, 0, days, status, note);
  leave.start_date = start;
  leave.end_date = end;
};

const contractOf = (known: Known, row: Entry): Contract => {
  const member = row.need('member', named('member', known.members));
  const project = row.need('project', named('project', known.projects));
  const contract = Object.values(known.plot.space.contracts).find(
    (candidate) => candidate.user_id === member.user_id && candidate.project_id === project.id,
  );
  return contract ?? build.addContract(known.plot, project, member.user_id);
};

const addTimeRequest = (known: Known, row: Entry): void => {
  const contract = contractOf(known, row);
  const status = row.maybe('status', read.oneOf(DECISIONS)) ?? 'pending';
  const notes = row.maybe('notes', read.anyText) ?? null;
  const request = entry.addTimeRequest(known.plot, contract, 0, status, notes);
  request.start = row.need('start', read.moment);
  request.end = row.need('end', read.moment);
  if (request.end <= request.start) throw mistake(known.file, row.line, 'end is not after start');
};

const addExpense = (known: Known, row: Entry): void => {
  const member = row.need('member', named('member', known.members));
  const name = row.need('expense_name', read.text);
  const more = given({
    date: row.need('date', dayIn(known.plot)),
    category_id: row.maybe('category', named('category', known.categories))?.id,
    project_id: row.maybe('project', named('project', known.projects))?.id,
    note: row.maybe('note', read.anyText),
    is_billable: row.maybe('is_billable', read.flag),
  });
  entry.addExpense(known.plot, member.user_id, name, row.need('amount', read.amount), 0, more);
};

const addPolicy = (known: Known, row: Entry): void => {
  const name = row.need('name', read.text);
  const paid = row.maybe('is_paid', read.flag) ?? true;
  const policy = entry.addPolicy(known.plot, name, paid, row.maybe('duration', read.amount) ?? 20);
  known.policies.set(name, policy);
};

const addWebhook = (known: Known, row: Entry): void => {
  entry.addWebhook(known.plot, row.need('url', read.text), row.need('events', read.listOf(read.text)));
};

/** In this order, since the later name what the earlier made. */
export const SECTIONS: readonly (readonly [string, (known: Known, row: Entry) => void])[] = [
  ['members', addMember],
  ['projects', addProject],
  ['contracts', contractOf],
  ['tasks', addTask],
  ['timesheets', addTimesheet],
  ['leave_policies', addPolicy],
  ['leaves', addLeave],
  ['time_requests', addTimeRequest],
  ['expenses', addExpense],
  ['webhooks', addWebhook],
];
