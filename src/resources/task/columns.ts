import type { Row } from '../../api/page.ts';
import type { Column, NameSource, Names } from '../../context.ts';
import { isRecord } from '../../json/number.ts';
import { nameColumn, personColumn, personOf, wordColumn } from '../display/columns.ts';
import { TASK_PRIORITY, TASK_STATUS } from '../task.ts';

/** The user behind an item of `assignees`: the service gives objects or bare ids (spec/notes.md, Records). */
const userOf = (item: unknown): unknown => (isRecord(item) ? (item.user_id ?? item.id) : item);
const nameOf = (item: unknown): string | undefined => (isRecord(item) ? personOf(item) : undefined);

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
  { field: 'id', kind: 'number' },
  { field: 'title', least: 16 },
  wordColumn('status', TASK_STATUS, { kind: 'state' }),
  wordColumn('priority', TASK_PRIORITY, { kind: 'state', drop: 2 }),
  { ...assigneesColumn(member), drop: 3, least: 12 },
  { field: 'end_date', title: 'due', kind: 'date', drop: 1 },
  { field: 'start_date', title: 'start', kind: 'date', sparse: true, drop: 5 },
  { field: 'completed_at', title: 'completed', kind: 'time', sparse: true, drop: 4 },
  nameColumn(project, 'project_id', 'project', { named: true }),
  nameColumn(member, 'owner_id', 'owner', { named: true }),
  nameColumn(member, 'creator_id', 'creator', { named: true }),
];

export const assigneeColumns = ({ member }: Names): readonly Column[] => [
  { field: 'user_id', title: 'id', kind: 'number' },
  personColumn,
  { field: 'email' },
  nameColumn(member, 'assigner_id', 'assigned by', { drop: 1 }),
];

/** A task in a few words, for questions. */
export const taskWords: readonly Column[] = [
  { field: 'title' },
  wordColumn('status', TASK_STATUS, { kind: 'state' }),
  { field: 'id' },
];
