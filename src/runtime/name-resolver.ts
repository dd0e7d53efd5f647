import type { Api } from '../api/client.ts';
import {
  formatRecordName,
  getListCommand,
  getNameField,
  getPlural,
  NAMED_KINDS,
  PEOPLE,
  type RecordKind,
} from '../api/kinds.ts';
import { LIST_FROM, type Lists } from '../api/lists.ts';
import type { ListPage, Row } from '../api/page.ts';
import { workspaceIdOf } from '../api/reply.ts';
import type { NamedKind, NameResolver, NameSource, Names } from '../context.ts';
import { ApiError, EXIT, Failure, UsageError } from '../errors.ts';
import { toText } from '../json.ts';
import type { Prompter } from '../output/prompt.ts';
import { checkRecordName, isRecordId } from '../parsing/names.ts';
import type { CommandLine } from '../parsing/shell-word.ts';
import { findNearest, quoteText } from '../parsing/text.ts';

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
    throw new Failure(`no ${kind} ${quoteText(text)}`, { code: 'not_found', exit: EXIT.notFound, hint });
  }
  if (rows.length > 1) {
    throw new UsageError(`${quoteText(text)} is the name of ${rows.length} ${getPlural(kind)}`, {
      code: 'ambiguous',
      reason: rows.map(words).join('\n'),
      hint: 'Use an id instead.',
    });
  }
  return row;
};

const equalsIgnoringCase = (value: unknown, text: string): boolean =>
  toText(value).toLowerCase() === text.toLowerCase();

const describePerson = (row: Row): string =>
  `${toText(row.id)}  ${toText(row.firstname)} ${toText(row.lastname)}  ${toText(row.email ?? '')}  ${toText(row.status)}`;
const describeNamed = (row: Row): string => `${toText(row.id)}  ${toText(row.name)}`;

/** Names the address that the service refuses: it may be stricter than the check before. */
const refuseAddress =
  (kind: NamedKind, text: string) =>
  (error: unknown): never => {
    if (!(error instanceof ApiError) || error.exit !== EXIT.refused) throw error;
    throw new Failure(`no ${kind} ${quoteText(text)}`, {
      code: 'not_an_address',
      exit: error.exit,
      reason: error.message,
      details: error.details,
    });
  };

export interface NameDialog {
  readonly available: () => boolean;
  readonly choose: (message: string, choices: readonly string[]) => Promise<string>;
}

/** @param agreed whether `--yes` answers what is asked: it selects nothing */
export const createNameDialog = (prompter: () => Prompter, agreed: boolean): NameDialog => ({
  available: () => !agreed && prompter().available,
  choose: (message, choices) => prompter().choose(message, choices),
});

const toComparable = (text: string): string =>
  text.normalize('NFC').toLowerCase().replace(/\s+/g, ' ').trim();

export class LookUps implements NameResolver {
  readonly #api: Api;
  readonly #lists: Lists;
  readonly #commandLine: CommandLine;
  readonly #dialog: NameDialog;
  readonly #known = new Map<string, Promise<string>>();
  readonly #searches = new Map<readonly string[], ReturnType<Lists['search']> | undefined>();

  /** @param commandLine for hints: command lines that go where the api goes */
  constructor(api: Api, lists: Lists, commandLine: CommandLine, dialog: NameDialog) {
    this.#api = api;
    this.#lists = lists;
    this.#commandLine = commandLine;
    this.#dialog = dialog;
  }

  async find(kind: NamedKind, text: string, among: readonly string[] = []): Promise<string> {
    checkRecordName(kind, text);
    if (isRecordId(kind, text)) return text;
    const key = `${kind}\n${text}`;
    const find = async () =>
      PEOPLE.has(kind) ? this.#findPerson(kind, text.trim(), among) : this.#findNamed(kind, text, among);
    const id = this.#known.get(key) ?? find();
    this.#known.set(key, id);
    return id;
  }

  async workspace(text: string): Promise<{ readonly id: number; readonly name: string }> {
    const all = await this.#lists.rows(this.#api.workspaces.list({}));
    const rows = all.filter((row) => toText(row.id) === text || equalsIgnoringCase(row.workspace_name, text));
    const words = (row: Row) => `${toText(row.id)}  ${toText(row.workspace_name)}  ${toText(row.role)}`;
    const hint = `List your workspaces: ${this.#commandLine`ttctl workspaces list`}`;
    const row = requireSingle(rows, { kind: 'workspace', text, words, hint });
    return { id: workspaceIdOf(row), name: toText(row.workspace_name) };
  }

  async #findNamed(kind: NamedKind, text: string, among: readonly string[]): Promise<string> {
    const search = { kind, text, words: describeNamed, hint: this.#hint(kind) };
    const named = await this.#listNamed(kind, text, among);
    if (named.length > 0) return toText(requireSingle(named, search).id);
    const all = await this.#listAll(kind);
    // An id may be any text, so the id of a project or policy is known only when the list has it.
    const found = all.filter((row) => toText(row.id) === text);
    if (found.length > 0) return toText(requireSingle(found, search).id);
    return toText(requireSingle([], { ...search, hint: formatNameHint(all, text, search.hint) }).id);
  }

