import type { ApiCall } from '../api/client.ts';
import type { Context, NamedKind } from '../context.ts';
import { type Failure, UsageError } from '../outcome.ts';
import { MAX_ROWS } from '../parsing/input-limits.ts';
import { checkRecordName, isRecordId } from '../parsing/opaque-id.ts';
import { createRowProblems, isNameError } from './input/row-problems.ts';

/** A target as it was written. */
export interface WrittenTarget {
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

/** @throws UsageError for more lines than one run takes */
const linesOf = (text: string): readonly WrittenTarget[] => {
  checkCount(text);
  // An empty list as JSON has it.
  if (text.trim() === '[]') return [];
  return text
    .replace(/^\uFEFF/, '')
    .split(/\r?\n/)
    .map((line, index) => ({ text: line.trim(), line: index + 1 }))
    .filter((line) => line.text !== '');
};

/** Targets as people write them: arguments, or `-` for one on each line of stdin. */
export const readTargetLines = async (
  context: Context,
  named: readonly string[],
): Promise<readonly WrittenTarget[]> => {
  if (!named.includes('-')) return named.map((text) => ({ text }));
  if (named.length > 1) throw new UsageError('- (stdin) cannot be mixed with other targets');
  return linesOf(await context.stdin());
};

/** The same without their lines. @throws UsageError where nothing is named; an empty stdin names nothing, and is fine */
export const readTargets = async (
  context: Context,
  named: readonly string[],
  noun: string,
): Promise<readonly string[]> => {
  if (named.length === 0) {
    throw new UsageError(`no ${noun} named`, {
      code: 'missing_value',
      hint: 'Name one or more, or use - for stdin.',
    });
  }
  return (await readTargetLines(context, named)).map(({ text }) => text);
};

interface Kind {
  readonly noun: readonly [string, string];
  /** A name or e-mail address to an id. */
  readonly resolve?: ((target: string) => Promise<string>) | undefined;
}

/** Stands for the id that a name or an address will be looked up to. */
const SOME_ID = '0';

/**
 * @param call the write for an id
 * @throws UsageError also for a word that names no record of this kind, and for an address where an id alone names one
 */
export const checkTarget = ({ noun, resolve }: Kind, target: string, call: (id: string) => ApiCall): void => {
  if (resolve !== undefined) checkRecordName(noun[0], target);
  const looked =
    resolve !== undefined && /[\p{L}\p{N}]/u.test(target) && !isRecordId(noun[0] as NamedKind, target);
  call(looked ? SOME_ID : target).check('written');
};

/**
 * Does something with each target, and tells together all that is wrong with them.
 * @throws the failure of the only target that is wrong; UsageError (exit 2) or Failure (exit 5) for several;
 *   at once what is about no target
 */
const ofEach = async <T>(
  targets: readonly WrittenTarget[],
  work: (text: string) => T | Promise<T>,
  isWrong: (error: unknown) => error is Failure,
): Promise<readonly T[]> => {
  const faults = createRowProblems(targets[0]?.line === undefined ? undefined : 'stdin');
  const found: T[] = [];
  let alone: Failure | undefined;
  for (const { text, line } of targets) {
    try {
      found.push(await work(text));
    } catch (error) {
      if (!isWrong(error)) {
        faults.throwIfAny();
        throw error;
      }
      alone = faults.count === 0 && line === undefined ? error : undefined;
      faults.add(line, [error.message, error.reason].filter(Boolean).join('\n'), error.hint, error.exit);
    }
  }
  if (alone !== undefined) throw alone;
  faults.throwIfAny();
  return found;
};

const isUsage = (error: unknown): error is Failure => error instanceof UsageError;

/** @param call the write for an id */
export const checkTargets = async (
  targets: readonly WrittenTarget[],
  kind: Kind,
  call: (id: string) => ApiCall,
): Promise<void> => {
  await ofEach(targets, (target) => checkTarget(kind, target, call), isUsage);
};

/** The ids of targets, each looked up once. */
export const resolveIds = (
  targets: readonly WrittenTarget[],
  { resolve }: Kind,
): Promise<readonly string[]> =>
  ofEach(targets, async (text) => (await resolve?.(text)) ?? text, isNameError);
