import { type ApiCall, buildCall } from '../../api/client.ts';
import { filterFields } from '../../api/fields.ts';
import { operations } from '../../api/operations.ts';
import { type Row, toPages } from '../../api/page.ts';
import type { Values } from '../../api/plan.ts';
import { OWNER, workspace } from '../../api/records.ts';
import { describeFinal } from '../../changes/accepted.ts';
import type { Change } from '../../changes/change.ts';
import { findText, writeInFolder } from '../../changes/input/files.ts';
import { describeRow } from '../../changes/input/select-rows.ts';
import { readAccount } from '../../changes/log.ts';
import { countOperations } from '../../changes/plan.ts';
import { pluralize } from '../../changes/report.ts';
import { confirmChanges } from '../../changes/select.ts';
import { checkWritable, makeInTurn, wantsExitCode, writeChanges } from '../../changes/write.ts';
import { defineCommand, type Group, type Noun, type Program } from '../../cli/command.ts';
import { EXIT, UsageError } from '../../errors.ts';
import { toText } from '../../json.ts';
import { formatCsv } from '../../output/formats/writers.ts';
import { commandLine } from '../../parsing/shell-word.ts';
import { quoteText } from '../../parsing/text.ts';
import type { Run } from '../../run.ts';
import { exitCodeFlag, historyFlag, listFlags, maxChangesFlag, planFlags, secretsFlag } from '../flags.ts';
import { changeLocally } from '../local-change.ts';
import { SERVICE_EXITS } from '../outputs.ts';
import {
  FOLDER_FILES,
  type FolderFile,
  type FolderRow,
  LINKS,
  Links,
  listIds,
  listUnknownHeadings,
  loadRecords,
  placeFile,
  readFolder,
  toCells,
  toIdValue,
} from './folder.ts';

export function workspaces(noun: Noun): Group {
  const commands = [workspacesList, workspacesUse, workspacesExport, workspacesDiff, workspacesApply];
  return { ...noun, commands };
}

const workspacesList = defineCommand({
  path: 'workspaces list',
  operation: operations.workspaces.list,
  examples: ['ttctl workspaces list'],
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
  run: async (run, { targets: [wanted = ''] }) => {
    const { lookUps, settings, settingsStore } = run;
    const { id, name } = await lookUps.workspace(wanted);
    const profile = settings.profile.value;
    await changeLocally(run, {
      change: () =>
        settingsStore.update((file) => ({
          ...file,
          profiles: { ...file.profiles, [profile]: { ...file.profiles[profile], workspace: id } },
        })),
      record: { profile, workspace: id, workspace_name: name },
      text: `workspace ${id} is now the default of profile ${profile}`,
      inspectLine: commandLine`ttctl profile show --profile ${profile}`,
    });
  },
});

const folderOperand = { name: 'folder', about: 'folder of the files', required: true } as const;

const workspacesExport = defineCommand({
  path: 'workspaces export',
  about: 'save the workspace as CSV files in a folder, for a repository',
  examples: ['ttctl workspaces export workspace', 'ttctl workspaces export workspace --dry-run'],
  more: [
    {
      title: 'Files',
      text: 'projects, members, viewers, contracts, tasks and webhooks as .csv, with the fields that can be set, for every record that is not archived. Identical workspaces give identical files.',
    },
  ],
  prints: { shape: 'list', fields: ['file', 'records', 'status'] },
  exits: SERVICE_EXITS,
  positionals: [folderOperand],
  run: (run, { targets: [folder = ''] }) => exportFolder(run, folder),
});

