import type { Row } from '../../api/page.ts';
import { printChange } from '../../changes/report.ts';
import { pluralize } from '../../changes/run-summary.ts';
import type { Context } from '../../context.ts';
import { Failure, UsageError } from '../../outcome.ts';
import { commandLine } from '../../parsing/shell-word.ts';
import { webhook } from '../../resources/webhook.ts';
import { FOLDER_FILES, type FolderFile, formatFile, hasSecretAddress, placeFile } from './files.ts';
import { loadRecords } from './records.ts';

/** Whether a file says the same, however its lines end: a repository may have changed that. */
const isSameText = (one: string, other: string): boolean =>
  one === other || one.replaceAll('\r\n', '\n') === other.replaceAll('\r\n', '\n');

const COLUMNS = [
  { field: 'file' },
  { field: 'records', kind: 'number' },
  { field: 'status', kind: 'state' },
] as const;

/** Whether its heading is that of an export, with columns left out or saved again by a spreadsheet; or it is empty. */
const isExport = (text: string, { columns }: FolderFile): boolean => {
  const [heading = ''] = text.replace(/^\uFEFF/, '').split(/[\r\n]/, 1);
  const names = heading.split(/[,;\t]/).map((name) => name.trim().replaceAll('"', ''));
  const ours = new Set(columns.map(({ name }) => name));
  return text.trim() === '' || (names.includes('id') && names.every((name) => ours.has(name)));
};

/** The files that are there. @throws UsageError for one that is somebody's own: it would be lost */
const readPresent = async ({ files }: Context, folder: string) => {
  const present = new Map<FolderFile, string>();
  for (const file of FOLDER_FILES) {
    const place = placeFile(folder, file.file);
    const text = await files.find(place);
    if (text === undefined) continue;
    if (!isExport(text, file))
      throw new UsageError(`${place} is not a file of an export`, {
        hint: 'Move it away, or export to another folder.',
      });
    present.set(file, text);
  }
  return present;
};

const addWritten = (error: unknown, written: readonly string[]): unknown => {
  if (!(error instanceof Failure) || written.length === 0) return error;
  const { message, code, exit, reason, hint, details } = error;
  return new Failure(message, {
    code,
    exit,
    reason: `${reason}. Written before that: ${written.join(', ')}`,
    hint: hint?.replace(' Existing files are unchanged.', ''),
    details,
    cause: error,
  });
};

/** Saves the workspace. What is read is read whole before the first file is written. */
export const exportFolder = async (context: Context, folder: string): Promise<void> => {
  const { files, output, settings } = context;
  const present = await readPresent(context, folder);
  const records = await loadRecords(context);
  const hidden = records.webhooks.filter(hasSecretAddress).length;
  if (hidden > 0)
    output.warn(
      `${placeFile(folder, 'webhooks.csv')}: secrets left out (the addresses of ${pluralize(hidden, webhook.words)})`,
    );
  const rows: Row[] = [];
  const written: string[] = [];
  for (const file of FOLDER_FILES) {
    const place = placeFile(folder, file.file);
    const text = formatFile(file, records);
    const old = present.get(file);
    const isSame = old !== undefined && isSameText(old, text);
    if (!isSame && !settings.dryRun.value) {
      await files.write(place, text, { folder }).catch((error: unknown) => {
        throw addWritten(error, written);
      });
      written.push(place);
    }
    const done = old === undefined ? 'written' : 'replaced';
    const status = isSame ? 'unchanged' : settings.dryRun.value ? 'planned' : done;
    rows.push({ file: place, records: records[file.noun].length, status });
  }
  async function* pages() {
    yield { rows, total: rows.length };
  }
  const printing = output.list(pages(), { noun: 'files', id: 'file', columns: COLUMNS });
  if (written.length === 0) return printing;
  await printChange(context, printing, {
    text: `${written.length} files written`,
    inspectLine: commandLine`ttctl workspaces diff ${folder}`,
  });
};
