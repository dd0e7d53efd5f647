import type { ListPage } from '../api/page.ts';
import type { Context } from '../context.ts';
import { toText } from '../json/stringify.ts';
import { ApiError, UsageError } from '../outcome.ts';

/** As little as a table shows of an id, and less than all of a UUID. */
const BEGINNING = /^[^\s@]{8,35}$/;

const listIds = async (pages: AsyncIterable<ListPage>): Promise<readonly string[]> => {
  const ids: string[] = [];
  for await (const { rows } of pages) ids.push(...rows.map(({ id }) => toText(id)));
  return ids;
};

/** None where the list may not be read. */
const ignoreRefusal = (error: unknown): readonly string[] => {
  if (error instanceof ApiError) return [];
  throw error;
};

/**
 * Completes ids of which a person at a terminal gives a beginning, as tables show them. Anything else, and what no
 * listed id begins with, stays as it is: the service knows it or not.
 * @returns what throws a UsageError for the beginning of several ids
 */
export const createIdFinder = (
  { prompter, watch }: Context,
  pages: () => AsyncIterable<ListPage>,
): ((text: string) => Promise<string>) => {
  let ids: Promise<readonly string[]> | undefined;
  return async (text) => {
    if (!prompter.available || !BEGINNING.test(text)) return text;
    ids ??= watch.during(
      () => 'looking up the id',
      () => listIds(pages()).catch(ignoreRefusal),
    );
    const found = (await ids).filter((id) => id.startsWith(text));
    const [id = text] = found;
    if (found.length < 2 || found.includes(text)) return found.includes(text) ? text : id;
    throw new UsageError(`"${text}" is the beginning of ${found.length} ids`, {
      code: 'ambiguous',
      reason: found.join('\n'),
      hint: 'Add the next characters of the one you mean.',
    });
  };
};
