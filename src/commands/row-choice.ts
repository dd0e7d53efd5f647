import { type Fields, PEOPLE, text, toTyped } from '../api/fields.ts';
import type { ListPage, Row } from '../api/page.ts';
import { RECORDS, type RecordName } from '../api/records.ts';
import { findLocalId, toWarningFields } from '../changes/select.ts';
import { filterInParts } from '../clock.ts';
import { getItemKey, INBOX_KINDS, type InboxKind, isWaiting, toInboxItem } from '../decide/item.ts';
import { loadPending } from '../decide/load.ts';
import { countWarnings, type InboxWarning, toWarningCodes, WARNING_CODES } from '../decide/warnings.ts';
import { UsageError } from '../errors.ts';
import { toText } from '../json.ts';
import { toOnePage } from '../output/columns.ts';
import type { RowJoins } from '../output/list-view.ts';
import { requireMembers } from '../parsing/names.ts';
import { type Condition, compileCondition, describeUndecided, hintQuotes } from '../query/condition.ts';
import { Undecided, UnknownValue } from '../query/run.ts';
import {
  getConditionFields,
  getJoins,
  isJoinedByName,
  type JoinName,
  type Joins,
  listFieldsOf,
  listJoinNames,
  toJoined,
} from '../resources/joins.ts';
import type { Run } from '../run.ts';

/**
 * Which rows of a list are meant, beside what the service filters (`--where`, `--member`, `--except`, `--clean`), and
 * what they are joined with: other records, warnings.
 */

/** Which rows the values of a command line mean: known when these are looked up. */
export interface MeantRows {
  /** Ids that `--member` names, and those of them whose rows are chosen here; undefined: of all. */
  asked: readonly string[];
  members: ReadonlySet<string> | undefined;
  /** Whether the list has every row that waits for a decision. */
  isComplete: boolean;
}

/** Null for a row that does not wait. */
type FindWarnings = (row: Row) => readonly InboxWarning[] | null;

const WARNING_FIELDS = ['warnings', 'warning_messages'];

export class RowChoice {
  readonly #run: Run;
  readonly #record: RecordName | undefined;
  readonly #meant: MeantRows;
  readonly #joins: Joins;
  readonly #kind: InboxKind | undefined;
  readonly #fields: Fields;
  readonly #indexes = new Map<JoinName, ReturnType<typeof readIndex>>();
  #condition: Condition | undefined;
  #warnings: Promise<FindWarnings> | undefined;

  /** @throws UsageError for a `--where` that cannot be used */
  static async open(run: Run, record: RecordName | undefined, meant: MeantRows): Promise<RowChoice> {
    const choice = new RowChoice(run, record, meant);
    const { where } = run.invocation.options;
    if (where !== undefined)
      choice.#condition = await compileCondition(String(where), { where: '--where', fields: choice.#fields });
    return choice;
  }

  private constructor(run: Run, record: RecordName | undefined, meant: MeantRows) {
    this.#run = run;
    this.#record = record;
    this.#meant = meant;
    this.#joins = getJoins(record);
    this.#kind = INBOX_KINDS.find((kind) => kind === record);
    const { rowFields, prints } = run.invocation.command;
    const { words = {} } = prints ?? {};
    const toField = ([name, values]: [string, readonly string[]]) => [name, { ...text, values }] as const;
    const known = { ...Object.fromEntries(Object.entries(words).map(toField)), ...rowFields };
    const own = record === undefined ? known : RECORDS[record];
    const warnings = this.#kind && WARNING_CODES;
    this.#fields = getConditionFields(listJoinNames(Object.keys(this.#joins)), own, warnings);
  }

