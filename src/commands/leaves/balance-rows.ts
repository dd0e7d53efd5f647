import type { ListPage, Row } from '../../api/page.ts';
import type { Context } from '../../context.ts';
import { isRecord } from '../../json/number.ts';
import { toText } from '../../json/stringify.ts';

/** Leave balances without nesting, for tables and spreadsheets. */

const listBalances = ({
  leave_information: all,
}: Row): readonly (readonly [policy: string, balance: unknown])[] =>
  Array.isArray(all)
    ? all.filter(isRecord).map(({ leave_type: policy, balance }) => [toText(policy ?? '?'), balance])
    : [];

/** Which columns a policy can have: those of the record are taken. */
const toField = (policy: string, record: Row): string =>
  Object.hasOwn(record, policy) ? `${policy} (policy)` : policy;

/** One row a member, with a field for each policy. */
const widenRow = (row: Row): Row => {
  const { leave_information: _all, total_balance: total, ...member } = row;
  const policies = listBalances(row).map(([policy, balance]) => [toField(policy, row), balance]);
  return { ...member, ...Object.fromEntries(policies), total_balance: total };
};

/** `10 days` as a number and its unit; what is not written so stays as it is. */
const parseBalance = (balance: unknown): Row => {
  const [, amount, unit] = /^(-?\d{1,15}(?:\.\d+)?) *(day|hour)s?$/i.exec(toText(balance ?? '')) ?? [];
  return unit === undefined
    ? { balance, balance_unit: null }
    : { balance: Number(amount), balance_unit: `${unit.toLowerCase()}s` };
};

/** One row a balance. */
const splitRow = (row: Row): readonly Row[] => {
  const { leave_information: _all, total_balance: _total, ...member } = row;
  return listBalances(row).map(([policy, balance]) => ({
    ...member,
    leave_type: policy,
    ...parseBalance(balance),
  }));
};

/** All rows: which policies there are is known only then. */
export const readBalanceRows = async (
  { watch }: Context,
  pages: AsyncIterable<ListPage>,
  long: boolean,
): Promise<{ readonly page: ListPage; readonly policies: readonly string[] }> => {
  const rows: Row[] = [];
  const policies = new Set<string>();
  let last: ListPage | undefined;
  const read = async (): Promise<void> => {
    for await (const page of pages) {
      last = page;
      for (const row of page.rows) {
        for (const shown of long ? splitRow(row) : [widenRow(row)]) rows.push(shown);
        for (const [name] of listBalances(row)) policies.add(toField(name, row));
      }
    }
  };
  await watch.during(() => `reading the balances: ${rows.length} found`, read);
  // The service counts members.
  return { page: { ...last, total: long ? undefined : last?.total, rows }, policies: [...policies] };
};
