import { type Api, findOperationCall } from '../api/client.ts';
import type { ListPage } from '../api/page.ts';
import type { Values } from '../api/plan.ts';
import { lazyMembers } from '../lazy.ts';
import { getListOperation, getNameField, NAMED_KINDS, type NamedKind } from '../resources/kinds.ts';

/** Lists that names and joined records are looked up in: each is read once a run, and only as far as somebody reads. */

/** A list that can be read again: it comes from the service once. */
const createReplayable = (open: () => AsyncGenerator<ListPage>): (() => AsyncGenerator<ListPage>) => {
  const results: Promise<IteratorResult<ListPage>>[] = [];
  let source: AsyncGenerator<ListPage> | undefined;
  const read = async (previous: Promise<IteratorResult<ListPage>> | undefined) => {
    const last = await previous;
    if (last?.done === true) return last;
    source ??= open();
    return source.next();
  };
  return async function* () {
    for (let i = 0; ; i += 1) {
      results[i] ??= read(results[i - 1]);
      const result = await results[i];
      if (result === undefined || result.done === true) return;
      yield result.value;
    }
  };
};

type Pages = AsyncGenerator<ListPage>;

export interface RecordList {
  readonly pages: () => Pages;
  /** Those that the service finds by a name or an address; undefined where it cannot be asked. */
  readonly find: ((name: string) => Pages) | undefined;
}

const createRecordList = (api: Api, kind: NamedKind): RecordList => {
  const found = findOperationCall(api, getListOperation(kind));
  if (found === undefined) throw new Error(`${getListOperation(kind)} is not in the table`);
  const { operation, call } = found;
  const field = getNameField(kind) ?? '';
  const open = (filters: Values): Pages => call(filters).pages() as Pages;
  return {
    pages: createReplayable(() => open({})),
    find: Object.hasOwn(operation.parameters, field) ? (name) => open({ [field]: name }) : undefined,
  };
};

export type RecordLists = Readonly<Record<NamedKind, RecordList>>;

export const createRecordLists = (api: Api): RecordLists => {
  const lists = NAMED_KINDS.map((kind) => [kind, () => createRecordList(api, kind)]);
  return lazyMembers(Object.fromEntries(lists)) as RecordLists;
};
