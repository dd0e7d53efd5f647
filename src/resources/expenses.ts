import { operations } from '../api/operations.ts';
import type { ListPage } from '../api/page.ts';
import { expense, expenseCategory } from '../api/records.ts';
import { defineCommand } from '../cli/command.ts';
import { flag, flagsOf, listFlags, memberFilter, periodFlag } from '../commands/flags.ts';
import { toText } from '../json.ts';
import type { Column } from '../output/list-view.ts';
import { parseWrittenDay } from '../parsing/calendar.ts';
import { toIsoDay } from '../parsing/names.ts';
import { createColumns } from './columns.ts';
import { defineResource } from './define.ts';
import type { NameSource } from './names.ts';
import { listValuesOf } from './proof.ts';

const { categories, create, list, update } = operations.expenses;
const column = createColumns(expense.fields);
const BODY = ['expense_name', 'date', 'amount', 'category_id', 'project_id', 'note', 'is_billable'] as const;
const BILLING: Readonly<Record<string, unknown>> = expense.written.type;
const category = createColumns(expenseCategory.fields);

const listColumns: readonly Column[] = [
  column('member', { least: 10, drop: 1 }),
  column('expense_name', { least: 12 }),
  column('expense_date', { drop: 1 }),
  column('amount'),
  column('category', { drop: 2, least: 12 }),
  column('project', { drop: 2, least: 12 }),
  column('type', { drop: 5 }),
  column('note', { sparse: true, drop: 6, least: 16 }),
  column('added_dte', { sparse: true, drop: 7 }),
  { field: 'added_date', title: 'added', kind: 'date', sparse: true, drop: 7 },
  column('id', { short: true }),
];

export const expenses = defineResource('expenses', {
  record: expense,
  label: [column('member'), column('expense_name'), column('expense_date'), column('amount'), column('id')],
  // What is sent are ids, what is shown are names.
  view: (row, sent, names) => ({
    ...row,
    date: row.expense_date ?? row.date,
    category_id: row.category_id ?? findIdBehind(row.category, sent.category_id, names?.category),
    project_id: row.project_id ?? findIdBehind(row.project, sent.project_id, names?.project),
    is_billable: row.type === undefined ? row.is_billable : BILLING[toText(row.type)],
  }),
  toShown(parameter, value, _, names) {
    if (parameter === 'category_id') return names?.category.of(value) ?? value;
    if (parameter === 'project_id') return names?.project.of(value) ?? value;
    return parameter === 'is_billable' ? Object.keys(BILLING).find((word) => BILLING[word] === value) : value;
  },
  loadNames: ({ category_id, project_id }, { category: categoryNames, project }) =>
    Promise.all([categoryNames.load([category_id]), project.load([project_id])]),
  verbs: {
    list: defineCommand({
      path: 'expenses list',
      operation: list,
      examples: ['ttctl expenses list --period last-month', 'ttctl expenses list --sort amount:desc'],
      flags: [
        ...listFlags(list),
        flag(list, 'id'),
        memberFilter(list),
        ...flagsOf(list, ['date_from', 'date_to']),
        periodFlag,
      ],
      run: async ({ api, output, window, settings }, { values }) => {
        const pages = api.expenses.list(values).pages(window);
        const view = { noun: expense.words[1], columns: listColumns };
        if (settings.output.value.shape !== 'cells') return output.list(pages, view);
        const documented = async () =>
          Object.keys(expense.fields).flatMap((name) =>
            name === 'expense_date' ? [name, `${name}_iso`] : [name],
          );
        await output.list(withIsoDays(pages), { ...view, documented });
      },
    }),
    create: {
      does: 'create',
      examples: [
        'ttctl expenses create --name Taxi --date yesterday --amount 18.50 --category Travel',
        'ttctl expenses create --name "Train to Porto" --date 2026-11-20 --amount 48.60 --category Travel --project "Harbour website" --billable',
        'ttctl expenses create --from-file expenses.csv',
      ],
      alike: ['expense_name', 'amount'],
      told: ['expense_name', 'amount', 'date'],
      place: ({ expense_date: shown, date }) => toIsoDay(shown ?? date),
      filters: (all) => {
        const days = listValuesOf(all, 'date').map(String).sort();
        return { date_from: days[0], date_to: days.at(-1) };
      },
      byLikeness: true,
      likeness: 'this day, name and amount',
      flags: createBodyFlags(create),
      target: 'expense_name',
      columns: listColumns,
    },
    update: {
      does: 'update',
      examples: ['ttctl expenses update 8c1f2b3a-5d6e-4f70-8a9b-0c1d2e3f4a5b --amount 52.10'],
      flags: createBodyFlags(update),
    },
    delete: { does: 'delete', examples: ['ttctl expenses delete 8c1f2b3a-5d6e-4f70-8a9b-0c1d2e3f4a5b'] },
    categories: {
      does: 'list',
      examples: ['ttctl expenses categories'],
      words: expenseCategory.words[1],
      flags: [flag(categories, 'id')],
      columns: [category('name'), category('id')],
    },
  },
});

function createBodyFlags(operation: typeof create | typeof update) {
  return [...flagsOf(operation, BODY), { name: 'no-billable', about: 'not billable' }] as const;
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

/** The id that was sent, where the record shows its name; undefined where nobody knows what it is called. */
function findIdBehind(shown: unknown, sent: unknown, names: NameSource | undefined): unknown {
  if (shown == null) return shown;
  const name = names?.record(sent)?.name;
  if (name === undefined) return undefined;
  return name === shown ? sent : shown;
}