const workspacesDiff = defineCommand({
  path: 'workspaces diff',
  about: 'show how the workspace differs from the files of a folder (exit 10 if it does)',
  examples: ['ttctl workspaces diff workspace'],
  more: [
    {
      title: 'What is compared',
      text: 'Every cell with its record: before is the value in the service, after the one in the file. A row can also be new (apply would create its record) or gone (its record is not there), and a record missing from the file (apply leaves it alone). Files and columns that the folder does not have are not compared.',
    },
  ],
  prints: {
    shape: 'list',
    fields: ['file', 'line', 'id', 'record', 'status', 'field', 'before', 'after'],
  },
  exits: [...SERVICE_EXITS, 10],
  positionals: [folderOperand],
  run: async (run, { targets: [folder = ''], program }) => {
    // A name that nothing has is that of a record which is gone: the row is told as a difference.
    const { sheets } = await readFolder(run, folder, await program());
    const rows = sheets.flatMap(({ file: { noun }, rows, missing }): readonly Row[] => {
      const base = { file: `${noun}.csv`, line: null, id: null, field: null, before: null, after: null };
      const differing = rows.flatMap(({ line, id = null, record, label, differences }): Row[] => {
        const about = { ...base, line, record: label };
        if (record === undefined) return [{ ...about, id, status: id === null ? 'new' : 'gone' }];
        const changed = { ...about, id: toText(record.id), status: 'changed' };
        return differences.map(({ field, before, after }) => ({ ...changed, field, before, after }));
      });
      const absent = missing.map(({ record, label }) => ({ id: toText(record.id), record: label }));
      return [...differing, ...absent.map((one) => ({ ...base, ...one, status: 'missing' }))];
    });
    await run.output.list(toPages(rows), {
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
    if (rows.length > 0) run.exit(EXIT.found);
  },
});

const workspacesApply = defineCommand({
  path: 'workspaces apply',
  about: 'make the workspace match the files in a folder',
  examples: [
    'ttctl workspaces apply workspace --dry-run',
    'ttctl workspaces apply workspace --plan plan.ndjson',
    'ttctl workspaces apply workspace --yes --max-changes 50',
  ],
  more: [
    {
      title: 'Rows',
      text: 'A row changes the record with its id; without an id, the one it matches, or it creates one. Only cells that differ are sent; an empty cell leaves the value alone (none empties projects and assignees). A record without a row is left alone unless you pass --archive-missing.',
    },
    {
      title: 'Order',
      text: 'Projects, people, contracts, tasks, assignments; archiving goes the other way. Rows that need a record which this run creates are left to the next one: the exit code is 10 until you have applied the folder again. It is one job, for jobs resume and undo.',
    },
  ],
  writes: true,
  prints: { shape: 'results' },
  exits: [...SERVICE_EXITS, 8, 9, 10],
  positionals: [folderOperand],
  flags: [
    { name: 'archive-missing', about: 'archive records without a row (delete webhooks)', unsafe: true },
    exitCodeFlag,
    ...planFlags,
    maxChangesFlag,
    secretsFlag,
    historyFlag,
  ],
  run: async (run, { targets: [folder = ''], options, program }) => {
    const shape = await program();
    await makeInTurn(run, WORDS.noun, () => applyFolder(run, folder, options, shape));
  },
});

const WORDS = { verb: ['apply', 'applied'], noun: ['change', 'changes'] } as const;

async function applyFolder(
  run: Run,
  folder: string,
  options: Readonly<Record<string, unknown>>,
  program: Program,
): Promise<void> {
  const { output, settings, commandLine } = run;
  checkWritable(run);
  await output.checkNames();
  const exitCode = wantsExitCode(run, options);
  const { sheets, problems } = await readFolder(run, folder, program);
  const rows = sheets.flatMap((sheet) => sheet.rows.map((row) => planRow(run, row)));
  problems.throwIfAny();
  // Those that rest on others first. The owner stays, and who applies the files.
  const isArchiving = options.archiveMissing === true;
  const account = isArchiving ? await readAccount(run) : null;
  const missing = sheets.toReversed().flatMap((sheet) => sheet.missing);
  const gone = missing.filter(
    ({ record: { current_role: role, email } }) =>
      isArchiving && role !== OWNER && (account === null || email !== account),
  );
  const archives = gone.map(({ file, record, label }) => {
    const verb = file.noun === 'webhooks' ? 'delete' : 'archive';
    return plan(run, file, verb, record, `${file.resource.words[0]} ${label}`, {});
  });
  const all = [...rows.flatMap((row) => row.changes), ...rows.flatMap((row) => row.links), ...archives];
  const changes = all.map((change, n): Change => ({ n, ...change }));
  const words = (change: Change) => describeRow(run, change);
  const ids = all.map(({ call }) => call.operation.id);
  const final = describeFinal(ids);
  if (settings.dryRun.value) for (const text of final) output.note(text);
  const facts = [
    `folder     ${folder}`,
    `changes    ${countOperations(ids)}`,
    ...final,
    ...archives.map(({ call, label, target }) => {
      const [, verb = ''] = call.operation.id.split('.');
      return `${verb.padEnd(10)} ${label}  ${target}`;
    }),
  ];
  const work = { ...WORDS, needsConfirmation: true };
  const confirmed = await confirmChanges(run, work, { changes, words, facts, noneMessage: '' }, options);
  const kept = missing.length - gone.length;
  const how = isArchiving
    ? 'The owner and your own account are not archived.'
    : 'To archive: --archive-missing';
  if (kept > 0)
    output.note(`${pluralize(kept, ['record', 'records'])} missing from the files, left alone. ${how}`);
  if (changes.length === 0) output.note('Nothing to change.');
  await writeChanges(run, { ...WORDS, changes, ifMissing: true, confirmed, exitCode });
  const waiting = rows.filter(({ isWaiting }) => isWaiting).length;
  if (waiting === 0) return;
  const need = pluralize(waiting, ['row needs', 'rows need']);
  output.note(
    `${need} a record that this run creates. Then run: ${commandLine`ttctl workspaces apply ${folder}`}`,
  );
  if (!settings.dryRun.value && settings.plan === undefined) run.exit(EXIT.found);
}

/**
 * What a row asks for: of a record that is there the cells that differ. Links, who is assigned to a task and what a viewer
 * may see, are set last; what waits is gone on with by the next run.
 */
function planRow(run: Run, row: FolderRow) {
  const { file, record, id, label, creation, texts, differences, change, add } = row;
  const { columns, creatable, settable, update, assigned } = file;
  if (record === undefined && id !== undefined) {
    const what = `no ${file.resource.words[0]} has the id ${id}, or it is archived`;
    add(what, EXIT.notFound, 'Remove the row, or restore the record; workspaces diff shows all of them.');
    return { changes: [], links: [], isWaiting: false };
  }
  if (record === undefined) {
    const later = columns.filter((name) => !creatable.includes(name) && texts[name]?.trim());
    const { values, isAwaiting } = creation;
    const created = plan(run, file, file.creation?.id.split('.')[1] ?? '', undefined, label, values);
    return { changes: isAwaiting ? [] : [created], links: [], isWaiting: isAwaiting || later.length > 0 };
  }
  const edited = differences.filter(({ field, after }) => after !== '' && field !== assigned);
  for (const { field, before, after } of edited)
    if (!settable.includes(field))
      add(`${field}: ${quoteText(after)} cannot be set (the record has ${quoteText(before)})`);
  const fields = edited.map(({ field }) => field);
  const isSent = (name: string) => fields.includes(name) || update?.keeps?.includes(name) === true;
  const values = filterFields(change, isSent);
  const isChanged = fields.some((field) => Object.hasOwn(change, field));
  const changes = isChanged ? [plan(run, file, 'update', record, label, values)] : [];
  const { after = '', items = [] } = differences.find(({ field }) => field === assigned) ?? {};
  if (after === '') return { changes, links: [], isWaiting: false };
  const present = listIds(record, assigned);
  const known = items.filter((one) => one !== undefined);
  const links = [
    ...known.filter((one) => !present.includes(one)).map((one) => ['assign', one] as const),
    ...present.filter((one) => !known.includes(one)).map((one) => ['unassign', one] as const),
  ].map(([verb, one]) => {
    const values = LINKS[assigned] === 'members' ? { userId: one } : { project_id: toIdValue(one) };
    return plan(run, file, verb, record, label, values);
  });
  return { changes, links, isWaiting: known.length < items.length };
}

function plan(
  { api }: Run,
  { noun, resource }: FolderFile,
  verb: string,
  record: Row | undefined,
  label: string,
  values: Values,
): Omit<Change, 'n'> {
  const operation = `${noun}.${verb}`;
  const id = toText(record?.id ?? '');
  const all = record && noun === 'tasks' ? { ...values, project_id: record.project_id } : values;
  const own = record && { [`${resource.words[0]}Id`]: record.id };
  const cells = Object.entries(all).map(([name, value]) => [name, toText(value)]);
  return {
    ...(record === undefined ? { target: label } : { target: id, label, before: record }),
    key: [operation, id || label, ...cells].join(' '),
    // As `--from-file` of the operation reads them.
    columns: { operation, ...(id && { id }), ...Object.fromEntries(cells) },
    after: values,
    call: buildCall(api, operation, { ...all, ...own }) as ApiCall,
  };
}

/** What is read is read whole before the first file is written. */
async function exportFolder(run: Run, folder: string): Promise<void> {
  const { output, settings, machine } = run;
  for (const file of FOLDER_FILES) {
    const place = placeFile(folder, file);
    const text = await findText(machine, place);
    // It would be lost. Columns may have been left out, and a spreadsheet may have saved it; an empty one is nobody's.
    if (text?.trim() && (listUnknownHeadings(file, text).length > 0 || !/^\W*id\b/.test(text)))
      throw new UsageError(`${place} is not a file of an export`, {
        hint: 'Move it away, or export to another folder.',
      });
  }
  const records = await loadRecords(run);
  const links = new Links(records);
  const rows: Row[] = [];
  const status = settings.dryRun.value ? 'planned' : 'written';
  for (const file of FOLDER_FILES) {
    const place = placeFile(folder, file);
    const cells = records[file.noun].map((record) => toCells(file, record, links));
    const hidden = cells.filter(({ url }) => url === '').length;
    if (hidden > 0) output.warn(`${place}: secrets left out (the addresses of ${hidden} webhooks)`);
    if (status === 'written') writeInFolder(folder, place, formatCsv(file.headings, cells, '\n'));
    rows.push({ file: place, records: cells.length, status });
  }
  await output.list(toPages(rows), {
    noun: 'files',
    id: 'file',
    columns: [{ field: 'file' }, { field: 'records', kind: 'number' }, { field: 'status', kind: 'state' }],
  });
}
