import { buildCall } from '../../api/calls.ts';
import type { ApiCall } from '../../api/client.ts';
import type { Row } from '../../api/page.ts';
import type { Values } from '../../api/plan.ts';
import type { ChangeOfRun } from '../../changes/change.ts';
import type { RowProblems } from '../../changes/input/row-problems.ts';
import type { SendResult } from '../../changes/send-result.ts';
import type { Context } from '../../context.ts';
import type { FolderFile, FolderNames } from './files.ts';
import type { FolderRow } from './read-rows.ts';
import type { FolderNoun } from './records.ts';
import { type NameIndex, toIdValue } from './resolve-names.ts';

/** What becomes of the rows of a folder, before anybody is asked. */

export interface PlannedRow {
  readonly change: Omit<ChangeOfRun, 'n'>;
  /** What has become of it already: nothing is sent. */
  readonly known?: SendResult;
  /** For the question. */
  readonly words: readonly string[];
}

/** What the planning of all rows rests on. */
export interface Planning {
  readonly context: Context;
  readonly index: NameIndex;
  /** What ids are called at the service. */
  readonly names: FolderNames;
  /** The same once the files are applied. */
  readonly wantedNames: FolderNames;
  readonly problems: RowProblems;
}

/** The parameter that names a record. */
export const ID_PARAMETERS: Readonly<Record<FolderNoun, string>> = {
  projects: 'projectId',
  members: 'memberId',
  viewers: 'viewerId',
  contracts: 'contractId',
  tasks: 'taskId',
  webhooks: 'webhookId',
};

/** A call about a record. A task is written with its project. */
export const buildRecordCall = (
  { api }: Pick<Context, 'api'>,
  noun: FolderNoun,
  verb: string,
  { id, project_id: project }: Row,
  values: Values = {},
): ApiCall =>
  buildCall(api, `${noun}.${verb}`, {
    ...values,
    ...(noun === 'tasks' ? { project_id: toIdValue(String(project)) } : {}),
    [ID_PARAMETERS[noun]]: id,
  }) as ApiCall;

/** The row as `--from-file` of the operation would read it. */
export const toFailedColumns = (
  { columns }: FolderFile,
  { id, texts }: Pick<FolderRow, 'id' | 'texts'>,
  operation: string,
): Readonly<Record<string, string>> => {
  const own = columns.filter(({ name, beside }) => name !== 'id' && beside === undefined);
  const cells = own.map(({ name }) => [name, texts[name] ?? ''] as const);
  return { operation, ...(id === undefined ? {} : { id }), ...Object.fromEntries(cells) };
};
