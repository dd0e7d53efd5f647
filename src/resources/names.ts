import { formatPersonName, PEOPLE } from '../api/fields.ts';
import { LIST_FROM, type Lists } from '../api/lists.ts';
import type { ListPage, Row } from '../api/page.ts';
import {
  getListId,
  isNamedKind,
  KINDS,
  type NamedKind,
  RECORD_KINDS,
  type RecordKind,
} from '../api/records.ts';
import { workspaceIdOf } from '../api/reply.ts';
import { EXIT, Failure, UsageError } from '../errors.ts';
import { toText } from '../json.ts';
import { checkRecordName, isRecordId } from '../parsing/names.ts';
import type { CommandLine } from '../parsing/shell-word.ts';
import { quoteText } from '../parsing/text.ts';

export type FindId = (text: string, among?: readonly string[]) => Promise<string>;

const MAX_SUGGESTIONS = 4;

export class LookUps {
  readonly #lists: Lists;
  readonly #commandLine: CommandLine;
  readonly #known = new Map<string, Promise<string>>();
  readonly #searches = new Map<readonly string[], ReturnType<Lists['search']> | undefined>();

  /** @param commandLine for hints: command lines that go where the api goes */
  constructor(lists: Lists, commandLine: CommandLine) {
    this.#lists = lists;
    this.#commandLine = commandLine;
  }

  /**
   * @param among all texts that are looked up like it: together they take no more requests than their list has pages
   * @throws Failure (exit 5) for no match, UsageError (exit 2) for several
   */
  async find(kind: NamedKind, text: string, among: readonly string[] = []): Promise<string> {
    checkRecordName(kind, text);
    if (isRecordId(kind, text)) return text;
    const key = `${kind}\n${text}`;
    const id = this.#known.get(key) ?? this.#look(kind, text.trim(), among);
    this.#known.set(key, id);
    return id;
  }

  async workspace(text: string) {
    const all = await this.#lists.rows(this.#lists.of('workspace'));
    const isMeant = ({ id, workspace_name: name }: Row) =>
      toText(id) === text || toText(name).toLowerCase() === text.toLowerCase();
    const row = this.#requireSingle('workspace', text, all.filter(isMeant));
    return { id: workspaceIdOf(row), name: toText(row.workspace_name) };
  }

  async #look(kind: NamedKind, text: string, among: readonly string[]): Promise<string> {
    const isAddress = PEOPLE.has(kind) && text.includes('@');
    const named = isAddress || !PEOPLE.has(kind) ? await this.#listNamed(kind, text, among) : [];
    if (isAddress || named.length > 0) return toText(this.#requireSingle(kind, text, named).id);
    const all = await this.#lists.rows(this.#lists.of(kind));
    // A word that could be a name is an id only if a record has it.
    if (all.some((row) => toText(row.id) === text)) return text;
    const nameOf = (row: Row): string => toComparable(formatRecordName(kind, row));
    const wanted = toComparable(text);
    const exact = all.filter((row) => nameOf(row) === wanted);
    const near = all.filter((row) => ` ${nameOf(row)}`.includes(` ${wanted}`)).slice(0, MAX_SUGGESTIONS);
    return toText(this.#requireSingle(kind, text, exact, near).id);
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

  /** @param near records that may be meant. @throws Failure (exit 5) for no match, UsageError (exit 2) for several */
  #requireSingle(kind: RecordKind, text: string, rows: readonly Row[], near: readonly Row[] = []): Row {
    const [row, another] = rows;
    const [noun = '', verb = ''] = getListId(kind).split('.');
    const plural = verb === 'list' ? noun : verb;
    const isPerson = PEOPLE.has(kind);
    if (row === undefined) {
      const list = `List the ${plural}: ${this.#commandLine`ttctl ${noun} ${verb}`}`;
      const meant = near.map((one) => `${formatRecordName(kind, one)} (${toText(one.email ?? one.id)})`);
      const ways =
        isPerson && !text.includes('@') ? 'Use an id, an e-mail address, or a full name.' : undefined;
      throw new Failure(`no ${kind} ${quoteText(text)}`, {
        code: 'not_found',
        exit: EXIT.notFound,
        reason: ways,
        hint: meant.length === 0 ? list : `Did you mean ${meant.join(', or ')}?\n${list}`,
      });
    }
    if (another === undefined) return row;
    // `17  Ana Sousa  ana@example.com  active`
    const described = rows.map((one) => {
      const words = [
        one.id,
        formatRecordName(kind, one),
        ...(isPerson ? [one.email, one.status, one.role] : []),
      ];
      return words.flatMap((word) => (word == null ? [] : toText(word))).join('  ');
    });
    const reason = described.join('\n');
    const message = `${quoteText(text)} is the name of ${rows.length} ${plural}`;
    throw new UsageError(message, { code: 'ambiguous', reason, hint: 'Use an id instead.' });
  }
}

function toComparable(text: string): string {
  return text.normalize('NFC').toLowerCase().replace(/\s+/g, ' ').trim();
}

export interface NameSource {
  /** Names are optional: where a list may not be read, the ids are shown. */
  load(ids: readonly unknown[]): Promise<void>;
  /** The name, with the id where several are known to have it; the id itself where none is known (`load`). */
  of(id: unknown): string | null;
  /** The whole record, where any list had it. */
  record(id: unknown): Row | undefined;
}

export type Names = Readonly<Record<NamedKind, NameSource>>;

/**
 * Names for the ids of each kind that people would have to read, fetched once a run and only when they are shown. A list
 * is read only as far as the wanted ids need; an id that is not in it stays a number.
 */
export function createNames(lists: Lists): Names {
  const named = RECORD_KINDS.filter(isNamedKind).map((kind) => {
    const records = new Map<string, Row>();
    /** Of those that another list of the kind had: no request is made for them. */
    const find = (id: unknown): Row | undefined =>
      records.get(toText(id)) ?? lists.find(lists.of(kind), toText(id));
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
    const source: NameSource = {
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
        const row = find(id);
        if (row === undefined) return toText(id);
        const name = formatRecordName(kind, row);
        return (counts.get(name) ?? 0) > 1 ? `${name} (${toText(id)})` : name;
      },
      record: find,
    };
    return [kind, source] as const;
  });
  return Object.fromEntries(named) as Names;
}

/** What people call a record: its name; of a person first and last name, else the e-mail address, else the id. */
function formatRecordName(kind: RecordKind, row: Row): string {
  const name = PEOPLE.has(kind) ? formatPersonName(row) : row[KINDS[kind].namedBy ?? 'id'];
  return toText(name ?? row.id);
}
