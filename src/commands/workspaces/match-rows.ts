import { buildCall } from '../../api/calls.ts';
import type { ApiCall } from '../../api/client.ts';
import type { Row } from '../../api/page.ts';
import { findLikes } from '../../changes/if-missing.ts';
import type { RowProblems } from '../../changes/input/row-problems.ts';
import { hasReference } from '../../changes/references.ts';
import type { Context } from '../../context.ts';
import { toText } from '../../json/stringify.ts';
import { EXIT } from '../../outcome.ts';
import type { FolderRow, FolderSheet } from './read-rows.ts';
import type { WorkspaceRecords } from './records.ts';
import { createNameIndex, type NameIndex, resolveLinks } from './resolve-names.ts';

/** The rows of the files beside the records of the service. */

/** A row that says what a record is to be. */
export interface ExistingRow {
  readonly row: FolderRow;
  readonly record: Row;
}

/** A row whose record is to be made. */
export interface NewRow {
  readonly row: FolderRow;
  /** What makes it. */
  readonly call: ApiCall;
  /** What is there already of its like, as the creation would have been answered. */
  readonly answer?: Row | undefined;
  /** The same as the list has it. */
  readonly like?: Row | undefined;
}

export interface MatchedSheet {
  readonly sheet: FolderSheet;
  readonly existing: readonly ExistingRow[];
  /** Whose records are not there. */
  readonly gone: readonly FolderRow[];
  readonly added: readonly NewRow[];
  /** Records that the file has no row for. */
  readonly missing: readonly Row[];
}

export interface MatchedFolder {
  readonly sheets: readonly MatchedSheet[];
  readonly index: NameIndex;
}

const matchAdded = async (
  { api }: Context,
  { noun, rows }: FolderSheet,
  records: WorkspaceRecords,
  index: NameIndex,
  problems: RowProblems,
): Promise<readonly NewRow[]> => {
  const added = rows.filter(({ id }) => id === undefined);
  const calls = added.map(({ values, place, line }) => {
    const add = (text: string) => problems.in(place).add(line, text, undefined, EXIT.notFound);
    const verb = noun === 'members' || noun === 'viewers' ? 'invite' : 'create';
    return buildCall(api, `${noun}.${verb}`, resolveLinks(values, index, add)) as ApiCall;
  });
  const known = calls.filter((call) => !hasReference(call));
  const find = await findLikes(api, known, records[noun]);
  const byId = new Map(records[noun].map((row) => [toText(row['id']), row]));
  return added.map((row, i) => {
    const call = calls[i] as ApiCall;
    const answer = hasReference(call) ? undefined : find(call);
    const like = answer && byId.get(toText(answer['id'] ?? answer['user_id']));
    return { row, call, answer, like };
  });
};

/** @param problems gets names of nothing */
export const matchFolder = async (
  context: Context,
  sheets: readonly FolderSheet[],
  records: WorkspaceRecords,
  problems: RowProblems,
): Promise<MatchedFolder> => {
  const index = createNameIndex(records, sheets);
  const matched: Omit<MatchedSheet, 'missing'>[] = [];
  for (const sheet of sheets) {
    const byId = new Map(records[sheet.noun].map((row) => [toText(row['id']), row]));
    const written = sheet.rows.filter(({ id }) => id !== undefined);
    const find = ({ id = '' }: FolderRow) => byId.get(id);
    matched.push({
      sheet,
      existing: written.flatMap((row) => {
        const record = find(row);
        return record === undefined ? [] : [{ row, record }];
      }),
      gone: written.filter((row) => find(row) === undefined),
      added: await matchAdded(context, sheet, records, index, problems),
    });
  }
  return { sheets: matched.map((one) => ({ ...one, missing: findMissing(one, matched, records) })), index };
};

/** Records without a row, neither in their own file nor among those who join. */
const findMissing = (
  { sheet: { noun, adds } }: Pick<MatchedSheet, 'sheet'>,
  all: readonly Omit<MatchedSheet, 'missing'>[],
  records: WorkspaceRecords,
): readonly Row[] => {
  if (adds === true) return [];
  const present = new Set<unknown>();
  for (const { sheet, existing, added } of all) {
    if (sheet.noun !== noun) continue;
    for (const { record } of existing) present.add(record);
    for (const { like } of added) present.add(like);
  }
  return records[noun].filter((row) => !present.has(row));
};
