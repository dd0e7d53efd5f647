import { formatPersonName } from '../../api/kinds.ts';
import type { Row } from '../../api/page.ts';
import { assigneeFields, task } from '../../api/records.ts';
import type { NameSource, Names } from '../../context.ts';
import { isRecord } from '../../json.ts';
import type { Column } from '../../output/list-view.ts';
import { createColumns, createNameColumn, personColumn } from '../display/columns.ts';

const column = createColumns(task.fields);
const assigneeColumn = createColumns(assigneeFields);

/** The user behind an item of `assignees`: the service gives objects or bare ids (docs/service.md, Tasks). */
const userOf = (item: unknown): unknown => (isRecord(item) ? (item.user_id ?? item.id) : item);
const nameOf = (item: unknown): string | undefined => (isRecord(item) ? formatPersonName(item) : undefined);

const itemsOf = (row: Row): readonly unknown[] => (Array.isArray(row.assignees) ? row.assignees : []);

/** Names that come with the record are used; only the others are fetched. */
const assigneesColumn = (member: NameSource): Column => ({
  field: 'assignees',
  kind: 'list',
  load: (rows) =>
    member.load(
      rows
        .flatMap(itemsOf)
        .filter((item) => nameOf(item) === undefined)
        .map(userOf),
    ),
  show: (row) => itemsOf(row).map((item) => nameOf(item) ?? member.of(userOf(item)) ?? item),
});

export const taskColumns = ({ member, project }: Names): readonly Column[] => [
  column('title', { least: 16 }),
  column('status'),
  column('priority', { drop: 2 }),
  { ...assigneesColumn(member), drop: 3, least: 12 },
  column('end_date', { drop: 1 }),
  column('start_date', { sparse: true, drop: 5 }),
  column('completed_at', { sparse: true, drop: 4 }),
  createNameColumn(project, 'project_id', 'project', { onRequest: true }),
  createNameColumn(member, 'owner_id', 'owner', { onRequest: true }),
  createNameColumn(member, 'creator_id', 'creator', { onRequest: true }),
  column('id', { kind: 'number' }),
];

export const assigneeColumns = ({ member }: Names): readonly Column[] => [
  personColumn,
  assigneeColumn('email'),
  createNameColumn(member, 'assigner_id', 'assigned by', { drop: 1 }),
  assigneeColumn('user_id', { title: 'id', kind: 'number' }),
];

/** A task in a few words, for questions. */
export const taskWords: readonly Column[] = [column('title'), column('status'), column('id')];
