import { StatusCheck } from '../api/filter-check.ts';
import type { Operation } from '../api/operation.ts';
import type { ListPage, Row } from '../api/page.ts';
import type { RecordName } from '../api/records.ts';
import type { Invocation } from '../cli/flag.ts';
import { toText } from '../json.ts';
import type { RowJoins } from '../output/list-view.ts';
import { requireMembers } from '../parsing/names.ts';
import type { JoinName } from '../resources/joins.ts';
import type { Run } from '../run.ts';
import type { RowWarnings } from './row-choice.ts';

/** What is done to the rows of a list beside what the service does. */

type Options = Readonly<Record<string, unknown>>;

const CHOICE_FLAGS = ['where', 'except', 'clean', 'member'];

/** Whether rows may be left out here, so that `--limit` counts those that are left. */
export const choosesRows = ({ where, clean, member, periodBy }: Options): boolean =>
  where !== undefined ||
  periodBy !== undefined ||
  clean === true ||
  (Array.isArray(member) && member.length > 0);

/** The list that a command prints, or that its `--all` goes through. */
const getList = ({ command: { operation, list = operation } }: Invocation): Operation | undefined =>
  list?.method === 'GET' && list.returns === 'list' ? list : undefined;

const WARNING_FIELDS = ['warnings', 'warning_messages'];

type FindWarnings = (row: Row) => RowWarnings;

/** The records of a look-up list; by a name that several have: null. */
interface JoinIndex {
  readonly byId: ReadonlyMap<string, Row>;
  readonly byName: ReadonlyMap<string, Row | null>;
}

export class Rows {
  readonly #run: Run;
  readonly #list: Operation | undefined;
  readonly #record: RecordName | undefined;
  readonly #indexes = new Map<JoinName, Promise<JoinIndex>>();
  #choose: Run['choose'] | undefined;
  /** Ids that `--member` names, and those of them whose rows are chosen here. */
  #asked: readonly string[] = [];
  #members: ReadonlySet<string> | undefined;
  #isComplete = false;
  #warnings: Promise<FindWarnings> | undefined;

  private constructor(run: Run) {
    this.#run = run;
    this.#list = getList(run.invocation);
    this.#record = this.#list?.record;
  }

