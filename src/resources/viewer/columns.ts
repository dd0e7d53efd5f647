import type { Column } from '../../context.ts';
import { textOf } from '../../json/text.ts';
import { personColumn } from '../display/columns.ts';

export const viewerColumns: readonly Column[] = [
  { field: 'id', kind: 'number' },
  personColumn,
  { field: 'email', drop: 2 },
  { field: 'status', kind: 'state', drop: 1 },
  { field: 'projects', kind: 'list', drop: 3, least: 16 },
  { field: 'member_since', title: 'since', kind: 'date', drop: 4 },
];

/** For the question; rows of a file name their own projects. */
export const projectFact = ({ project_id }: { readonly project_id?: unknown }): readonly string[] =>
  project_id === undefined ? [] : [`project    ${textOf(project_id)}`];

/** A viewer in a few words, for questions. */
export const viewerWords: readonly Column[] = [personColumn, { field: 'email' }, { field: 'id' }];
