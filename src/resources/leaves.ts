import { createNamer, isInState, REJECTED } from '../api/fields.ts';
import { operations } from '../api/operations.ts';
import type { ListPage, Row } from '../api/page.ts';
import type { Values } from '../api/plan.ts';
import { leave, leaveBalanceFields, leavePolicy } from '../api/records.ts';
import { defineCommand } from '../cli/command.ts';
import {
  flag,
  flagsOf,
  groupFlags,
  listFlags,
  memberFilter,
  periodFlag,
  readFlags,
  statusFilter,
} from '../commands/flags.ts';
import { formatDays, parseBalance } from '../decide/item.ts';
import { isRecord, toText } from '../json.ts';
import { toOnePage } from '../output/columns.ts';
import type { Column } from '../output/list-view.ts';
import { addDays, getToday } from '../parsing/calendar.ts';
import type { Run } from '../run.ts';
import { createColumns, createNameColumn, createPeriodColumn, createPeriodColumns } from './columns.ts';
import { defineResource } from './define.ts';
import type { Names } from './names.ts';

const { balances, list, policies, reject } = operations.leaves;
const column = createColumns(leave.fields);
const balanceColumn = createColumns(leaveBalanceFields);
const policyColumn = createColumns(leavePolicy.fields);

export const daysColumn: Column = {
  field: 'total',
  show: ({ total }) => (isRecord(total) && Object.hasOwn(total, 'days') ? `${toText(total.days)} d` : null),
};

const { required: _from, ...dateFrom } = balances.parameters.date_from;
const { required: _to, ...dateTo } = balances.parameters.date_to;
/** Without them the year is meant, of which `--period` tells both. */
const days = { id: balances.id, parameters: { date_from: dateFrom, date_to: dateTo } } as const;

export const leaves = defineResource('leaves', {
  record: leave,
  label: (names) => [
    createNameColumn(names, 'user_id'),
    createPeriodColumn('start_date', 'end_date'),
    daysColumn,
    createNameColumn(names, 'policy_id'),
    column('id'),
  ],
  filters: [
    statusFilter(list),
    memberFilter(list),
    ...flagsOf(list, ['policy_id', 'is_paid', 'id', 'date_from', 'date_to']),
  ],
  verbs: {
    list: {
      does: 'list',
      examples: [
        'ttctl leaves list --status pending,approved',
        'ttctl leaves list --member ana@example.com --period this-month',
        'ttctl leaves list --policy "Annual leave" --paid no --output csv',
      ],
      flags: [periodFlag],
      columns: createListColumns,
    },
    approve: {
      does: 'decide',
      examples: [
        'ttctl leaves approve --all --clean --period this-month --dry-run',
        'ttctl leaves approve ana@example.com --period 2026-12',
      ],
    },
    reject: {
      does: 'decide',
      examples: ['ttctl leaves reject ana@example.com --period 2026-12 --reason "The release is that week"'],
      flags: [flag(reject, 'reason')],
    },
    balances: defineCommand({
      path: 'leaves balances',
      operation: balances,
      examples: [
        'ttctl leaves balances',
        'ttctl leaves balances --period last-year --long --output csv',
        'ttctl leaves balances --date-from 2026-01-01 --date-to 2026-12-31 --member ana@example.com',
      ],
      flags: [
        ...listFlags(balances),
        ...flagsOf(days, ['date_from', 'date_to']),
        { ...periodFlag, usual: 'this-year' },
        memberFilter(balances),
        {
          name: 'long',
          about: 'print one row per balance, not one column per policy (table, CSV, TSV, Markdown)',
        },
      ],
      run: (run, { values, options: { long = false } }) => listBalances(run, values, long),
    }),
    policies: {
      does: 'list',
      examples: ['ttctl leaves policies'],
      words: leavePolicy.words[1],
      flags: [flag(policies, 'id')],
      columns: [
        policyColumn('name'),
        policyColumn('is_paid', { drop: 1 }),
        policyColumn('duration', {
          show: ({ duration, time_unit }) =>
            duration == null ? null : `${toText(duration)} ${toText(time_unit)}`,
        }),
        policyColumn('hours_per_day', { drop: 2 }),
        policyColumn('reason_required', { drop: 3 }),
        policyColumn('allow_negative_balance', { drop: 4 }),
        policyColumn('id', { kind: 'number' }),
      ],
    },
  },
  others: {
    away: defineCommand({
      path: 'leaves away',
      operation: list,
      about: 'list who is away and when: approved leave first, then pending',
      examples: [
        'ttctl leaves away',
        'ttctl leaves away --period next-2-weeks',
        'ttctl leaves away --period 2026-12 --columns member.email,start_date,end_date,status --output csv',
      ],
      flags: [
        ...readFlags(list),
        ...groupFlags,
        memberFilter(list),
        { ...periodFlag, about: 'such as next-2-weeks or 2026-12 (default: today and 13 days after)' },
      ],
      run: listAway,
    }),
  },
});

