import { readFileSync, statSync } from 'node:fs';
import { invalid, Refusal } from '../answer.ts';
import { isJsonObject, Problem, suggestFrom } from '../basics.ts';
import * as read from '../input.ts';
import { addDaysTo, addRecord, type Place } from '../records.ts';
import * as W from '../world.ts';
import * as build from './build.ts';

/**
 * A seed file: one workspace as JSON. People are named by e-mail address, the rest by name. Days are YYYY-MM-DD,
 * `today`, or `-7d` and `+7d` from today.
 */

interface SeedFileState {
  readonly place: Place;
  readonly day: read.Reader<string>;
  readonly members: Map<string, W.Membership>;
  readonly projects: Map<string, W.Project>;
  readonly policies: Map<string, W.LeavePolicy>;
  readonly categories: Map<string, W.ExpenseCategory>;
}

/** The world of a seed file (an adapter). @throws Problem where the file cannot be read, and as `seedFromText` */
export function readSeedFile(path: string, options: build.SeedOptions): W.World {
  let text: string;
  try {
    // Of regular files alone: what a pipe has may never end.
    if (!statSync(path).isFile()) throw new Error('It is not a regular file.');
    text = readFileSync(path, 'utf8');
  } catch (cause) {
    const { code, message } = cause as NodeJS.ErrnoException;
    const reason = code === 'ENOENT' ? 'There is no such file.' : message;
    throw new Problem(`cannot read the seed file ${path}`, { code: 'seed_file', reason, cause });
  }
  return seedFromText(text, path, options);
}

/**
 * The world that a seed file describes.
 * @throws Problem with file, place and, for a word that is not known, a suggestion.
 */
export function seedFromText(text: string, file: string, options: build.SeedOptions): W.World {
  let seed: unknown;
  try {
    seed = JSON.parse(text);
  } catch (error) {
    throw createSeedError(file, '', `not JSON: ${(error as Error).message}`);
  }
  const place = build.createWorld(file, options, 'Seeded workspace');
  const { workspace } = place;
  const day: read.Reader<string> = (raw, name) => {
    const days = raw === 'today' ? '0' : /^([+-]\d{1,4})d$/.exec(String(raw))?.[1];
    if (days !== undefined) return build.toDayAgo(place, -Number(days));
    if (!read.isCalendarDay(raw)) throw invalid(name, `${name} must be YYYY-MM-DD, today, -7d or +7d`);
    return raw;
  };
  const known = { members: new Map(), projects: new Map(), policies: new Map(), categories: new Map() };
  const state: SeedFileState = { place, day, ...known };
  readEntry(file, '', seed, (document) => {
    workspace.workspace_name = document.maybe('workspace', read.filledText) ?? workspace.workspace_name;
    for (const category of document.maybe('categories', read.list(read.filledText)) ?? [])
      state.categories.set(category, addRecord(place, 'categories', { name: category }));
    const anything = read.list((raw) => raw);
    for (const [section, add] of Object.entries(SECTIONS))
      for (const [n, row] of (document.maybe(section, anything) ?? []).entries())
        readEntry(file, `${section}[${n}]`, row, (input) => add(state, input));
  });
  if (Object.values(workspace.members).filter(({ role }) => role === 'Owner').length !== 1)
    throw createSeedError(file, '', 'exactly one member must have the role Owner');
  return place.world;
}

function readEntry(
  file: string,
  place: string,
  value: unknown,
  work: (input: read.RequestInput) => void,
): void {
  if (!isJsonObject(value)) throw createSeedError(file, place, 'expected an object in braces');
  const input = new read.RequestInput({ query: new Map(), body: read.toFields(value) });
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

function createSeedError(file: string, place: string, message: string, hint?: string): Problem {
  const facts = hint === undefined ? {} : { hint };
  return new Problem([file, place, message].filter(Boolean).join(': '), facts);
}

function named<T>(kind: string, known: ReadonlyMap<string, T>): read.Reader<T> {
  return (raw, name) => {
    const value = typeof raw === 'string' ? known.get(raw) : undefined;
    if (value !== undefined) return value;
    const detail = suggestFrom(String(raw), [...known.keys()]);
    throw new Refusal(400, `${name}: no ${kind} ${String(raw)} in this file`, { detail });
  };
}

/** In this order, since the later name what the earlier made. */
const SECTIONS: Readonly<Record<string, (state: SeedFileState, row: read.RequestInput) => void>> = {
  members({ place, members }, row) {
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
  },
  projects({ place, members, projects, day }, row) {
    const name = row.need('name', read.filledText);
    const workers = row.maybe('members', read.list(named('member', members))) ?? [];
    const numbers = { rate: read.amount, estimation: read.amount, notes: read.anyText };
    const fields = row.given({ is_billable: read.flag, ...numbers, start_date: day, deadline: day });
    const project = build.addProject(place, name, fields);
    projects.set(name, project);
    for (const { user_id } of workers) build.addContract(place, project, user_id);
  },
  contracts({ place, members, projects }, row) {
    const { user_id } = row.need('member', named('member', members));
    const project = row.need('project', named('project', projects));
    const known = Object.values(place.workspace.contracts).filter((one) => one.user_id === user_id);
    if (known.every((one) => one.project_id !== project.id)) build.addContract(place, project, user_id);
  },
  timesheets({ place, members, day }, row) {
    const { user_id } = row.need('member', named('member', members));
    const date_from = row.need('date_from', day);
    const status = row.need('status', read.choice(W.TIMESHEET_STATUSES));
    const date_to = row.maybe('date_to', day) ?? addDaysTo(date_from, 6);
    if (date_to < date_from) throw invalid('date_to', 'date_to is before date_from');
    const total_minutes = Math.round((row.maybe('total_hours', read.amount) ?? 0) * 60);
    const submitted_on = status === 'open' ? null : `${addDaysTo(date_to, 1)}T08:00:00.000Z`;
    const reject_reason = row.maybe('reject_reason', read.filledText) ?? null;
    const fields = { user_id, date_from, date_to, total_minutes, submitted_on, reject_reason, status };
    addRecord(place, 'timesheets', fields);
  },
  leave_policies({ place, policies }, row) {
    const name = row.need('name', read.filledText);
    const fields = row.given({ is_paid: read.flag, duration: read.amount });
    policies.set(name, addRecord(place, 'leave_policies', { name, ...fields }));
  },
  leaves({ place, members, policies, day }, row) {
    const { user_id } = row.need('member', named('member', members));
    const policy = row.need('policy', named('leave policy', policies));
    const [start_date, end_date] = [row.need('start_date', day), row.need('end_date', day)];
    if (end_date < start_date) throw invalid('end_date', 'end_date is before start_date');
    const days = Math.round((Date.parse(end_date) - Date.parse(start_date)) / 86_400_000) + 1;
    const { status = 'pending', note } = row.given({ status: read.choice(W.DECISIONS), note: read.anyText });
    Object.assign(build.addLeave(place, user_id, policy, 0, days, status, note), { start_date, end_date });
  },
  expenses({ place, members, projects, categories, day }, row) {
    const { user_id } = row.need('member', named('member', members));
    const name = row.need('expense_name', read.filledText);
    const known = { category: named('category', categories), project: named('project', projects) };
    const readers = { ...known, note: read.anyText, is_billable: read.flag };
    const { category, project, ...fields } = row.given(readers);
    const ids = { category_id: category?.id ?? null, project_id: project?.id ?? null };
    const more = { date: row.need('date', day), ...ids, ...fields };
    build.addExpense(place, user_id, name, row.need('amount', read.amount), 0, more);
  },
};
