import { StatusCheck } from '../api/filter-check.ts';
import type { Operation } from '../api/operation.ts';
import type { ListPage } from '../api/page.ts';
import type { RecordName } from '../api/records.ts';
import { formatLongFlag, getOptionKey, hasFlag, type Invocation } from '../cli/flag.ts';
import { listDestinationFlags } from '../config/settings.ts';
import { UsageError } from '../errors.ts';
import { toText } from '../json.ts';
import type { RowJoins } from '../output/list-view.ts';
import { quoteShellWord } from '../parsing/shell-word.ts';
import type { Run } from '../run.ts';
import type { JoinedRows } from './row-choice.ts';

/** What is done to the rows of a list beside what the service does. */

/** Flags that choose among the rows of a list, or among what `--all` finds, beside the parameters of the list. */
export const CHOOSING = ['member', 'where', 'except', 'clean'];
/** Those of them that keep a part; `--except` keeps nearly all. */
export const NARROWING = ['member', 'where', 'clean'];

type Options = Readonly<Record<string, unknown>>;

/** Whether rows may be left out here, so that `--limit` counts those that are left. */
export function choosesRows({ where, clean, member, periodBy }: Options): boolean {
  return (
    where !== undefined ||
    periodBy !== undefined ||
    clean === true ||
    (Array.isArray(member) && member.length > 0)
  );
}

export class Rows {
  readonly #run: Run;
  readonly #list: Operation | undefined;
  readonly #record: RecordName | undefined;
  #choose: Run['choose'] | undefined;
  /** Ids that `--member` names, and those of them whose rows are chosen here. */
  #asked: readonly string[] = [];
  #members: ReadonlySet<string> | undefined;
  #isComplete = false;
  #joined: JoinedRows | undefined;

  private constructor(run: Run) {
    this.#run = run;
    this.#list = getList(run.invocation);
    this.#record = this.#list?.record;
  }

  /** @throws UsageError for a `--where` that cannot be used */
  static async open(run: Run): Promise<Rows> {
    const rows = new Rows(run);
    if (!CHOOSING.some((name) => run.invocation.options[name] !== undefined)) return rows;
    const { createRowChoice } = await loadRowChoice();
    rows.#choose = await createRowChoice({
      run,
      record: rows.#record,
      join: async (page, names) => (await rows.#openJoined()).join(page, names),
      members: () => rows.#members,
      findWarnings: async (page) => (await rows.#openJoined()).findWarnings(page, rows.#isComplete),
    });
    return rows;
  }

  /** The rows that `--where`, `--member`, `--except` and `--clean` mean. */
  readonly choose: Run['choose'] = (pages, columns) => {
    const choose = this.#choose ?? ((all) => all);
    if (this.#list === undefined) return choose(pages, columns);
    const { invocation, output } = this.#run;
    const statuses = new StatusCheck({
      operation: this.#list,
      values: { status: invocation.options.status },
    });
    return choose(checkStatuses(pages, statuses, this.#choose !== undefined, output.warn), columns);
  };

  /** Several members, or one where the service has no such filter, are kept for `choose`. */
  takeMembers(values: Record<string, unknown>): Record<string, unknown> {
    const { param, page } = this.#run.invocation.options;
    const { user_id: ids, ...others } = values;
    const { status: _status, ...filters } = this.#list?.parameters ?? {};
    const isFiltered = Object.keys(filters).some((name) => values[name] !== undefined);
    this.#isComplete = !isFiltered && param === undefined && page === undefined;
    if (!Array.isArray(ids) || this.#list === undefined) return values;
    this.#asked = ids.map(toText);
    if (ids.length === 1 && filters.user_id !== undefined) return { ...others, user_id: ids[0] };
    this.#members = new Set(this.#asked);
    return others;
  }

  /** Columns of joined records (`member.email`), and what the rows are joined with. */
  async joins(): Promise<RowJoins> {
    return (await this.#openJoined()).describe();
  }

  async #openJoined(): Promise<JoinedRows> {
    const { JoinedRows } = await loadRowChoice();
    this.#joined ??= new JoinedRows(this.#run, this.#record, this.#asked);
    return this.#joined;
  }
}

/** The list that a command prints, or that its `--all` goes through. */
function getList({ command: { operation, list = operation } }: Invocation): Operation | undefined {
  return list?.method === 'GET' && list.returns === 'list' ? list : undefined;
}

/** Few lists need it. */
function loadRowChoice() {
  return import('./row-choice.ts');
}

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

/**
 * `--query` beside `--all`: whoever writes it means to choose records with it, and it would choose none.
 * @throws UsageError for a write over all that a list finds with a query
 */
export function checkAllQuery(invocation: Invocation, settings: Run['settings']): void {
  if (settings.query === undefined || invocation.options.all !== true) return;
  const { operation } = invocation.command;
  if (operation?.method === 'GET') return;
  const pastVerb = operation?.moves?.past ?? 'done';
  throw new UsageError(
    `--query changes what is printed, not what is ${pastVerb}${hasFlag(invocation.command, 'where') ? ': use --where' : ''}`,
    {
      code: 'query_with_all',
      reason: '--all applies to every record that the filters match, whatever the query shows.',
      hint: adviseOnQuery(invocation, settings),
    },
  );
}

/** What to write in place of `--query`. */
function adviseOnQuery(invocation: Invocation, { query, ...settings }: Run['settings']): string {
  const { command } = invocation;
  if (!hasFlag(command, 'where')) return 'Omit --query.';
  const condition = findCondition(query?.value ?? '');
  if (condition === undefined)
    return "--where takes a condition for one record: --where 'total_hours > `40`'";
  const destination = listDestinationFlags(settings).map(quoteShellWord);
  return `Preview with: ${[formatWithWhere(invocation, condition), ...destination].join(' ')}`;
}

/** The condition in a query that only filters: `[?total_hours > \`40\`]`. */
function findCondition(query: string): string | undefined {
  const [, condition] = /^\[\?(.+)\]$/s.exec(query.trim()) ?? [];
  const outsideQuotes = condition?.replace(/`[^`]*`|'[^']*'|"[^"]*"/g, '');
  return outsideQuotes === undefined || /[[\]]/.test(outsideQuotes) ? undefined : condition?.trim();
}

/** The same command line with its condition as `--where`, and nothing sent. */
function formatWithWhere({ typed, options, command }: Invocation, condition: string): string {
  const words = typed.flatMap((flag) => {
    const value = options[getOptionKey(flag)];
    const long = formatLongFlag(flag);
    if (typeof value === 'boolean') return [long];
    return [value].flat().flatMap((one) => [long, quoteShellWord(String(one))]);
  });
  return ['ttctl', command.path, ...words, '--where', quoteShellWord(condition), '--dry-run'].join(' ');
}