function createListColumns(names: Names): readonly Column[] {
  return [
    createNameColumn(names, 'user_id'),
    createNameColumn(names, 'policy_id', { drop: 3 }),
    ...createPeriodColumns('start_date', 'end_date'),
    { field: 'total.days', title: 'days', kind: 'number', drop: 1 },
    { field: 'total.hours', title: 'hours', kind: 'hours', onRequest: true },
    column('status', { drop: 2 }),
    column('is_paid', { drop: 6 }),
    column('created_on', { kind: 'age', drop: 5 }),
    column('note', { sparse: true, drop: 4, least: 16 }),
    column('reject_reason', { title: 'reject reason', sparse: true, drop: 8, least: 16 }),
    createNameColumn(names, 'created_by', { title: 'requested by', onRequest: true }),
    createNameColumn(names, 'approved_by', { title: 'approved by', onRequest: true }),
    createNameColumn(names, 'rejected_by', { title: 'rejected by', onRequest: true }),
    column('id', { short: true }),
  ];
}

async function listAway(run: Run, { values }: { readonly values: Values }): Promise<void> {
  const today = getToday(run.clock.now(), run.timeZone());
  const { date_from: from = today, date_to: to = addDays(today, 13) } = values as Record<string, string>;
  async function* pickAway(pages: AsyncIterable<ListPage>): AsyncGenerator<ListPage> {
    for await (const { rows, ...page } of pages)
      yield { ...page, rows: rows.filter((row) => !isInState(leave, row, REJECTED)), total: undefined };
  }
  const pages = run.choose(run.api.call(list, { ...values, date_from: from, date_to: to }).pages());
  const keys = ['status', 'start_date'].map((field) => ({ field, descending: false }));
  await run.output.list(toOnePage(pickAway(pages), keys), {
    noun: 'leave requests',
    chosen: true,
    columns: createListColumns(run.names),
    emptyMessage: `Nobody is away ${formatDays(from, to, today)}.`,
  });
}

/** JSON has the records as they were sent. @param long a row for each balance, not a column for each policy */
async function listBalances(run: Run, values: Values, long: boolean): Promise<void> {
  const { output, settings, watch } = run;
  const pages = run.choose(run.api.call(balances, values).pages(run.window));
  const view = { noun: 'leave balances', id: 'user_id', chosen: true } as const;
  const { shape, forPeople } = settings.output.value;
  if (settings.query !== undefined || (shape !== 'screen' && shape !== 'cells'))
    return output.list(pages, { ...view, columns: [balanceColumn('user_name')] });
  const rows: Row[] = [];
  // The service adds all policies, sick leave to holidays: shown to whoever asks for it.
  const totals = new Map<unknown, unknown>();
  // Which ones there are is known when all rows are.
  const found = new Set<string>();
  let last: ListPage | undefined;
  const read = async (): Promise<void> => {
    for await (const page of pages) {
      last = page;
      for (const { leave_information: all, total_balance: total, ...member } of page.rows) {
        const entries = listEntries(all);
        for (const [policy] of entries) found.add(policy);
        totals.set(member.user_id, total);
        if (!long) rows.push({ ...Object.fromEntries(entries), ...member });
        else
          for (const [policy, text] of entries) rows.push({ ...member, leave_type: policy, ...split(text) });
      }
    }
  };
  await watch.during(() => `reading the balances: ${rows.length} found`, read);
  const getName = createNamer(rows.map(({ user_id: id, user_name: name }) => ({ id, name })));
  const columns: readonly Column[] = [
    balanceColumn('user_name', { least: 12, show: (row) => getName(row.user_id, row.user_name) }),
    createNameColumn(run.names, 'user_id', { onRequest: true }),
    ...(long
      ? [
          { field: 'leave_type', title: 'policy' },
          { field: 'balance', kind: 'number' } as const,
          { field: 'balance_unit', title: 'unit' },
        ]
      : [
          ...[...found].map((title, i) => {
            const field = forPeople ? title : splitColumn(rows, title);
            return { field, title, kind: 'number', drop: i + 1 } as const;
          }),
          {
            ...({ field: 'total_balance', title: 'total', kind: 'number' } as const),
            ...({ derived: true, onRequest: true } as const),
            show: (row: Row) => totals.get(row.user_id),
          },
        ]),
  ];
  const documented = async () => ['user_id', ...columns.map(({ field }) => field)];
  async function* all(): AsyncGenerator<ListPage> {
    // The service counts members.
    const shown = rows.slice(0, run.window.limit);
    const shortened = last?.shortened === true || shown.length < rows.length;
    yield { ...last, rows: shown, total: long ? undefined : last?.total, shortened };
  }
  await output.list(all(), { ...view, columns, documented });
}

function listEntries(all: unknown): readonly (readonly [policy: string, balance: unknown])[] {
  const entries = Array.isArray(all) ? all.filter(isRecord) : [];
  return entries.map(({ leave_type: type, balance }) => [toText(type ?? '?'), balance]);
}

/** For spreadsheets, which add up numbers alone. @returns its name, with the unit where all rows have the same one */
function splitColumn(rows: Row[], field: string): string {
  const known = rows.flatMap((row) => row[field] ?? []);
  const [unit, ...others] = new Set(known.map((balance) => split(balance).balance_unit));
  if (typeof unit !== 'string' || others.length > 0) return field;
  const name = `${field} (${unit})`;
  const rename = ([key, value]: [string, unknown]) =>
    key === field ? [name, split(value).balance] : [key, value];
  for (const [i, row] of rows.entries()) rows[i] = Object.fromEntries(Object.entries(row).map(rename));
  return name;
}

function split(balance: unknown): Row {
  const { amount, unit } = parseBalance(balance) ?? {};
  return { balance: amount ?? balance, balance_unit: unit ?? null };
}
