import type { Row } from '../../api/page.ts';
import { printChange } from '../../changes/report-one.ts';
import type { Context } from '../../context.ts';
import { commandLine } from '../../parsing/shell-word.ts';
import { FOLDER_FILES, formatFile, placeFile } from './files.ts';
import { loadRecords } from './records.ts';

/** Whether a file says the same, however its lines end: a repository may have changed that. */
const isSameText = (one: string, other: string): boolean =>
  one === other || one.replaceAll('\r\n', '\n') === other.replaceAll('\r\n', '\n');

const COLUMNS = [
  { field: 'file' },
  { field: 'records', kind: 'number' },
  { field: 'status', kind: 'state' },
] as const;

/** Saves the workspace. What is read is read whole before the first file is written. */
export const exportFolder = async (context: Context, folder: string): Promise<void> => {
  const { files, output, settings } = context;
  const records = await loadRecords(context);
  const rows: Row[] = [];
  let written = 0;
  for (const file of FOLDER_FILES) {
    const place = placeFile(folder, file.file);
    const text = formatFile(file, records);
    const present = await files.find(place);
    const isSame = present !== undefined && isSameText(present, text);
    if (!isSame && !settings.dryRun.value) {
      await files.write(place, text, folder);
      written += 1;
    }
    const status = isSame ? 'unchanged' : settings.dryRun.value ? 'planned' : 'written';
    rows.push({ file: place, records: records[file.noun].length, status });
  }
  async function* pages() {
    yield { rows, total: rows.length };
  }
  const printing = output.list(pages(), { noun: 'files', id: 'file', columns: COLUMNS });
  if (written === 0) return printing;
  await printChange(context, printing, {
    text: `${written} files written`,
    inspectLine: commandLine`ttctl workspaces diff ${folder}`,
  });
};
