import type { Row } from '../../api/page.ts';
import { readAccount } from '../../changes/account.ts';
import { createRowProblems } from '../../changes/input/row-problems.ts';
import type { Context } from '../../context.ts';
import { toText } from '../../json/stringify.ts';
import { EXIT } from '../../outcome.ts';
import { OWNER } from '../../resources/member.ts';
import { findResource } from '../../resources/records.ts';
import { nameRecord } from './differences.ts';
import { createFolderNames, type FolderNames } from './files.ts';
import { type MatchedSheet, matchFolder } from './match-rows.ts';
import { planCreations } from './plan-creations.ts';
import { planUpdates } from './plan-updates.ts';
import { buildRecordCall, type PlannedRow, type Planning } from './planned-row.ts';
import type { FolderSheet } from './read-rows.ts';
import { FOLDER_NOUNS, type FolderNoun, type NamedNoun, type WorkspaceRecords } from './records.ts';

/** All that applying a folder sends, in the order in which the records depend on one another. */

/** Archived in this order: what others rest on last. */
const ARCHIVED_NOUNS: readonly FolderNoun[] = [
  ...(['tasks', 'contracts', 'viewers', 'members', 'projects', 'webhooks'] as const),
];

/** The owner, and who applies the files: without them the run could not go on. */
const isKept = ({ current_role: role, email }: Row, account: string | null): boolean =>
  role === OWNER || (account !== null && email === account);

/** A record that the files do not have: archived where that is asked for, else told. */
const planMissing = (
  { context, names }: Planning,
  { noun, file }: FolderSheet,
  record: Row,
  isArchived: boolean,
): PlannedRow => {
  const call = buildRecordCall(context, noun, noun === 'webhooks' ? 'delete' : 'archive', record);
  const [target, label] = [toText(record['id']), nameRecord(noun, record, names)];
  const columns = { operation: call.operation.id, id: target };
  const change = {
    target,
    label,
    key: `missing ${noun} ${target}`,
    columns,
    before: record,
    after: call.values,
    call,
  };
  const words = [`${findResource(noun)?.words[0]} ${label}`, target];
  if (isArchived) return { change, words };
  const message = `missing from ${file}; left alone`;
  const result = { target, label, status: 'skipped', operation: call.operation.id, message } as const;
  return { change, words, known: { result } };
};

/** @param problems gets rows whose records are not there */
const checkGone = (
  { problems }: Planning,
  { sheet, gone }: MatchedSheet,
  { archived }: WorkspaceRecords,
): void => {
  const archivedIds = new Set(archived.map(({ id }) => toText(id)));
  for (const { place, line, id = '' } of gone) {
    const one = findResource(sheet.noun)?.words[0] ?? '';
    const what = archivedIds.has(id) ? `${one} ${id} is archived` : `no ${one} has the id ${id}`;
    const hint = 'Remove the row, or restore the record; workspaces diff shows all of them.';
    problems.in(place).add(line, what, hint, EXIT.notFound);
  }
};

/** What ids are called once the files are applied. */
const createWantedNames = (records: WorkspaceRecords, sheets: readonly FolderSheet[]): FolderNames => {
  const withColumn = (noun: NamedNoun, column: 'name' | 'email'): readonly Row[] => {
    const rows = sheets.flatMap((sheet) => (sheet.noun === noun ? sheet.rows : []));
    const texts = new Map(rows.map(({ id, texts: { [column]: text } }) => [id, text?.trim()]));
    return records[noun].map((row) => ({ ...row, [column]: texts.get(toText(row['id'])) || row[column] }));
  };
  const [projects, members] = [withColumn('projects', 'name'), withColumn('members', 'email')];
  return createFolderNames({ ...records, projects, members });
};

export interface FolderPlan {
  readonly rows: readonly PlannedRow[];
  /** Those of them that archive or delete what is missing. */
  readonly archives: readonly PlannedRow[];
  /** How many records are missing, and left alone. */
  readonly leftAlone: number;
}

/** @throws UsageError for all that is wrong with the files beside the records; Failure (exit 5) for names of nothing */
export const planFolder = async (
  context: Context,
  folder: string,
  sheets: readonly FolderSheet[],
  records: WorkspaceRecords,
  archives: boolean,
): Promise<FolderPlan> => {
  const problems = createRowProblems(folder);
  const { sheets: matched, index } = await matchFolder(context, sheets, records, problems);
  const [names, wantedNames] = [createFolderNames(records), createWantedNames(records, sheets)];
  const planning: Planning = { context, index, names, wantedNames, problems };
  const [rows, links]: [(readonly PlannedRow[])[], (readonly PlannedRow[])[]] = [[], []];
  for (const noun of FOLDER_NOUNS) {
    for (const sheet of matched.filter((one) => one.sheet.noun === noun)) {
      checkGone(planning, sheet, records);
      const made = await planCreations(planning, sheet);
      const changed = await planUpdates(planning, sheet);
      rows.push(made.creations, changed.updates, made.later);
      links.push(made.links, changed.links);
    }
  }
  problems.throwIfAny();
  const account = archives ? await readAccount(context) : null;
  const missing = ARCHIVED_NOUNS.flatMap((noun) =>
    matched.flatMap((one) =>
      one.sheet.noun === noun
        ? one.missing.map((row) => planMissing(planning, one.sheet, row, archives && !isKept(row, account)))
        : [],
    ),
  );
  const archived = missing.filter(({ known }) => known === undefined);
  return {
    rows: [...rows, ...links, missing].flat(),
    archives: archived,
    leftAlone: missing.length - archived.length,
  };
};
