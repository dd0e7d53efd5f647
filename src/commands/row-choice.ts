import { type Fields, toTyped } from '../api/fields.ts';
import type { ListPage, Row } from '../api/page.ts';
import { RECORDS, type RecordName } from '../api/records.ts';
import { findLocalId } from '../changes/select.ts';
import { filterInParts } from '../clock.ts';
import { getItemKey, isWaiting, toInboxItem } from '../decide/item.ts';
import { loadPending } from '../decide/load.ts';
import { type InboxWarning, toWarningCodes, toWarningFields, WARNING_CODES } from '../decide/warnings.ts';
import { UsageError } from '../errors.ts';
import { toText } from '../json.ts';
import type { RowJoins } from '../output/list-view.ts';
import { toOnePage } from '../output/sort.ts';
import { requireMembers } from '../parsing/names.ts';
import { findNearest } from '../parsing/text.ts';
import {
  type Condition,
  compileCondition,
  describeUndecided,
  Undecided,
  UnknownValue,
} from '../query/condition.ts';
import {
  getConditionFields,
  getJoins,
  getPendingKind,
  type JoinName,
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
type RowWarnings = readonly InboxWarning[] | null;
type FindWarnings = (row: Row) => RowWarnings;

interface Candidate {
  readonly row: Row;
  readonly joined: Row;
  readonly warnings: RowWarnings;
}

interface RowTest {
  isChosen(candidate: Candidate): boolean;
  /** After the last row. @throws UsageError */
  finish?(): void;
}

/** The records of a look-up list; by a name that several have: null. */
interface JoinIndex {
  readonly byId: ReadonlyMap<string, Row>;
  readonly byName: ReadonlyMap<string, Row | null>;
}

const WARNING_FIELDS = ['warnings', 'warning_messages'];

export class RowChoice {
  readonly #run: Run;
  readonly #record: RecordName | undefined;
  readonly #meant: MeantRows;
  /** What a condition sees of a row. */
  readonly #fields: Fields;
  readonly #indexes = new Map<JoinName, Promise<JoinIndex>>();
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
    this.#fields = getConditionFields(
      listJoinNames(Object.keys(getJoins(record))),
      record === undefined ? {} : RECORDS[record],
      getPendingKind(record) === undefined ? {} : { warnings: WARNING_CODES },
    );
  }

  /** The rows that are meant. A failure of what they are chosen by comes before the last of them. */
  async *choose(pages: AsyncIterable<ListPage>): AsyncGenerator<ListPage> {
    const { clean, except = [] } = this.#run.invocation.options;
    const excepted = except as readonly string[];
    const names = this.#condition?.names ?? new Set<string>();
    const own = getJoins(this.#record);
    const needsMember = this.#meant.members !== undefined || excepted.some(isPerson);
    const joined = [...names, ...(own.member?.isName && needsMember ? ['member'] : [])];
    const joinNames = listJoinNames(joined).filter((name) => own[name] !== undefined);
    const isPending = getPendingKind(this.#record) !== undefined;
    const needsWarnings = isPending && (clean === true || names.has('warnings'));
    let tests: readonly RowTest[] = [];
    let isFirst = true;
    // Warnings, and whether an id begins so, are of all rows together.
    const isOnePage = needsWarnings || excepted.length > 0;
    for await (const page of isOnePage ? toOnePage(pages) : pages) {
      if (isFirst) {
        const spared = excepted.length > 0 ? [await this.#createExcept(excepted, page.rows)] : [];
        tests = [...spared, ...this.#createTests()];
      }
      isFirst = false;
      const records = await this.#join(page.rows, joinNames);
      const findWarnings = needsWarnings ? await this.#findWarnings(page.rows) : () => null;
      const candidates = page.rows.map((row, i) => ({ row, joined: records[i] ?? {} }));
      const chosen = await filterInParts(candidates, (one) => {
        const candidate = { ...one, warnings: findWarnings(one.row) };
        return tests.every((test) => test.isChosen(candidate));
      });
      yield { ...page, rows: chosen.map(({ row }) => row), total: undefined };
    }
    for (const test of tests) test.finish?.();
  }

  /** Columns of joined records (`member.email`), and what the rows are joined with. */
  describe(): RowJoins {
    const isPending = getPendingKind(this.#record) !== undefined;
    const joined = listFieldsOf(listJoinNames(Object.keys(getJoins(this.#record))));
    const find: RowJoins['find'] = async (page, names) => {
      const found = await this.#join(page, listJoinNames(names));
      if (!isPending || !WARNING_FIELDS.some((name) => names.includes(name))) return found;
      const findWarnings = await this.#findWarnings(page, false);
      return found.map((row, i) => ({ ...row, ...toWarningFields(findWarnings(page[i] ?? {})) }));
    };
    return { fields: [...joined, ...(isPending ? WARNING_FIELDS : [])], ofAll: WARNING_FIELDS, find };
  }

  async #createExcept(texts: readonly string[], rows: readonly Row[]): Promise<RowTest> {
    const run = this.#run;
    const isPeople = this.#record === 'Member' || this.#record === 'Viewer';
    const hasMember = getJoins(this.#record).member !== undefined;
    const wanted = await Promise.all(
      texts.map(async (text) => ({
        text: await findLocalId(run, text, () => rows),
        memberId: hasMember && isPerson(text) ? await run.lookUps.find('member', text) : undefined,
        found: false,
      })),
    );
    const undecided: string[] = [];
    const sparesMembers = wanted.some(({ memberId }) => memberId !== undefined);
    const isMeant = (row: Row, owner: unknown, { text, memberId }: (typeof wanted)[number]): boolean => {
      if (memberId !== undefined) return owner != null && toText(owner) === memberId;
      return toText(row.id) === text || (isPeople && toText(row.email).toLowerCase() === text.toLowerCase());
    };
    return {
      isChosen: (candidate) => {
        const owner = this.#getMemberId(candidate);
        const meant = wanted.filter((one) => isMeant(candidate.row, owner, one));
        for (const one of meant) one.found = true;
        if (meant.length > 0 || !sparesMembers || owner != null) return meant.length === 0;
        undecided.push('its member is not shown');
        return false;
      },
      /** A mistyped id would let through what it was to spare. A member may have nothing among them. */
      finish: () => {
        this.#warnUndecided('--except', undecided);
        const missing = wanted.find(({ found, memberId }) => !found && memberId === undefined);
        if (missing === undefined) return;
        throw new UsageError(`--except: "${missing.text}" is not among the records that --all finds`, {
          code: 'unknown_target',
          hint: 'Check it, or omit it.',
        });
      },
    };
  }

  #createTests(): readonly RowTest[] {
    const tests: RowTest[] = [];
    const { members } = this.#meant;
    if (members !== undefined)
      tests.push({
        isChosen: (candidate) => {
          const id = this.#getMemberId(candidate);
          return id != null && members.has(toText(id));
        },
      });
    if (this.#run.invocation.options.clean === true) {
      const unknown: string[] = [];
      tests.push({
        isChosen: ({ warnings }) => {
          const codes = warnings && toWarningCodes(warnings);
          if (codes instanceof UnknownValue) unknown.push(codes.why);
          return warnings?.length === 0;
        },
        finish: () => this.#warnUndecided('--clean', unknown),
      });
    }
    if (this.#condition !== undefined) tests.push(this.#createWhere(this.#condition));
    return tests;
  }

  #createWhere(condition: Condition): RowTest {
    const fields = this.#fields;
    const seen = new Set<string>();
    const undecided: string[] = [];
    const isPending = getPendingKind(this.#record) !== undefined;
    return {
      isChosen: ({ row, joined, warnings }) => {
        for (const name of Object.keys(row)) seen.add(name);
        const typed = toTyped(fields, row);
        // A row that is decided has none, and is not without them either.
        const codes =
          warnings === null ? new UnknownValue('it is not waiting for a decision') : toWarningCodes(warnings);
        const shown = { ...typed, ...joined, ...(isPending && { warnings: codes }), record: typed };
        const verdict = condition.test(shown);
        if (verdict instanceof Undecided) undecided.push(verdict.message);
        return verdict === true;
      },
      finish: () => {
        // Fields that no row has.
        const all = [...new Set([...Object.keys(fields), ...seen])];
        const heads = [...condition.names].map((name) => name.split('.')[0] ?? name);
        const missing = heads.find((name) => !all.includes(name));
        if (missing !== undefined && seen.size > 0) {
          const near = findNearest(missing, all);
          throw new UsageError(`--where: no record has "${missing}"`, {
            code: 'unknown_field',
            hint: near === undefined ? `Known fields: ${all.join(', ')}.` : `Did you mean ${near}?`,
          });
        }
        this.#warnUndecided('--where', undecided);
      },
    };
  }

  #warnUndecided(flag: string, reasons: readonly string[]): void {
    if (reasons.length > 0) this.#run.output.warn(describeUndecided(flag, reasons.length, reasons));
  }

  /** Whose record a row is; nullish where it does not tell. A joined member is needed where a row has but the name. */
  #getMemberId({ row, joined }: Candidate): unknown {
    const { member } = getJoins(this.#record);
    return member?.isName ? (joined.member as Row | null)?.id : member?.key(row);
  }

  /**
   * What the rows are joined with, under the names of the joins; null where there is no such record. Each takes one
   * look-up list, read when it is first named.
   * @throws Failure where a list may not be read
   */
  async #join(rows: readonly Row[], names: readonly JoinName[]): Promise<readonly Row[]> {
    const { lists, commandLine } = this.#run;
    const joins = getJoins(this.#record);
    const joined = rows.map((row) => ({ row, records: {} as Record<string, Row | null> }));
    for (const name of names) {
      const reading = this.#indexes.get(name) ?? readIndex(lists, name);
      this.#indexes.set(name, reading);
      const { byId, byName } = await reading;
      if (name === 'member') requireMembers(this.#meant.asked, (id) => byId.has(id), commandLine);
      const { key, isName } = joins[name] ?? {};
      for (const { row, records } of joined) {
        const value = key?.(row);
        records[name] = value == null ? null : ((isName ? byName : byId).get(toText(value)) ?? null);
      }
    }
    return joined.map(({ records }) => records);
  }

  /** Once: the rows that are printed are among those that were chosen from. */
  #findWarnings(rows: readonly Row[], isComplete = this.#meant.isComplete): Promise<FindWarnings> {
    this.#warnings ??= this.#loadWarnings(rows, isComplete);
    return this.#warnings;
  }

  async #loadWarnings(rows: readonly Row[], isComplete: boolean): Promise<FindWarnings> {
    const kind = getPendingKind(this.#record);
    if (kind === undefined) return () => null;
    const items = rows.filter((row) => isWaiting(kind, row)).map((row) => toInboxItem(kind, row));
    const scope = { complete: isComplete ? [kind] : [] };
    const pending = await loadPending(this.#run, items, scope);
    const found = new Map(pending.map((one) => [getItemKey(one.item), one.warnings]));
    return (row) => found.get(getItemKey(toInboxItem(kind, row))) ?? null;
  }
}

function isPerson(text: string): boolean {
  return /@|\s/.test(text);
}

async function readIndex(lists: Run['lists'], name: JoinName): Promise<JoinIndex> {
  const [byId, byName] = [new Map<string, Row>(), new Map<string, Row | null>()];
  for await (const { rows } of lists.pages(lists.of(name)))
    for (const row of rows) {
      const joined = toJoined(name, row);
      byId.set(toText(joined.id), joined);
      byName.set(toText(joined.name), byName.has(toText(joined.name)) ? null : joined);
    }
  return { byId, byName };
}
