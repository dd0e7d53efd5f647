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
const SHEET_STATUSES = ['open', 'submitted', 'rejected', 'approved'] as const;

/** What the file has made so far, by the names that it uses. */
export interface SeedFileState {
  readonly file: string;
  readonly context: build.SeedContext;
  readonly members: Map<string, Membership>;
  readonly projects: Map<string, Project>;
  readonly policies: Map<string, LeavePolicy>;
  readonly categories: Map<string, ExpenseCategory>;
}

const createDayReader =
  (context: build.SeedContext): read.Reader<string> =>
  (raw, name) => {
    const days = raw === 'today' ? '0' : /^([+-]\d{1,4})d$/.exec(String(raw))?.[1];
    if (days !== undefined) return build.toDayAgo(context, -Number(days));
    if (!read.isCalendarDay(raw)) throw invalid(name, `${name} must be YYYY-MM-DD, today, -7d or +7d`);
    return raw;
  };

/** Without the fields that the file left out, so that the builder's defaults stand. */
const omitUndefined = <T extends object>(fields: T): { [K in keyof T]?: Exclude<T[K], undefined> } =>
  Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as {
    [K in keyof T]?: Exclude<T[K], undefined>;
  };

const addMember = (state: SeedFileState, row: SeedEntry): void => {
  const email = row.need('email', read.emailReader);
  if (state.members.has(email)) throw createSeedError(state.file, row.place, `${email} appears twice`);
  const name = [row.need('firstname', read.anyTextReader), row.need('lastname', read.anyTextReader)] as const;
  const fields = omitUndefined({
    role: row.maybe('role', read.choiceReader(ROLES)),
    status: row.maybe('status', read.choiceReader(['active', 'inactive', 'left', 'unknown'])),
    zone: row.maybe('timezone', read.zoneReader),
    team_name: row.maybe('team_name', read.anyTextReader),
    title: row.maybe('title', read.anyTextReader),
    rate: row.maybe('rate', read.amountReader),
    rate_status: row.maybe('rate_status', read.integerReader(0, 1)),
    weekly_hours_limit: row.maybe('weekly_hours_limit', read.integerReader(0)),
  });
  state.members.set(email, build.addPerson(state.context, { email, name, ...fields }));
};

const addProject = (state: SeedFileState, row: SeedEntry): void => {
  const name = row.need('name', read.textReader);
  const members = row.maybe('members', read.listReader(createNamedReader('member', state.members))) ?? [];
  const project = build.addProject(
    state.context,
    name,
    omitUndefined({
      is_billable: row.maybe('is_billable', read.booleanReader),
      rate: row.maybe('rate', read.amountReader),
      estimation: row.maybe('estimation', read.amountReader),
      start_date: row.maybe('start_date', createDayReader(state.context)),
      deadline: row.maybe('deadline', createDayReader(state.context)),
      notes: row.maybe('notes', read.anyTextReader),
    }),
  );
  state.projects.set(name, project);
  for (const person of members) build.addContract(state.context, project, person.user_id);
};

const addTask = (state: SeedFileState, row: SeedEntry): void => {
  const project = row.need('project', createNamedReader('project', state.projects));
  const fields = omitUndefined({
    status: row.maybe('status', read.numberChoiceReader([0, 10, 20, 30])),
    priority: row.maybe('priority', read.numberChoiceReader([10, 20, 30, 40])),
    description: row.maybe('description', read.anyTextReader),
  });
  build.addTask(state.context, project, row.need('title', read.textReader), fields);
};

const addTimesheet = (state: SeedFileState, row: SeedEntry): void => {
  const member = row.need('member', createNamedReader('member', state.members));
  const from = row.need('date_from', createDayReader(state.context));
  const status = row.need('status', read.choiceReader(SHEET_STATUSES));
  const minutes = Math.round((row.maybe('total_hours', read.amountReader) ?? 0) * 60);
  const reason = row.maybe('reject_reason', read.textReader) ?? null;
  const sheet = entry.addSheet(state.context, member.user_id, 0, status, minutes, reason);
  sheet.date_from = from;
  sheet.date_to = row.maybe('date_to', createDayReader(state.context)) ?? addDaysTo(from, 6);
  sheet.submitted_on = status === 'open' ? null : `${addDaysTo(sheet.date_to, 1)}T08:00:00.000Z`;
  if (sheet.date_to < from) throw createSeedError(state.file, row.place, 'date_to is before date_from');
};

