import { arrayOf, boolean, formatPersonName, integer, number, text } from '../../api/fields.ts';
import { operations } from '../../api/operations.ts';
import type { Row } from '../../api/page.ts';
import { INBOX_KINDS, type InboxKind, parseInstant } from '../../decide/item.ts';
import type { Inbox, InboxFilter, PendingItem } from '../../decide/load.ts';
import { describeUnread } from '../../decide/load.ts';
import { joinItem } from '../../decide/rules.ts';
import { toWarningFields } from '../../decide/warnings.ts';
import { toText } from '../../json.ts';
import type { Column } from '../../output/list-view.ts';
import { collapseBlanks } from '../../parsing/text.ts';
import { createPeriodColumns } from '../../resources/columns.ts';
import { JOIN_NAMES, listFieldsOf } from '../../resources/joins.ts';
import type { Names } from '../../resources/names.ts';
import type { Run } from '../../run.ts';
import { flag, memberFilter, periodFlag } from '../flags.ts';

/** The inbox as a list: which requests are meant, and the same keys for every kind, null where a kind has no such thing. */

const { list } = operations.leaves;

const kindFilter = {
  id: 'inbox',
  parameters: { kinds: { type: 'string[]', about: 'only these types', choices: INBOX_KINDS } },
} as const;

export const inboxFilters = [
  flag(kindFilter, 'kinds', { as: 'kind' }),
  { ...memberFilter(list), about: 'only requests of this member (id or e-mail)' },
  flag(list, 'date_from', { about: 'only requests for this day or later' }),
  flag(list, 'date_to', { about: 'only requests for this day or earlier' }),
  periodFlag,
];

export function readInboxFilter(values: Readonly<Record<string, unknown>>): InboxFilter {
  return {
    kinds: (values.kinds as readonly InboxKind[] | undefined) ?? INBOX_KINDS,
    userIds: values.user_id as InboxFilter['userIds'],
    from: values.date_from as string | undefined,
    to: values.date_to as string | undefined,
  };
}

export function tellUnread({ output }: Run, { missing, oddStates }: Inbox): void {
  for (const text of [...missing.map(describeUnread), ...oddStates]) output.warn(text);
}

/** Fields of a row, in JSON and for `--columns`. */
export const inboxRowFields = {
  kind: text,
  id: text,
  user_id: integer,
  member: text,
  email: text,
  date_from: text,
  date_to: text,
  start: text,
  end: text,
  hours: number,
  days: number,
  policy: text,
  is_paid: boolean,
  project: text,
  note: text,
  waiting_since: text,
  waiting_seconds: integer,
  warnings: arrayOf(text),
  warning_messages: arrayOf(text),
} as const;

export const inboxFields = Object.keys(inboxRowFields);

export function toInboxRow({ item, around, warnings, seconds }: PendingItem, names: Names): Row {
  const { member } = around;
  const since = parseInstant(item.sinceText);
  return {
    kind: item.kind,
    id: item.id,
    user_id: item.userId,
    member: (member && formatPersonName(member)) ?? item.memberName,
    email: member?.email ?? null,
    date_from: item.from,
    date_to: item.to,
    start: item.start,
    end: item.end,
    hours: item.hours,
    days: item.days,
    policy: names.policy.record(item.policyId)?.name ?? null,
    is_paid: item.paid,
    project: names.project.record(item.projectId)?.name ?? null,
    note: item.note,
    waiting_since: since === null ? item.sinceText : new Date(since).toISOString(),
    waiting_seconds: seconds,
    ...toWarningFields(warnings),
  };
}

/** Who it is, told apart from others of the same name. */
export function formatMember({ item, around }: PendingItem, names: Names): string {
  const name = around.member === undefined ? item.memberName : null;
  return collapseBlanks(name ?? names.member.of(item.userId) ?? '?');
}

/** Prints rows about these items, with columns such as `member.email` of what was read already. */
export async function printItems(
  { output, names }: Pick<Run, 'output' | 'names'>,
  pending: readonly PendingItem[],
  rows: readonly Row[],
  emptyMessage: string,
  { total = rows.length, columns }: { total?: number; columns?: readonly (string | Column)[] },
): Promise<void> {
  const joined = new Map(pending.map(({ item }) => [item.id, joinItem(item, names)]));
  const { member } = names;
  // People decide by these; the id is for the command that decides without a terminal.
  const known: readonly Column[] = [
    {
      field: 'member',
      show: (row) =>
        member.record(row.user_id) === undefined && row.member != null ? row.member : member.of(row.user_id),
      least: 12,
    },
    { field: 'kind' },
    { field: 'waiting_since', title: 'waiting since', kind: 'age' },
    ...createPeriodColumns('date_from', 'date_to'),
    { field: 'hours', kind: 'hours' },
    { field: 'days', kind: 'number', sparse: true, drop: 3 },
    {
      field: 'warnings',
      show: ({ warning_messages: messages }) => (messages as readonly string[]).join('; '),
      least: 16,
      drop: 1,
    },
    { field: 'note', sparse: true, drop: 5, least: 16 },
    { field: 'id', drop: 4, short: true },
  ];
  const find = (column: string | Column) =>
    typeof column === 'string' ? known.filter(({ field }) => field === column) : column;
  async function* pages() {
    yield { rows, total, ...(rows.length < total ? { shortened: true } : {}) };
  }
  await output.list(pages(), {
    noun: 'requests',
    chosen: true,
    joins: async () => ({
      fields: listFieldsOf(JOIN_NAMES),
      find: async (shown) => shown.map(({ id }) => joined.get(toText(id)) ?? {}),
    }),
    emptyMessage,
    columns: columns?.flatMap(find) ?? known,
  });
}
