import * as read from '../read.ts';
import type { Contract, ExpenseCategory, LeavePolicy, Project } from '../records.ts';
import { invalid } from '../refusal.ts';
import { addDaysTo } from '../sheets.ts';
import type { Membership } from '../world.ts';
import * as build from './builder.ts';
import * as entry from './entries.ts';
import { createNamedReader, createSeedError, type SeedEntry } from './entry-reader.ts';

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
export interface SeedFileState {
  readonly file: string;
  readonly plot: build.SeedContext;
  readonly members: Map<string, Membership>;
  readonly projects: Map<string, Project>;
  readonly policies: Map<string, LeavePolicy>;
  readonly categories: Map<string, ExpenseCategory>;
}

const dayIn =
  (context: build.SeedContext): read.Reader<string> =>
  (raw, name) => {
    const shift = raw === 'today' ? '0' : /^([+-]\d{1,4})d$/.exec(String(raw))?.[1];
    if (shift !== undefined) return build.toDayAgo(context, -Number(shift));
    if (!read.isCalendarDay(raw)) throw invalid(name, `${name} must be YYYY-MM-DD, today, -7d or +7d`);
    return raw;
  };

/** Without the fields that the file left out, so that the builder's defaults stand. */
const given = <T extends object>(fields: T): { [K in keyof T]?: Exclude<T[K], undefined> } =>
  Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as {
    [K in keyof T]?: Exclude<T[K], undefined>;
  };

const addMember = (known: SeedFileState, row: SeedEntry): void => {
  const email = row.need('email', read.emailReader);
  if (known.members.has(email)) throw createSeedError(known.file, row.line, `${email} appears twice`);
  const name = [row.need('firstname', read.anyTextReader), row.need('lastname', read.anyTextReader)] as const;
  const more = given({
    role: row.maybe('role', read.choiceReader(ROLES)),
    status: row.maybe('status', read.choiceReader(['active', 'inactive', 'left', 'unknown'])),
    zone: row.maybe('timezone', read.zoneReader),
    team_name: row.maybe('team_name', read.anyTextReader),
    title: row.maybe('title', read.anyTextReader),
    rate: row.maybe('rate', read.amountReader),
    rate_status: row.maybe('rate_status', read.integerReader(0, 1)),
    weekly_hours_limit: row.maybe('weekly_hours_limit', read.integerReader(0)),
  });
  known.members.set(email, build.addPerson(known.plot, { email, name, ...more }));
};

const addProject = (known: SeedFileState, row: SeedEntry): void => {
  const name = row.need('name', read.textReader);
  const people = row.maybe('members', read.listReader(createNamedReader('member', known.members))) ?? [];
  const project = build.addProject(
    known.plot,
    name,
    given({
      is_billable: row.maybe('is_billable', read.booleanReader),
      rate: row.maybe('rate', read.amountReader),
      estimation: row.maybe('estimation', read.amountReader),
      start_date: row.maybe('start_date', dayIn(known.plot)),
      deadline: row.maybe('deadline', dayIn(known.plot)),
      notes: row.maybe('notes', read.anyTextReader),
    }),
  );
  known.projects.set(name, project);
  for (const person of people) build.addContract(known.plot, project, person.user_id);
};

const addTask = (known: SeedFileState, row: SeedEntry): void => {
  const project = row.need('project', createNamedReader('project', known.projects));
  const more = given({
    status: row.maybe('status', read.numberChoiceReader([0, 10, 20, 30])),
    priority: row.maybe('priority', read.numberChoiceReader([10, 20, 30, 40])),
    description: row.maybe('description', read.anyTextReader),
  });
  build.addTask(known.plot, project, row.need('title', read.textReader), more);
};