const addLeave = (state: SeedFileState, row: SeedEntry): void => {
  const member = row.need('member', createNamedReader('member', state.members));
  const policy = row.need('policy', createNamedReader('leave policy', state.policies));
  const start = row.need('start_date', createDayReader(state.context));
  const end = row.need('end_date', createDayReader(state.context));
  if (end < start) throw createSeedError(state.file, row.place, 'end_date is before start_date');
  const days = Math.round((Date.parse(end) - Date.parse(start)) / 86_400_000) + 1;
  const status = row.maybe('status', read.choiceReader(DECISIONS)) ?? 'pending';
  const note = row.maybe('note', read.anyTextReader) ?? null;
  const leave = entry.addLeave(state.context, member.user_id, policy, 0, days, status, note);
  leave.start_date = start;
  leave.end_date = end;
};

const findOrAddContract = (state: SeedFileState, row: SeedEntry): Contract => {
  const member = row.need('member', createNamedReader('member', state.members));
  const project = row.need('project', createNamedReader('project', state.projects));
  const contract = Object.values(state.context.workspace.contracts).find(
    (candidate) => candidate.user_id === member.user_id && candidate.project_id === project.id,
  );
  return contract ?? build.addContract(state.context, project, member.user_id);
};

const addTimeRequest = (state: SeedFileState, row: SeedEntry): void => {
  const contract = findOrAddContract(state, row);
  const status = row.maybe('status', read.choiceReader(DECISIONS)) ?? 'pending';
  const notes = row.maybe('notes', read.anyTextReader) ?? null;
  const request = entry.addTimeRequest(state.context, contract, 0, status, notes);
  request.start = row.need('start', read.momentReader);
  request.end = row.need('end', read.momentReader);
  if (request.end <= request.start) throw createSeedError(state.file, row.place, 'end is not after start');
};

const addExpense = (state: SeedFileState, row: SeedEntry): void => {
  const member = row.need('member', createNamedReader('member', state.members));
  const name = row.need('expense_name', read.textReader);
  const fields = omitUndefined({
    date: row.need('date', createDayReader(state.context)),
    category_id: row.maybe('category', createNamedReader('category', state.categories))?.id,
    project_id: row.maybe('project', createNamedReader('project', state.projects))?.id,
    note: row.maybe('note', read.anyTextReader),
    is_billable: row.maybe('is_billable', read.booleanReader),
  });
  entry.addExpense(state.context, member.user_id, name, row.need('amount', read.amountReader), 0, fields);
};

const addPolicy = (state: SeedFileState, row: SeedEntry): void => {
  const name = row.need('name', read.textReader);
  const isPaid = row.maybe('is_paid', read.booleanReader) ?? true;
  const policy = entry.addPolicy(state.context, name, isPaid, row.maybe('duration', read.amountReader) ?? 20);
  state.policies.set(name, policy);
};

const addWebhook = (state: SeedFileState, row: SeedEntry): void => {
  entry.addWebhook(
    state.context,
    row.need('url', read.textReader),
    row.need('events', read.listReader(read.textReader)),
  );
};

/** In this order, since the later name what the earlier made. */
export const SECTIONS: readonly (readonly [string, (state: SeedFileState, row: SeedEntry) => void])[] = [
  ['members', addMember],
  ['projects', addProject],
  ['contracts', findOrAddContract],
  ['tasks', addTask],
  ['timesheets', addTimesheet],
  ['leave_policies', addPolicy],
  ['leaves', addLeave],
  ['time_requests', addTimeRequest],
  ['expenses', addExpense],
  ['webhooks', addWebhook],
];