  /** By e-mail address or whole name. A word that could be a name is an id only if a record has it. */
  async #findPerson(kind: NamedKind, text: string, among: readonly string[]): Promise<string> {
    const search = { kind, text, words: describePerson, hint: this.#hint(kind) };
    if (text.includes('@')) {
      const found = await this.#listNamed(kind, text, among).catch(refuseAddress(kind, text));
      return toText(requireSingle(found, search).id);
    }
    const rows = await this.#listAll(kind);
    if (rows.some((row) => toText(row.id) === text)) return text;
    const wanted = toComparable(text);
    const exact = rows.filter((row) => toComparable(formatRecordName(kind, row)) === wanted);
    if (exact.length === 0) throw createNotAPersonError(kind, rows, text, search.hint);
    return toText((await this.#chooseSingle(exact, search)).id);
  }

  /** Of several a person chooses one. @throws UsageError where nobody can be asked */
  async #chooseSingle(rows: readonly Row[], search: Search): Promise<Row> {
    if (rows.length < 2 || !this.#dialog.available()) return requireSingle(rows, search);
    const chosen = await this.#dialog.choose(`${search.kind} "${search.text}"`, rows.map(search.words));
    return requireSingle(rows.filter((row) => search.words(row) === chosen).slice(0, 1), search);
  }

  /** All records of a kind; none where they may not be read. */
  #listAll(kind: NamedKind): Promise<readonly Row[]> {
    return this.#lists.rows(this.#lists.of(kind)).catch((error: unknown) => {
      if (error instanceof ApiError) return [];
      throw error;
    });
  }

  /**
   * The records of this name or address: of several from the list, if that takes fewer requests than to ask for each;
   * else the service is asked for this one.
   */
  async #listNamed(kind: NamedKind, text: string, among: readonly string[]): Promise<readonly Row[]> {
    const lists = this.#lists;
    const field = getNameField(kind) ?? '';
    const name = text.toLowerCase();
    const nameOf = (row: Row): string => toText(row[field]).toLowerCase();
    if (!this.#searches.has(among)) {
      const isNamed = (one: string): boolean => field !== 'email' || one.includes('@');
      const wanted = new Set(among.filter(isNamed).map((one) => one.toLowerCase()));
      const isMany = wanted.size >= LIST_FROM;
      this.#searches.set(among, isMany ? lists.search([lists.of(kind)], wanted, { nameOf }) : undefined);
    }
    const { rows, whole = false } = (await this.#searches.get(among)) ?? {};
    if (rows?.has(name) || whole) return rows?.get(name) ?? [];
    const canFilter = Object.hasOwn(lists.of(kind).operation.parameters, field);
    const filtered = await lists.rows(lists.of(kind, canFilter ? { [field]: text } : {}));
    return filtered.filter((row) => nameOf(row) === name);
  }

  #hint(kind: NamedKind): string {
    return `List the ${getPlural(kind)}: ${this.#commandLine`ttctl ${getListCommand(kind).split(' ')}`}`;
  }
}

/** Suggestions for a name that was not found. */

const MAX_SUGGESTIONS = 4;

const normalize = (text: string): string => text.toLowerCase().replace(/\s+/g, ' ').trim();

/** Records whose name has a word that begins with the text; if none, those with the nearest name by edit distance. */
const findNear = (rows: readonly Row[], text: string, name: (row: Row) => string): readonly Row[] => {
  const wanted = normalize(text);
  const begins = rows.filter((row) => ` ${normalize(name(row))}`.includes(` ${wanted}`));
  if (begins.length > 0) return begins.slice(0, MAX_SUGGESTIONS);
  const meant = findNearest(
    wanted,
    rows.map((row) => normalize(name(row))),
  );
  return rows.filter((row) => normalize(name(row)) === meant).slice(0, MAX_SUGGESTIONS);
};

const formatSuggestion = (near: readonly string[]): string =>
  near.length === 0 ? '' : `Did you mean ${near.join(', or ')}?\n`;

/** `Did you mean "Airport signage"?`, and how to see all. */
const formatNameHint = (rows: readonly Row[], text: string, hint: string): string =>
  `${formatSuggestion(findNear(rows, text, (row) => toText(row.name)).map((row) => `"${toText(row.name)}" (${toText(row.id)})`))}${hint}`;

const formatName = (row: Row): string => `${toText(row.firstname)} ${toText(row.lastname)}`.trim();

/** Of a word that stands where a person is named, and is neither an id nor an address. */
const createNotAPersonError = (
  kind: NamedKind,
  rows: readonly Row[],
  text: string,
  hint: string,
): Failure => {
  const near = findNear(rows, text, formatName).map((row) => `${formatName(row)}: ${toText(row.email)}`);
  return new Failure(`no ${kind} "${text}"`, {
    code: 'not_found',
    exit: EXIT.notFound,
    reason: 'Use an id, an e-mail address, or a full name.',
    hint: `${formatSuggestion(near)}${hint}`,
  });
};

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
