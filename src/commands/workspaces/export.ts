import type { Row } from '../../api/page.ts';
import { printChange } from '../../changes/report.ts';
import { defineCommand } from '../../cli/command.ts';
import type { Context } from '../../context.ts';
import { UsageError } from '../../outcome.ts';
import { formatCsv } from '../../output/formats/delimited.ts';
import { commandLine } from '../../parsing/shell-word.ts';
import { SERVICE_EXITS } from '../outputs.ts';
import {
  createFolderNames,
  FOLDER_FILES,
  type FolderNoun,
  hasSecretAddress,
  listHeadings,
  listUnknownHeadings,
  loadRecords,
  placeFile,
  toCells,
} from './files.ts';

export const workspacesExport = defineCommand({
  path: 'workspaces export',
  about: 'save the workspace as CSV files in a folder, for a repository',
  examples: ['ttctl workspaces export workspace', 'ttctl workspaces export workspace --dry-run'],
  more: [
    {
      title: 'Files',
      text: 'projects.csv, members.csv, viewers.csv, contracts.csv, tasks.csv and webhooks.csv, with the fields that can be set, for every record that is not archived. Ids come with names. Secrets, timestamps and computed values are left out, so that identical workspaces give identical files. A file that would stay the same is not written, and other files in the folder are left alone.',
    },
  ],
  prints: { shape: 'list', fields: ['file', 'records', 'status'] },
  exits: SERVICE_EXITS,
  positionals: [
    { name: 'folder', about: 'folder of the files; it is made if it is missing', required: true },
  ],
  run: (context, { targets: [folder = ''] }) => exportFolder(context, folder),
});

const COLUMNS = [
  { field: 'file' },
  { field: 'records', kind: 'number' },
  { field: 'status', kind: 'state' },
] as const;

/** What is read is read whole before the first file is written. */
async function exportFolder(context: Context, folder: string): Promise<void> {
  const { files, output, settings } = context;
  const present = await readPresent(context, folder);
  const records = await loadRecords(context);
  const names = createFolderNames(records);
  const hidden = records.webhooks.filter(hasSecretAddress).length;
  if (hidden > 0)
    output.warn(`${placeFile(folder, 'webhooks')}: secrets left out (the addresses of ${hidden} webhooks)`);
  const [rows, written]: [Row[], string[]] = [[], []];
  for (const file of FOLDER_FILES) {
    const place = placeFile(folder, file.noun);
    const cells = records[file.noun].map((record) => toCells(file, record, names));
    const text = formatCsv(listHeadings(file), cells, '\n');
    const old = present.get(file.noun);
    // A repository may have changed how lines end.
    const isSame = old?.replaceAll('\r\n', '\n') === text.replaceAll('\r\n', '\n');
    if (!isSame && !settings.dryRun.value) {
      await files.write(place, text, { folder });
      written.push(place);
    }
    const done = settings.dryRun.value ? 'planned' : old === undefined ? 'written' : 'replaced';
    rows.push({ file: place, records: cells.length, status: isSame ? 'unchanged' : done });
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
}

/** The files that are there. @throws UsageError for one that is somebody's own: it would be lost */
async function readPresent({ files }: Context, folder: string): Promise<ReadonlyMap<FolderNoun, string>> {
  const present = new Map<FolderNoun, string>();
  for (const file of FOLDER_FILES) {
    const place = placeFile(folder, file.noun);
    const text = await files.find(place);
    if (text === undefined) continue;
    // Columns may have been left out, and a spreadsheet may have saved it; an empty one is nobody's.
    if (text.trim() !== '' && (listUnknownHeadings(file, text).length > 0 || !/^\W*id\b/.test(text)))
      throw new UsageError(`${place} is not a file of an export`, {
        hint: 'Move it away, or export to another folder.',
      });
    present.set(file.noun, text);
  }
  return present;
}
