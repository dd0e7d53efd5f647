import { closeSync, constants, fstatSync, openSync, readFileSync } from 'node:fs';
import { EXIT, Failure, UsageError } from '../../errors.ts';
import { isRecord, parseJson } from '../../json.ts';
import { findNearest, MAX_BYTES, MAX_SIZE } from '../../parsing/text.ts';
import { invalid, Refusal } from '../answer.ts';
import { suggestFrom } from '../dialect.ts';
import * as read from '../input.ts';
import { addDaysTo, newCategory, newLeavePolicy, newTimesheet, newWebhook, type Place } from '../records.ts';
import * as W from '../world.ts';
import * as build from './build.ts';

/**
 * A seed file: one workspace as JSON. People are named by e-mail address, the rest by name. Days are YYYY-MM-DD,
 * `today`, or `-7d` and `+7d` from today.
 */

/**
 * The world that a seed file describes.
 * @throws UsageError with file, place and, for a word that is not known, a suggestion.
 */
export function seedFromText(text: string, file: string, options: build.SeedOptions): W.World {
  const parsed = parseJson(text, { strict: true });
  if ('problem' in parsed)
    throw createSeedError(file, `line ${parsed.problem.line}`, `not JSON: ${parsed.problem.what}`);
  const place = build.createWorld(file, options, 'Seeded workspace');
  const { workspace } = place;
  const state: SeedFileState = {
    place,
    day: createDayReader(place),
    members: new Map(),
    projects: new Map(),
    policies: new Map(),
    categories: new Map(),
  };
  readEntry(file, '', parsed.value, (document) => {
    workspace.workspace_name = document.maybe('workspace', read.filledText) ?? workspace.workspace_name;
    for (const category of document.maybe('categories', read.list(read.filledText)) ?? [])
      state.categories.set(category, newCategory(place, category));
    for (const [section, add] of SECTIONS) {
      const rows =
        document.maybe(
          section,
          read.list((raw) => raw),
        ) ?? [];
      for (const [n, row] of rows.entries())
        readEntry(file, `${section}[${n}]`, row, (input) => add(state, input));
    }
  });
  if (Object.values(workspace.members).filter(({ role }) => role === 'Owner').length !== 1)
    throw createSeedError(file, '', 'exactly one member must have the role Owner');
  return place.world;
}

/**
 * Reads one object of a file, as the body of a request is read; every field that it has must be known.
 * @param place `members[1]`; empty: the whole file
 */
function readEntry(
  file: string,
  place: string,
  value: unknown,
  work: (input: read.RequestInput) => void,
): void {
  if (!isRecord(value)) throw createSeedError(file, place, 'expected an object in braces');
  const body = new Map(Object.entries(value).map(([name, raw]) => [name, { raw, wire: false }]));
  const input = new read.RequestInput({ query: new Map(), body });
  try {
    work(input);
  } catch (error) {
    if (error instanceof Refusal) throw createSeedError(file, place, error.message, error.facts.detail);
    throw error;
  }
  const unknown = input.unread()[0]?.replace('body.', '');
  if (unknown !== undefined)
    throw createSeedError(file, place, `unknown field: ${unknown}`, suggestFrom(unknown, input.namesRead()));
}

/**
 * The world of a seed file (an adapter).
 * @throws Failure where the file cannot be read, UsageError where something in it is wrong.
 */
export function readSeedFile(path: string, options: build.SeedOptions): W.World {
  let text: string;
  try {
    text = readRegularFile(path);
  } catch (cause) {
    throw new Failure(`cannot read the seed file ${path}`, {
      code: 'seed_file',
      exit: EXIT.usage,
      reason: explainUnread(cause),
      cause,
    });
  }
  return seedFromText(text, path, options);
}

function explainUnread(cause: unknown): string {
  if (!(cause instanceof Error)) return 'unknown';
  return 'code' in cause && cause.code === 'ENOENT' ? 'There is no such file.' : cause.message;
}

/** Of regular files alone: to open a pipe may wait for ever, and what it has may never end. */
function readRegularFile(path: string): string {
  const fd = openSync(path, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0));
  try {
    const stats = fstatSync(fd);
    if (!stats.isFile()) throw new Error('It is not a regular file.');
    if (stats.size > MAX_BYTES) throw new Error(`It is larger than ${MAX_SIZE}.`);
    return readFileSync(fd, 'utf8');
  } finally {
    closeSync(fd);
  }
}

function createSeedError(file: string, place: string, message: string, hint?: string): UsageError {
  return new UsageError(
    [file, place, message].filter(Boolean).join(': '),
    hint === undefined ? {} : { hint },
  );
}

/** What the file has made so far, by the names that it uses. */
interface SeedFileState {
  readonly place: Place;
  readonly day: read.Reader<string>;
  readonly members: Map<string, W.Membership>;
  readonly projects: Map<string, W.Project>;
  readonly policies: Map<string, W.LeavePolicy>;
  readonly categories: Map<string, W.ExpenseCategory>;
}

