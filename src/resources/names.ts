import type { Api } from '../api/client.ts';
import {
  formatRecordName,
  getListCommand,
  getNameField,
  getPlural,
  NAMED_KINDS,
  type NamedKind,
  PEOPLE,
  type RecordKind,
} from '../api/fields.ts';
import { LIST_FROM, type Lists } from '../api/lists.ts';
import type { ListPage, Row } from '../api/page.ts';
import { workspaceIdOf } from '../api/reply.ts';
import { ApiError, EXIT, Failure, UsageError } from '../errors.ts';
import { toText } from '../json.ts';
import type { Prompter } from '../output/prompt.ts';
import { checkRecordName, isRecordId } from '../parsing/names.ts';
import type { CommandLine } from '../parsing/shell-word.ts';
import { findNearest, quoteText } from '../parsing/text.ts';

/** The id of what a person has written, one of several such texts. */
export type FindId = (text: string, among?: readonly string[]) => Promise<string>;

/** Names and e-mail addresses to ids, each looked up once a run. */
export class LookUps {
  readonly #api: Api;
  readonly #lists: Lists;
  readonly #commandLine: CommandLine;
  readonly #asked: () => Prompter | undefined;
  readonly #known = new Map<string, Promise<string>>();
  readonly #searches = new Map<readonly string[], ReturnType<Lists['search']> | undefined>();

  /**
   * @param commandLine for hints: command lines that go where the api goes
   * @param asked who chooses between namesakes; `--yes` selects nothing
   */
  constructor(api: Api, lists: Lists, commandLine: CommandLine, asked: () => Prompter | undefined) {
    this.#api = api;
    this.#lists = lists;
    this.#commandLine = commandLine;
    this.#asked = asked;
  }

