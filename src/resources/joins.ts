import {
  arrayOf,
  type Field,
  type Fields,
  formatPersonName,
  integer,
  object,
  text,
  toTyped,
} from '../api/fields.ts';
import type { Row } from '../api/page.ts';
import { type RecordName, ROLES } from '../api/records.ts';
import { getUserId } from '../decide/item.ts';

/** Records that the rows of a list can be shown and chosen with, beside their own fields: `member.email`. */

const JOINED = {
  member: {
    id: integer,
    email: text,
    name: text,
    role: { ...text, values: ROLES },
    weekly_hours_limit: integer,
  },
  project: { id: integer, name: text },
  policy: { id: integer, name: text },
} as const;

export type JoinName = keyof typeof JOINED;
export const JOIN_NAMES = Object.keys(JOINED) as readonly JoinName[];

/** What of a row leads to each record: its id, of an expense its name (of namesakes nothing is joined). */
export type Joins = Partial<Readonly<Record<JoinName, (row: Row) => unknown>>>;

const member = getUserId;
const project = (row: Row): unknown => row.project_id;
const policy = (row: Row): unknown => row.policy_id;

const JOINS: Partial<Readonly<Record<RecordName, Joins>>> = {
  contract: { member, project },
  task: { project },
  timesheet: { member },
  leave: { member, policy },
  balance: { member },
  'time-request': { member, project },
  expense: { member: (row) => row.member, project: (row) => row.project },
};

export function isJoinedByName(record: RecordName | undefined): boolean {
  return record === 'expense';
}

export function getJoins(record: RecordName | undefined): Joins {
  return (record === undefined ? undefined : JOINS[record]) ?? {};
}

export function listJoinNames(fields: Iterable<string>): readonly JoinName[] {
  const heads = new Set([...fields].map((field) => field.split('.')[0]));
  return JOIN_NAMES.filter((name) => heads.has(name));
}

export function getJoinedField(name: JoinName): Field {
  return object(JOINED[name]);
}

export function listFieldsOf(names: readonly JoinName[]): readonly string[] {
  return names.flatMap((name) => Object.keys(JOINED[name]).map((field) => `${name}.${field}`));
}

/**
 * What a condition sees beside the record's own fields: joined records, warnings, the record as it was sent.
 * @param warnings the codes of what can wait for a decision. @param record what is behind `record`
 */
export function getConditionFields(
  joins: Iterable<JoinName>,
  own: Fields,
  warnings?: readonly string[],
  record = own,
): Fields {
  return {
    ...own,
    ...Object.fromEntries([...joins].map((name) => [name, getJoinedField(name)])),
    ...(warnings === undefined ? {} : { warnings: arrayOf({ ...text, values: warnings }) }),
    record: object(record),
  };
}

export function toJoined(name: JoinName, record: Row): Row {
  const { id = null, email = null, current_role = null, weekly_hours_limit = null } = record;
  if (name !== 'member') return toTyped(JOINED[name], { id, name: record.name ?? null });
  const person = {
    id,
    email,
    name: formatPersonName(record) ?? null,
    role: current_role,
    weekly_hours_limit,
  };
  return toTyped(JOINED.member, person);
}
