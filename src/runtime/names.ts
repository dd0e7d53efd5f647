import type { Api } from '../api/client.ts';
import type { ListPage, Row } from '../api/page.ts';
import type { NameSource, Names } from '../context.ts';
import { toText } from '../json/text.ts';
import { Failure } from '../outcome.ts';
import { formatPersonName } from '../resources/person.ts';

/** Names for the ids that people would have to read, fetched once a run and only when they are shown. */

interface Origin {
  readonly pages: () => AsyncGenerator<ListPage>;
  readonly name: (row: Row) => string;
}

/** A name is a comfort: a list that may not be read leaves the ids. */
const orIds = (error: unknown): void => {
  if (!(error instanceof Failure)) throw error;
};

/** Reads a list only as far as the wanted ids need; an id that is not in it stays a number. */
const createSource = ({ pages, name }: Origin): NameSource => {
  const known = new Map<string, string>();
  const holders = new Map<string, number>();
  // The records of those that were asked for; a list may be long.
  const records = new Map<string, Row>();
  const asked = new Set<string>();
  let list: AsyncGenerator<ListPage> | undefined;
  let loading: Promise<void> = Promise.resolve();

  const readOn = async (ids: readonly string[]): Promise<void> => {
    list ??= pages();
    while (ids.some((id) => !known.has(id))) {
      const next = await list.next();
      if (next.done === true) return;
      for (const row of next.value.rows) {
        known.set(toText(row.id), name(row));
        if (asked.has(toText(row.id))) records.set(toText(row.id), row);
        holders.set(name(row), (holders.get(name(row)) ?? 0) + 1);
      }
    }
  };
  return {
    load(ids) {
      const wanted = ids.filter((id) => id != null).map(toText);
      for (const id of wanted) asked.add(id);
      loading = loading.then(() => readOn(wanted)).catch(orIds);
      return loading;
    },
    of(id) {
      if (id == null) return null;
      const found = known.get(toText(id));
      if (found === undefined) return toText(id);
      return holders.get(found) === 1 ? found : `${found} (${toText(id)})`;
    },
    record: (id) => records.get(toText(id)),
  };
};

const fullName = (row: Row): string => formatPersonName(row) ?? toText(row.id);

export const createNames = (api: Api): Names => ({
  member: createSource({ pages: () => api.members.list({}).pages(), name: fullName }),
  project: createSource({ pages: () => api.projects.list({}).pages(), name: (row) => toText(row.name) }),
  policy: createSource({ pages: () => api.leaves.policies({}).pages(), name: (row) => toText(row.name) }),
});