/** In this order, since the later name what the earlier made. */
const SECTIONS: readonly (readonly [string, (state: SeedFileState, row: read.RequestInput) => void])[] = [
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

function createDayReader(place: Place): read.Reader<string> {
  return (raw, name) => {
    const days = raw === 'today' ? '0' : /^([+-]\d{1,4})d$/.exec(String(raw))?.[1];
    if (days !== undefined) return build.toDayAgo(place, -Number(days));
    if (!read.isCalendarDay(raw)) throw invalid(name, `${name} must be YYYY-MM-DD, today, -7d or +7d`);
    return raw;
  };
}

/**
 * The one of `known` that a value names.
 * @param kind for the message: `member`
 */
function named<T>(kind: string, known: ReadonlyMap<string, T>): read.Reader<T> {
  return (raw, name) => {
    const value = typeof raw === 'string' ? known.get(raw) : undefined;
    if (value !== undefined) return value;
    const words = [...known.keys()];
    const detail =
      words.length > 20 ? (findNearest(String(raw), words) ?? '') : suggestFrom(String(raw), words);
    throw new Refusal(400, `${name}: no ${kind} ${String(raw)} in this file`, { detail });
  };
}

function addMember({ place, members }: SeedFileState, row: read.RequestInput): void {
  const email = row.need('email', read.address);
  if (members.has(email)) throw invalid('email', `${email} appears twice`);
  const name = [row.need('firstname', read.anyText), row.need('lastname', read.anyText)] as const;
  const { timezone: zone, ...fields } = row.given({
    role: read.choice(W.MEMBER_ROLES),
    status: read.choice(W.MEMBER_STATUSES),
    timezone: read.zone,
    team_name: read.anyText,
    title: read.anyText,
    rate: read.amount,
    rate_status: read.wholeNumber(0, 1),
    weekly_hours_limit: read.wholeNumber(0),
  });
  members.set(email, build.addPerson(place, { email, name, ...(zone && { zone }), ...fields }));
}

function addProject({ place, members, projects, day }: SeedFileState, row: read.RequestInput): void {
  const name = row.need('name', read.filledText);
  const workers = row.maybe('members', read.list(named('member', members))) ?? [];
  const fields = row.given({
    is_billable: read.flag,
    rate: read.amount,
    estimation: read.amount,
    start_date: day,
    deadline: day,
    notes: read.anyText,
  });
  const project = build.addProject(place, name, fields);
  projects.set(name, project);
  for (const { user_id } of workers) build.addContract(place, project, user_id);
}

function findOrAddContract({ place, members, projects }: SeedFileState, row: read.RequestInput): W.Contract {
  const { user_id } = row.need('member', named('member', members));
  const project = row.need('project', named('project', projects));
  const contract = Object.values(place.workspace.contracts).find(
    (candidate) => candidate.user_id === user_id && candidate.project_id === project.id,
  );
  return contract ?? build.addContract(place, project, user_id);
}

function addTask({ place, projects }: SeedFileState, row: read.RequestInput): void {
  const project = row.need('project', named('project', projects));
  const fields = row.given({
    status: read.numberChoice(W.TASK_STATUSES),
    priority: read.numberChoice(W.PRIORITIES),
    description: read.anyText,
  });
  build.addTask(place, project, row.need('title', read.filledText), fields);
}

function addTimesheet({ place, members, day }: SeedFileState, row: read.RequestInput): void {
  const { user_id } = row.need('member', named('member', members));
  const from = row.need('date_from', day);
  const status = row.need('status', read.choice(W.TIMESHEET_STATUSES));
  const to = row.maybe('date_to', day) ?? addDaysTo(from, 6);
  if (to < from) throw invalid('date_to', 'date_to is before date_from');
  newTimesheet(place, {
    user_id,
    date_from: from,
    date_to: to,
    total_minutes: Math.round((row.maybe('total_hours', read.amount) ?? 0) * 60),
    submitted_on: status === 'open' ? null : `${addDaysTo(to, 1)}T08:00:00.000Z`,
    reject_reason: row.maybe('reject_reason', read.filledText) ?? null,
    status,
  });
}

function addPolicy({ place, policies }: SeedFileState, row: read.RequestInput): void {
  const name = row.need('name', read.filledText);
  const fields = row.given({ is_paid: read.flag, duration: read.amount });
  policies.set(name, newLeavePolicy(place, { name, ...fields }));
}

function addLeave({ place, members, policies, day }: SeedFileState, row: read.RequestInput): void {
  const { user_id } = row.need('member', named('member', members));
  const policy = row.need('policy', named('leave policy', policies));
  const start_date = row.need('start_date', day);
  const end_date = row.need('end_date', day);
  if (end_date < start_date) throw invalid('end_date', 'end_date is before start_date');
  const days = Math.round((Date.parse(end_date) - Date.parse(start_date)) / 86_400_000) + 1;
  const { status = 'pending', note } = row.given({ status: read.choice(W.DECISIONS), note: read.anyText });
  Object.assign(build.addLeave(place, user_id, policy, 0, days, status, note), { start_date, end_date });
}

function addTimeRequest(state: SeedFileState, row: read.RequestInput): void {
  const contract = findOrAddContract(state, row);
  const { status = 'pending', notes } = row.given({ status: read.choice(W.DECISIONS), notes: read.anyText });
  const [start, end] = [row.need('start', read.moment), row.need('end', read.moment)];
  if (end <= start) throw invalid('end', 'end is not after start');
  Object.assign(build.addTimeRequest(state.place, contract, 0, status, notes), { start, end });
}

function addExpense(
  { place, members, projects, categories, day }: SeedFileState,
  row: read.RequestInput,
): void {
  const { user_id } = row.need('member', named('member', members));
  const name = row.need('expense_name', read.filledText);
  const { category, project, ...fields } = row.given({
    category: named('category', categories),
    project: named('project', projects),
    note: read.anyText,
    is_billable: read.flag,
  });
  build.addExpense(place, user_id, name, row.need('amount', read.amount), 0, {
    date: row.need('date', day),
    category_id: category?.id ?? null,
    project_id: project?.id ?? null,
    ...fields,
  });
}

function addWebhook({ place }: SeedFileState, row: read.RequestInput): void {
  newWebhook(place, row.need('url', read.filledText), row.need('events', read.list(read.filledText)));
}
