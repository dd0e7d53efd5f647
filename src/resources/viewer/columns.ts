import { viewer } from '../../api/records.ts';
import { toText } from '../../json.ts';
import type { Column } from '../../output/list-view.ts';
import { createColumns, personColumn } from '../display/columns.ts';

const column = createColumns(viewer.fields);

export const viewerColumns: readonly Column[] = [
  personColumn,
  column('email', { drop: 2 }),
  column('status', { drop: 1 }),
  column('projects', { drop: 3, least: 16 }),
  column('member_since', { drop: 4 }),
  column('id', { kind: 'number' }),
];

/** For the question; rows of a file name their own projects. */
export const describeProject = ({ project_id }: { readonly project_id?: unknown }): readonly string[] =>
  project_id === undefined ? [] : [`project    ${toText(project_id)}`];

/** A viewer in a few words, for questions. */
export const viewerWords: readonly Column[] = [personColumn, column('email'), column('id')];
