import type { Api } from '../api/client.ts';
import { collectRows, type ListPage, type Row } from '../api/page.ts';
import { workspaceIdOf } from '../api/reply.ts';
import type { NamedKind, NameResolver, Prompter } from '../context.ts';
import { toText } from '../json/stringify.ts';
import { ApiError, EXIT, Failure, UsageError } from '../outcome.ts';
import { checkRecordName, isRecordId } from '../parsing/names.ts';
import type { CommandLine } from '../parsing/shell-word.ts';
import { formatRecordName, getListCommand, getPlural, PEOPLE, type RecordKind } from '../resources/kinds.ts';
import type { RecordList, RecordLists } from './record-lists.ts';

/** Names and e-mail addresses to ids, each looked up once a run. */

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
      hint: 'Use an id instead.',
    });
  }
  return row;
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
  `${toText(row.id)}  ${toText(row.firstname)} ${toText(row.lastname)}  ${toText(row.email ?? '')}  ${toText(row.status)}`;
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

interface Kind {
  readonly kind: NamedKind;
  readonly list: RecordList;
  readonly hint: string;
}

const createNameFinder = ({ kind, list, hint }: Kind): Find => {
  const listAll = createFullList(list.pages);
  return memoize(async (text) => {
    // An id may be any text, so the id of a project or policy is known only when the list has it.
    const isMeant = (row: Row) => equalsIgnoringCase(row.name, text) || toText(row.id) === text;
    const found =
      list.find === undefined
        ? (await listAll()).filter(isMeant)
        : await collectRows(list.find(text), isMeant);
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

/** Asks a person which one of several is meant. */
export interface NameDialog {
  /** Whether there is a terminal, where the beginning of a name is enough. */
  readonly available: () => boolean;
  readonly choose: (message: string, choices: readonly string[]) => Promise<string>;
  readonly note: (text: string) => void;
}

/** @param agreed whether `--yes` answers what is asked: it selects nothing */
export const createNameDialog = (
  prompter: () => Prompter,
  agreed: boolean,
  note: (text: string) => void,
): NameDialog => ({
  available: () => !agreed && prompter().available,
  choose: (message, choices) => prompter().choose(message, choices),
  note,
});

const toComparable = (text: string): string =>
  text.normalize('NFC').toLowerCase().replace(/\s+/g, ' ').trim();

/** Of several a person chooses one. @throws UsageError where nobody can be asked */
const chooseSingle = async (rows: readonly Row[], search: Search, dialog: NameDialog): Promise<Row> => {
  if (rows.length < 2 || !dialog.available()) return requireSingle(rows, search);
  const chosen = await dialog.choose(`${search.kind} "${search.text}"`, rows.map(search.words));
  return requireSingle(rows.filter((row) => search.words(row) === chosen).slice(0, 1), search);
};

/**
 * By e-mail address or whole name; at a terminal by the beginning of one too, and what was understood is said. A word
 * that could be a name is an id only if a record has it.
 */
const createPersonFinder = ({ kind, list, hint }: Kind, dialog: NameDialog): Find => {
  const listAll = createFullList(list.pages);
  const fullName = (row: Row): string => formatRecordName(kind, row);
  const findByName = async (text: string): Promise<Row> => {
    const rows = await listAll();
    const wanted = toComparable(text);
    const search = { kind, text, words: describePerson, hint };
    const exact = rows.filter((row) => toComparable(fullName(row)) === wanted);
    if (exact.length > 0) return chooseSingle(exact, search, dialog);
    const begins = rows.filter((row) =>
      [` ${toComparable(fullName(row))}`, ` ${toText(row.email).toLowerCase()}`].some((name) =>
        name.includes(` ${wanted}`),
      ),
    );
    const { createNotAPersonError } = await import('./near-names.ts');
    if (!dialog.available() || begins.length === 0) throw createNotAPersonError(kind, rows, text, hint);
    const row = await chooseSingle(begins, search, dialog);
    if (begins.length === 1) dialog.note(`"${text}" is ${fullName(row)} (${toText(row.email)}).`);
    return row;
  };
  return memoize(async (text) => {
    if (text.includes('@')) {
      const found = await collectRows((list.find ?? list.pages)(text), (row) =>
        equalsIgnoringCase(row.email, text),
      ).catch(refuseAddress(kind, text));
      return toText(requireSingle(found, { kind, text, words: describePerson, hint }).id);
    }
    if ((await listAll()).some((row) => toText(row.id) === text)) return text;
    return toText((await findByName(text)).id);
  });
};

interface NameSources {
  readonly lists: RecordLists;
  /** For hints: command lines that go where the api goes. */
  readonly commandLine: CommandLine;
  readonly dialog: NameDialog;
}

const createFinder = (kind: NamedKind, { lists, commandLine, dialog }: NameSources): Find => {
  const hint = `List the ${getPlural(kind)}: ${commandLine`ttctl ${getListCommand(kind).split(' ')}`}`;
  const about = { kind, list: lists[kind], hint };
  return PEOPLE.has(kind) ? createPersonFinder(about, dialog) : createNameFinder(about);
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

export const createNameResolver = (api: Api, sources: NameSources): NameResolver => {
  const finders = new Map<NamedKind, Find>();
  return {
    async find(kind, text) {
      checkRecordName(kind, text);
      if (isRecordId(kind, text)) return text;
      const find = finders.get(kind) ?? createFinder(kind, sources);
      finders.set(kind, find);
      return find(PEOPLE.has(kind) ? text.trim() : text);
    },
    workspace: memoize(findWorkspace(api, sources.commandLine)),
  };
};
