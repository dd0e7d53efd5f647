import { allOperations, operations } from '../api/operations.ts';
import { onePage, type Row, toPages } from '../api/page.ts';
import {
  checkDestination,
  ENTRY_FIELDS,
  ENTRY_STATUSES,
  findEntries,
  findEntryId,
  findJobId,
  findMemberIds,
  listEntries,
  listJobRows,
  toEntryRecord,
} from '../changes/jobs.ts';
import { countOpen, countRows, RUN_STATES } from '../changes/journal.ts';
import { createChangeColumn } from '../changes/look.ts';
import { readPlan, recordColumn, showPlan, showRun, WRITE_FIELDS } from '../changes/plan.ts';
import { pluralize } from '../changes/report.ts';
import { applyPlan, comparePlan, MOVED_FIELDS, resumeJob, toMovedRecord } from '../changes/resume.ts';
import { RunStore } from '../changes/store.ts';
import { undoEntries } from '../changes/undo.ts';
import { type Command, defineCommand, type Group, type Noun } from '../cli/command.ts';
import { EXIT, UsageError } from '../errors.ts';
import type { Column } from '../output/list-view.ts';
import { addDays, parseDuration, toUtcDay } from '../parsing/calendar.ts';
import { commandLine, placeholder } from '../parsing/shell-word.ts';
import type { Run } from '../run.ts';
import {
  exitCodeFlag,
  flag,
  groupFlags,
  historyFlag,
  maxChangesFlag,
  olderThanFlag,
  periodFlag,
  planFile,
  planFlags,
  secretsFlag,
  zoneFlag,
} from './flags.ts';
import { changeLocally } from './local-change.ts';
import { SERVICE_EXITS } from './outputs.ts';

export function jobs(noun: Noun): Group {
  return { ...noun, commands: [jobsList, jobsShow, jobsResume] };
}

const columns: readonly Column[] = [
  { field: 'state', kind: 'state' },
  { field: 'started_at', title: 'started', kind: 'age', drop: 2 },
  { field: 'command', least: 34 },
  { field: 'done', kind: 'number', drop: 3 },
  { field: 'failed', kind: 'number', drop: 1 },
  { field: 'skipped', kind: 'number', drop: 4, sparse: true, show: ({ skipped }) => skipped || null },
  { field: 'unknown', kind: 'number', drop: 4 },
  { field: 'left', kind: 'number', drop: 4 },
  { field: 'failed_file', title: 'failed rows', drop: 6, sparse: true },
  { field: 'id' },
];

const jobsList = defineCommand({
  path: 'jobs list',
  about: 'list runs of several writes and those with an unknown outcome, newest first',
  examples: ['ttctl jobs list', 'ttctl jobs list --state unfinished'],
  prints: { shape: 'list', fields: columns.map(({ field }) => field), words: { state: RUN_STATES } },
  flags: [
    { name: 'state', value: 'state', about: 'only this state', choices: [...RUN_STATES, 'unfinished'] },
    { name: 'limit', value: 'n', about: 'at most <n> rows' },
    ...groupFlags,
  ],
  run: (run, { options: { state } }) => {
    const { from, value } = run.settings.profile;
    const rows = listJobRows(new RunStore(run), state, from === 'flag' ? value : undefined);
    return run.output.list(toPages(rows, run.window.limit), { noun: 'jobs', columns });
  },
});

const jobsShow = defineCommand({
  path: 'jobs show',
  about: 'show a run, its writes and the result of each',
  examples: ['ttctl jobs show 20261121-0900-kfm'],
  prints: { shape: 'list', fields: WRITE_FIELDS },
  positionals: [{ name: 'job', about: 'id of the job', required: true }],
  flags: [...groupFlags],
  run: async (run, { targets: [text = ''] }) => showRun(run, await findJobId(run, text)),
});

