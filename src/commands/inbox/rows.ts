import type { Row } from '../../api/page.ts';
import type { Column, Names } from '../../context.ts';
import { toText } from '../../json/stringify.ts';
import { collapseBlanks } from '../../parsing/names.ts';
import { parseInstant } from '../../pending/item.ts';
import type { PendingItem } from '../../pending/pending-item.ts';
import { withUnchecked } from '../../pending/warnings.ts';
import { createPeriodColumns } from '../../resources/display/columns.ts';
import { formatPersonName } from '../../resources/kinds.ts';

/** The inbox as a list: the same keys for every kind, null where a kind has no such thing. */

const toIsoTime = (text: string | null): string | null => {
  const ms = parseInstant(text);
  return ms === null ? text : new Date(ms).toISOString();
};

const getRecordName = (names: Names['project'], id: unknown): string | null => {
  const name = names.record(id)?.name;
  return name == null ? null : toText(name);
};

const toOwnRow = ({ item, member, seconds }: PendingItem, names: Names): Row => ({
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
  policy: getRecordName(names.policy, item.policyId),
  is_paid: item.paid,
  project: getRecordName(names.project, item.projectId),
  note: item.note,
  waiting_since: toIsoTime(item.sinceText),
  waiting_seconds: seconds,
});

/** Stable keys, for scripts. */
export const toInboxRow = (pending: PendingItem, names: Names): Row => {
  const warnings = withUnchecked(pending.warnings, pending.unchecked && `not checked: ${pending.unchecked}`);
  return {
    ...toOwnRow(pending, names),
    warnings: warnings.map(({ code }) => code),
    warning_messages: warnings.map(({ text }) => text),
  };
};

/** Who it is, told apart from others of the same name. */
export const formatMember = ({ item, member }: PendingItem, names: Names): string => {
  const name = member === undefined ? item.memberName : null;
  return collapseBlanks(name ?? names.member.of(item.userId) ?? '?');
};

const joinMessages = ({ warning_messages: messages }: Row): unknown =>
  (messages as readonly string[]).join('; ');

/** The name that is told apart from others alike, where the person is known; else what the record says. */
const createMemberFormatter =
  (member: Names['member']) =>
  (row: Row): unknown =>
    member.record(row.user_id) === undefined && row.member != null ? row.member : member.of(row.user_id);

/** People decide by these; the id is for the command that decides without a terminal. */
export const createInboxColumns = ({ member }: Names): readonly Column[] => [
  { field: 'member', show: createMemberFormatter(member), least: 12 },
  { field: 'kind' },
  { field: 'waiting_since', title: 'waiting since', kind: 'age' },
  ...createPeriodColumns('date_from', 'date_to'),
  { field: 'hours', kind: 'hours' },
  { field: 'days', kind: 'number', sparse: true, drop: 3 },
  { field: 'warnings', show: joinMessages, least: 16, drop: 1 },
  { field: 'note', sparse: true, drop: 5, least: 16 },
  { field: 'id', drop: 4, short: true },
];

/** Columns such as `member.email`: of what the inbox has read already. */
export const loadInboxJoins = async (names: Names, waiting: readonly PendingItem[]) => {
  const [{ joinItem }, { JOIN_NAMES, listFieldsOf }] = await Promise.all([
    import('../../pending/condition-row.ts'),
    import('../../resources/joins.ts'),
  ]);
  const joined = new Map(waiting.map(({ item }) => [item.id, joinItem(item, names)]));
  const find = async (rows: readonly Row[]) => rows.map(({ id }) => joined.get(toText(id)) ?? {});
  return { fields: listFieldsOf(JOIN_NAMES), find };
};
