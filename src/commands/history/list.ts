import { operations } from '../../api/operations.ts';
import { ENTRY_FIELDS, ENTRY_STATUSES, listEntries } from '../../changes/history/entries.ts';
import { findRunEntries } from '../../changes/history/find-entries.ts';
import { defineCommand } from '../../cli/command.ts';
import { flag, groupFlags, periodFlag, zoneFlag } from '../flags.ts';
import { checkOperation, createEntryColumns, listOperationWords, paginate } from './entry-list.ts';

const { leaves } = operations;

export const historyList = defineCommand({
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
      choices: [...ENTRY_STATUSES, 'unreadable'],
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
    const { jobs, output, window, timeZone } = context;
    const { target, operation, member, status, run } = options;
    checkOperation(operation);
    const service = await jobs();
    const { date_from: from, date_to: to } = values as Readonly<Record<string, string | undefined>>;
    const filter = { target, operation, member, status, from, to, timeZone: timeZone() };
    const known = run === undefined ? undefined : await findRunEntries(context, run);
    await output.list(paginate(listEntries(service, filter, known), window.limit), {
      noun: 'entries',
      columns: createEntryColumns(context),
    });
  },
});