  /** @throws UsageError for a `--where` that cannot be used */
  static async open(run: Run): Promise<Rows> {
    const rows = new Rows(run);
    if (!CHOICE_FLAGS.some((name) => run.invocation.options[name] !== undefined)) return rows;
    const { createRowChoice } = await import('./row-choice.ts');
    rows.#choose = await createRowChoice({
      run,
      record: rows.#record,
      join: (page, names) => rows.#join(page, names),
      members: () => rows.#members,
      findWarnings: (page) => rows.#findWarnings(page, rows.#isComplete),
    });
    return rows;
  }

  /** The rows that `--where`, `--member`, `--except` and `--clean` mean. */
  readonly choose: Run['choose'] = (pages, columns) => {
    const choose = this.#choose ?? ((all) => all);
    if (this.#list === undefined) return choose(pages, columns);
    const { invocation, output } = this.#run;
    const statuses = new StatusCheck({
      operation: this.#list,
      values: { status: invocation.options.status },
    });
    return choose(checkStatuses(pages, statuses, this.#choose !== undefined, output.warn), columns);
  };

  /** Several members, or one where the service has no such filter, are kept for `choose`. */
  takeMembers(values: Record<string, unknown>): Record<string, unknown> {
    const { param, page } = this.#run.invocation.options;
    const { user_id: ids, ...others } = values;
    const { status: _status, ...filters } = this.#list?.parameters ?? {};
    const isFiltered = Object.keys(filters).some((name) => values[name] !== undefined);
    this.#isComplete = !isFiltered && param === undefined && page === undefined;
    if (!Array.isArray(ids) || this.#list === undefined) return values;
    this.#asked = ids.map(toText);
    if (ids.length === 1 && filters.user_id !== undefined) return { ...others, user_id: ids[0] };
    this.#members = new Set(this.#asked);
    return others;
  }

  /** Columns of joined records (`member.email`), and what the rows are joined with. */
  async joins(): Promise<RowJoins> {
    const { getPendingKind, listJoinedFields, listJoinNames } = await import('../resources/joins.ts');
    const kind = getPendingKind(this.#record);
    const fields = [...listJoinedFields(this.#record), ...(kind === undefined ? [] : WARNING_FIELDS)];
    const find: RowJoins['find'] = async (page, names) => {
      const found = await this.#join(page, listJoinNames(names));
      if (kind === undefined || !WARNING_FIELDS.some((name) => names.includes(name))) return found;
      const { toWarningFields } = await import('../decide/warnings.ts');
      const findWarnings = await this.#findWarnings(page, false);
      return found.map((row, i) => ({ ...row, ...toWarningFields(findWarnings(page[i] ?? {})) }));
    };
    return { fields, ofAll: WARNING_FIELDS, find };
  }

  /**
   * What the rows are joined with, under the names of the joins; null where there is no such record. Each takes one
   * look-up list, read when it is first named.
   * @throws Failure where a list may not be read
   */
  async #join(rows: readonly Row[], names: readonly JoinName[]): Promise<readonly Row[]> {
    const { getJoins } = await import('../resources/joins.ts');
    const joins = getJoins(this.#record);
    const known = await Promise.all(
      names.map(async (name) => {
        const reading = this.#indexes.get(name) ?? this.#readIndex(name);
        this.#indexes.set(name, reading);
        const index = await reading;
        if (name === 'member') requireMembers(this.#asked, (id) => index.byId.has(id), this.#run.commandLine);
        return [name, index] as const;
      }),
    );
    const findOne = (row: Row, name: JoinName, { byId, byName }: JoinIndex): Row | null => {
      const { key, isName } = joins[name] ?? {};
      const value = key?.(row);
      return value == null ? null : ((isName ? byName : byId).get(toText(value)) ?? null);
    };
    return rows.map((row) =>
      Object.fromEntries(known.map(([name, index]) => [name, findOne(row, name, index)])),
    );
  }

  async #readIndex(name: JoinName): Promise<JoinIndex> {
    const { toJoined } = await import('../resources/joins.ts');
    const { lists } = this.#run;
    const [byId, byName] = [new Map<string, Row>(), new Map<string, Row | null>()];
    for await (const { rows } of lists.pages(lists.of(name)))
      for (const row of rows) {
        const joined = toJoined(name, row);
        byId.set(toText(joined.id), joined);
        byName.set(toText(joined.name), byName.has(toText(joined.name)) ? null : joined);
      }
    return { byId, byName };
  }

  /** Once: the rows that are printed are among those that were chosen from. */
  #findWarnings(rows: readonly Row[], isComplete: boolean): Promise<FindWarnings> {
    this.#warnings ??= this.#loadWarnings(rows, isComplete);
    return this.#warnings;
  }

  async #loadWarnings(rows: readonly Row[], isComplete: boolean): Promise<FindWarnings> {
    const [{ loadPending }, { getItemKey, isWaiting, toInboxItem }, { getPendingKind }] = await Promise.all([
      import('../decide/load.ts'),
      import('../decide/item.ts'),
      import('../resources/joins.ts'),
    ]);
    const kind = getPendingKind(this.#record);
    if (kind === undefined) return () => null;
    const items = rows.filter((row) => isWaiting(kind, row)).map((row) => toInboxItem(kind, row));
    const scope = { complete: isComplete ? [kind] : [], thorough: true };
    const pending = await loadPending(this.#run, items, scope);
    const found = new Map(pending.map((one) => [getItemKey(one.item), one.warnings]));
    return (row) => found.get(getItemKey(toInboxItem(kind, row))) ?? null;
  }
}

/** What has a status that nobody knows, or asked for, is told, and is nothing to choose from. */
async function* checkStatuses(
  pages: AsyncIterable<ListPage>,
  statuses: StatusCheck,
  isChoosing: boolean,
  warn: (text: string) => void,
): AsyncGenerator<ListPage> {
  for await (const page of pages) {
    const rows = page.rows.filter((row) => statuses.isKnown(row) && statuses.isAsked(row));
    yield isChoosing ? { ...page, rows } : page;
  }
  for (const text of statuses.describe()) warn(text);
}
