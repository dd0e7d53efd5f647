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
import type { Column, RowJoins } from '../output/list-view.ts';
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
  getJoins,
  getPendingKind,
  getRowFields,
  type JoinName,
  listJoinedFields,
  listJoinNames,
  toJoined,
} from '../resources/joins.ts';
import type { Run } from '../run.ts';

/**
 * Which rows of a list are meant, beside what the service filters (`--where`, `--member`, `--except`, `--clean`), and
 * what they are joined with: other records, warnings.
 */

/** Null for a row that does not wait. */
export type RowWarnings = readonly InboxWarning[] | null;

/** The rows that are meant. A failure of what they are chosen by comes before the last of them. */
type ChooseRows = Run['choose'];

export interface ChoiceOptions {
  readonly run: Run;
  readonly record: RecordName | undefined;
  /** What the rows are joined with, under the names of the joins. */
  readonly join: (rows: readonly Row[], names: readonly JoinName[]) => Promise<readonly Row[]>;
  /** Ids of members whose rows are meant; undefined: of all. */
  readonly members: () => ReadonlySet<string> | undefined;
  readonly findWarnings: (rows: readonly Row[]) => Promise<(row: Row) => RowWarnings>;
}

interface Candidate {
  readonly row: Row;
  readonly joined: Row;
  readonly warnings: RowWarnings;
}

interface Listed {
  readonly rows: readonly Row[];
  readonly columns: readonly Column[];
}

interface Choice {
  readonly condition: Condition | undefined;
  readonly excepted: readonly string[];
  readonly clean: boolean;
}

/** @throws UsageError for a `--where` that cannot be used */
export async function createRowChoice(options: ChoiceOptions): Promise<ChooseRows> {
  const { run, record } = options;
  const { where, except = [], clean } = run.invocation.options;
  const condition =
    where === undefined
      ? undefined
      : await compileCondition(String(where), { where: '--where', fields: getFields(record) });
  const choice: Choice = { condition, excepted: except as readonly string[], clean: clean === true };
  return (pages, columns = []) => choosePages(pages, choice, options, columns);
}

function getFields(record: RecordName | undefined): Fields {
  return getRowFields(
    record,
    record === undefined ? {} : RECORDS[record],
    getPendingKind(record) === undefined ? {} : { warnings: WARNING_CODES },
  );
}

async function* choosePages(
  pages: AsyncIterable<ListPage>,
  choice: Choice,
  options: ChoiceOptions,
  columns: readonly Column[],
): AsyncGenerator<ListPage> {
  const { record } = options;
  const kind = getPendingKind(record);
  const needsWarnings =
    kind !== undefined && (choice.clean || (choice.condition?.names.has('warnings') ?? false));
  const names = listNeededJoins(choice, options);
  // Warnings, and whether an id begins so, are of all rows together.
  const isOnePage = needsWarnings || choice.excepted.length > 0;
  let tests: Awaited<ReturnType<typeof createTests>> = [];
  for await (const page of isOnePage ? toOnePage(pages) : pages) {
    if (tests.length === 0) tests = await createTests(choice, options, { rows: page.rows, columns });
    const joined = await options.join(page.rows, names);
    const findWarnings = needsWarnings ? await options.findWarnings(page.rows) : () => null;
    const candidates = page.rows.map((row, i) => ({ row, joined: joined[i] ?? {} }));
    const chosen = await filterInParts(candidates, (one) => {
      const candidate = { ...one, warnings: findWarnings(one.row) };
      return tests.every(({ isChosen }) => isChosen(candidate));
    });
    yield { ...page, rows: chosen.map(({ row }) => row), total: undefined };
  }
  for (const { finish } of tests) finish();
}

function listNeededJoins(
  { condition, excepted }: Choice,
  { record, members }: ChoiceOptions,
): readonly JoinName[] {
  const own = getJoins(record);
  const byMember =
    own.member?.isName === true && (members() !== undefined || excepted.some((text) => /@|\s/.test(text)));
  const names = [...(condition?.names ?? []), ...(byMember ? ['member'] : [])];
  return listJoinNames(names).filter((name) => own[name] !== undefined);
}

async function createTests({ condition, excepted, clean }: Choice, options: ChoiceOptions, listed: Listed) {
  const ids = options.members();
  return [
    ...(excepted.length === 0 ? [] : [await createExcept(excepted, options, listed)]),
    ...(ids === undefined ? [] : [createMembers(ids, options.record)]),
    ...(clean ? [createClean(options)] : []),
    ...(condition === undefined ? [] : [createWhere(condition, options)]),
  ];
}

