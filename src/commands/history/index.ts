import { allOperations, operations } from '../../api/operations.ts';
import type { ListPage, Row } from '../../api/page.ts';
import { createChangeColumn } from '../../changes/describe-change.ts';
import {
  ENTRY_FIELDS,
  ENTRY_STATUSES,
  findEntries,
  findEntryId,
  listEntries,
  toEntryRecord,
} from '../../changes/jobs.ts';
import { countOpen, countRows } from '../../changes/journal.ts';
import { pluralize } from '../../changes/report.ts';
import { showRun } from '../../changes/show.ts';
import { RunStore } from '../../changes/store.ts';
import { defineCommand, type Group, type Noun } from '../../cli/command.ts';
import { UsageError } from '../../errors.ts';
import { addDays, parseDuration, toUtcDay } from '../../parsing/calendar.ts';
import { commandLine, placeholder } from '../../parsing/shell-word.ts';
import type { Run } from '../../run.ts';
import { flag, groupFlags, olderThanFlag, periodFlag, zoneFlag } from '../flags.ts';
import { printLocalChange } from '../local-change.ts';

export function history(noun: Noun): Group {
  return { ...noun, commands: [historyList, historyShow, historyPrune] };
}

function listOperationWords(): readonly string[] {
  return [...allOperations.flatMap(({ id, method }) => (method === 'GET' ? [] : [id])), 'api'];
}

const { leaves } = operations;

const historyList = defineCommand({
  path: 'history list',
  about: 'list the writes sent from this machine, newest first',
  examples: [
    'ttctl history list',
    'ttctl history list --operation contracts.update --period last-week',
    'ttctl history list --member ana@example.com --output json',
    'ttctl history list --status unknown --limit 1000 --output ids',
  ],
  prints: { shape: 'list', fields: ENTRY_FIELDS },
  flags: [
    { name: 'target', value: 'id', about: 'only writes to this target, as it was named' },
    {
      name: 'operation',
      value: 'operation',
      about: 'only writes of this operation, such as timesheets.approve, or api',
      offers: listOperationWords(),
    },
    {
      name: 'member',
      value: 'member',
      about: 'only writes about this member (id, or part of the name or e-mail)',
    },
    {
      name: 'status',
      value: 'status',
      about: 'only with this status',
      choices: ENTRY_STATUSES,
    },
    { name: 'run', value: 'run', about: 'only writes of this run' },
    flag(leaves.list, 'date_from', { about: 'only writes of this day or later' }),
    flag(leaves.list, 'date_to', { about: 'only writes of this day or earlier' }),
    periodFlag,
    { name: 'limit', value: 'n', about: 'at most <n> rows', default: '100' },
    ...groupFlags,
    zoneFlag,
  ],
  run: async (context, { values, options }) => {
    const { output, window, timeZone } = context;
    const { target, operation, member, status, run } = options;
    if (operation !== undefined && !listOperationWords().includes(operation))
      throw new UsageError(`--operation: "${operation}" is not an operation that writes`, {
        hint: 'Use one such as timesheets.approve, or api.',
      });
    const store = new RunStore(context);
    const { date_from: from, date_to: to } = values as Readonly<Record<string, string | undefined>>;
    const filter = { target, operation, member, status, from, to, timeZone: timeZone() };
    const id = run === undefined ? undefined : await findEntryId(context, run, 'runs');
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
    async function* pages(): AsyncGenerator<ListPage> {
      yield { rows, total: shortened ? undefined : rows.length, shortened };
    }
    await output.list(pages(), {
      noun: 'entries',
      columns: [
        { field: 'time', kind: 'age', drop: 2 },
        { field: 'status', kind: 'state' },
        { field: 'operation', drop: 1 },
        { field: 'label', title: 'record', show: ({ label, target }) => label ?? target, least: 20 },
        createChangeColumn(context),
        { field: 'target', drop: 3 },
        { field: 'id', short: true },
      ],
    });
  },
});

const historyShow = defineCommand({
  path: 'history show',
  about: 'show one write: who, when, what it changed; or a run, as jobs show does',
  examples: ['ttctl history show 20261121-0900-kfm-3', 'ttctl history show 20261121-0900-kfm --output json'],
  prints: { shape: 'record', fields: ENTRY_FIELDS },
  positionals: [{ name: 'entry', about: 'id of an entry, or of a run', required: true }],
  run: async (context, { targets: [text = ''] }) => {
    const id = await findEntryId(context, text);
    const { run, entries } = findEntries(new RunStore(context), id);
    const [entry] = entries;
    if (entry === undefined || entries.length > 1) return showRun(context, run.id);
    const hidden = new Set(['before', 'after', 'request_id', 'run']);
    const shown = ENTRY_FIELDS.filter((field) => !hidden.has(field)).map((field) =>
      field === 'time' ? ({ field, kind: 'time' } as const) : { field },
    );
    const change = createChangeColumn(context);
    await context.output.record(toEntryRecord(run, entry), [...shown, change]);
  },
});

const historyPrune = defineCommand({
  path: 'history prune',
  about: 'remove old writes from the history, but for runs that can still be resumed',
  examples: ['ttctl history prune --older-than 180d', 'ttctl history prune --older-than 52w --dry-run'],
  prints: { shape: 'record', fields: ['before', 'runs', 'kept'] },
  exits: [9],
  flags: [olderThanFlag],
  run: (context, { options }) => prune(context, options.olderThan),
});

async function prune(run: Run, olderThan: string | undefined): Promise<void> {
  const { settings, confirm, clock, output } = run;
  if (olderThan === undefined) throw new UsageError('missing --older-than', { code: 'missing_value' });
  const store = new RunStore(run);
  const before = toUtcDay(clock.now() - parseDuration(olderThan, '--older-than'));
  const what = ['run', 'runs'] as const;
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
  const isPlan = settings.dryRun.value;
  if (kept.length > 0) {
    const are = pluralize(kept.length, ['bulk run is', 'bulk runs are']);
    const resume = commandLine`ttctl jobs resume ${kept.length === 1 ? kept[0] : placeholder('job')}`;
    output.note(`${are} unfinished and kept. To finish: ${resume}`);
  }
  if (old.length > 0 && !isPlan) {
    await confirm({
      local: true,
      question: `remove ${pluralize(old.length, what)} begun before ${before}`,
      facts: ['They can no longer be shown, resumed or undone.'],
    });
  }
  for (const id of isPlan ? [] : old) await store.remove(id);
  await printLocalChange(run, {
    record: { before, runs: old.length, kept },
    text: `${pluralize(old.length, what)} removed`,
    inspectLine: 'ttctl history list',
  });
}
