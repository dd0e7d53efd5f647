import type { ListPage, Row } from '../api/page.ts';
import type { Context } from '../context.ts';
import { ApiError, UsageError } from '../errors.ts';
import { toText } from '../json.ts';
import type { Column } from '../output/list-view.ts';

/** What a person types of an id, and less than all of a UUID. */
const BEGINNING = /^[^\s@]{1,35}$/;

/** A number is an id: its beginning could be another one. */
const isNumber = (id: unknown): boolean => /^\d+$/.test(toText(id));

const listRows = async (pages: AsyncIterable<ListPage>): Promise<readonly Row[]> => {
  const found: Row[] = [];
  for await (const { rows } of pages) {
    // Where ids are numbers, the rest of a long list need not be read.
    if (rows.length > 0 && rows.every(({ id }) => isNumber(id))) break;
    for (const row of rows) found.push(row);
  }
  return found;
};

const ignoreRefusal = (error: unknown): readonly Row[] => {
  if (error instanceof ApiError) return [];
  throw error;
};

const MAX_CANDIDATES = 10;

const refuse = async (
  { output }: Pick<Context, 'output'>,
  text: string,
  rows: readonly Row[],
  columns: readonly Column[],
): Promise<never> => {
  const shown = [...columns.filter(({ field }) => field !== 'id'), { field: 'id' }];
  const words = await output.inWords(rows.slice(0, MAX_CANDIDATES), shown);
  const lines = words.map((cells) => cells.filter(Boolean).join('  '));
  if (rows.length > MAX_CANDIDATES) lines.push(`and ${rows.length - MAX_CANDIDATES} more`);
  throw new UsageError(`"${text}" matches ${rows.length} ids`, {
    code: 'ambiguous',
    reason: lines.join('\n'),
    hint: 'Type more characters of the one you mean.',
  });
};

type Person = Pick<Context, 'prompter' | 'watch' | 'output'>;

/**
 * Completes ids of which a person at a terminal gives a beginning, as tables show them. Anything else, and what no
 * listed id begins with, stays as it is: the service knows it or not.
 * @param columns what says which record it is
 * @returns what throws a UsageError for the beginning of several ids
 */
export const createIdFinder = (
  context: Person,
  pages: () => AsyncIterable<ListPage>,
  columns: readonly Column[],
): ((text: string) => Promise<string>) => {
  const { prompter, watch } = context;
  return async (text) => {
    if (!prompter.available || !BEGINNING.test(text)) return text;
    const rows = await watch.during(
      () => 'looking up the id',
      () => listRows(pages()).catch(ignoreRefusal),
    );
    const found = new Map<string, Row>();
    for (const row of rows) {
      const id = toText(row.id);
      if (id === text) return text;
      if (id.startsWith(text) && !isNumber(id)) found.set(id, row);
    }
    const [id = text] = found.keys();
    if (found.size < 2) return id;
    return refuse(context, text, [...found.values()], columns);
  };
};

export const findLocalId = (
  context: Person,
  text: string,
  list: () => readonly Row[] | Promise<readonly Row[]>,
  columns: readonly Column[],
): Promise<string> => {
  async function* pages() {
    const rows = await list();
    yield { rows, total: rows.length };
  }
  return createIdFinder(context, pages, columns)(text);
};