async function createExcept(
  texts: readonly string[],
  { record, run }: ChoiceOptions,
  { rows, columns }: Listed,
) {
  const isPerson = record === 'Member' || record === 'Viewer';
  const wanted = await Promise.all(
    texts.map(async (text) => ({
      text: await findLocalId(run, text, () => rows, columns),
      memberId:
        getJoins(record).member && /@|\s/.test(text) ? await run.lookUps.find('member', text) : undefined,
      found: false,
    })),
  );
  const undecided: string[] = [];
  const sparesMembers = wanted.some(({ memberId }) => memberId !== undefined);
  const isMeant = (row: Row, owner: unknown, { text, memberId }: (typeof wanted)[number]): boolean => {
    if (memberId !== undefined) return owner != null && toText(owner) === memberId;
    return toText(row.id) === text || (isPerson && toText(row.email).toLowerCase() === text.toLowerCase());
  };
  return {
    isChosen: (candidate: Candidate): boolean => {
      const owner = getMemberId(candidate, record);
      const meant = wanted.filter((one) => isMeant(candidate.row, owner, one));
      for (const one of meant) one.found = true;
      if (meant.length > 0 || !sparesMembers || owner != null) return meant.length === 0;
      undecided.push('its member is not shown');
      return false;
    },
    /** A mistyped id would let through what it was to spare. A member may have nothing among them. */
    finish(): void {
      if (undecided.length > 0) run.output.warn(describeUndecided('--except', undecided.length, undecided));
      const missing = wanted.find(({ found, memberId }) => !found && memberId === undefined);
      if (missing === undefined) return;
      throw new UsageError(`--except: "${missing.text}" is not among the records that --all finds`, {
        code: 'unknown_target',
        hint: 'Check it, or omit it.',
      });
    },
  };
}

/** Whose record a row is; nullish where it does not tell. A joined member is needed where a row has but the name. */
function getMemberId({ row, joined }: Candidate, record: RecordName | undefined): unknown {
  const { member } = getJoins(record);
  return member?.isName ? (joined.member as Row | null)?.id : member?.key(row);
}

function createMembers(members: ReadonlySet<string>, record: RecordName | undefined) {
  return {
    isChosen: (candidate: Candidate): boolean => {
      const id = getMemberId(candidate, record);
      return id != null && members.has(toText(id));
    },
    finish: (): void => {},
  };
}

function createClean({ run }: ChoiceOptions) {
  const unknown: string[] = [];
  return {
    isChosen({ warnings }: Candidate): boolean {
      const codes = warnings && toWarningCodes(warnings);
      if (codes instanceof UnknownValue) unknown.push(codes.why);
      return warnings?.length === 0;
    },
    finish(): void {
      if (unknown.length === 0) return;
      run.output.warn(describeUndecided('--clean', unknown.length, unknown));
    },
  };
}

function createWhere(condition: Condition, { record, run }: ChoiceOptions) {
  const fields = getFields(record);
  const known = new Set(Object.keys(fields));
  const seen = new Set<string>();
  const undecided: string[] = [];
  const isDecidable = getPendingKind(record) !== undefined;
  return {
    isChosen(candidate: Candidate): boolean {
      for (const name of Object.keys(candidate.row)) seen.add(name);
      const verdict = condition.test(toConditionRow(candidate, fields, isDecidable));
      if (verdict instanceof Undecided) undecided.push(verdict.message);
      return verdict === true;
    },
    finish(): void {
      checkFound(condition, known, seen);
      if (undecided.length === 0) return;
      run.output.warn(describeUndecided('--where', undecided.length, undecided));
    },
  };
}

function toConditionRow({ row, joined, warnings }: Candidate, fields: Fields, isDecidable: boolean): Row {
  return {
    ...toTyped(fields, row),
    ...joined,
    ...(isDecidable ? { warnings: toCodes(warnings) } : {}),
    record: toTyped(fields, row),
  };
}

/** A row that is decided has none, and is not without them either. */
function toCodes(warnings: RowWarnings): unknown {
  return warnings === null ? new UnknownValue('it is not waiting for a decision') : toWarningCodes(warnings);
}

