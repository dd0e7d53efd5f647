import type { Api } from '../api/client.ts';
import {
  formatRecordName,
  getPlural,
  KINDS,
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
    const rows = all.filter(
      ({ id, workspace_name: name }) =>
        toText(id) === text || toText(name).toLowerCase() === text.toLowerCase(),
    );
    const hint = `List your workspaces: ${this.#commandLine`ttctl workspaces list`}`;
    const row = requireSingle('workspace', text, rows, hint, ['id', 'workspace_name', 'role']);
    return { id: workspaceIdOf(row), name: toText(row.workspace_name) };
  }

  async #findNamed(kind: NamedKind, text: string, among: readonly string[]): Promise<string> {
    const hint = this.#hint(kind);
    const named = await this.#listNamed(kind, text, among);
    if (named.length > 0) return toText(requireSingle(kind, text, named, hint, ['id', 'name']).id);
    const all = await this.#listAll(kind);
    // An id may be any text, so the id of a project or policy is known only when the list has it.
    const found = all.filter((row) => toText(row.id) === text);
    const near = findNear(all, text, ({ name }) => toText(name));
    const suggestion = formatSuggestion(near.map(({ id, name }) => `"${toText(name)}" (${toText(id)})`));
    return toText(requireSingle(kind, text, found, `${suggestion}${hint}`, ['id', 'name']).id);
  }

  /** By e-mail address or whole name. A word that could be a name is an id only if a record has it. */
  async #findPerson(kind: NamedKind, text: string, among: readonly string[]): Promise<string> {
    const hint = this.#hint(kind);
    const fields = ['id', 'firstname', 'lastname', 'email', 'status'];
    if (text.includes('@')) {
      const found = await this.#listNamed(kind, text, among).catch((error: unknown): never => {
        // The service may be stricter than the check before: its refusal names the address.
        if (!(error instanceof ApiError) || error.exit !== EXIT.refused) throw error;
        const { exit, message: reason, details } = error;
        throw new Failure(`no ${kind} ${quoteText(text)}`, { code: 'not_an_address', exit, reason, details });
      });
      return toText(requireSingle(kind, text, found, hint, fields).id);
    }
    const rows = await this.#listAll(kind);
    if (rows.some((row) => toText(row.id) === text)) return text;
    const nameOf = (row: Row): string => `${toText(row.firstname)} ${toText(row.lastname)}`.trim();
    const wanted = toComparable(text);
    const exact = rows.filter((row) => toComparable(formatRecordName(kind, row)) === wanted);
    if (exact.length === 0) {
      const near = findNear(rows, text, nameOf).map((row) => `${nameOf(row)}: ${toText(row.email)}`);
      throw new Failure(`no ${kind} "${text}"`, {
        code: 'not_found',
        exit: EXIT.notFound,
        reason: 'Use an id, an e-mail address, or a full name.',
        hint: `${formatSuggestion(near)}${hint}`,
      });
    }
    // Of several a person chooses one.
    const prompter = exact.length < 2 ? undefined : this.#asked();
    if (prompter?.available !== true) return toText(requireSingle(kind, text, exact, hint, fields).id);
    const words = exact.map((row) => describe(row, fields));
    const chosen = await prompter.choose(`${kind} "${text}"`, words);
    return toText(exact[words.indexOf(chosen)]?.id);
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
    const field = KINDS[kind].namedBy ?? '';
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
    return `List the ${getPlural(kind)}: ${this.#commandLine`ttctl ${KINDS[kind].list.split('.')}`}`;
  }
}

/**
 * @param fields that tell the records apart
 * @throws Failure (exit 5) for no match, UsageError (exit 2) for several
 */
function requireSingle(
  kind: RecordKind,
  text: string,
  rows: readonly Row[],
  hint: string,
  fields: readonly string[],
): Row {
  const [row] = rows;
  if (row === undefined)
    throw new Failure(`no ${kind} ${quoteText(text)}`, { code: 'not_found', exit: EXIT.notFound, hint });
  if (rows.length === 1) return row;
  throw new UsageError(`${quoteText(text)} is the name of ${rows.length} ${getPlural(kind)}`, {
    code: 'ambiguous',
    reason: rows.map((one) => describe(one, fields)).join('\n'),
    hint: 'Use an id instead.',
  });
}

/** `17  Ana Sousa  ana@example.com  active` */
function describe(row: Row, fields: readonly string[]): string {
  const words = fields.map((field) => (field === 'lastname' ? ' ' : '  ') + toText(row[field] ?? ''));
  return words.join('').trim();
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

function toComparable(text: string): string {
  return text.normalize('NFC').toLowerCase().replace(/\s+/g, ' ').trim();
}

export interface NameSource {
  /** Names are optional: where a list may not be read, the ids are shown. */
  load(ids: readonly unknown[]): Promise<void>;
  /** After `load`: the name, with the id where several have it; the id itself where there is none. */
  of(id: unknown): string | null;
  /** The whole record, of an id that was loaded before others brought its page. */
  record(id: unknown): Row | undefined;
}

export type Names = Readonly<Record<NamedKind, NameSource>>;

/**
 * Names for the ids of a kind that people would have to read, fetched once a run and only when they are shown. A list is
 * read only as far as the wanted ids need; an id that is not in it stays a number.
 */
export function createNameList(kind: NamedKind, lists: Lists): NameSource {
  const records = new Map<string, Row>();
  const counts = new Map<string, number>();
  let pages: AsyncGenerator<ListPage> | undefined;
  let loading: Promise<void> = Promise.resolve();
  const readUntil = async (ids: readonly string[]): Promise<void> => {
    pages ??= lists.pages(lists.of(kind));
    while (ids.some((id) => !records.has(id))) {
      const next = await pages.next();
      if (next.done === true) return;
      // Also of those that nobody has asked for yet: a page is read once.
      for (const row of next.value.rows) {
        const name = formatRecordName(kind, row);
        records.set(toText(row.id), row);
        counts.set(name, (counts.get(name) ?? 0) + 1);
      }
    }
  };
  return {
    load(ids) {
      const wanted = ids.filter((id) => id != null).map(toText);
      loading = loading
        .then(() => readUntil(wanted))
        .catch((error: unknown) => {
          if (!(error instanceof Failure)) throw error;
        });
      return loading;
    },
    of(id) {
      if (id == null) return null;
      const row = records.get(toText(id));
      if (row === undefined) return toText(id);
      const name = formatRecordName(kind, row);
      return counts.get(name) === 1 ? name : `${name} (${toText(id)})`;
    },
    record: (id) => records.get(toText(id)),
  };
}
