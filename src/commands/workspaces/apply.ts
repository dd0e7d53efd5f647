import { type ApiCall, buildCall } from '../../api/client.ts';
import type { Row } from '../../api/page.ts';
import type { Values } from '../../api/plan.ts';
import { OWNER } from '../../api/records.ts';
import { readAccount } from '../../changes/account.ts';
import type { Change } from '../../changes/change.ts';
import { confirmChanges } from '../../changes/confirm.ts';
import { describeRow } from '../../changes/input/select-rows.ts';
import { pluralize } from '../../changes/report.ts';
import { countOperations } from '../../changes/show.ts';
import { checkWritable, makeInTurn, wantsExitCode, writeChanges } from '../../changes/write.ts';
import { defineCommand, type Program } from '../../cli/command.ts';
import { EXIT, UsageError } from '../../errors.ts';
import { toText } from '../../json.ts';
import { quoteText } from '../../parsing/text.ts';
import type { Run } from '../../run.ts';
import { exitCodeFlag, historyFlag, maxChangesFlag, planFlag, secretsFlag } from '../flags.ts';
import { SERVICE_EXITS } from '../outputs.ts';
import { type FolderFile, LINKS, type Links, listIds, splitItems, toIdValue } from './files.ts';
import { type FolderRow, readFolder } from './folder.ts';

