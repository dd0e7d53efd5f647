import type { RowProblems } from '../../changes/input/row-problems.ts';
import type { Program } from '../../cli/command.ts';
import type { Context } from '../../context.ts';
import { normalizeText } from '../../resources/reconcile/reconciler.ts';
import { FOLDER_FILES, type FolderFile, placeFile } from './files.ts';
import { createRowReader, type FolderSheet, readTextRows, type TextRow } from './read-rows.ts';

/** `people.csv`: who joins, with a project, in one row. Input only: an export does not write it. */

export const PEOPLE_FILE = 'people.csv';

const COLUMNS = [
  'email',
  'firstname',
  'lastname',
  'role',
  'weekly_hours_limit',
  'project',
  'contract_weekly_hours_limit',
  'rate',
] as const;

const findFile = (wanted: FolderFile['noun']): FolderFile =>
  FOLDER_FILES.find(({ noun }) => noun === wanted) as FolderFile;

/** Each person once, however many projects they join. */
const toMembers = (rows: readonly TextRow[]): readonly TextRow[] => {
  const seen = new Set<string>();
  return rows.flatMap(
    ({ line, texts: { project: _1, contract_weekly_hours_limit: _2, rate: _3, ...texts } }) => {
      const email = normalizeText(texts['email'] ?? '');
      if (email !== '' && seen.has(email)) return [];
      seen.add(email);
      return [{ line, texts }];
    },
  );
};

/** @param problems gets terms of a contract without a project */
const toContracts = (rows: readonly TextRow[], problems: RowProblems): readonly TextRow[] =>
  rows.flatMap(
    ({ line, texts: { email = '', project = '', contract_weekly_hours_limit: hours = '', rate = '' } }) => {
      if (project.trim() !== '')
        return [{ line, texts: { user_id: email, project_id: project, weekly_hours_limit: hours, rate } }];
      if (`${hours}${rate}`.trim() !== '') problems.add(line, 'missing project');
      return [];
    },
  );

/** Its rows as those of the files that they belong in. */
export const readPeople = async (
  context: Context,
  program: Program,
  folder: string,
  all: RowProblems,
): Promise<readonly FolderSheet[]> => {
  const place = placeFile(folder, PEOPLE_FILE);
  const text = await context.files.find(place);
  if (text === undefined || text.trim() === '') return [];
  const problems = all.in(place);
  const rows = await readTextRows(place, text, COLUMNS, problems);
  const read = (noun: FolderFile['noun'], texts: readonly TextRow[]): FolderSheet => {
    const file = findFile(noun);
    const readRow = createRowReader(context, program, file);
    return {
      ...file,
      file: PEOPLE_FILE,
      adds: true,
      rows: texts.map((row) => readRow(place, row, problems)),
    };
  };
  return [read('members', toMembers(rows)), read('contracts', toContracts(rows, problems))];
};
