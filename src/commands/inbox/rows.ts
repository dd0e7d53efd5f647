import { formatPersonName } from '../../api/kinds.ts';
import type { Row } from '../../api/page.ts';
import type { Context, Names } from '../../context.ts';
import { joinItem } from '../../decide/condition-row.ts';
import { parseInstant } from '../../decide/item.ts';
import type { PendingItem } from '../../decide/pending.ts';
import { toWarningFields } from '../../decide/warnings.ts';
import { toText } from '../../json.ts';
import type { Column } from '../../output/list-view.ts';
import { collapseBlanks } from '../../parsing/text.ts';
import { createPeriodColumns } from '../../resources/display/columns.ts';
import { JOIN_NAMES, listFieldsOf } from '../../resources/joins.ts';

/** The inbox as a list: the same keys for every kind, null where a kind has no such thing. */

const toIsoTime = (text: string | null): string | null => {
  const ms = parseInstant(text);
  return ms === null ? text : new Date(ms).toISOString();
};

/** Stable keys, for scripts. */
export const toInboxRow = ({ item, around, warnings, seconds }: PendingItem, names: Names): Row => {
  const { member } = around;
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
    waiting_since: toIsoTime(item.sinceText),
    waiting_seconds: seconds,
    ...toWarningFields(warnings),
  };
};

/** Who it is, told apart from others of the same name. */
export const formatMember = ({ item, around }: PendingItem, names: Names): string => {
  const name = around.member === undefined ? item.memberName : null;
  return collapseBlanks(name ?? names.member.of(item.userId) ?? '?');
};

/** People decide by these; the id is for the command that decides without a terminal. */
const createInboxColumns = ({ member }: Names): readonly Column[] => [
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
    ...{ least: 16, drop: 1 },
  },
  { field: 'note', sparse: true, drop: 5, least: 16 },
  { field: 'id', drop: 4, short: true },
];

interface Listed {
  readonly rows: readonly Row[];
  /** How many there are, `--limit` aside. */
  readonly total?: number;
  readonly emptyMessage: string;
  /** Fields of the inbox's columns, or columns of its own; default: those of the inbox. */
  readonly columns?: readonly (string | Column)[];
}

/** Prints rows about these items, with columns such as `member.email` of what was read already. */
export const printItems = async (
  { output, names }: Pick<Context, 'output' | 'names'>,
  pending: readonly PendingItem[],
  { rows, total = rows.length, emptyMessage, columns }: Listed,
): Promise<void> => {
  const joined = new Map(pending.map(({ item }) => [item.id, joinItem(item, names)]));
  const known = createInboxColumns(names);
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
    columns:
      columns?.flatMap((column) =>
        typeof column === 'string' ? known.filter(({ field }) => field === column) : column,
      ) ?? known,
  });
};