const jobsResume = defineCommand({
  path: 'jobs resume',
  about: 'resume a run: check unknown rows, then send the rest',
  examples: ['ttctl jobs resume 20261121-0900-kfm', 'ttctl jobs resume 20261121-0900-kfm --dry-run'],
  more: [
    {
      title: 'What is printed',
      text: 'Only the rows that were left. For every row of the run: ttctl jobs show <job> --json',
    },
  ],
  writes: true,
  prints: { shape: 'results' },
  exits: [...SERVICE_EXITS, 8, 9],
  positionals: [{ name: 'job', about: 'id of the job', required: true }],
  flags: [secretsFlag],
  run: (run, { targets: [id = ''] }) => resumeJob(run, id),
});

export function plan(noun: Noun): Group {
  return { ...noun, commands: [planShow, planCheck, planApply] };
}

const planShow = defineCommand({
  path: 'plan show',
  about: 'show what a plan would change, without asking the service',
  examples: ['ttctl plan show plan.ndjson', 'ttctl plan show plan.ndjson --output markdown'],
  more: [
    {
      title: 'What is shown',
      text: 'Operations, ids and new values are those of the requests. Names and old values are as recorded when the plan was made: plan check compares them with the service.',
    },
  ],
  prints: { shape: 'list', fields: WRITE_FIELDS },
  positionals: [planFile],
  run: async (run, { targets: [file = ''] }) => showPlan(run, await readPlan(run, file)),
});

const planCheck = defineCommand({
  path: 'plan check',
  about: 'check which records changed since a plan was made (exit 10 if any did)',
  examples: ['ttctl plan check plan.ndjson'],
  prints: { shape: 'list', fields: MOVED_FIELDS },
  exits: [...SERVICE_EXITS, 10],
  positionals: [planFile],
  run: async (run, { targets: [file = ''] }) => {
    const found = await readPlan(run, file);
    await checkDestination(run, found.head, 'the plan', ['plan', 'check', file]);
    const compared = await comparePlan(run, found);
    const rows = compared.filter((one) => one.moved !== undefined).map(toMovedRecord);
    const unchecked = found.rows.filter(({ seen, label }) => seen === null && label === null).length;
    const count = found.rows.length - unchecked;
    await run.output.list(toPages(rows), {
      noun: 'changed records',
      id: 'target',
      emptyMessage:
        count === 0
          ? 'The plan has no records to compare.'
          : `${pluralize(count, ['record is', 'records are'])} unchanged since the plan was made.`,
      columns: [
        { ...recordColumn, sparse: true },
        { field: 'status', kind: 'state' },
        createChangeColumn(run),
        { field: 'message', sparse: true },
        { field: 'target' },
      ],
    });
    if (unchecked > 0) run.output.note(`${unchecked} not checked: the plan has nothing to compare with.`);
    if (rows.length > 0) run.exit(EXIT.found);
  },
});

const planApply = defineCommand({
  path: 'plan apply',
  about: 'send the changes of a plan',
  examples: ['ttctl plan apply plan.ndjson', 'ttctl plan apply plan.ndjson --all-or-nothing'],
  more: [
    {
      title: 'Changed since',
      text: 'All records are read when the run begins, and those not yet sent again after a minute. One that has changed since is skipped (code moved, exit 8); one that already is as planned is unchanged. A plan that was made with --at is refused before that day (exit 2), and nothing applies it by itself. Between read and write, somebody else can still change it.',
    },
    {
      title: 'What is sent',
      text: 'Exactly the requests of the plan. One for another service or workspace, or one that was edited, is refused. The checksum is not a signature: keep the file where only people you trust can write to it.',
    },
  ],
  writes: true,
  prints: { shape: 'results' },
  exits: [...SERVICE_EXITS, 8, 9, 10],
  positionals: [planFile],
  flags: [
    { name: 'all-or-nothing', about: 'send nothing if any record has changed (exit 10)' },
    { name: 'again', about: 'apply a plan that was already applied', unsafe: true },
    maxChangesFlag,
    historyFlag,
    secretsFlag,
  ],
  run: (run, { targets: [file = ''], options }) => applyPlan(run, file, options),
});