  /** The rows that are meant. A failure of what they are chosen by comes before the last of them. */
  async *choose(pages: AsyncIterable<ListPage>): AsyncGenerator<ListPage> {
    const { clean, except = [] } = this.#run.invocation.options;
    const { members, isComplete } = this.#meant;
    const condition = this.#condition;
    const excepted = except as readonly string[];
    const names = condition?.names ?? new Set<string>();
    const needsMember = members !== undefined || excepted.some(isPerson);
    const joined = [...names, ...(needsMember && isJoinedByName(this.#record) ? ['member'] : [])];
    const joinNames = listJoinNames(joined).filter((name) => this.#joins[name] !== undefined);
    const needsWarnings = this.#kind !== undefined && (clean === true || names.has('warnings'));
    const known = new Set(Object.keys(this.#fields));
    let isEmpty = true;
    let exceptions: Awaited<ReturnType<typeof findExceptions>> | undefined;
    const leftOut: (readonly InboxWarning[])[] = [];
    const undecided: Record<string, string[]> = { '--except': [], '--clean': [], '--where': [] };
    /** A text says why it cannot be told. Such a row is left out. */
    const isMeant = (flag: string, verdict: boolean | string): boolean => {
      if (typeof verdict === 'string') undecided[flag]?.push(verdict);
      return verdict === true;
    };
    // Warnings, and whether an id begins so, are of all rows together.
    for await (const page of needsWarnings || excepted.length > 0 ? toOnePage(pages) : pages) {
      exceptions ??= await findExceptions(this.#run, this.#record, excepted, page.rows);
      const { spares } = exceptions;
      const records = await this.#join(page.rows, joinNames);
      const findWarnings = needsWarnings ? await this.#findWarnings(page.rows, isComplete) : () => null;
      const candidates = page.rows.map((row, i) => ({ row, joined: records[i] ?? {} }));
      const chosen = await filterInParts(candidates, ({ row, joined }) => {
        const memberId = this.#memberOf(row, joined);
        const warnings = findWarnings(row);
        if (!isMeant('--except', spares(row, memberId))) return false;
        if (members?.has(memberId ?? '') === false) return false;
        if (!isMeant('--clean', clean !== true || isClean(warnings, leftOut))) return false;
        if (condition === undefined) return true;
        isEmpty = false;
        for (const name of Object.keys(row)) known.add(name);
        return isMeant('--where', this.#test(condition, row, joined, warnings));
      });
      yield { ...page, rows: chosen.map(({ row }) => row), total: undefined };
    }
    exceptions?.requireFound();
    const heads = [...names].map((name) => name.split('.')[0] ?? name);
    const missing = isEmpty ? undefined : heads.find((name) => !known.has(name));
    if (missing !== undefined)
      throw new UsageError(`--where: no record has "${missing}"`, {
        code: 'unknown_field',
        hint: hintQuotes(condition?.text ?? '', missing) ?? `Known fields: ${[...known].join(', ')}.`,
      });
    if (leftOut.length > 0) {
      const inbox = this.#run.commandLine`ttctl inbox --kind ${this.#kind}`;
      this.#run.leftOut = `${leftOut.length} left out: ${countWarnings(leftOut).join(', ')} (see ${inbox})`;
    }
    for (const [flag, reasons] of Object.entries(undecided))
      if (reasons.length > 0) this.#run.output.warn(describeUndecided(flag, reasons.length, reasons));
  }

  describe(): RowJoins {
    const joined = listFieldsOf(listJoinNames(Object.keys(this.#joins)));
    const find: RowJoins['find'] = async (page, names) => {
      const found = await this.#join(page, listJoinNames(names));
      if (this.#kind === undefined || !WARNING_FIELDS.some((name) => names.includes(name))) return found;
      const findWarnings = await this.#findWarnings(page, false);
      return found.map((row, i) => ({ ...row, ...toWarningFields(findWarnings(page[i] ?? {})) }));
    };
    const fields = [...joined, ...(this.#kind === undefined ? [] : WARNING_FIELDS)];
    return { fields, ofAll: WARNING_FIELDS, find };
  }

  /** A joined member is needed where a row has but the name. Undefined: the row does not tell whose it is. */
  #memberOf(row: Row, { member: joined }: Row): string | undefined {
    const id = isJoinedByName(this.#record)
      ? (joined as Row | null | undefined)?.id
      : this.#joins.member?.(row);
    return id == null ? undefined : toText(id);
  }

  #test(condition: Condition, row: Row, joined: Row, warnings: ReturnType<FindWarnings>): boolean | string {
    const record = toTyped(this.#fields, row);
    // A row that is decided has none, and is not without them either.
    const codes =
      warnings === null ? new UnknownValue('it is not waiting for a decision') : toWarningCodes(warnings);
    const verdict = condition.test({
      ...{ ...record, ...joined, record },
      ...(this.#kind !== undefined && { warnings: codes }),
    });
    return verdict instanceof Undecided ? verdict.message : verdict;
  }

  /**
   * What the rows are joined with, under the names of the joins; null where there is no such record. Each takes one
   * look-up list, read when it is first named.
   * @throws Failure where a list may not be read
   */
  async #join(rows: readonly Row[], names: readonly JoinName[]): Promise<readonly Row[]> {
    const { lists, commandLine } = this.#run;
    const joined: readonly Row[] = rows.map(() => ({}));
    for (const name of names) {
      const reading = this.#indexes.get(name) ?? readIndex(lists, name);
      this.#indexes.set(name, reading);
      const { byId, byName } = await reading;
      if (name === 'member') requireMembers(this.#meant.asked, (id) => byId.has(id), commandLine);
      const index = isJoinedByName(this.#record) ? byName : byId;
      rows.forEach((row, i) => {
        const key = this.#joins[name]?.(row);
        Object.assign(joined[i] ?? {}, { [name]: key == null ? null : (index.get(toText(key)) ?? null) });
      });
    }
    return joined;
  }

  /** Once: the rows that are printed are among those that were chosen from. */
  #findWarnings(rows: readonly Row[], isComplete: boolean): Promise<FindWarnings> {
    const load = async (kind: InboxKind): Promise<FindWarnings> => {
      const items = rows.filter((row) => isWaiting(kind, row)).map((row) => toInboxItem(kind, row));
      const pending = await loadPending(this.#run, items, { complete: isComplete ? [kind] : [] });
      const found = new Map(pending.map((one) => [getItemKey(one.item), one.warnings]));
      return (row) => found.get(getItemKey(toInboxItem(kind, row))) ?? null;
    };
    this.#warnings ??= this.#kind === undefined ? Promise.resolve(() => null) : load(this.#kind);
    return this.#warnings;
  }
}

/** What `--except` spares: records by their id or address, and those of members. */
async function findExceptions(
  run: Run,
  record: RecordName | undefined,
  texts: readonly string[],
  rows: readonly Row[],
) {
  const isPeople = record !== undefined && PEOPLE.has(record);
  const wanted = await Promise.all(
    texts.map(async (text) => ({
      text: await findLocalId(run, text, () => rows),
      owner: getJoins(record).member && isPerson(text) ? await run.lookUps.find('member', text) : undefined,
    })),
  );
  const sparesMembers = wanted.some(({ owner }) => owner !== undefined);
  const found = new Set<unknown>();
  return {
    spares(row: Row, memberId: string | undefined): boolean | string {
      const names = [toText(row.id), ...(isPeople ? [toText(row.email).toLowerCase()] : [])];
      const meant = wanted.filter(({ text, owner }) =>
        owner === undefined ? names.includes(text) || names.includes(text.toLowerCase()) : owner === memberId,
      );
      for (const one of meant) found.add(one);
      if (meant.length > 0) return false;
      return !sparesMembers || memberId !== undefined || 'its member is not shown';
    },
    /** A mistyped id would let through what it was to spare. A member may have nothing among them. */
    requireFound() {
      const missing = wanted.find((one) => !found.has(one) && one.owner === undefined);
      if (missing === undefined) return;
      throw new UsageError(`--except: "${missing.text}" is not among the records that --all finds`, {
        code: 'unknown_target',
        hint: 'Check it, or omit it.',
      });
    },
  };
}

/** @param others gets the warnings of what is not */
function isClean(warnings: ReturnType<FindWarnings>, others: (readonly InboxWarning[])[]): boolean | string {
  const codes = warnings && toWarningCodes(warnings);
  if (codes instanceof UnknownValue) return codes.why;
  if (warnings?.length === 0) return true;
  others.push(warnings ?? []);
  return false;
}

function isPerson(text: string): boolean {
  return /@|\s/.test(text);
}

/** The records of a look-up list; by a name that several have: null. */
async function readIndex(lists: Run['lists'], name: JoinName) {
  const [byId, byName] = [new Map<string, Row>(), new Map<string, Row | null>()];
  for await (const { rows } of lists.pages(lists.of(name)))
    for (const row of rows) {
      const joined = toJoined(name, row);
      byId.set(toText(joined.id), joined);
      byName.set(toText(joined.name), byName.has(toText(joined.name)) ? null : joined);
    }
  return { byId, byName };
}
