import type { Lists } from '../api/lists.ts';
import type { ListPage, Row } from '../api/page.ts';
import type { NameSource, Names } from '../context.ts';
import { toText } from '../json/stringify.ts';
import { Failure } from '../outcome.ts';
import { formatRecordName, NAMED_KINDS } from '../resources/kinds.ts';

/** Names for the ids that people would have to read, fetched once a run and only when they are shown. */

interface NameList {
  readonly pages: () => AsyncGenerator<ListPage>;
  readonly name: (row: Row) => string;
}

/** Names are optional: where a list may not be read, the ids are shown. */
const ignoreFailure = (error: unknown): void => {
  if (!(error instanceof Failure)) throw error;
};

/** Reads a list only as far as the wanted ids need; an id that is not in it stays a number. */
const createSource = ({ pages, name }: NameList): NameSource => {
  const known = new Map<string, string>();
  const nameCounts = new Map<string, number>();
  const records = new Map<string, Row>();
  let list: AsyncGenerator<ListPage> | undefined;
  let loading: Promise<void> = Promise.resolve();

  const readUntil = async (ids: readonly string[]): Promise<void> => {
    list ??= pages();
    while (ids.some((id) => !known.has(id))) {
      const next = await list.next();
      if (next.done === true) return;
      for (const row of next.value.rows) {
        known.set(toText(row.id), name(row));
        // Also of those that nobody has asked for yet: a page is read once.
        records.set(toText(row.id), row);
        nameCounts.set(name(row), (nameCounts.get(name(row)) ?? 0) + 1);
      }
    }
  };
  return {
    load(ids) {
      const wanted = ids.filter((id) => id != null).map(toText);
      loading = loading.then(() => readUntil(wanted)).catch(ignoreFailure);
      return loading;
    },
    of(id) {
      if (id == null) return null;
      const found = known.get(toText(id));
      if (found === undefined) return toText(id);
      return nameCounts.get(found) === 1 ? found : `${found} (${toText(id)})`;
    },
    record: (id) => records.get(toText(id)),
  };
};

export const createNames = (lists: Lists): Names =>
  Object.fromEntries(
    NAMED_KINDS.map((kind) => [
      kind,
      createSource({ pages: () => lists.pages(lists.of(kind)), name: (row) => formatRecordName(kind, row) }),
    ]),
  ) as unknown as Names;