export function history(noun: Noun): Group {
  return { ...noun, commands: [historyList, historyShow, historyPrune] };
}

const WRITES = [...allOperations.flatMap(({ id, method }) => (method === 'GET' ? [] : [id])), 'api'];
const { leaves } = operations;

const historyList = defineCommand({
  path: 'history list',
  about: 'list the writes sent from this machine, newest first',
  examples: [
    'ttctl history list --operation contracts.update --period last-week',
    'ttctl history list --member ana@example.com --output json',
    'ttctl history list --status unknown --limit 1000 --output ids',
    `ttctl history list --profile cron --where "caller == 'script'"`,
  ],
  prints: { shape: 'list', fields: ENTRY_FIELDS },
  flags: [
    { name: 'target', value: 'id', about: 'only writes to this target, as it was named' },
    { name: 'operation', value: 'operation', about: 'such as timesheets.approve, or api', offers: WRITES },
    { name: 'member', value: 'member', about: 'writes about this member (id, or part of name or e-mail)' },
    { name: 'status', value: 'status', about: 'only with this status', choices: ENTRY_STATUSES },
    { name: 'run', value: 'run', about: 'only writes of this run' },
    flag(leaves.list, 'date_from', { about: 'only writes of this day or later' }),
    flag(leaves.list, 'date_to', { about: 'only writes of this day or earlier' }),
    periodFlag,
    { name: 'limit', value: 'n', about: 'at most <n> rows', default: '100' },
    ...groupFlags,
    zoneFlag,
  ],
  run: async (run, { values, options }) => {
    const { output, window, timeZone, settings } = run;
    const { target, operation, member, status, run: ofRun } = options;
    if (operation !== undefined && !WRITES.includes(operation))
      throw new UsageError(`--operation: "${operation}" is not an operation that writes`, {
        hint: 'Use one such as timesheets.approve, or api.',
      });
    const store = new RunStore(run);
    const { date_from: from, date_to: to } = values as Readonly<Record<string, string | undefined>>;
    const memberIds = member === undefined ? undefined : await findMemberIds(run, store, member);
    const profile = settings.profile.from === 'flag' ? settings.profile.value : undefined;
    const filter = { profile, target, operation, member, memberIds, status, from, to, timeZone: timeZone() };
    const id = ofRun === undefined ? undefined : await findJobId(run, ofRun);
    const found = id === undefined ? undefined : findEntries(store, id);
    const known = found && { ...found.run, rows: found.entries };
    // Read only as far as they are wanted: there may be very many.
    const rows: Row[] = [];
    let shortened = false;
    for (const entry of listEntries(store, filter, known)) {
      shortened = rows.length === window.limit;
      if (shortened) break;
      rows.push(entry);
    }
    await output.list(onePage({ rows, total: shortened ? undefined : rows.length, shortened }), {
      noun: 'entries',
      columns: [
        { field: 'time', kind: 'age' },
        { field: 'status', kind: 'state' },
        { field: 'operation', drop: 2 },
        recordColumn,
        createChangeColumn(run),
        { field: 'target', drop: 3 },
        // Practice data beside what is real.
        ...(settings.embedded ? [] : ([{ field: 'sandbox', sparse: true, drop: 4 }] as const)),
        { field: 'id' },
      ],
    });
  },
});

