import { formatPersonName } from '../../api/kinds.ts';
import type { Row } from '../../api/page.ts';
import { contract } from '../../api/records.ts';
import type { Names } from '../../context.ts';
import { toText } from '../../json.ts';
import type { Column } from '../../output/list-view.ts';
import { createColumns } from '../display/columns.ts';

const column = createColumns(contract.fields);

const memberOf = (row: Row): string | undefined => formatPersonName(row, 'user_');

/** Names come with the record; they are fetched only for records that lack them. */
export const contractColumns = ({ member, project }: Names): readonly Column[] => [
  {
    field: 'project_id',
    title: 'project',
    kind: 'text',
    load: (rows) => project.load(rows.filter((row) => row.project_name == null).map((row) => row.project_id)),
    show: (row) => row.project_name ?? project.of(row.project_id),
    least: 12,
  },
  {
    field: 'user_id',
    title: 'member',
    kind: 'text',
    load: (rows) => member.load(rows.filter((row) => memberOf(row) === undefined).map((row) => row.user_id)),
    show: (row) => memberOf(row) ?? member.of(row.user_id),
    least: 10,
  },
  column('status', { drop: 1 }),
  column('weekly_hours_limit', { drop: 2 }),
  column('rate', { sparse: true, drop: 3 }),
  column('rate_type', { sparse: true, drop: 4 }),
  {
    field: 'screenshots',
    show: (row) => row.screenshots_label ?? row.screenshots,
    drop: 5,
  },
  column('id', { kind: 'number' }),
];

/** One contract: the names have fields of their own, so that the ids may stay. */
export const contractDetails = (names: Names): readonly Column[] =>
  contractColumns(names).filter(({ field }) => field === 'rate' || field === 'rate_type');

/** A contract in a few words, for questions. */
export const contractWords: readonly Column[] = [
  { field: 'user_id', kind: 'text', show: (row) => memberOf(row) ?? row.user_id },
  { field: 'project_id', kind: 'text', show: (row) => `on ${toText(row.project_name ?? row.project_id)}` },
  column('id'),
];
