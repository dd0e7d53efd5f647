import { closeSync, constants, fstatSync, openSync, readFileSync } from 'node:fs';
import { isRecord } from '../../json/number.ts';
import { parseJson } from '../../json/parse.ts';
import { EXIT, Failure, UsageError } from '../../outcome.ts';
import { MAX_BYTES, MAX_SIZE } from '../../parsing/input-limits.ts';
import { findNearest } from '../../parsing/names.ts';
import { invalid, Refusal } from '../answer.ts';
import { suggestFrom } from '../dialect.ts';
import * as read from '../input.ts';
import { addDaysTo, newCategory, newLeavePolicy, newWebhook, type Place } from '../records.ts';
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
  const document = new SeedEntry(file, parsed.value);
  const world = build.createWorld(file, options);
  const name = document.maybe('workspace', read.filledText) ?? 'Seeded workspace';
  const place = build.addWorkspace(world, options.now, name);
  const state: SeedFileState = {
    place,
    day: createDayReader(place),
    members: new Map(),
    projects: new Map(),
    policies: new Map(),
    categories: new Map(),
  };
  for (const category of document.maybe('categories', read.list(read.filledText)) ?? []) {
    state.categories.set(category, newCategory(place, category));
  }
  for (const [section, add] of SECTIONS) {
    for (const row of document.entries(section)) {
      add(state, row);
      row.close();
    }
  }
  document.close();
  if (Object.values(place.workspace.members).filter(({ role }) => role === 'Owner').length !== 1)
    throw createSeedError(file, '', 'exactly one member must have the role Owner');
  return world;
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
      reason: cause instanceof Error ? cause.message : 'unknown',
      cause,
    });
  }
  return seedFromText(text, path, options);
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

/** One object of a seed file; every field that it has must be known. */
class SeedEntry {
  readonly #file: string;
  readonly #fields: Readonly<Record<string, unknown>>;
  /** `members[1]`; empty: the whole file. */
  readonly #place: string;
  readonly #known = new Set<string>();

  constructor(file: string, value: unknown, place = '') {
    if (!isRecord(value)) throw createSeedError(file, place, 'expected an object in braces');
    this.#file = file;
    this.#fields = value;
    this.#place = place;
  }

  maybe<T>(name: string, reader: read.Reader<T>): T | undefined {
    this.#known.add(name);
    const field = this.#fields[name] ?? undefined;
    if (field === undefined) return undefined;
    try {
      return reader(field, name, false);
    } catch (error) {
      if (error instanceof UsageError) throw this.error(error.message, error.hint);
      if (error instanceof Refusal) throw this.error(error.message);
      throw error;
    }
  }

  need<T>(name: string, reader: read.Reader<T>): T {
    const found = this.maybe(name, reader);
    if (found === undefined) throw this.error(`${name} is missing`);
    return found;
  }