/** Fields that no row has. @throws UsageError */
function checkFound(condition: Condition, known: ReadonlySet<string>, seen: ReadonlySet<string>): void {
  const heads = [...condition.names].map((name) => name.split('.')[0] ?? name);
  const missing = heads.find((name) => !known.has(name) && !seen.has(name));
  if (missing === undefined || seen.size === 0) return;
  const all = [...new Set([...known, ...seen])];
  const near = findNearest(missing, all);
  throw new UsageError(`--where: no record has "${missing}"`, {
    code: 'unknown_field',
    hint: near === undefined ? `Known fields: ${all.join(', ')}.` : `Did you mean ${near}?`,
  });
}

const WARNING_FIELDS = ['warnings', 'warning_messages'];

type FindWarnings = (row: Row) => RowWarnings;

/** The records of a look-up list; by a name that several have: null. */
interface JoinIndex {
  readonly byId: ReadonlyMap<string, Row>;
  readonly byName: ReadonlyMap<string, Row | null>;
}

export class JoinedRows {
  readonly #run: Run;
  readonly #record: RecordName | undefined;
  readonly #asked: readonly string[];
  readonly #indexes = new Map<JoinName, Promise<JoinIndex>>();
  #warnings: Promise<FindWarnings> | undefined;

  /** @param asked ids of members that have to be there */
  constructor(run: Run, record: RecordName | undefined, asked: readonly string[]) {
    this.#run = run;
    this.#record = record;
    this.#asked = asked;
  }

  /** Columns of joined records (`member.email`), and what the rows are joined with. */
  describe(): RowJoins {
    const kind = getPendingKind(this.#record);
    const fields = [...listJoinedFields(this.#record), ...(kind === undefined ? [] : WARNING_FIELDS)];
    const find: RowJoins['find'] = async (page, names) => {
      const found = await this.join(page, listJoinNames(names));
      if (kind === undefined || !WARNING_FIELDS.some((name) => names.includes(name))) return found;
      const findWarnings = await this.findWarnings(page, false);
      return found.map((row, i) => ({ ...row, ...toWarningFields(findWarnings(page[i] ?? {})) }));
    };
    return { fields, ofAll: WARNING_FIELDS, find };
  }

  /**
   * What the rows are joined with, under the names of the joins; null where there is no such record. Each takes one
   * look-up list, read when it is first named.
   * @throws Failure where a list may not be read
   */
  async join(rows: readonly Row[], names: readonly JoinName[]): Promise<readonly Row[]> {
    const joins = getJoins(this.#record);
    const known = await Promise.all(
      names.map(async (name) => {
        const reading = this.#indexes.get(name) ?? this.#readIndex(name);
        this.#indexes.set(name, reading);
        const index = await reading;
        if (name === 'member') requireMembers(this.#asked, (id) => index.byId.has(id), this.#run.commandLine);
        return [name, index] as const;
      }),
    );
    const findOne = (row: Row, name: JoinName, { byId, byName }: JoinIndex): Row | null => {
      const { key, isName } = joins[name] ?? {};
      const value = key?.(row);
      return value == null ? null : ((isName ? byName : byId).get(toText(value)) ?? null);
    };
    return rows.map((row) =>
      Object.fromEntries(known.map(([name, index]) => [name, findOne(row, name, index)])),
    );
  }

  async #readIndex(name: JoinName): Promise<JoinIndex> {
    const { lists } = this.#run;
    const [byId, byName] = [new Map<string, Row>(), new Map<string, Row | null>()];
    for await (const { rows } of lists.pages(lists.of(name)))
      for (const row of rows) {
        const joined = toJoined(name, row);
        byId.set(toText(joined.id), joined);
        byName.set(toText(joined.name), byName.has(toText(joined.name)) ? null : joined);
      }
    return { byId, byName };
  }

  /** Once: the rows that are printed are among those that were chosen from. */
  findWarnings(rows: readonly Row[], isComplete: boolean): Promise<FindWarnings> {
    this.#warnings ??= this.#loadWarnings(rows, isComplete);
    return this.#warnings;
  }

  async #loadWarnings(rows: readonly Row[], isComplete: boolean): Promise<FindWarnings> {
    const kind = getPendingKind(this.#record);
    if (kind === undefined) return () => null;
    const items = rows.filter((row) => isWaiting(kind, row)).map((row) => toInboxItem(kind, row));
    const scope = { complete: isComplete ? [kind] : [], thorough: true };
    const pending = await loadPending(this.#run, items, scope);
    const found = new Map(pending.map((one) => [getItemKey(one.item), one.warnings]));
    return (row) => found.get(getItemKey(toInboxItem(kind, row))) ?? null;
  }
}
