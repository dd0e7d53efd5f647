import { operations } from '../api/operations.ts';
import type { ListPage, Row } from '../api/page.ts';
import { leave, leavePolicy } from '../api/records.ts';
import { defineCommand, type Group, type Noun } from '../cli/command.ts';
import type { Context } from '../context.ts';
import { isRecord, toText } from '../json.ts';
import {
  balanceColumns,
  createBalanceColumns,
  leaveColumns,
  leaveWords,
  longBalanceColumns,
  policyColumns,
} from '../resources/leave/columns.ts';
import { defineDecisionCommand } from './decide.ts';
import type { DecidableResource } from './decision-targets.ts';
import { flag, listFlags, memberFilter, periodFlag } from './flags.ts';
import { defineListing } from './verbs.ts';

const { approve, balances, list, policies, reject } = operations.leaves;

const decidable = {
  kind: 'leave',
  resource: leave,
  list,
  filters: [
    flag(list, 'status'),
    memberFilter(list),
    flag(list, 'policy_id', { as: 'policy', lookup: 'policy' }),
    flag(list, 'is_paid', { as: 'paid' }),
    flag(list, 'id'),
    flag(list, 'date_from'),
    flag(list, 'date_to'),
  ],
  columns: leaveWords,
} satisfies DecidableResource;

const { required: _from, ...dateFrom } = balances.parameters.date_from;
const { required: _to, ...dateTo } = balances.parameters.date_to;
/** Without them the year is meant, of which `--period` tells both. */
const days = { id: balances.id, parameters: { date_from: dateFrom, date_to: dateTo } } as const;

export const leaves = (noun: Noun): Group => ({
  ...noun,
  commands: [
    defineListing(list, leave.words[1], {
      examples: [
        'ttctl leaves list --status pending',
        'ttctl leaves list --member ana@example.com --period this-month',
        'ttctl leaves list --policy 3 --paid no --output csv',
      ],
      flags: [...decidable.filters, periodFlag],
      columns: (names, { status }) => leaveColumns(names, status !== undefined),
    }),
    defineDecisionCommand(decidable, leave.transitions.approve, approve, {
      examples: [
        'ttctl leaves approve 8c1f2b3a-5d6e-4f70-8a9b-0c1d2e3f4a5b',
        'ttctl leaves approve --all --member ana@example.com --period 2026-12 --dry-run',
      ],
    }),
    defineDecisionCommand(decidable, leave.transitions.reject, reject, {
      examples: [
        'ttctl leaves reject 8c1f2b3a-5d6e-4f70-8a9b-0c1d2e3f4a5b --reason "The release is that week"',
      ],
      flags: [flag(reject, 'reason')],
    }),
    defineCommand({
      path: 'leaves balances',
      operation: balances,
      examples: [
        'ttctl leaves balances',
        'ttctl leaves balances --period last-year --long --output csv',
        'ttctl leaves balances --date-from 2026-01-01 --date-to 2026-12-31 --member ana@example.com',
      ],
      flags: [
        ...listFlags(balances),
        flag(days, 'date_from'),
        flag(days, 'date_to'),
        { ...periodFlag, usual: 'this-year' },
        memberFilter(balances),
        {
          name: 'long',
          about: 'print one row per balance, not one column per policy (table, CSV, TSV, Markdown)',
        },
      ],
      run: async (context, { values, options: { long = false } }) => {
        const { api, names, output, settings, window } = context;
        const pages = context.choose(api.leaves.balances(values).pages(window));
        const view = { noun: 'leave balances', id: 'user_id', chosen: true } as const;
        const { shape } = settings.output.value;
        // JSON has the records as they were sent.
        const isFlat = settings.query === undefined && (shape === 'screen' || shape === 'cells');
        if (!isFlat) return output.list(pages, { ...view, columns: balanceColumns(names) });
        const { page, policies: found } = await readBalanceRows(context, pages, long);
        const { rows } = page;
        const columns = long ? longBalanceColumns(names, rows) : createBalanceColumns(names, rows, found);
        const documented = async () => ['user_id', ...columns.map(({ field }) => field)];
        async function* all() {
          yield page;
        }
        await output.list(all(), { ...view, columns, documented });
      },
    }),
    defineListing(policies, leavePolicy.words[1], {
      examples: ['ttctl leaves policies'],
      flags: [flag(policies, 'id')],
      columns: policyColumns,
    }),
  ],
});

/**
 * Leave balances without nesting, for tables and spreadsheets: all rows, since which policies there are is known only
 * then.
 */
async function readBalanceRows(
  { watch }: Context,
  pages: AsyncIterable<ListPage>,
  long: boolean,
): Promise<{ readonly page: ListPage; readonly policies: readonly string[] }> {
  const rows: Row[] = [];
  const found = new Set<string>();
  let last: ListPage | undefined;
  const read = async (): Promise<void> => {
    for await (const page of pages) {
      last = page;
      for (const row of page.rows) {
        for (const shown of long ? splitRow(row) : [widenRow(row)]) rows.push(shown);
        for (const [name] of listBalances(row)) found.add(toField(name, row));
      }
    }
  };
  await watch.during(() => `reading the balances: ${rows.length} found`, read);
  // The service counts members.
  return { page: { ...last, total: long ? undefined : last?.total, rows }, policies: [...found] };
}

/** One row a member, with a field for each policy. */
function widenRow(row: Row): Row {
  const { leave_information: _all, total_balance: total, ...member } = row;
  const balances = listBalances(row).map(([policy, balance]) => [toField(policy, row), balance]);
  return { ...member, ...Object.fromEntries(balances), total_balance: total };
}

/** One row a balance. */
function splitRow(row: Row): readonly Row[] {
  const { leave_information: _all, total_balance: _total, ...member } = row;
  return listBalances(row).map(([policy, balance]) => ({
    ...member,
    leave_type: policy,
    ...parseBalance(balance),
  }));
}

function listBalances({
  leave_information: all,
}: Row): readonly (readonly [policy: string, balance: unknown])[] {
  return Array.isArray(all)
    ? all.filter(isRecord).map(({ leave_type: policy, balance }) => [toText(policy ?? '?'), balance])
    : [];
}

/** Which columns a policy can have: those of the record are taken. */
function toField(policy: string, record: Row): string {
  return Object.hasOwn(record, policy) ? `${policy} (policy)` : policy;
}

/** `10 days` as a number and its unit; what is not written so stays as it is. */
function parseBalance(balance: unknown): Row {
  const [, amount, unit] = /^(-?\d{1,15}(?:\.\d+)?) *(day|hour)s?$/i.exec(toText(balance ?? '')) ?? [];
  return unit === undefined
    ? { balance, balance_unit: null }
    : { balance: Number(amount), balance_unit: `${unit.toLowerCase()}s` };
}
