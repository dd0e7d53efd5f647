import type { Call } from '../api/client.ts';
import type { Page, Row } from '../api/page.ts';
import type { Column, Context, SheetRow } from '../context.ts';
import { stringifyJson } from '../json/stringify.ts';
import { textOf } from '../json/text.ts';
import { ApiError, UsageError } from '../outcome.ts';
import { describesNamed, isWatched, rowsToDescribe } from './describe.ts';
import { permit, permitUnread, SAMPLE } from './permit.ts';
import { runRows } from './run-rows.ts';
import { callOf, type Target, TargetRow } from './target-row.ts';
import { checkTargets, idsOf, readWritten } from './targets.ts';

/** One write for each of many targets; `V`: the values that its request carries. */
export interface Each<V = unknown> {
  /** Targets as given on the command line. */
  readonly targets: readonly string[];
  /** Imperative and past: `['approve', 'approved']`. */
  readonly verb: readonly [string, string];
  /** One and many: `['timesheet', 'timesheets']`. */
  readonly noun: readonly [string, string];
  /** Whether one target alone asks too: it destroys or decides. */
  readonly asks: boolean;
  /** Lines of the question, above the targets: the project meant, that there is no way back. */
  readonly facts?: readonly string[];
  /** A name or e-mail address to an id, after all targets have been checked. */
  readonly resolve?: (target: string) => Promise<string>;
  /** Values of the flags, for a request that carries some. A row of `--from-file` has its own. */
  readonly values?: V;
  readonly call: (id: string, values: V) => Call;
  /** What `--all` means: a list, and which of its rows can be acted on. */
  readonly all?: All;
  /** The record behind an id, for the question; absent: as `all` has it. */
  readonly shown?: Shown;
  /** For people, after all is done: how to take it back. */
  readonly next?: (ids: readonly string[]) => string;
  /** The next useful command, for a person at a terminal. */
  readonly hint?: (ids: readonly string[]) => string;
}

/** A record as the question shows it. */
export interface Shown {
  /** What is said of a record in the question: what names it first, its id last. */
  readonly columns: readonly Column[];
  /** One record, for the question about targets that were named. */
  readonly row?: (id: string) => Promise<Row | undefined>;
}

export interface All extends Shown {
  readonly pages: () => AsyncIterable<Page>;
  /** Whether the row is in the right state. */
  readonly ready: (row: Row) => boolean;
}

const listed = async (context: Context, all: All): Promise<Target[]> => {
  const rows: Row[] = [];
  await context.watch.during(
    () => `reading the list: ${rows.length} found`,
    async () => {
      for await (const page of all.pages()) rows.push(...page.rows.filter(all.ready));
    },
  );
  const words = await context.output.inWords(rowsToDescribe(context, rows, all.columns), all.columns);
  return rows.map((row, i) => {
    const id = textOf(row.id);
    return { name: id, id, words: words[i] ?? [] };
  });
};

/** The first targets in words, but those that are known. Who may not read them is asked about ids. */
const described = async <V>(
  context: Context,
  work: Each<V>,
  targets: readonly Target[],
): Promise<readonly Target[]> => {
  const { row: find, columns } = work.shown ?? work.all ?? {};
  if (find === undefined || columns === undefined) return targets;
  if (!describesNamed(context, { asks: work.asks, count: targets.length, columns })) return targets;
  try {
    const unknown = (target: Target) => (context.picked.has(target.id) ? undefined : find(target.id));
    const rows = await Promise.all(targets.slice(0, SAMPLE).map(unknown));
    const found = rows.filter((row) => row !== undefined);
    const words = await context.output.inWords(found, columns);
    return targets.map((target, i) => {
      const row = rows[i];
      const known = row === undefined ? undefined : words[found.indexOf(row)];
      return known === undefined ? target : { ...target, words: known };
    });
  } catch (error) {
    if (error instanceof ApiError) return targets;
    throw error;
  }
};

const named = async <V>(context: Context, each: Each<V>): Promise<Target[]> => {
  if (each.targets.length === 0) {
    throw new UsageError(`no ${each.noun[0]} named`, {
      hint: 'Name one or more, - for stdin, or --from-file.',
    });
  }
  const targets = await readWritten(context, each.targets);
  await checkTargets(targets, each, (target) => callOf(each, target));
  await permitUnread(context, each, new Set(targets.map(({ text }) => text)).size);
  const ids = await idsOf(targets, each);
  const found = targets.map(({ text: name }, index): Target => {
    const id = ids[index] ?? name;
    const plain = id === name ? [name] : [name, id];
    const known = context.picked.get(id);
    return { name, id, words: known === undefined ? plain : [...known, id] };
  });
  return [...(await described(context, each, found))];
};

const collect = async <V>(context: Context, each: Each<V>, all: boolean): Promise<Target[]> => {
  if (!all) return named(context, each);
  if (each.targets.length > 0) throw new UsageError('--all and named targets exclude each other');
  if (each.all === undefined) throw new UsageError('--all is not for this command');
  callOf(each, '0').check();
  await permitUnread(context, each, 'all');
  return listed(context, each.all);
};

/** The words of a target without what it is called by already. */
const aboutOf = (targets: readonly Target[]): ((name: string) => string | undefined) => {
  const known = new Map(targets.map(({ name, id, words }) => [name, { id, words }]));
  return (name) => {
    const { id, words } = known.get(name) ?? { id: name, words: [] };
    const rest = words.filter((word) => word !== name && word !== id && word !== '').join('  ');
    return rest === '' ? undefined : rest;
  };
};

/** @throws UsageError for what says twice which targets are meant */
const checkAlone = <V>({ targets }: Each<V>, options: Readonly<Record<string, unknown>>): void => {
  if (options.all === true) throw new UsageError('--from-file and --all exclude each other');
  if (targets.length > 0) throw new UsageError('--from-file and named targets exclude each other');
};

/**
 * Carries out a write over targets: all are checked before the first request, then confirmed, then sent, and a
 * result is printed for each in the order given.
 * @param options `all` and `maxChanges` as commander parsed them
 * @throws Failure when any target failed or is unknown, after all results are printed
 */
export const each = async <V>(
  context: Context,
  work: Each<V>,
  options: Readonly<Record<string, unknown>>,
): Promise<void> => {
  const { sheet, settings } = context;
  await context.output.checkNames();
  if (sheet !== undefined) {
    checkAlone(work, options);
    const { runSheet } = await import('./input/work.ts');
    // The same id with other values is another write: a viewer on another project.
    const same = (row: SheetRow) => stringifyJson([row.id, row.values()]);
    return runSheet(context, sheet, { ...work, same }, options);
  }
  const targets = await collect(context, work, options.all === true);
  const distinct = [...new Map(targets.map((target) => [target.id, target])).values()];
  const words = (index: number) => distinct[index]?.words ?? [];
  const [one] = distinct;
  const first = one === undefined ? undefined : callOf(work, one.id);
  const permission = { ...work, facts: work.facts ?? [], count: distinct.length, first, words };
  const asked = await permit(context, permission, options);
  if (targets.length === 0) context.output.note(`no ${work.noun[1]} to ${work.verb[0]}`);
  const rows = targets.map((target) => new TargetRow(target, work));
  await runRows(context, {
    ...work,
    rows,
    asked,
    ...(isWatched(context) || settings.dryRun.value ? { about: aboutOf(targets) } : {}),
  });
};
