import type { Row } from '../api/page.ts';
import type { RecordName } from '../api/records.ts';
import { getItemKey, isWaiting, toInboxItem } from '../decide/item.ts';
import { loadPending } from '../decide/load.ts';
import { toWarningFields } from '../decide/warnings.ts';
import { toText } from '../json.ts';
import type { RowJoins } from '../output/list-view.ts';
import { requireMembers } from '../parsing/names.ts';
import {
  getJoins,
  getPendingKind,
  type JoinName,
  listJoinedFields,
  listJoinNames,
  toJoined,
} from '../resources/joins.ts';
import type { Run } from '../run.ts';
import type { RowWarnings } from './row-choice.ts';

/** What the rows of a list are joined with: other records, warnings. */

const WARNING_FIELDS = ['warnings', 'warning_messages'];

type FindWarnings = (row: Row) => RowWarnings;

/** The records of a look-up list; by a name that several have: null. */
interface JoinIndex {
  readonly byId: ReadonlyMap<string, Row>;
  readonly byName: ReadonlyMap<string, Row | null>;
}

export class JoinedRows {
  readonly #run: Run;
  readonly #record: RecordName | undefined;
  readonly #asked: readonly string[];
  readonly #indexes = new Map<JoinName, Promise<JoinIndex>>();
  #warnings: Promise<FindWarnings> | undefined;

  /** @param asked ids of members that have to be there */
  constructor(run: Run, record: RecordName | undefined, asked: readonly string[]) {
    this.#run = run;
    this.#record = record;
    this.#asked = asked;
  }

  /** Columns of joined records (`member.email`), and what the rows are joined with. */
  describe(): RowJoins {
    const kind = getPendingKind(this.#record);
    const fields = [...listJoinedFields(this.#record), ...(kind === undefined ? [] : WARNING_FIELDS)];
    const find: RowJoins['find'] = async (page, names) => {
      const found = await this.join(page, listJoinNames(names));
      if (kind === undefined || !WARNING_FIELDS.some((name) => names.includes(name))) return found;
      const findWarnings = await this.findWarnings(page, false);
      return found.map((row, i) => ({ ...row, ...toWarningFields(findWarnings(page[i] ?? {})) }));
    };
    return { fields, ofAll: WARNING_FIELDS, find };
  }

  /**
   * What the rows are joined with, under the names of the joins; null where there is no such record. Each takes one
   * look-up list, read when it is first named.
   * @throws Failure where a list may not be read
   */
  async join(rows: readonly Row[], names: readonly JoinName[]): Promise<readonly Row[]> {
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
  findWarnings(rows: readonly Row[], isComplete: boolean): Promise<FindWarnings> {
    this.#warnings ??= this.#loadWarnings(rows, isComplete);
    return this.#warnings;
  }

  async #loadWarnings(rows: readonly Row[], isComplete: boolean): Promise<FindWarnings> {
    const kind = getPendingKind(this.#record);
    if (kind === undefined) return () => null;
    const items = rows.filter((row) => isWaiting(kind, row)).map((row) => toInboxItem(kind, row));
    const scope = { complete: isComplete ? [kind] : [], thorough: true };
    const pending = await loadPending(this.#run, items, scope);
    const found = new Map(pending.map((one) => [getItemKey(one.item), one.warnings]));
    return (row) => found.get(getItemKey(toInboxItem(kind, row))) ?? null;
  }
}
