import type { Lists } from '../api/lists.ts';
import type { Row } from '../api/page.ts';
import { toText } from '../json/stringify.ts';
import { getJoins, type JoinName, toJoined } from '../resources/joins.ts';
import type { RecordName } from '../resources/records.ts';

/** Joins the rows of a list with the records that they name. Each takes one look-up list, read when it is first named. */

interface JoinIndex {
  readonly byId: ReadonlyMap<string, Row>;
  /** Null for a name that several have. */
  readonly byName: ReadonlyMap<string, Row | null>;
}

const readIndex = async (name: JoinName, lists: Lists): Promise<JoinIndex> => {
  const byId = new Map<string, Row>();
  const byName = new Map<string, Row | null>();
  for await (const { rows } of lists.pages(lists.of(name))) {
    for (const row of rows) {
      const joined = toJoined(name, row);
      byId.set(toText(joined.id), joined);
      byName.set(toText(joined.name), byName.has(toText(joined.name)) ? null : joined);
    }
  }
  return { byId, byName };
};

export interface JoinedRows {
  /**
   * What the rows are joined with, under the names of the joins; null where there is no such record.
   * @throws Failure where a list may not be read
   */
  find(rows: readonly Row[], names: readonly JoinName[]): Promise<readonly Row[]>;
}

/**
 * @param record what the rows are
 * @param check told of each list that was read; it may refuse what was asked for
 */
export const createJoinedRows = (
  record: RecordName | undefined,
  lists: Lists,
  check: (name: JoinName, isKnown: (id: string) => boolean) => void,
): JoinedRows => {
  const indexes = new Map<JoinName, Promise<JoinIndex>>();
  const joins = getJoins(record);
  const getIndex = (name: JoinName): Promise<JoinIndex> => {
    const index = indexes.get(name) ?? readIndex(name, lists);
    indexes.set(name, index);
    return index;
  };
  const findOne = (row: Row, name: JoinName, { byId, byName }: JoinIndex): Row | null => {
    const { key, isName } = joins[name] ?? {};
    const value = key?.(row);
    return value == null ? null : ((isName ? byName : byId).get(toText(value)) ?? null);
  };
  return {
    async find(rows, names) {
      const known = await Promise.all(
        names.map(async (name) => {
          const index = await getIndex(name);
          check(name, (id) => index.byId.has(id));
          return [name, index] as const;
        }),
      );
      return rows.map((row) =>
        Object.fromEntries(known.map(([name, index]) => [name, findOne(row, name, index)])),
      );
    },
  };
};
