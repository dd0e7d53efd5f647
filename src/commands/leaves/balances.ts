import { operations } from '../../api/operations.ts';
import { defineCommand } from '../../cli/command.ts';
import type { Context } from '../../context.ts';
import { balanceColumns, createBalanceColumns, longBalanceColumns } from '../../resources/leave/columns.ts';
import { flag, listFlags, memberFilter, periodFlag } from '../flags.ts';
import { readBalanceRows } from './balance-rows.ts';

const operation = operations.leaves.balances;
const { required: _from, ...dateFrom } = operation.parameters.date_from;
const { required: _to, ...dateTo } = operation.parameters.date_to;

/** Without them the year is meant, of which `--period` tells both. */
const days = { id: operation.id, parameters: { date_from: dateFrom, date_to: dateTo } } as const;

/** Whether the rows are for a table or a spreadsheet; JSON has the records as they were sent. */
const isFlat = ({ settings: { output, query } }: Context): boolean =>
  query === undefined && (output.value.shape === 'screen' || output.value.shape === 'cells');

export const leavesBalances = defineCommand({
  path: 'leaves balances',
  operation,
  examples: [
    'ttctl leaves balances',
    'ttctl leaves balances --period last-year --long --output csv',
    'ttctl leaves balances --date-from 2026-01-01 --date-to 2026-12-31 --member ana@example.com',
  ],
  flags: [
    ...listFlags(operation),
    flag(days, 'date_from'),
    flag(days, 'date_to'),
    { ...periodFlag, usual: 'this-year' },
    memberFilter(operation),
    {
      name: 'long',
      about: 'print one row per balance, not one column per policy (table, CSV, TSV, Markdown)',
    },
  ],
  run: async (context, { values, options: { long = false } }) => {
    const { api, names, output, window } = context;
    const pages = context.choose(api.leaves.balances(values).pages(window));
    const view = { noun: 'leave balances', id: 'user_id', chosen: true } as const;
    if (!isFlat(context)) return output.list(pages, { ...view, columns: balanceColumns(names) });
    const { page, policies } = await readBalanceRows(context, pages, long);
    const { rows } = page;
    const columns = long ? longBalanceColumns(names, rows) : createBalanceColumns(names, rows, policies);
    const documented = async () => ['user_id', ...columns.map(({ field }) => field)];
    async function* all() {
      yield page;
    }
    await output.list(all(), { ...view, columns, documented });
  },
});
