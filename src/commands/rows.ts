import { StatusCheck } from '../api/filter-check.ts';
import type { Operation } from '../api/operation.ts';
import type { ListPage, Row } from '../api/page.ts';
import { hasFlag, type Invocation } from '../cli/flag.ts';
import { UsageError } from '../errors.ts';
import { toText } from '../json.ts';
import type { Column, RowJoins } from '../output/list-view.ts';
import type { Run } from '../run.ts';
import type { MeantRows, RowChoice } from './row-choice.ts';

/** What is done to the rows of a list beside what the service does. */

/** Flags that choose among the rows of a list, or among what `--all` finds, beside the parameters of the list. */
export const CHOOSING = ['member', 'where', 'except', 'clean'];
/** Those of them that keep a part; `--except` keeps nearly all. */
export const NARROWING = ['member', 'where', 'clean'];

type Options = Readonly<Record<string, unknown>>;

/** Whether rows may be left out here, so that `--limit` counts those that are left. */
export function choosesRows({ where, clean, member, periodBy }: Options): boolean {
  return (
    where !== undefined ||
    periodBy !== undefined ||
    clean === true ||
    (Array.isArray(member) && member.length > 0)
  );
}

export class Rows {
  readonly #run: Run;
  /** The list that a command prints, or that its `--all` goes through. */
  readonly #list: Operation | undefined;
  readonly #meant: MeantRows;
  readonly #isChoosing: boolean;
  #choice: RowChoice | undefined;

  constructor(run: Run) {
    const { command, options } = run.invocation;
    const { operation, list = operation } = command;
    this.#run = run;
    this.#list = list?.method === 'GET' && list.returns === 'list' ? list : undefined;
    this.#meant = { asked: [], members: undefined, isComplete: false };
    this.#isChoosing = CHOOSING.some((name) => options[name] !== undefined);
  }

  /** @throws UsageError for a `--where` that cannot be used */
  static async open(run: Run): Promise<Rows> {
    const rows = new Rows(run);
    if (rows.#isChoosing) await rows.#openChoice();
    return rows;
  }

  /** The rows that `--where`, `--member`, `--except` and `--clean` mean. */
  async *choose(pages: AsyncIterable<ListPage>, columns: readonly Column[] = []): AsyncGenerator<ListPage> {
    const choose = (all: AsyncIterable<ListPage>) =>
      this.#isChoosing && this.#choice !== undefined ? this.#choice.choose(all, columns) : all;
    if (this.#list === undefined) {
      yield* choose(pages);
      return;
    }
    // What has a status that nobody knows, or asked for, is told, and is nothing to choose from.
    const { invocation, output } = this.#run;
    const values = { status: invocation.options.status };
    const statuses = new StatusCheck({ operation: this.#list, values });
    const isKnown = (row: Row): boolean => statuses.isKnown(row) && statuses.isAsked(row);
    const isChoosing = this.#isChoosing;
    async function* check(): AsyncGenerator<ListPage> {
      for await (const page of pages) {
        const rows = page.rows.filter(isKnown);
        yield isChoosing ? { ...page, rows } : page;
      }
      for (const text of statuses.describe()) output.warn(text);
    }
    yield* choose(check());
  }

  /** Several members, or one where the service has no such filter, are kept for `choose`. */
  takeMembers(values: Record<string, unknown>): Record<string, unknown> {
    const { param, page } = this.#run.invocation.options;
    const { user_id: ids, ...others } = values;
    const { status: _status, ...filters } = this.#list?.parameters ?? {};
    const isFiltered = Object.keys(filters).some((name) => values[name] !== undefined);
    this.#meant.isComplete = !isFiltered && param === undefined && page === undefined;
    if (!Array.isArray(ids) || this.#list === undefined) return values;
    this.#meant.asked = ids.map(toText);
    if (ids.length === 1 && filters.user_id !== undefined) return { ...others, user_id: ids[0] };
    this.#meant.members = new Set(this.#meant.asked);
    return others;
  }

  /** Columns of joined records (`member.email`), and what the rows are joined with. */
  async joins(): Promise<RowJoins> {
    return (await this.#openChoice()).describe();
  }

  async #openChoice(): Promise<RowChoice> {
    const { RowChoice } = await import('./row-choice.ts');
    this.#choice ??= await RowChoice.open(this.#run, this.#list?.record, this.#meant);
    return this.#choice;
  }
}

/**
 * `--query` beside `--all`: whoever writes it means to choose records with it, and it would choose none.
 * @throws UsageError for a write over all that a list finds with a query
 */
export function checkAllQuery({ command, options }: Invocation): void {
  const { operation } = command;
  if (options.all !== true || operation?.method === 'GET') return;
  const hasWhere = hasFlag(command, 'where');
  const past = operation?.moves?.past ?? 'done';
  throw new UsageError(
    `--query changes what is printed, not what is ${past}${hasWhere ? ': use --where' : ''}`,
    {
      code: 'query_with_all',
      reason: '--all applies to every record that the filters match, whatever the query shows.',
      hint: hasWhere
        ? "--where takes a condition for one record: --where 'total_hours > `40`'"
        : 'Omit --query.',
    },
  );
}
