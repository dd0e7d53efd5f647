import type { Lists } from '../api/lists.ts';
import type { Operation } from '../api/operation.ts';
import type { ListPage, Row } from '../api/page.ts';
import { StatusCheck } from '../api/status-check.ts';
import type { Invocation } from '../cli/invocation.ts';
import type { Context, NameResolver } from '../context.ts';
import { toText } from '../json/stringify.ts';
import { lazy } from '../lazy.ts';
import type { RowJoins } from '../output/list-view.ts';
import { requireMembers } from '../parsing/names.ts';
import type { RecordName } from '../resources/records.ts';
import type { RowWarnings } from './row-choice.ts';

/** What is done to the rows of a list beside what the service does. */

type Options = Readonly<Record<string, unknown>>;

const CHOICE_FLAGS = ['where', 'except', 'clean', 'member'];

/** Whether rows may be left out here, so that `--limit` counts those that are left. */
export const choosesRows = ({ where, clean, member, periodBy }: Options): boolean =>
  where !== undefined ||
  periodBy !== undefined ||
  clean === true ||
  (Array.isArray(member) && member.length > 0);

/** The list that a command prints, or that its `--all` goes through. */
const getList = ({ command: { operation, list = operation } }: Invocation): Operation | undefined =>
  list?.method === 'GET' && list.returns === 'list' ? list : undefined;

/** Of records that can wait for a decision. */
const WARNING_FIELDS = ['warnings', 'warning_messages'];

interface RowsOptions {
  readonly invocation: Invocation;
  readonly lists: Lists;
  readonly lookUps: NameResolver;
  readonly sources: () => Pick<
    Context,
    'api' | 'lists' | 'names' | 'clock' | 'timeZone' | 'commandLine' | 'prompter' | 'watch' | 'output'
  >;
  readonly warn: (text: string) => void;
}

export interface Rows {
  /** Columns of joined records (`member.email`), and what the rows are joined with. */
  readonly joins: () => Promise<RowJoins>;
  /** The rows that `--where`, `--member`, `--except` and `--clean` mean. */
  readonly choose: Context['choose'];
  /** Several members, or one where the service has no such filter, are kept for `choose`. */
  readonly takeMembers: (values: Record<string, unknown>) => Record<string, unknown>;
}

/** How the members of `--member` are asked for. */
const createMemberTaker = (list: Operation | undefined, { param, page }: Options) => {
  const taken: { members?: ReadonlySet<string>; asked: readonly string[]; isComplete: boolean } = {
    asked: [],
    isComplete: false,
  };
  const take: Rows['takeMembers'] = (values) => {
    const { user_id: ids, ...others } = values;
    const { status: _status, ...filters } = list?.parameters ?? {};
    const isFiltered = Object.keys(filters).some((name) => values[name] !== undefined);
    taken.isComplete = !isFiltered && param === undefined && page === undefined;
    if (!Array.isArray(ids) || list === undefined) return values;
    taken.asked = ids.map(toText);
    if (ids.length === 1 && filters.user_id !== undefined) return { ...others, user_id: ids[0] };
    taken.members = new Set(taken.asked);
    return others;
  };
  return { taken, take };
};

type FindWarnings = (row: Row) => RowWarnings;

/** Once: the rows that are printed are among those that were chosen from. */
const createWarningsLoader = (record: RecordName | undefined, sources: RowsOptions['sources']) => {
  let warnings: Promise<FindWarnings> | undefined;
  const load = async (rows: readonly Row[], isComplete: boolean): Promise<FindWarnings> => {
    const [{ loadPending }, { isWaiting }, { getItemKey, toInboxItem }, { getPendingKind }] =
      await Promise.all([
        import('../pending/pending.ts'),
        import('../pending/load-inbox.ts'),
        import('../pending/item.ts'),
        import('../resources/joins.ts'),
      ]);
    const kind = getPendingKind(record);
    if (kind === undefined) return () => null;
    const items = rows.filter((row) => isWaiting(kind, row)).map((row) => toInboxItem(kind, row));
    const scope = { complete: isComplete ? [kind] : [], thorough: true };
    const pending = await loadPending(sources(), items, scope);
    const found = new Map(pending.map((one) => [getItemKey(one.item), one.warnings]));
    return (row) => found.get(getItemKey(toInboxItem(kind, row))) ?? null;
  };
  return (rows: readonly Row[], isComplete: boolean): Promise<FindWarnings> => {
    warnings ??= load(rows, isComplete);
    return warnings;
  };
};

/** What has a status that nobody knows, or asked for, is told, and is nothing to choose from. */
async function* checkStatuses(
  pages: AsyncIterable<ListPage>,
  statuses: StatusCheck,
  isChoosing: boolean,
  warn: (text: string) => void,
): AsyncGenerator<ListPage> {
  for await (const page of pages) {
    const rows = page.rows.filter((row) => statuses.isKnown(row) && statuses.isAsked(row));
    yield isChoosing ? { ...page, rows } : page;
  }
  for (const text of statuses.describe()) warn(text);
}

/** @throws UsageError for a `--where` that cannot be used */
export const createRows = async ({ invocation, lists, ...parts }: RowsOptions): Promise<Rows> => {
  const list = getList(invocation);
  const record: RecordName | undefined = list?.record;
  const { taken, take } = createMemberTaker(list, invocation.options);
  const joined = lazy(async () => {
    const { createJoinedRows } = await import('./joined-rows.ts');
    return createJoinedRows(record, lists, (name, isKnown) => {
      if (name === 'member') requireMembers(taken.asked, isKnown, parts.sources().commandLine);
    });
  });
  const loadWarnings = createWarningsLoader(record, parts.sources);
  const openChoice = async (): Promise<Rows['choose']> => {
    const { createRowChoice } = await import('./row-choice.ts');
    const members = () => taken.members;
    const findWarnings = (rows: readonly Row[]) => loadWarnings(rows, taken.isComplete);
    return createRowChoice({ invocation, record, joined, members, findWarnings, ...parts });
  };
  const isChoosing = CHOICE_FLAGS.some((name) => invocation.options[name] !== undefined);
  const choose: Rows['choose'] = isChoosing ? await openChoice() : (pages) => pages;
  const { status } = invocation.options;
  return {
    choose: (pages, columns) => {
      if (list === undefined) return choose(pages, columns);
      const statuses = new StatusCheck({ operation: list, values: { status } });
      return choose(checkStatuses(pages, statuses, isChoosing, parts.warn), columns);
    },
    joins: async () => {
      const [{ getPendingKind, listJoinedFields, listJoinNames }, rows] = await Promise.all([
        import('../resources/joins.ts'),
        joined(),
      ]);
      const kind = getPendingKind(record);
      const fields = [...listJoinedFields(record), ...(kind === undefined ? [] : WARNING_FIELDS)];
      const find: RowJoins['find'] = async (page, names) => {
        const found = await rows.find(page, listJoinNames(names));
        if (kind === undefined || !WARNING_FIELDS.some((name) => names.includes(name))) return found;
        const { toWarningFields } = await import('../pending/warnings.ts');
        const findWarnings = await loadWarnings(page, false);
        return found.map((row, i) => ({ ...row, ...toWarningFields(findWarnings(page[i] ?? {})) }));
      };
      return { fields, ofAll: WARNING_FIELDS, find };
    },
    takeMembers: take,
  };
};
