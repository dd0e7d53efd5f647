import { operations } from '../../api/operations.ts';
import { type Row, toPages } from '../../api/page.ts';
import { workspace } from '../../api/records.ts';
import { findText, writeText } from '../../changes/input/files.ts';
import { printChange } from '../../changes/report.ts';
import { defineCommand, type Group, type Noun } from '../../cli/command.ts';
import { EXIT, UsageError } from '../../errors.ts';
import { toText } from '../../json.ts';
import { formatCsv } from '../../output/formats/writers.ts';
import { commandLine } from '../../parsing/shell-word.ts';
import type { Run } from '../../run.ts';
import { listFlags } from '../flags.ts';
import { printLocalChange } from '../local-change.ts';
import { SERVICE_EXITS } from '../outputs.ts';
import { workspacesApply } from './apply.ts';
import {
  FOLDER_FILES,
  Links,
  listHeadings,
  listUnknownHeadings,
  loadRecords,
  placeFile,
  toCells,
} from './files.ts';
import { type Folder, readFolder } from './folder.ts';

/** Workspaces: which there are, which is the default, and all of one as files in a folder. */

export function workspaces(noun: Noun): Group {
  return {
    ...noun,
    commands: [workspacesList, workspacesUse, workspacesExport, workspacesDiff, workspacesApply],
  };
}

const workspacesList = defineCommand({
  path: 'workspaces list',
  operation: operations.workspaces.list,
  examples: ['ttctl workspaces list', 'ttctl workspaces list --output json'],
  flags: [...listFlags(operations.workspaces.list)],
  run: async ({ api, output, window }, { values }) => {
    await output.list(api.workspaces.list(values).pages(window), {
      noun: workspace.words[1],
      columns: [
        { field: 'workspace_name', title: 'name', least: 16 },
        { field: 'role', drop: 2 },
        { field: 'status', kind: 'state', drop: 1 },
        { field: 'created_at', title: 'created', kind: 'date', drop: 3 },
        { field: 'id', kind: 'number' },
      ],
    });
  },
});

const workspacesUse = defineCommand({
  path: 'workspaces use',
  about: "set the profile's default workspace",
  examples: ['ttctl workspaces use 7', 'ttctl workspaces use "Northwind Studio"'],
  prints: { shape: 'record', fields: ['profile', 'workspace', 'workspace_name'] },
  exits: SERVICE_EXITS,
  positionals: [{ name: 'workspace', about: 'id or name', required: true }],
  run: async (context, { targets: [wanted = ''] }) => {
    const { lookUps, settings, settingsStore } = context;
    const workspace = await lookUps.workspace(wanted);
    const profile = settings.profile.value;
    const id = typeof workspace.id === 'number' ? workspace.id : toText(workspace.id);
    if (!settings.dryRun.value) {
      await settingsStore.update((file) => ({
        ...file,
        profiles: { ...file.profiles, [profile]: { ...file.profiles[profile], workspace: id } },
      }));
    }
    const chosen = { profile, workspace: workspace.id, workspace_name: workspace.name };
    await printLocalChange(context, {
      record: chosen,
      text: `workspace ${id} is now the default of profile ${profile}`,
      inspectLine: commandLine`ttctl profile show --profile ${profile}`,
    });
  },
});