  /**
   * @param among all texts that are looked up like it: together they take no more requests than their list has pages
   * @throws Failure (exit 5) for no match, UsageError (exit 2) for several
   */
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
    const name = text.toLowerCase();
    const rows = all.filter(
      (row) => toText(row.id) === text || toText(row.workspace_name).toLowerCase() === name,
    );
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
    const prompter = rows.length < 2 ? undefined : this.#asked();
    if (prompter?.available !== true) return requireSingle(rows, search);
    const chosen = await prompter.choose(`${search.kind} "${search.text}"`, rows.map(search.words));
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

interface Search {
  readonly kind: RecordKind;
  readonly text: string;
  readonly words: (row: Row) => string;
  readonly hint: string;
}

/** @throws Failure (exit 5) for no match, UsageError (exit 2) for several */
function requireSingle(rows: readonly Row[], { kind, text, words, hint }: Search): Row {
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
}

function describePerson(row: Row): string {
  return `${toText(row.id)}  ${toText(row.firstname)} ${toText(row.lastname)}  ${toText(row.email ?? '')}  ${toText(row.status)}`;
}

function describeNamed(row: Row): string {
  return `${toText(row.id)}  ${toText(row.name)}`;
}

/** Names the address that the service refuses: it may be stricter than the check before. */
function refuseAddress(kind: NamedKind, text: string) {
  return (error: unknown): never => {
    if (!(error instanceof ApiError) || error.exit !== EXIT.refused) throw error;
    throw new Failure(`no ${kind} ${quoteText(text)}`, {
      code: 'not_an_address',
      exit: error.exit,
      reason: error.message,
      details: error.details,
    });
  };
}

/** Of a word that stands where a person is named, and is neither an id nor an address. */
function createNotAPersonError(kind: NamedKind, rows: readonly Row[], text: string, hint: string): Failure {
  const near = findNear(rows, text, formatName).map((row) => `${formatName(row)}: ${toText(row.email)}`);
  return new Failure(`no ${kind} "${text}"`, {
    code: 'not_found',
    exit: EXIT.notFound,
    reason: 'Use an id, an e-mail address, or a full name.',
    hint: `${formatSuggestion(near)}${hint}`,
  });
}

/** `Did you mean "Airport signage"?`, and how to see all. */
function formatNameHint(rows: readonly Row[], text: string, hint: string): string {
  const near = findNear(rows, text, (row) => toText(row.name));
  return `${formatSuggestion(near.map((row) => `"${toText(row.name)}" (${toText(row.id)})`))}${hint}`;
}

function formatSuggestion(near: readonly string[]): string {
  return near.length === 0 ? '' : `Did you mean ${near.join(', or ')}?\n`;
}

const MAX_SUGGESTIONS = 4;

/** Records whose name has a word that begins with the text; if none, those with the nearest name by edit distance. */
function findNear(rows: readonly Row[], text: string, name: (row: Row) => string): readonly Row[] {
  const wanted = toComparable(text);
  const begins = rows.filter((row) => ` ${toComparable(name(row))}`.includes(` ${wanted}`));
  if (begins.length > 0) return begins.slice(0, MAX_SUGGESTIONS);
  const meant = findNearest(
    wanted,
    rows.map((row) => toComparable(name(row))),
  );
  return rows.filter((row) => toComparable(name(row)) === meant).slice(0, MAX_SUGGESTIONS);
}

function formatName(row: Row): string {
  return `${toText(row.firstname)} ${toText(row.lastname)}`.trim();
}

function toComparable(text: string): string {
  return text.normalize('NFC').toLowerCase().replace(/\s+/g, ' ').trim();
}

export type NameSource = Pick<NameList, 'load' | 'of' | 'record'>;
export type Names = Readonly<Record<NamedKind, NameSource>>;

/** Names for the ids that people would have to read, fetched once a run and only when they are shown. */
export function createNames(lists: Lists): Names {
  return Object.fromEntries(NAMED_KINDS.map((kind) => [kind, new NameList(kind, lists)])) as unknown as Names;
}

/** Reads a list only as far as the wanted ids need; an id that is not in it stays a number. */
class NameList {
  readonly #kind: NamedKind;
  readonly #lists: Lists;
  readonly #records = new Map<string, Row>();
  readonly #counts = new Map<string, number>();
  #pages: AsyncGenerator<ListPage> | undefined;
  #loading: Promise<void> = Promise.resolve();

  constructor(kind: NamedKind, lists: Lists) {
    this.#kind = kind;
    this.#lists = lists;
  }

  /** Names are optional: where a list may not be read, the ids are shown. */
  load(ids: readonly unknown[]): Promise<void> {
    const wanted = ids.filter((id) => id != null).map(toText);
    const read = () => this.#readUntil(wanted);
    this.#loading = this.#loading.then(read).catch((error: unknown) => {
      if (!(error instanceof Failure)) throw error;
    });
    return this.#loading;
  }

  /** After `load`: the name, with the id where several have it; the id itself where there is none. */
  of(id: unknown): string | null {
    if (id == null) return null;
    const row = this.#records.get(toText(id));
    if (row === undefined) return toText(id);
    const name = formatRecordName(this.#kind, row);
    return this.#counts.get(name) === 1 ? name : `${name} (${toText(id)})`;
  }

  /** The whole record, of an id that was loaded before others brought its page. */
  record(id: unknown): Row | undefined {
    return this.#records.get(toText(id));
  }

  async #readUntil(ids: readonly string[]): Promise<void> {
    this.#pages ??= this.#lists.pages(this.#lists.of(this.#kind));
    while (ids.some((id) => !this.#records.has(id))) {
      const next = await this.#pages.next();
      if (next.done === true) return;
      // Also of those that nobody has asked for yet: a page is read once.
      for (const row of next.value.rows) {
        const name = formatRecordName(this.#kind, row);
        this.#records.set(toText(row.id), row);
        this.#counts.set(name, (this.#counts.get(name) ?? 0) + 1);
      }
    }
  }
}