const addTimesheet = (known: SeedFileState, row: SeedEntry): void => {
  const member = row.need('member', createNamedReader('member', known.members));
  const from = row.need('date_from', dayIn(known.plot));
  const status = row.need('status', read.choiceReader(SHEETS));
  const minutes = Math.round((row.maybe('total_hours', read.amountReader) ?? 0) * 60);
  const reason = row.maybe('reject_reason', read.textReader) ?? null;
  const sheet = entry.addSheet(known.plot, member.user_id, 0, status, minutes, reason);
  sheet.date_from = from;
  sheet.date_to = row.maybe('date_to', dayIn(known.plot)) ?? addDaysTo(from, 6);
  sheet.submitted_on = status === 'open' ? null : `${addDaysTo(sheet.date_to, 1)}T08:00:00.000Z`;
  if (sheet.date_to < from) throw createSeedError(known.file, row.line, 'date_to is before date_from');
};

const addLeave = (known: SeedFileState, row: SeedEntry): void => {
  const member = row.need('member', createNamedReader('member', known.members));
  const policy = row.need('policy', createNamedReader('leave policy', known.policies));
  const start = row.need('start_date', dayIn(known.plot));
  const end = row.need('end_date', dayIn(known.plot));
  if (end < start) throw createSeedError(known.file, row.line, 'end_date is before start_date');
  const days = Math.round((Date.parse(end) - Date.parse(start)) / 86_400_000) + 1;
  const status = row.maybe('status', read.choiceReader(DECISIONS)) ?? 'pending';
  const note = row.maybe('note', read.anyTextReader) ?? null;
  const leave = entry.addLeave(known.plot, member.user_id, policy, 0, days, status, note);
  leave.start_date = start;
  leave.end_date = end;
};

const contractOf = (known: SeedFileState, row: SeedEntry): Contract => {
  const member = row.need('member', createNamedReader('member', known.members));
  const project = row.need('project', createNamedReader('project', known.projects));
  const contract = Object.values(known.plot.space.contracts).find(
    (candidate) => candidate.user_id === member.user_id && candidate.project_id === project.id,
  );
  return contract ?? build.addContract(known.plot, project, member.user_id);
};

const addTimeRequest = (known: SeedFileState, row: SeedEntry): void => {
  const contract = contractOf(known, row);
  const status = row.maybe('status', read.choiceReader(DECISIONS)) ?? 'pending';
  const notes = row.maybe('notes', read.anyTextReader) ?? null;
  const request = entry.addTimeRequest(known.plot, contract, 0, status, notes);
  request.start = row.need('start', read.momentReader);
  request.end = row.need('end', read.momentReader);
  if (request.end <= request.start) throw createSeedError(known.file, row.line, 'end is not after start');
};

const addExpense = (known: SeedFileState, row: SeedEntry): void => {
  const member = row.need('member', createNamedReader('member', known.members));
  const name = row.need('expense_name', read.textReader);
  const more = given({
    date: row.need('date', dayIn(known.plot)),
    category_id: row.maybe('category', createNamedReader('category', known.categories))?.id,
    project_id: row.maybe('project', createNamedReader('project', known.projects))?.id,
    note: row.maybe('note', read.anyTextReader),
    is_billable: row.maybe('is_billable', read.booleanReader),
  });
  entry.addExpense(known.plot, member.user_id, name, row.need('amount', read.amountReader), 0, more);
};

const addPolicy = (known: SeedFileState, row: SeedEntry): void => {
  const name = row.need('name', read.textReader);
  const paid = row.maybe('is_paid', read.booleanReader) ?? true;
  const policy = entry.addPolicy(known.plot, name, paid, row.maybe('duration', read.amountReader) ?? 20);
  known.policies.set(name, policy);
};

const addWebhook = (known: SeedFileState, row: SeedEntry): void => {
  entry.addWebhook(
    known.plot,
    row.need('url', read.textReader),
    row.need('events', read.listReader(read.textReader)),
  );
};

/** In this order, since the later name what the earlier made. */
export const SECTIONS: readonly (readonly [string, (known: SeedFileState, row: SeedEntry) => void])[] = [
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