const historyShow = defineCommand({
  path: 'history show',
  about: 'show one write (who, when, what it changed), or all of a run',
  examples: ['ttctl history show 20261121-0900-kfm-3', 'ttctl history show 20261121-0900-kfm --output json'],
  prints: { shape: 'record', fields: ENTRY_FIELDS },
  positionals: [{ name: 'entry', about: 'id of an entry, or of a run', required: true }],
  run: async (run, { targets: [text = ''] }) => {
    const id = await findEntryId(run, text);
    const { run: stored, entries } = findEntries(new RunStore(run), id);
    const [entry] = entries;
    if (entry === undefined || entries.length > 1) return showRun(run, stored.id);
    const hidden = new Set(['before', 'after', 'request_id', 'run', 'sandbox']);
    const shown = ENTRY_FIELDS.filter((field) => !hidden.has(field)).map((field) =>
      field === 'time' ? ({ field, kind: 'time' } as const) : { field },
    );
    const change = createChangeColumn(run);
    await run.output.record(toEntryRecord(stored, entry), [...shown, change]);
  },
});

const historyPrune = defineCommand({
  path: 'history prune',
  about: 'remove old writes from the history, except runs that can be resumed',
  examples: ['ttctl history prune --older-than 180d', 'ttctl history prune --older-than 52w --dry-run'],
  prints: { shape: 'record', fields: ['before', 'runs', 'kept'] },
  exits: [9],
  flags: [olderThanFlag],
  run: (run, { options }) => prune(run, options.olderThan),
});

async function prune(run: Run, olderThan: string): Promise<void> {
  const { clock, output } = run;
  const store = new RunStore(run);
  const before = toUtcDay(clock.now() - parseDuration(olderThan, '--older-than'));
  const [old, kept]: [string[], string[]] = [[], []];
  for (const id of [...store.ids(addDays(before, -1))].reverse()) {
    const { rows = [], problem } = store.tryRead(id) ?? {};
    if (problem !== undefined) {
      // Nobody can tell whether it is over.
      store.warnDamaged(id);
      continue;
    }
    // A single write is looked up by whoever cares: nothing is left of it.
    const isOpen = rows.length > 1 && countOpen(countRows(rows)) > 0;
    (isOpen || store.isRunning({ id, rows }) ? kept : old).push(id);
  }
  if (kept.length > 0) {
    const are = pluralize(kept.length, ['bulk run is', 'bulk runs are']);
    const resume = commandLine`ttctl jobs resume ${kept.length === 1 ? kept[0] : placeholder('job')}`;
    output.note(`${are} unfinished and kept. To finish: ${resume}`);
  }
  const removed = pluralize(old.length, ['run', 'runs']);
  await changeLocally(run, {
    question: old.length > 0 && `remove ${removed} begun before ${before}`,
    facts: ['They can no longer be shown, resumed or undone.'],
    async change() {
      for (const id of old) await store.remove(id);
    },
    record: { before, runs: old.length, kept },
    text: `${removed} removed`,
    inspectLine: 'ttctl history list',
  });
}

export function undo(noun: Noun): Command {
  return defineCommand({
    ...noun,
    examples: ['ttctl undo 20261121-0900-kfm-3', 'ttctl undo 20261121-0900-kfm --dry-run'],
    more: [
      {
        title: 'What can be undone',
        text: 'Without an id, a terminal offers the last ten writes. Updates get their old values back, what has an opposite is reversed, and what was created is archived or deleted. Decisions and deletions are final; for a deleted record, the line that creates it again is printed. The help of each write says how it is undone, or why it cannot be.',
      },
      {
        title: 'Changed since',
        text: 'A record that somebody has changed since is left alone (code moved, exit 8) unless you pass --force. An undo can be undone.',
      },
    ],
    writes: true,
    prints: { shape: 'results' },
    exits: [...SERVICE_EXITS, 8, 9, 10],
    positionals: [
      { name: 'entry', about: 'id of an entry, or of a run for all of its writes', required: true },
    ],
    flags: [
      { name: 'force', about: 'undo even if the record has changed since', unsafe: true },
      exitCodeFlag,
      ...planFlags,
      maxChangesFlag,
      historyFlag,
    ],
    run: async (run, { targets: [text = ''], options }) =>
      undoEntries(run, await findEntryId(run, text), options),
  });
}
