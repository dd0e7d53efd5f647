import { findState, isInState } from '../api/fields.ts';
import { RowCheck } from '../api/lists.ts';
import type { Operation } from '../api/operation.ts';
import type { ListPage, Row } from '../api/page.ts';
import type { Values } from '../api/plan.ts';
import { findRecordFacts } from '../api/records.ts';
import type { Invocation } from '../cli/flag.ts';
import { UsageError } from '../errors.ts';
import { toText } from '../json.ts';
import { lazy } from '../lazy.ts';
import type { RowJoins } from '../output/list-view.ts';
import type { Run } from '../run.ts';
import type { MeantRows } from './row-choice.ts';

/** What is done to the rows of a list beside what the service does. */

/** Flags that choose among the rows of a list, or among what `--all` finds, beside the parameters of the list. */
export const CHOOSING = ['member', 'where', 'except', 'clean'];
/** Those of them that keep a part; `--except` keeps nearly all. */
export const NARROWING = ['member', 'where', 'clean'];

/** Whether rows may be left out here, so that `--limit` counts those that are left. */
export function choosesRows({ where, clean, member, periodBy, status }: Values): boolean {
  return (
    where !== undefined ||
    splitList(status).length > 1 ||
    periodBy !== undefined ||
    clean === true ||
    (Array.isArray(member) && member.length > 0)
  );
}

/** What a flag that takes several has, also with commas, in lower case. */
function splitList(raw: unknown): readonly string[] {
  return [raw ?? []].flat().flatMap((text) => String(text).toLowerCase().split(',').filter(Boolean));
}

export type Rows = Awaited<ReturnType<typeof openRows>>;

/** @throws UsageError for a `--where` that cannot be used */
export async function openRows(run: Run) {
  const { command, options } = run.invocation;
  const { operation, list: listed = operation } = command;
  // The list that a command prints, or that its `--all` goes through.
  const list = listed?.method === 'GET' && listed.returns === 'list' ? listed : undefined;
  const meant: MeantRows = { asked: [], members: undefined, isComplete: false };
  const openChoice = lazy(async () => {
    const { RowChoice } = await import('./row-choice.ts');
    return RowChoice.open(run, list?.record, meant);
  });
  const choice = CHOOSING.some((name) => options[name] !== undefined) ? await openChoice() : undefined;
  return {
    /** The rows that `--where`, `--member`, `--except` and `--clean` mean. */
    choose(pages: AsyncIterable<ListPage>): AsyncIterable<ListPage> {
      const checked = list === undefined ? pages : checkStatuses(run, list, pages, choice !== undefined);
      return choice === undefined ? checked : choice.choose(checked);
    },
    /** Several members or states, or one member where the service has no such filter, are kept for `choose`. */
    takeSeveral({ status: states, ...rest }: Record<string, unknown>): Record<string, unknown> {
      const [first, ...more] = [states].flat();
      const status = more.length === 0 ? first : states;
      // The service is asked for one. A write is about one.
      const isSent = more.length === 0 || operation?.method !== 'GET';
      const values = isSent && status !== undefined ? { ...rest, status } : rest;
      const { user_id: ids, ...others } = values;
      const { status: _status, ...filters } = list?.parameters ?? {};
      const isFiltered = Object.keys(filters).some((name) => values[name] !== undefined);
      meant.isComplete = !isFiltered && options.param === undefined && options.page === undefined;
      if (!Array.isArray(ids) || list === undefined) return values;
      meant.asked = ids.map(toText);
      if (ids.length === 1 && filters.user_id !== undefined) return { ...others, user_id: ids[0] };
      meant.members = new Set(meant.asked);
      return others;
    },
    /** Columns of joined records (`member.email`), and what the rows are joined with. */
    joins: async (): Promise<RowJoins> => (await openChoice()).describe(),
  };
}

/** What has a status that nobody knows, or asked for, is told, and is nothing to choose from. */
async function* checkStatuses(
  { invocation, output }: Run,
  operation: Operation,
  pages: AsyncIterable<ListPage>,
  isChoosing: boolean,
): AsyncGenerator<ListPage> {
  const asked = splitList(invocation.options.status);
  const isSeveral = asked.length > 1;
  const facts = findRecordFacts(operation.noun) ?? {};
  // The service was asked for none of several: what is in another state is nothing odd.
  const isOther = (row: Row): boolean =>
    isSeveral && findState(facts, row) !== undefined && !asked.some((one) => isInState(facts, row, one));
  const check = new RowCheck({ operation, values: asked.length === 0 ? {} : { status: asked } });
  for await (const page of pages) {
    const rows = page.rows.filter((row) => !isOther(row) && check.hasStatus(row));
    const total = isSeveral ? undefined : page.total;
    yield isChoosing || isSeveral ? { ...page, rows, total } : page;
  }
  for (const text of check.describe()) output.warn(text);
}

/** Whoever writes `--query` beside `--all` means to choose records with it, and it would choose none. */
export function checkAllQuery({ command, options }: Invocation): void {
  const { operation } = command;
  if (options.all !== true || operation?.method === 'GET') return;
  throw new UsageError(
    `--query changes what is printed, not what is ${operation?.moves?.past ?? 'done'}: use --where`,
    {
      code: 'query_with_all',
      reason: '--all applies to every record that the filters match, whatever the query shows.',
      hint: "--where takes a condition for one record: --where 'total_hours > `40`'",
    },
  );
}
