import type { Api } from '../api/client.ts';
import type { ListPage } from '../api/page.ts';
import type { Names } from '../context.ts';

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

export type RecordLists = Readonly<Record<keyof Names, () => AsyncGenerator<ListPage>>>;

export const createRecordLists = (api: Api): RecordLists => ({
  member: createReplayable(() => api.members.list({}).pages()),
  project: createReplayable(() => api.projects.list({}).pages()),
  policy: createReplayable(() => api.leaves.policies({}).pages()),
  category: createReplayable(() => api.expenses.categories({}).pages()),
});
