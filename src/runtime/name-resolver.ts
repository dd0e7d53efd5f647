import type { Api } from '../api/client.ts';
import type { ListPage, Row } from '../api/page.ts';
import { workspaceIdOf } from '../api/shape.ts';
import type { NamedKind, NameResolver } from '../context.ts';
import { toText } from '../json/text.ts';
import { ApiError, EXIT, Failure, UsageError } from '../outcome.ts';
import { checkRecordName, isRecordId } from '../parsing/opaque-id.ts';
import type { CommandLine } from '../parsing/shell-word.ts';
import { getListCommand, PEOPLE } from '../resources/kinds.ts';

/** Names and e-mail addresses to ids, each looked up once a run (docs/requirements.md, CLI-4). */

interface Search {
  /** Singular, for messages: `member`. */
  readonly kind: string;
  readonly text: string;
  readonly words: (row: Row) => string;
  readonly hint: string;
}

/** @throws Failure (exit 5) for no match, UsageError (exit 2) for several */
const only = (rows: readonly Row[], { kind, text, words, hint }: Search): Row => {
  const [row] = rows;
  if (row === undefined) {
    throw new Failure(`no ${kind} "${text}"`, { code: 'not_found', exit: EXIT.notFound, hint });
  }
  if (rows.length > 1) {
    throw new UsageError(`"${text}" is the name of ${rows.length} ${kind}s`, {
      code: 'ambiguous',
      reason: rows.map(words).join('\n'),
      hint: 'Use its id instead.',
    });
  }
  return row;
};

const gather = async (
  pages: AsyncIterable<{ readonly rows: readonly Row[] }>,
  fits: (row: Row) => boolean,
) => {
  const found: Row[] = [];
  for await (const page of pages) found.push(...page.rows.filter(fits));
  return found;
};

const same = (value: unknown, text: string): boolean => toText(value).toLowerCase() === text.toLowerCase();

const remembered = <T>(find: (text: string) => Promise<T>): ((text: string) => Promise<T>) => {
  const known = new Map<string, Promise<T>>();
  return (text) => {
    const before = known.get(text) ?? find(text);
    known.set(text, before);
    return before;
  };
};

const person = (row: Row): string =>
  `${toText(row.id)}  ${toText(row.firstname)} ${toText(row.lastname)}  ${toText(row.status)}`;
const named = (row: Row): string => `${toText(row.id)}  ${toText(row.name)}`;

type Find = (text: string) => Promise<string>;

/** All records of a list, read once; none where they may not be read. */
const createWhole = (pages: () => AsyncIterable<ListPage>): (() => Promise<readonly Row[]>) => {
  let rows: Promise<readonly Row[]> | undefined;
  const read = () =>
    gather(pages(), () => true).catch((error: unknown) => {
      if (error instanceof ApiError) return [];
      throw error;
    });
  return () => {
    rows ??= read();
    return rows;
  };
};

/** Asks the service's list for a name where it can be asked; else it gives the whole list. */
type PagesOf = (filters: { readonly email?: string; readonly name?: string }) => AsyncIterable<ListPage>;

interface Kind {
  readonly kind: NamedKind;
  readonly pages: PagesOf;
  readonly hint: string;
}

/** @param filters whether the service's list can be asked for a name */
const thing = ({ kind, pages, hint }: Kind, filters = false): Find => {
  const whole = createWhole(() => pages({}));
  return remembered(async (text) => {
    // An id may be any text, so that of a thing is known only when it is seen.
    const isMeant = (row: Row) => same(row.name, text) || toText(row.id) === text;
    const found = filters ? await gather(pages({ name: text }), isMeant) : (await whole()).filter(isMeant);
    const search = { kind, text, words: named };
    if (found.length > 0) return toText(only(found, { ...search, hint }).id);
    const { formatNameHint } = await import('./near-names.ts');
    return toText(only(found, { ...search, hint: formatNameHint(await whole(), text, hint) }).id);
  });
};

/** The service may be stricter about addresses; then it is said which one it does not take. */
const notTaken =
  (kind: NamedKind, text: string) =>
  (error: unknown): never => {
    if (!(error instanceof ApiError) || error.exit !== EXIT.refused) throw error;
    throw new Failure(`no ${kind} "${text}"`, {
      code: 'not_an_address',
      exit: error.exit,
      reason: error.message,
      details: error.details,
    });
  };

/** By e-mail address. A word that could be a name is an id only if a record has it. */
const someone = ({ kind, pages, hint }: Kind): Find => {
  const whole = createWhole(() => pages({}));
  return remembered(async (text) => {
    if (text.includes('@')) {
      const found = await gather(pages({ email: text }), (row) => same(row.email, text)).catch(
        notTaken(kind, text),
      );
      return toText(only(found, { kind, text, words: person, hint }).id);
    }
    const rows = await whole();
    if (rows.some((row) => toText(row.id) === text)) return text;
    const { createNotAPersonError } = await import('./near-names.ts');
    throw createNotAPersonError(kind, rows, text, hint);
  });
};

const pagesOf = (api: Api): Readonly<Record<NamedKind, PagesOf>> => ({
  member: (filters) => api.members.list(filters).pages(),
  viewer: (filters) => api.viewers.list(filters).pages(),
  project: (filters) => api.projects.list(filters).pages(),
  policy: () => api.leaves.policies({}).pages(),
  category: () => api.expenses.categories({}).pages(),
});

/** People by e-mail address, things by their whole name. */
const finderOf = (kind: NamedKind, pages: PagesOf, commandLine: CommandLine): Find => {
  const list = `there is: ${commandLine`ttctl ${getListCommand(kind).split(' ')}`}`;
  if (PEOPLE.has(kind)) return someone({ kind, pages, hint: `See who ${list}` });
  return thing({ kind, pages, hint: `See what ${list}` }, kind === 'project');
};

const findWorkspace = (api: Api, commandLine: CommandLine) => async (text: string) => {
  const rows = await gather(
    api.workspaces.list({}).pages(),
    (row) => toText(row.id) === text || same(row.workspace_name, text),
  );
  const words = (row: Row) => `${toText(row.id)}  ${toText(row.workspace_name)}  ${toText(row.role)}`;
  const hint = `List yours: ${commandLine`ttctl workspaces list`}`;
  const row = only(rows, { kind: 'workspace', text, words, hint });
  return { id: workspaceIdOf(row), name: toText(row.workspace_name) };
};

/** @param commandLine for hints: command lines that go where the api goes */
export const createNameResolver = (api: Api, commandLine: CommandLine): NameResolver => {
  const pages = pagesOf(api);
  const finders = new Map<NamedKind, Find>();
  return {
    async find(kind, text) {
      checkRecordName(kind, text);
      if (isRecordId(kind, text)) return text;
      const find = finders.get(kind) ?? finderOf(kind, pages[kind], commandLine);
      finders.set(kind, find);
      return find(PEOPLE.has(kind) ? text.trim() : text);
    },
    workspace: remembered(findWorkspace(api, commandLine)),
  };
};