  /** The objects of a list; none where the field is absent. */
  entries(name: string): SeedEntry[] {
    this.#known.add(name);
    const list = this.#fields[name] ?? [];
    if (!Array.isArray(list)) throw this.error(`${name} must be a list`);
    return list.map((part, index) => new SeedEntry(this.#file, part, `${name}[${index}]`));
  }

  /** @throws UsageError for a field that was not asked for */
  close(): void {
    const name = Object.keys(this.#fields).find((field) => !this.#known.has(field));
    if (name !== undefined) throw this.error(`unknown field: ${name}`, suggestFrom(name, [...this.#known]));
  }

  error(message: string, hint?: string): UsageError {
    return createSeedError(this.#file, this.#place, message, hint);
  }
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
const SECTIONS: readonly (readonly [string, (state: SeedFileState, row: SeedEntry) => void])[] = [
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
    const hint =
      words.length > 20 ? (findNearest(String(raw), words) ?? '') : suggestFrom(String(raw), words);
    throw new UsageError(`${name}: no ${kind} ${String(raw)} in this file`, hint === '' ? {} : { hint });
  };
}

/** Without the fields that the file left out, so that the defaults of a new record stand. */
function omitUndefined<T extends object>(fields: T): { [K in keyof T]?: Exclude<T[K], undefined> } {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as {
    [K in keyof T]?: Exclude<T[K], undefined>;
  };
}

function addMember({ place, members }: SeedFileState, row: SeedEntry): void {
  const email = row.need('email', read.address);
  if (members.has(email)) throw row.error(`${email} appears twice`);
  const name = [row.need('firstname', read.anyText), row.need('lastname', read.anyText)] as const;
  const fields = omitUndefined({
    role: row.maybe('role', read.choice(W.MEMBER_ROLES)),
    status: row.maybe('status', read.choice(W.MEMBER_STATUSES)),
    zone: row.maybe('timezone', read.zone),
    team_name: row.maybe('team_name', read.anyText),
    title: row.maybe('title', read.anyText),
    rate: row.maybe('rate', read.amount),
    rate_status: row.maybe('rate_status', read.wholeNumber(0, 1)),
    weekly_hours_limit: row.maybe('weekly_hours_limit', read.wholeNumber(0)),
  });
  members.set(email, build.addPerson(place, { email, name, ...fields }));
}

function addProject({ place, members, projects, day }: SeedFileState, row: SeedEntry): void {
  const name = row.need('name', read.filledText);
  const workers = row.maybe('members', read.list(named('member', members))) ?? [];
  const fields = omitUndefined({
    is_billable: row.maybe('is_billable', read.flag),
    rate: row.maybe('rate', read.amount),
    estimation: row.maybe('estimation', read.amount),
    start_date: row.maybe('start_date', day),
    deadline: row.maybe('deadline', day),
    notes: row.maybe('notes', read.anyText),
  });
  const project = build.addProject(place, name, fields);
  projects.set(name, project);
  for (const { user_id } of workers) build.addContract(place, project, user_id);
}

function findOrAddContract({ place, members, projects }: SeedFileState, row: SeedEntry): W.Contract {
  const { user_id } = row.need('member', named('member', members));
  const project = row.need('project', named('project', projects));
  const contract = Object.values(place.workspace.contracts).find(
    (candidate) => candidate.user_id === user_id && candidate.project_id === project.id,
  );
  return contract ?? build.addContract(place, project, user_id);
}

function addTask({ place, projects }: SeedFileState, row: SeedEntry): void {
  const project = row.need('project', named('project', projects));
  const fields = omitUndefined({
    status: row.maybe('status', read.numberChoice(W.TASK_STATUSES)),
    priority: row.maybe('priority', read.numberChoice(W.PRIORITIES)),
    description: row.maybe('description', read.anyText),
  });
  build.addTask(place, project, row.need('title', read.filledText), fields);
}

function addTimesheet({ place, members, day }: SeedFileState, row: SeedEntry): void {
  const { user_id } = row.need('member', named('member', members));
  const from = row.need('date_from', day);
  const status = row.need('status', read.choice(W.TIMESHEET_STATUSES));
  const minutes = Math.round((row.maybe('total_hours', read.amount) ?? 0) * 60);
  const reason = row.maybe('reject_reason', read.filledText) ?? null;
  const sheet = build.addSheet(place, user_id, 0, status, minutes, reason);
  sheet.date_from = from;
  sheet.date_to = row.maybe('date_to', day) ?? addDaysTo(from, 6);
  sheet.submitted_on = status === 'open' ? null : `${addDaysTo(sheet.date_to, 1)}T08:00:00.000Z`;
  if (sheet.date_to < from) throw row.error('date_to is before date_from');
}

function addPolicy({ place, policies }: SeedFileState, row: SeedEntry): void {
  const name = row.need('name', read.filledText);
  const is_paid = row.maybe('is_paid', read.flag) ?? true;
  const duration = row.maybe('duration', read.amount) ?? 20;
  policies.set(name, newLeavePolicy(place, { name, is_paid, duration }));
}

function addLeave({ place, members, policies, day }: SeedFileState, row: SeedEntry): void {
  const { user_id } = row.need('member', named('member', members));
  const policy = row.need('policy', named('leave policy', policies));
  const start_date = row.need('start_date', day);
  const end_date = row.need('end_date', day);
  if (end_date < start_date) throw row.error('end_date is before start_date');
  const days = Math.round((Date.parse(end_date) - Date.parse(start_date)) / 86_400_000) + 1;
  const status = row.maybe('status', read.choice(W.DECISIONS)) ?? 'pending';
  const note = row.maybe('note', read.anyText) ?? null;
  Object.assign(build.addLeave(place, user_id, policy, 0, days, status, note), { start_date, end_date });
}

function addTimeRequest(state: SeedFileState, row: SeedEntry): void {
  const contract = findOrAddContract(state, row);
  const status = row.maybe('status', read.choice(W.DECISIONS)) ?? 'pending';
  const notes = row.maybe('notes', read.anyText) ?? null;
  const [start, end] = [row.need('start', read.moment), row.need('end', read.moment)];
  if (end <= start) throw row.error('end is not after start');
  Object.assign(build.addTimeRequest(state.place, contract, 0, status, notes), { start, end });
}

function addExpense({ place, members, projects, categories, day }: SeedFileState, row: SeedEntry): void {
  const { user_id } = row.need('member', named('member', members));
  const name = row.need('expense_name', read.filledText);
  const fields = omitUndefined({
    date: row.need('date', day),
    category_id: row.maybe('category', named('category', categories))?.id,
    project_id: row.maybe('project', named('project', projects))?.id,
    note: row.maybe('note', read.anyText),
    is_billable: row.maybe('is_billable', read.flag),
  });
  build.addExpense(place, user_id, name, row.need('amount', read.amount), 0, fields);
}

function addWebhook({ place }: SeedFileState, row: SeedEntry): void {
  newWebhook(place, row.need('url', read.filledText), row.need('events', read.list(read.filledText)));
}
