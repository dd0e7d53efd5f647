import type { ApiCall } from '../api/client.ts';
import { listMeant } from '../api/filter-check.ts';
import type { Row } from '../api/page.ts';
import type { Context, FindId, NamedKind } from '../context.ts';
import { type Failure, UsageError } from '../errors.ts';
import { toText } from '../json.ts';
import { checkRecordName, isRecordId } from '../parsing/names.ts';
import { MAX_ROWS } from '../parsing/text.ts';
import { type AllMatching, createChange, type Selected, type Selection, type WriteMany } from './change.ts';
import { checkAnswerable, describeNamed, describeRows, isWatched } from './confirm.ts';
import { getLabel, keepLastingWords } from './describe-change.ts';
import { readText } from './input/files.ts';
import { createRowProblems, isNameError } from './input/row-problems.ts';

interface WrittenTarget {
  readonly text: string;
  /** Its line, from 1, where it came from stdin. */
  readonly line?: number;
}

/** Counted before they are parted: of an endless stdin they would be many millions. */
const checkCount = (text: string): void => {
  let [count, at] = [0, text.indexOf('\n')];
  for (; at >= 0 && count <= MAX_ROWS; at = text.indexOf('\n', at + 1)) count += 1;
  if (count > MAX_ROWS) {
    throw new UsageError(`stdin has more than ${MAX_ROWS.toLocaleString('en')} lines`, {
      hint: 'Split it into smaller files.',
    });
  }
};

