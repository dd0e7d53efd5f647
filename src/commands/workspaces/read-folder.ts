import { createRowProblems, type RowProblems } from '../../changes/input/row-problems.ts';
import type { Program } from '../../cli/command.ts';
import type { Context } from '../../context.ts';
import { shortenText, UsageError } from '../../outcome.ts';
import { FOLDER_FILES, type FolderFile, placeFile } from './files.ts';
import { readPeople } from './people.ts';
import { createRowReader, type FolderRow, type FolderSheet, readTextRows } from './read-rows.ts';

/** The files of a folder, all of them checked: nothing has been asked of the service yet. */

/** Two rows may not say different things of one record. */
const checkOnce = (rows: readonly FolderRow[], problems: RowProblems): void => {
  const first = new Map<string, number>();
  for (const { id, line } of rows) {
    if (id === undefined) continue;
    const other = first.get(id);
    if (other === undefined) first.set(id, line);
    else problems.add(line, `${shortenText(id)} is already in line ${other}`);
  }
};

/** Undefined where the folder does not have the file: it says nothing of its records. */
const readSheet = async (
  context: Context,
  program: Program,
  folder: string,
  file: FolderFile,
  all: RowProblems,
): Promise<FolderSheet | undefined> => {
  const place = placeFile(folder, file.file);
  const text = await context.files.find(place);
  if (text === undefined) return undefined;
  const problems = all.in(place);
  const known = file.columns.map(({ name }) => name);
  // What was cut off does not say that all its records are to go.
  if (text.trim() === '') problems.add(1, 'missing heading', 'Remove the file, or export it again.');
  const texts = text.trim() === '' ? [] : await readTextRows(place, text, known, problems);
  const read = createRowReader(context, program, file);
  const rows = texts.map((row) => read(place, row, problems));
  checkOnce(rows, problems);
  return { ...file, rows };
};

/**
 * The files of a folder that are there.
 * @throws UsageError for all that is wrong with them, and for a folder without any
 */
export const readFolder = async (
  context: Context,
  folder: string,
  program: Program,
): Promise<readonly FolderSheet[]> => {
  const problems = createRowProblems(folder);
  const sheets: FolderSheet[] = [];
  for (const file of FOLDER_FILES) {
    const sheet = await readSheet(context, program, folder, file, problems);
    if (sheet !== undefined) sheets.push(sheet);
  }
  const people = await readPeople(context, program, folder, problems);
  if (sheets.length + people.length === 0 && problems.count === 0) {
    throw new UsageError(`${folder} has none of the files of a workspace`, {
      hint: `Save them with: ${context.commandLine`ttctl workspaces export ${folder}`}`,
    });
  }
  problems.throwIfAny();
  return [...sheets, ...people];
};
