import type { Api } from '../api/client.ts';
import type { ListPage, Row } from '../api/page.ts';
import { workspaceIdOf } from '../api/reply.ts';
import type { NamedKind, NameResolver, NameSource, Names } from '../context.ts';
import { toText } from '../json/stringify.ts';
import { ApiError, EXIT, Failure, UsageError } from '../outcome.ts';
import { checkRecordName, isRecordId } from '../parsing/names.ts';
import type { CommandLine } from '../parsing/shell-word.ts';
import { formatPersonName, getListCommand, getPlural, PEOPLE, type RecordKind } from '../resources/kinds.ts';

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
  // The records of those that were asked for; a list may be long.
  const records = new Map<string, Row>();
  const wantedIds = new Set<string>();
  let list: AsyncGenerator<ListPage> | undefined;
  let loading: Promise<void> = Promise.resolve();

  const readUntil = async (ids: readonly string[]): Promise<void> => {
    list ??= pages();
    while (ids.some((id) => !known.has(id))) {
      const next = await list.next();
      if (next.done === true) return;
      for (const row of next.value.rows) {
        known.set(toText(row.id), name(row));
        if (wantedIds.has(toText(row.id))) records.set(toText(row.id), row);
        nameCounts.set(name(row), (nameCounts.get(name(row)) ?? 0) + 1);
      }
    }
  };
  return {
    load(ids) {
      const wanted = ids.filter((id) => id != null).map(toText);
      for (const id of wanted) wantedIds.add(id);
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

const fullName = (row: Row): string => formatPersonName(row) ?? toText(row.id);

export const createNames = (api: Api): Names => ({
  member: createSource({ pages: () => api.members.list({}).pages(), name: fullName }),
  project: createSource({ pages: () => api.projects.list({}).pages(), name: (row) => toText(row.name) }),
  policy: createSource({ pages: () => api.leaves.policies({}).pages(), name: (row) => toText(row.name) }),
  category: createSource({
    pages: () => api.expenses.categories({}).pages(),
    name: (row) => toText(row.name),
  }),
});

/** Names and e-mail addresses to ids, each looked up once a run (docs/requirements.md, CLI-4). */

interface Search {
  readonly kind: RecordKind;
  readonly text: string;
  readonly words: (row: Row) => string;
  readonly hint: string;
}

/** @throws Failure (exit 5) for no match, UsageError (exit 2) for several */
const requireSingle = (rows: readonly Row[], { kind, text, words, hint }: Search): Row => {
  const [row] = rows;
  if (row === undefined) {
    throw new Failure(`no ${kind} "${text}"`, { code: 'not_found', exit: EXIT.notFound, hint });
  }
  if (rows.length > 1) {
    throw new UsageError(`"${text}" is the name of ${rows.length} ${getPlural(kind)}`, {
      code: 'ambiguous',
      reason: rows.map(words).join('\n'),
      hint: 'Use its id instead.',
    });
  }
  return row;
};

const collectRows = async (
  pages: AsyncIterable<{ readonly rows: readonly Row[] }>,
  matches: (row: Row) => boolean,
) => {
  const found: Row[] = [];
  for await (const page of pages) found.push(...page.rows.filter(matches));
  return found;
};

const equalsIgnoringCase = (value: unknown, text: string): boolean =>
  toText(value).toLowerCase() === text.toLowerCase();

const memoize = <T>(find: (text: string) => Promise<T>): ((text: string) => Promise<T>) => {
  const known = new Map<string, Promise<T>>();
  return (text) => {
    const result = known.get(text) ?? find(text);
    known.set(text, result);
    return result;
  };
};

const describePerson = (row: Row): string =>
  `${toText(row.id)}  ${toText(row.firstname)} ${toText(row.lastname)}  ${toText(row.status)}`;
const describeNamed = (row: Row): string => `${toText(row.id)}  ${toText(row.name)}`;

type Find = (text: string) => Promise<string>;

/** All records of a list, read once; none where they may not be read. */
const createFullList = (pages: () => AsyncIterable<ListPage>): (() => Promise<readonly Row[]>) => {
  let rows: Promise<readonly Row[]> | undefined;
  const read = () =>
    collectRows(pages(), () => true).catch((error: unknown) => {
      if (error instanceof ApiError) return [];
      throw error;
    });
  return () => {
    rows ??= read();
    return rows;
  };
};

/** Asks the service's list for a name where it can be asked; else it gives the whole list. */
type ListRecords = (filters: { readonly email?: string; readonly name?: string }) => AsyncIterable<ListPage>;

interface Kind {
  readonly kind: NamedKind;
  readonly pages: ListRecords;
  readonly hint: string;
}

/** @param filters whether the service's list can be asked for a name */
const createNameFinder = ({ kind, pages, hint }: Kind, filters = false): Find => {
  const listAll = createFullList(() => pages({}));
  return memoize(async (text) => {
    // An id may be any text, so the id of a project or policy is known only when the list has it.
    const isMeant = (row: Row) => equalsIgnoringCase(row.name, text) || toText(row.id) === text;
    const found = filters
      ? await collectRows(pages({ name: text }), isMeant)
      : (await listAll()).filter(isMeant);
    const search = { kind, text, words: describeNamed };
    if (found.length > 0) return toText(requireSingle(found, { ...search, hint }).id);
    const { formatNameHint } = await import('./near-names.ts');
    return toText(requireSingle(found, { ...search, hint: formatNameHint(await listAll(), text, hint) }).id);
  });
};

/** Names the address that the service refuses: it may be stricter than the check before. */
const refuseAddress =
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
const createPersonFinder = ({ kind, pages, hint }: Kind): Find => {
  const listAll = createFullList(() => pages({}));
  return memoize(async (text) => {
    if (text.includes('@')) {
      const found = await collectRows(pages({ email: text }), (row) =>
        equalsIgnoringCase(row.email, text),
      ).catch(refuseAddress(kind, text));
      return toText(requireSingle(found, { kind, text, words: describePerson, hint }).id);
    }
    const rows = await listAll();
    if (rows.some((row) => toText(row.id) === text)) return text;
    const { createNotAPersonError } = await import('./near-names.ts');
    throw createNotAPersonError(kind, rows, text, hint);
  });
};

const createLists = (api: Api): Readonly<Record<NamedKind, ListRecords>> => ({
  member: (filters) => api.members.list(filters).pages(),
  viewer: (filters) => api.viewers.list(filters).pages(),
  project: (filters) => api.projects.list(filters).pages(),
  policy: () => api.leaves.policies({}).pages(),
  category: () => api.expenses.categories({}).pages(),
});

/** People by e-mail address, things by their whole name. */
const createFinder = (kind: NamedKind, pages: ListRecords, commandLine: CommandLine): Find => {
  const hint = `List the ${getPlural(kind)}: ${commandLine`ttctl ${getListCommand(kind).split(' ')}`}`;
  if (PEOPLE.has(kind)) return createPersonFinder({ kind, pages, hint });
  return createNameFinder({ kind, pages, hint }, kind === 'project');
};

const findWorkspace = (api: Api, commandLine: CommandLine) => async (text: string) => {
  const rows = await collectRows(
    api.workspaces.list({}).pages(),
    (row) => toText(row.id) === text || equalsIgnoringCase(row.workspace_name, text),
  );
  const words = (row: Row) => `${toText(row.id)}  ${toText(row.workspace_name)}  ${toText(row.role)}`;
  const hint = `List your workspaces: ${commandLine`ttctl workspaces list`}`;
  const row = requireSingle(rows, { kind: 'workspace', text, words, hint });
  return { id: workspaceIdOf(row), name: toText(row.workspace_name) };
};

/** @param commandLine for hints: command lines that go where the api goes */
export const createNameResolver = (api: Api, commandLine: CommandLine): NameResolver => {
  const pages = createLists(api);
  const finders = new Map<NamedKind, Find>();
  return {
    async find(kind, text) {
      checkRecordName(kind, text);
      if (isRecordId(kind, text)) return text;
      const find = finders.get(kind) ?? createFinder(kind, pages[kind], commandLine);
      finders.set(kind, find);
      return find(PEOPLE.has(kind) ? text.trim() : text);
    },
    workspace: memoize(findWorkspace(api, commandLine)),
  };
};
