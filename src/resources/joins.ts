import {
  arrayOf,
  email,
  type Fields,
  formatPersonName,
  integer,
  object,
  text,
  toTyped,
} from '../api/fields.ts';
import { type RecordName, ROLES } from '../api/records.ts';

/** Records that the rows of a list can be shown and chosen with, beside their own fields: `member.email`. */

const JOINED = {
  member: {
    id: integer,
    email,
    name: text,
    role: { ...text, values: ROLES },
    weekly_hours_limit: integer,
  },
  project: { id: integer, name: text },
  policy: { id: integer, name: text },
} as const;

export type JoinName = keyof typeof JOINED;
export const JOIN_NAMES = Object.keys(JOINED) as readonly JoinName[];

type Row = Readonly<Record<string, unknown>>;

interface Join {
  /** What of a row leads to the record: its id, unless said otherwise. */
  readonly key: (row: Row) => unknown;
  /** It is the record's name: of namesakes nothing is joined. */
  readonly isName?: true;
}

type Joins = Partial<Readonly<Record<JoinName, Join>>>;

function byId(field: string): Join {
  return { key: (row) => row[field] };
}

function byName(field: string): Join {
  return { key: (row) => row[field], isName: true };
}
/** Newer generations of the service give the person as an object (docs/service.md, Timesheets). */
const byMember: Join = {
  key: ({ user_id: id, member }) => id ?? (member as { readonly id?: unknown } | null | undefined)?.id,
};

const JOINS: Partial<Readonly<Record<RecordName, Joins>>> = {
  Contract: { member: byMember, project: byId('project_id') },
  Task: { project: byId('project_id') },
  Timesheet: { member: byMember },
  Leave: { member: byMember, policy: byId('policy_id') },
  LeaveBalance: { member: byMember },
  TimeRequest: { member: byMember, project: byId('project_id') },
  Expense: { member: byName('member'), project: byName('project') },
};

const PENDING_KINDS = { Timesheet: 'timesheet', Leave: 'leave', TimeRequest: 'time-request' } as const;

/** What records are called that can wait for a decision, and so have warnings. */
export function getPendingKind(
  record: RecordName | undefined,
): (typeof PENDING_KINDS)[keyof typeof PENDING_KINDS] | undefined {
  return (PENDING_KINDS as Partial<Record<RecordName, (typeof PENDING_KINDS)[keyof typeof PENDING_KINDS]>>)[
    record as RecordName
  ];
}

export function getJoins(record: RecordName | undefined): Joins {
  return (record === undefined ? undefined : JOINS[record]) ?? {};
}

/** The names of joined records in the first parts of `member.email`. */
export function listJoinNames(fields: Iterable<string>): readonly JoinName[] {
  const heads = new Set([...fields].map((field) => field.split('.')[0]));
  return JOIN_NAMES.filter((name) => heads.has(name));
}

/** `member.id`, `member.email` … */
export function listFieldsOf(names: readonly JoinName[]): readonly string[] {
  return names.flatMap((name) => Object.keys(JOINED[name]).map((field) => `${name}.${field}`));
}

/** The same for the rows of a list. */
export function listJoinedFields(record: RecordName | undefined): readonly string[] {
  return listFieldsOf(listJoinNames(Object.keys(getJoins(record))));
}

/**
 * What a condition sees beside the record's own fields: joined records, warnings, the record as it was sent.
 * @param options the codes of the warnings of what can wait for a decision; what is behind `record`, default: the same
 */
export function getConditionFields(
  joins: Iterable<JoinName>,
  own: Fields,
  { warnings, record = own }: { readonly warnings?: readonly string[]; readonly record?: Fields } = {},
): Fields {
  return {
    ...own,
    ...Object.fromEntries([...joins].map((name) => [name, object(JOINED[name])])),
    ...(warnings === undefined ? {} : { warnings: arrayOf({ ...text, values: warnings }) }),
    record: object(record),
  };
}

/** The same of the rows of a list. */
export function getRowFields(
  record: RecordName | undefined,
  own: Fields,
  options: { readonly warnings?: readonly string[] },
): Fields {
  return getConditionFields(listJoinNames(Object.keys(getJoins(record))), own, options);
}

/** What of a record is joined. */
export function toJoined(name: JoinName, record: Row): Row {
  return toTyped(
    JOINED[name],
    name === 'member'
      ? {
          id: record.id ?? null,
          email: record.email ?? null,
          name: formatPersonName(record) ?? null,
          role: record.current_role ?? null,
          weekly_hours_limit: record.weekly_hours_limit ?? null,
        }
      : { id: record.id ?? null, name: record.name ?? null },
  );
}
