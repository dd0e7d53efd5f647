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

/** Newer generations of the service give the person as an object (docs/service.md, Timesheets). */
const byMember: Join = {
  key: ({ user_id: id, member }) => id ?? (member as { readonly id?: unknown } | null | undefined)?.id,
};
const byProject: Join = { key: (row) => row.project_id };
const byPolicy: Join = { key: (row) => row.policy_id };

const JOINS: Partial<Readonly<Record<RecordName, Joins>>> = {
  Contract: { member: byMember, project: byProject },
  Task: { project: byProject },
  Timesheet: { member: byMember },
  Leave: { member: byMember, policy: byPolicy },
  LeaveBalance: { member: byMember },
  TimeRequest: { member: byMember, project: byProject },
  Expense: {
    member: { key: (row) => row.member, isName: true },
    project: { key: (row) => row.project, isName: true },
  },
};

const PENDING_KINDS: Partial<Readonly<Record<RecordName, 'timesheet' | 'leave' | 'time-request'>>> = {
  Timesheet: 'timesheet',
  Leave: 'leave',
  TimeRequest: 'time-request',
};

/** What records are called that can wait for a decision, and so have warnings. */
export function getPendingKind(record: RecordName | undefined) {
  return record && PENDING_KINDS[record];
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