export const workspacesApply = defineCommand({
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
      text: 'A row changes the record with its id, or without an id the one that is alike (see --if-missing of the create command): only cells that differ are sent, and an empty cell leaves the value alone (none empties projects and assignees). If there is none, a row without an id creates it. A record without a row is reported, and left unchanged unless you pass --archive-missing.',
    },
    {
      title: 'Order',
      text: 'Projects, people, contracts, tasks, assignments; archiving goes the other way. Rows that need a record which this run creates, and values that only an existing record can have, are left to the next run: then the exit code is 10 until you have applied the folder again. It is one job: jobs resume continues it, and ttctl undo <job> undoes what the API allows.',
    },
  ],
  writes: true,
  prints: { shape: 'results' },
  exits: [...SERVICE_EXITS, 8, 9, 10],
  positionals: [{ name: 'folder', about: 'folder of the files', required: true }],
  flags: [
    {
      name: 'archive-missing',
      about: 'also archive records that the files have no row for (webhooks are deleted)',
      unsafe: true,
    },
    exitCodeFlag,
    planFlag,
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

type Planned = Omit<Change, 'n'>;

/**
 * @throws UsageError (exit 2) for what is wrong with the files, before anything is sent; Cancelled when declined; else
 *   as `writeChanges`
 */
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
  const { sheets, links, problems } = await readFolder(run, folder, program);
  const rows = sheets.flatMap((sheet) => sheet.rows.map((row) => planRow(run, row, links)));
  problems.throwIfAny();
  // Those that rest on others first. The owner stays, and who applies the files.
  const isArchiving = options['archiveMissing'] === true;
  const account = isArchiving ? await readAccount(run) : null;
  const isKept = ({ current_role: role, email }: Row): boolean =>
    !isArchiving || role === OWNER || (account !== null && email === account);
  const missing = sheets.toReversed().flatMap((sheet) => sheet.missing);
  const gone = missing.filter(({ record }) => !isKept(record));
  const archives = gone.map(({ file, record, label }) => {
    const verb = file.noun === 'webhooks' ? 'delete' : 'archive';
    return plan(run, file, verb, record, `${file.resource.words[0]} ${label}`, {});
  });
  const all = [...rows.flatMap(({ changes }) => changes), ...rows.flatMap((row) => row.links), ...archives];
  const changes = all.map((change, n): Change => ({ n, ...change }));
  const selection = {
    changes,
    words: (change: Change) => describeRow(run, change),
    facts: [
      `folder     ${folder}`,
      `changes    ${countOperations(all.map(({ call }) => call.operation.id))}`,
      ...archives.map(({ call, label, target }) => {
        const [, verb = ''] = call.operation.id.split('.');
        return `${verb.padEnd(10)} ${label}  ${target}`;
      }),
    ],
    noneMessage: '',
  };
  const confirmed = await confirmChanges(run, { ...WORDS, needsConfirmation: true }, selection, options);
  const kept = missing.length - gone.length;
  if (kept > 0) {
    const why = isArchiving
      ? 'The owner, and the account in use, are not archived.'
      : 'To archive: --archive-missing';
    output.note(`${pluralize(kept, ['record', 'records'])} missing from the files, left alone. ${why}`);
  }
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
function planRow(run: Run, row: FolderRow, links: Links) {
  const { file, record, id, label, creation, texts, isAwaiting, differences, change, add } = row;
  const { columns, creatable, settable, update, assigned = '', creation: makes } = file;
  if (record === undefined && id !== undefined) {
    const what = `no ${file.resource.words[0]} has the id ${id}, or it is archived`;
    add(what, EXIT.notFound, 'Remove the row, or restore the record; workspaces diff shows all of them.');
    return { changes: [], links: [], isWaiting: false };
  }
  if (record === undefined) {
    const later = columns.filter((name) => !creatable.includes(name) && texts[name]?.trim());
    const created = plan(run, file, makes?.id.split('.')[1] ?? '', undefined, label, creation);
    return { changes: isAwaiting ? [] : [created], links: [], isWaiting: isAwaiting || later.length > 0 };
  }
  const changes: Planned[] = [];
  const edited = differences.filter(({ field, after }) => after !== '' && field !== assigned);
  for (const { field, before, after } of edited)
    if (!settable.includes(field))
      add(`${field}: ${quoteText(after)} cannot be set (the record has ${quoteText(before)})`);
  const fields = edited.map(({ field }) => field);
  if (fields.some((field) => Object.hasOwn(change, field))) {
    const isSent = (name: string) => fields.includes(name) || update?.parameters[name]?.required === true;
    const values = Object.fromEntries(Object.entries(change).filter(([name]) => isSent(name)));
    const planned = plan(run, file, 'update', record, label, values);
    try {
      planned.call.check();
    } catch (error) {
      if (!(error instanceof UsageError)) throw error;
      add(error.message, undefined, error.hint);
    }
    changes.push(planned);
  }
  const { after = '' } = differences.find(({ field }) => field === assigned) ?? {};
  const noun = LINKS[assigned];
  if (noun === undefined || after === '') return { changes, links: [], isWaiting: false };
  const present = listIds(record, assigned);
  const tell = (what: string) => add(`${assigned}: ${what}`, EXIT.notFound);
  const wanted = splitItems(after).map((item) =>
    present.includes(item) ? item : links.find(noun, item, tell),
  );
  const planLink = (verb: 'assign' | 'unassign', one: string): Planned => {
    const values = noun === 'members' ? { userId: one } : { project_id: toIdValue(one) };
    return plan(run, file, verb, record, label, values);
  };
  const known = wanted.filter((one) => one !== undefined);
  const added = known.filter((one) => !present.includes(one)).map((one) => planLink('assign', one));
  const removed = present.filter((one) => !known.includes(one)).map((one) => planLink('unassign', one));
  return { changes, links: [...added, ...removed], isWaiting: known.length < wanted.length };
}

/** A write of a record, or of a new one. A task is written with its project. */
function plan(
  { api }: Run,
  { noun, resource }: FolderFile,
  verb: string,
  record: Row | undefined,
  label: string,
  values: Values,
): Planned {
  const operation = `${noun}.${verb}`;
  const id = toText(record?.['id'] ?? '');
  const own = record === undefined ? {} : { [`${resource.words[0]}Id`]: record['id'] };
  const project = record === undefined || noun !== 'tasks' ? {} : { project_id: record['project_id'] };
  const call = buildCall(api, operation, { ...values, ...project, ...own }) as ApiCall;
  const cells = Object.entries({ ...values, ...project }).map(([name, value]) => [name, toText(value)]);
  return {
    ...(record === undefined ? { target: label } : { target: id, label, before: record }),
    key: [operation, id || label, ...cells].join(' '),
    // As `--from-file` of the operation reads them.
    columns: { operation, ...(id && { id }), ...Object.fromEntries(cells) },
    after: values,
    call,
  };
}