const workspacesExport = defineCommand({
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

const workspacesDiff = defineCommand({
  path: 'workspaces diff',
  about: 'show how the workspace differs from the files of a folder (exit 10 if it does)',
  examples: ['ttctl workspaces diff workspace', 'ttctl workspaces diff workspace --output json'],
  more: [
    {
      title: 'What is compared',
      entries: [
        [
          'changed',
          'a cell differs from the record; before is the value in the service, after the one in the file',
        ],
        ['new', 'a row without a counterpart: apply would create the record'],
        ['missing', 'a record that the file has no row for: apply leaves it alone'],
        ['gone', 'a row whose record is not there, or is archived'],
      ],
    },
    {
      title: 'Files',
      text: 'A file or a column that the folder does not have is not compared. Names next to ids are only for readers: the id decides.',
    },
  ],
  prints: {
    shape: 'list',
    fields: ['file', 'line', 'id', 'record', 'status', 'field', 'before', 'after'],
  },
  exits: [...SERVICE_EXITS, 10],
  positionals: [{ name: 'folder', about: 'folder of the files', required: true }],
  run: async (context, { targets: [folder = ''], program }) => {
    // A name that nothing has is that of a record which is gone: the row is told as a difference.
    const rows = listDifferences(await readFolder(context, folder, await program()));
    await context.output.list(toPages(rows), {
      noun: 'differences',
      id: 'record',
      columns: [
        { field: 'file' },
        { field: 'line', kind: 'number', sparse: true },
        { field: 'record', least: 12 },
        { field: 'status', kind: 'state' },
        { field: 'field', sparse: true },
        { field: 'before', sparse: true, wrap: true },
        { field: 'after', sparse: true, wrap: true },
        { field: 'id', drop: 1 },
      ],
      emptyMessage: `The workspace matches the files in ${folder}.`,
    });
    if (rows.length > 0) context.exit(EXIT.found);
  },
});

/** What is read is read whole before the first file is written. */
async function exportFolder(run: Run, folder: string): Promise<void> {
  const { output, settings, machine } = run;
  const present = new Map<string, string | undefined>();
  for (const file of FOLDER_FILES) {
    const place = placeFile(folder, file.noun);
    const text = await findText(machine, place);
    present.set(place, text);
    // It would be lost. Columns may have been left out, and a spreadsheet may have saved it; an empty one is nobody's.
    if (text?.trim() && (listUnknownHeadings(file, text).length > 0 || !/^\W*id\b/.test(text)))
      throw new UsageError(`${place} is not a file of an export`, {
        hint: 'Move it away, or export to another folder.',
      });
  }
  const records = await loadRecords(run);
  const links = new Links(records);
  const [rows, written]: [Row[], string[]] = [[], []];
  for (const file of FOLDER_FILES) {
    const place = placeFile(folder, file.noun);
    const cells = records[file.noun].map((record) => toCells(file, record, links));
    const hidden = cells.filter(({ url }) => url === '').length;
    if (hidden > 0) output.warn(`${place}: secrets left out (the addresses of ${hidden} webhooks)`);
    const text = formatCsv(listHeadings(file), cells, '\n');
    const old = present.get(place);
    // A repository may have changed how lines end.
    const isSame = old?.replaceAll('\r\n', '\n') === text.replaceAll('\r\n', '\n');
    if (!isSame && !settings.dryRun.value) {
      await writeText(run, place, text, { folder });
      written.push(place);
    }
    const done = settings.dryRun.value ? 'planned' : old === undefined ? 'written' : 'replaced';
    rows.push({ file: place, records: cells.length, status: isSame ? 'unchanged' : done });
  }
  const printing = output.list(toPages(rows), {
    noun: 'files',
    id: 'file',
    columns: [{ field: 'file' }, { field: 'records', kind: 'number' }, { field: 'status', kind: 'state' }],
  });
  if (written.length === 0) return printing;
  await printChange(run, printing, {
    text: `${written.length} files written`,
    inspectLine: commandLine`ttctl workspaces diff ${folder}`,
  });
}

function listDifferences({ sheets }: Folder): readonly Row[] {
  return sheets.flatMap(({ file, rows, missing }) => {
    const base = { file: `${file.noun}.csv`, line: null, id: null, field: null, before: null, after: null };
    const differing = rows.flatMap(({ line, id = null, record, label, differences }): Row[] => {
      const about = { ...base, line, record: label };
      if (record === undefined) return [{ ...about, id, status: id === null ? 'new' : 'gone' }];
      return differences.map((cell) => ({ ...about, id: toText(record['id']), status: 'changed', ...cell }));
    });
    const absent = missing.map(({ record, label }) => {
      return { ...base, id: toText(record['id']), record: label, status: 'missing' };
    });
    return [...differing, ...absent];
  });
}
