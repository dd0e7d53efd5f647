import { operations } from '../../api/operations.ts';
import type { ListPage } from '../../api/page.ts';
import { defineCommand } from '../../cli/command.ts';
import { toText } from '../../json/stringify.ts';
import { parseWrittenDay } from '../../parsing/calendar.ts';
import { expenseColumns } from '../../resources/expense/columns.ts';
import { expense } from '../../resources/expense.ts';
import { flag, listFlags, memberFilter, periodFlag } from '../flags.ts';

const operation = operations.expenses.list;

export const expensesList = defineCommand({
  path: 'expenses list',
  operation,
  examples: [
    'ttctl expenses list --period last-month',
    'ttctl expenses list --date-from 2026-10-01 --sort amount:desc --output csv',
  ],
  flags: [
    ...listFlags(operation),
    flag(operation, 'id'),
    memberFilter(operation),
    flag(operation, 'date_from'),
    flag(operation, 'date_to'),
    periodFlag,
  ],
  run: async ({ api, output, window, settings }, { values }) => {
    const pages = api.expenses.list(values).pages(window);
    const view = { noun: expense.words[1], columns: expenseColumns };
    if (settings.output.value.shape !== 'cells') return output.list(pages, view);
    const documented = async () =>
      Object.keys(expense.fields).flatMap((name) =>
        name === 'expense_date' ? [name, `${name}_iso`] : [name],
      );
    await output.list(withIsoDays(pages), { ...view, documented });
  },
});

/** The service writes days in words (`Nov 20, 2026`): spreadsheets get them as `2026-11-20` too. */
async function* withIsoDays(pages: AsyncIterable<ListPage>): AsyncGenerator<ListPage> {
  for await (const page of pages) {
    const rows = page.rows.map((row) =>
      row.expense_date == null
        ? row
        : { ...row, expense_date_iso: parseWrittenDay(toText(row.expense_date)) ?? row.expense_date },
    );
    yield { ...page, rows };
  }
}