/** `id`, or the heading of a list as CSV or TSV. */
const isHeadingAlone = (line: string): boolean =>
  line.length < 1000 &&
  /^[\w.",;\t-]+$/.test(line) &&
  line.split(/[,;\t]/).some((cell) => /^"?(id|e-?mail)"?$/i.test(cell));

/** @throws UsageError for more lines than one run takes */
const parseTargetLines = (text: string): readonly WrittenTarget[] => {
  checkCount(text);
  // An empty list as JSON has it, or a table without rows.
  if (text.trim() === '[]' || isHeadingAlone(text.trim())) return [];
  return text
    .replace(/^\uFEFF/, '')
    .split(/\r?\n/)
    .map((line, index) => ({ text: line.trim(), line: index + 1 }))
    .filter((line) => line.text !== '');
};

/** Targets as people write them: arguments, or `-` for one on each line of stdin. */
const readTargetLines = async (
  context: Context,
  named: readonly string[],
): Promise<readonly WrittenTarget[]> => {
  if (!named.includes('-')) return named.map((text) => ({ text }));
  if (named.length > 1) throw new UsageError('- (stdin) cannot be mixed with other targets');
  return parseTargetLines(await readText(context.machine, '-'));
};

/** The same without their lines. @throws UsageError where nothing is named; an empty stdin names nothing, and is fine */
export const readTargets = async (
  context: Context,
  named: readonly string[],
  noun: string,
): Promise<readonly string[]> => {
  if (named.length === 0) {
    throw new UsageError(`no ${noun} given`, {
      code: 'missing_value',
      hint: 'Name one or more, or use - for stdin.',
    });
  }
  return (await readTargetLines(context, named)).map(({ text }) => text);
};

interface TargetKind {
  readonly noun: readonly [string, string];
  readonly resolve?: FindId | undefined;
  readonly findId?: ((target: string) => Promise<string>) | undefined;
  readonly isName?: ((target: string) => boolean) | undefined;
}

/** Stands for the id that a name or an address will be looked up to. */
const SOME_ID = '0';

/**
 * @param call the write for an id
 * @throws UsageError also for a word that names no record of this kind, and for an address where an id alone names one
 */
export const checkTarget = (
  { noun, resolve, isName }: TargetKind,
  target: string,
  call: (id: string) => ApiCall,
): void => {
  if (resolve !== undefined) checkRecordName(noun[0], target);
  const isNotAnId = (): boolean => /[\p{L}\p{N}]/u.test(target) && !isRecordId(noun[0] as NamedKind, target);
  const needsLookUp = resolve !== undefined && (isName?.(target) ?? isNotAnId());
  call(needsLookUp ? SOME_ID : target).check('written');
};

/**
 * Does something with each target, and tells together all that is wrong with them.
 * @throws the failure of the only target that is wrong; UsageError (exit 2) or Failure (exit 5) for several;
 *   at once what is about no target
 */
const mapTargets = async <T>(
  targets: readonly WrittenTarget[],
  work: (text: string) => T | Promise<T>,
  isWrong: (error: unknown) => error is Failure,
): Promise<readonly T[]> => {
  const problems = createRowProblems(targets[0]?.line === undefined ? undefined : 'stdin');
  const found: T[] = [];
  let onlyFailure: Failure | undefined;
  for (const { text, line } of targets) {
    try {
      found.push(await work(text));
    } catch (error) {
      if (!isWrong(error)) {
        problems.throwIfAny();
        throw error;
      }
      onlyFailure = problems.count === 0 && line === undefined ? error : undefined;
      problems.add(line, [error.message, error.reason].filter(Boolean).join('\n'), error.hint, error.exit);
    }
  }
  if (onlyFailure !== undefined) throw onlyFailure;
  problems.throwIfAny();
  return found;
};

const isUsage = (error: unknown): error is Failure => error instanceof UsageError;

const checkTargets = async (
  targets: readonly WrittenTarget[],
  kind: TargetKind,
  call: (id: string) => ApiCall,
): Promise<void> => {
  await mapTargets(targets, (target) => checkTarget(kind, target, call), isUsage);
};

const resolveIds = (
  targets: readonly WrittenTarget[],
  { resolve, findId }: TargetKind,
): Promise<readonly string[]> => {
  const texts = targets.map(({ text }) => text);
  return mapTargets(
    targets,
    async (text) => {
      const id = (await resolve?.(text, texts)) ?? text;
      return findId?.(id) ?? id;
    },
    isNameError,
  );
};

/** The targets of a write: those that were named, or all that a list finds. */

const listMatching = async (context: Context, all: AllMatching): Promise<readonly Selected[]> => {
  const rows: Row[] = [];
  await context.watch.during(
    () => `reading the list: ${rows.length} found`,
    async () => {
      const meant = listMeant(context.lists.once(all.list()), all.ready, context.output.warn);
      for await (const page of context.choose(meant, all.columns))
        for (const row of page.rows) rows.push(row);
    },
  );
  const words = await describeRows(context, rows, all.columns);
  return rows.map((row, i) => {
    const id = toText(row.id);
    return { target: id, id, before: row, words: words[i] ?? [], columns: all.columns };
  });
};

const listNamed = async <V>(context: Context, work: WriteMany<V>): Promise<readonly Selected[]> => {
  if (work.targets.length === 0) {
    throw new UsageError(`no ${work.noun[0]} given`, {
      hint: 'Name one or more, use - for stdin, or pass --from-file.',
    });
  }
  const targets = await readTargetLines(context, work.targets);
  await checkTargets(targets, work, (id) => work.call(id, work.values as V));
  await checkAnswerable(context, work, new Set(targets.map(({ text }) => text)).size);
  const ids = await resolveIds(targets, work);
  const found = targets.map(({ text: target }, index): Selected => {
    const id = ids[index] ?? target;
    const plain = id === target ? [target] : [target, id];
    const known = context.picked.get(id);
    if (known === undefined) return { target, id, words: plain };
    return { target, id, words: [...known.words, id], columns: known.columns };
  });
  return describeNamed(context, work, found);
};

const collectTargets = async <V>(
  context: Context,
  work: WriteMany<V>,
  all: boolean,
): Promise<readonly Selected[]> => {
  if (!all) return listNamed(context, work);
  if (work.targets.length > 0) throw new UsageError('--all cannot be used with named targets');
  if (work.all === undefined) throw new UsageError('this command does not take --all');
  work.call('0', work.values as V).check();
  await checkAnswerable(context, work, 'all');
  return listMatching(context, work.all);
};

/** @throws UsageError that tells all that is wrong with the targets; Failure (exit 5) for names of nothing */
export const selectTargets = async <V>(
  context: Context,
  work: WriteMany<V>,
  all: boolean,
): Promise<Selection> => {
  const found = await collectTargets(context, work, all);
  const labelled = isWatched(context);
  const changes = found.map((one, n) => {
    const { target, id, before } = one;
    const label = labelled
      ? getLabel(context.settings.dryRun.value ? one : keepLastingWords(one))
      : undefined;
    return createChange(work, { n, target, id, key: id, before, label });
  });
  return {
    changes,
    words: ({ n }) => found[n]?.words ?? [],
    facts: work.facts ?? [],
    noneMessage: `No ${work.noun[1]} to ${work.verb[0]}.`,
  };
};
