import { createRowProblems } from '../../changes/input/row-problems.ts';
import type { Program } from '../../cli/command.ts';
import type { Context } from '../../context.ts';
import { EXIT } from '../../outcome.ts';
import { listDifferences } from './differences.ts';
import { createFolderNames } from './files.ts';
import { matchFolder } from './match-rows.ts';
import { readFolder } from './read-folder.ts';
import { loadRecords } from './records.ts';

const COLUMNS = [
  { field: 'file' },
  { field: 'line', kind: 'number', sparse: true },
  { field: 'record', least: 12 },
  { field: 'status', kind: 'state' },
  { field: 'field', sparse: true },
  { field: 'before', sparse: true, wrap: true },
  { field: 'after', sparse: true, wrap: true },
  { field: 'id', drop: 1 },
] as const;

/** Every difference between a folder and the workspace. */
export const diffFolder = async (context: Context, folder: string, program: Program): Promise<void> => {
  const sheets = await readFolder(context, folder, program);
  const records = await loadRecords(context);
  // A name that nothing has is that of a record which is gone: the row is told as a difference.
  const matched = await matchFolder(context, sheets, records, createRowProblems(folder));
  const rows = listDifferences(matched, createFolderNames(records));
  async function* pages() {
    yield { rows, total: rows.length };
  }
  await context.output.list(pages(), {
    noun: 'differences',
    id: 'record',
    columns: COLUMNS,
    emptyMessage: `The workspace matches the files in ${folder}.`,
  });
  if (rows.length > 0) context.exit(EXIT.found);
};
