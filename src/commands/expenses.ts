import { operations } from '../api/operations.ts';
import type { ListPage } from '../api/page.ts';
import { expense, expenseCategory } from '../api/records.ts';
import { defineCommand, type Group, type Noun } from '../cli/command.ts';
import { toText } from '../json.ts';
import { parseWrittenDay } from '../parsing/calendar.ts';
import { placeholder } from '../parsing/shell-word.ts';
import { categoryColumns, expenseColumns, expenseWords } from '../resources/expense/columns.ts';
import { findRow } from './filters.ts';
import { flag, listFlags, memberFilter, periodFlag } from './flags.ts';
import { defineCreate, defineDelete, defineListing, defineUpdate } from './verbs.ts';

const { categories, create, delete: remove, list, update } = operations.expenses;

export const expenses = (noun: Noun): Group => ({
  ...noun,
  commands: [
    defineCommand({
      path: 'expenses list',
      operation: list,
      examples: [
        'ttctl expenses list --period last-month',
        'ttctl expenses list --date-from 2026-10-01 --sort amount:desc --output csv',
      ],
      flags: [
        ...listFlags(list),
        flag(list, 'id'),
        memberFilter(list),
        flag(list, 'date_from'),
        flag(list, 'date_to'),
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
    }),
    defineCreate(create, expense, {
      examples: [
        'ttctl expenses create --name Hosting --date yesterday --amount 12 --category 4 --project 9 --billable',
        'ttctl expenses create --name "Train to Porto" --date 2026-11-20 --amount 48.60 --category 8c1f2b3a-5d6e-4f70-8a9b-0c1d2e3f4a5b',
        'ttctl expenses create --from-file expenses.csv',
      ],
      alike: 'this day, name and amount',
      flags: createBodyFlags(create),
      target: 'expense_name',
      columns: expenseColumns,
      hint: ({ commandLine }, { id }) =>
        `Undo with: ${commandLine`ttctl expenses delete ${id ?? placeholder('id')}`}`,
    }),
    defineUpdate(update, expense, {
      examples: [
        'ttctl expenses update 8c1f2b3a-5d6e-4f70-8a9b-0c1d2e3f4a5b --name "Train to Porto" --date 2026-11-20 --amount 52.10 --category 4',
      ],
      flags: createBodyFlags(update),
      ids: { list, columns: expenseWords },
    }),
    defineDelete(remove, expense, list, expenseWords, (api, id) =>
      findRow(api.expenses.list({ id }).pages(), id),
    ),
    defineListing(categories, expenseCategory.words[1], {
      examples: ['ttctl expenses categories'],
      flags: [flag(categories, 'id')],
      columns: categoryColumns,
    }),
  ],
});

/** The fields of an expense as flags, the same for create and update. */
function createBodyFlags(operation: typeof create | typeof update) {
  return [
    flag(operation, 'expense_name', { as: 'name' }),
    flag(operation, 'date'),
    flag(operation, 'amount'),
    flag(operation, 'category_id', { as: 'category', lookup: 'category' }),
    flag(operation, 'project_id', { as: 'project', lookup: 'project' }),
    flag(operation, 'note'),
    flag(operation, 'is_billable', { as: 'billable' }),
    { name: 'no-billable', about: 'not billable' },
  ] as const;
}

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
