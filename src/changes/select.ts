import type { ApiCall } from '../api/client.ts';
import type { NamedKind } from '../api/fields.ts';
import { listMeant } from '../api/filter-check.ts';
import type { ListPage, Row } from '../api/page.ts';
import { ApiError, type Failure, UsageError } from '../errors.ts';
import { toText } from '../json.ts';
import type { Column } from '../output/list-view.ts';
import { checkRecordName, isRecordId } from '../parsing/names.ts';
import { MAX_ROWS } from '../parsing/text.ts';
import type { Run } from '../run.ts';
import type { AllMatching, Change, Selection, SendResult, Write } from './change.ts';
import { checkAnswerable, describeMatching, describeNamed, isWatched } from './confirm.ts';
import { getLabel, keepLastingWords, type Selected } from './describe-change.ts';
import { createRowProblems, isNameError, readText } from './input/files.ts';
import { createAlikeResult, findLikes, readWhole } from './proof.ts';

/** Which records a command line means: the one that it names, several, or all that a list finds. */

type Options = Readonly<Record<string, unknown>>;

/**
 * The changes that a command line means; nothing is sent for any of them before all are right.
 * @param options `all` and `ifMissing` as commander parsed them
 * @throws UsageError that tells all that is wrong with the targets; Failure (exit 5) for names of nothing
 */
export async function selectChanges(run: Run, work: Write, options: Options): Promise<Selection> {
  const { noun, verb, targets } = work;
  if (targets === undefined) return selectOne(run, work, options.ifMissing === true);
  const found =
    options.all === true ? await selectAll(run, work, targets) : await selectNamed(run, work, targets);
  const isDryRun = run.settings.dryRun.value;
  const isLabelled = isWatched(run);
  const { values = {}, shown = work.all } = work;
  const changes = found.map((one, n): Change => {
    const { target, id, before } = one;
    const label = isLabelled ? getLabel(isDryRun ? one : keepLastingWords(one)) : undefined;
    const call = work.call(id, values);
    const labelColumns = shown?.columns;
    return { n, key: id, target, label, labelColumns, before, after: values, call, columns: { id: target } };
  });
  return {
    changes,
    words: ({ n }) => found[n]?.words ?? [],
    facts: work.facts ?? [],
    noneMessage: `No ${noun[1]} to ${verb[0]}.`,
  };
}

/** The record that is changed, or a new one; `--if-missing`: what is there already of its like, whole. */
async function selectOne(run: Run, work: Write, ifMissing: boolean): Promise<Selection> {
  const { noun, record, values = {}, resolve, findId } = work;
  let id = '';
  if (record !== undefined) {
    const { given, name } = record;
    if (given === undefined) throw new UsageError(`missing <${name}>`, { code: 'missing_value' });
    id = (await resolve?.(given)) ?? given;
    id = (await findId?.(id)) ?? id;
  }
  const target = record?.given ?? work.target?.(values) ?? `new ${noun[0]}`;
  const call = work.call(id, values);
  call.check(resolve === undefined ? 'written' : undefined);
  await call.requireWorkspace();
  const known = new Map<number, SendResult>();
  const like = ifMissing ? (await findLikes(run.api, [call]))(call) : undefined;
  if (like !== undefined)
    known.set(0, createAlikeResult({ target, call }, await readWhole(run.api, call, like)));
  const change = { n: 0, key: target, target, after: values, call, columns: {} };
  return { changes: [change], words: () => [target], facts: [], noneMessage: '', knownResults: known };
}

async function selectAll(run: Run, work: Write, targets: readonly string[]): Promise<readonly Selected[]> {
  const { all, values = {} } = work;
  if (targets.length > 0) throw new UsageError('--all cannot be used with named targets');
  if (all === undefined) throw new UsageError('this command does not take --all');
  work.call('0', values).check();
  await checkAnswerable(run, work, 'all');
  const rows = await listMatching(run, all);
  const words = await describeMatching(run, rows, all.columns);
  return rows.map((row, i) => {
    const id = toText(row.id);
    return { target: id, id, before: row, words: words[i] ?? [], columns: all.columns };
  });
}

async function listMatching(run: Run, all: AllMatching): Promise<readonly Row[]> {
  const rows: Row[] = [];
  await run.watch.during(
    () => `reading the list: ${rows.length} found`,
    async () => {
      const meant = listMeant(run.lists.once(all.list()), all.ready, run.output.warn);
      for await (const page of run.choose(meant, all.columns)) for (const row of page.rows) rows.push(row);
    },
  );
  return rows;
}

async function selectNamed(run: Run, work: Write, named: readonly string[]): Promise<readonly Selected[]> {
  if (named.length === 0) {
    throw new UsageError(`no ${work.noun[0]} given`, {
      hint: 'Name one or more, use - for stdin, or pass --from-file.',
    });
  }
  const targets = await readTargetLines(run, named);
  const call = (id: string) => work.call(id, work.values ?? {});
  const isUsage = (error: unknown): error is Failure => error instanceof UsageError;
  await mapTargets(targets, (target) => checkTarget(work, target, call), isUsage);
  await checkAnswerable(run, work, new Set(targets.map(({ text }) => text)).size);
  const texts = targets.map(({ text }) => text);
  const findId = async (text: string): Promise<string> => {
    const id = (await work.resolve?.(text, texts)) ?? text;
    return work.findId?.(id) ?? id;
  };
  const ids = await mapTargets(targets, findId, isNameError);
  const found = targets.map(({ text: target }, index): Selected => {
    const id = ids[index] ?? target;
    const known = run.picked.get(id);
    if (known !== undefined) return { target, id, words: [...known.words, id], columns: known.columns };
    return { target, id, words: id === target ? [target] : [target, id] };
  });
  return describeNamed(run, work, found);
}

interface WrittenTarget {
  readonly text: string;
  /** Its line, from 1, where it came from stdin. */
  readonly line?: number;
}

/** Targets as people write them: arguments, or `-` for one on each line of stdin. */
async function readTargetLines(run: Run, named: readonly string[]): Promise<readonly WrittenTarget[]> {
  if (!named.includes('-')) return named.map((text) => ({ text }));
  if (named.length > 1) throw new UsageError('- (stdin) cannot be mixed with other targets');
  return parseTargetLines(await readText(run.machine, '-'));
}

/** The same without their lines. @throws UsageError where nothing is named; an empty stdin names nothing, and is fine */
export async function readTargets(
  run: Run,
  named: readonly string[],
  noun: string,
): Promise<readonly string[]> {
  if (named.length === 0) {
    throw new UsageError(`no ${noun} given`, {
      code: 'missing_value',
      hint: 'Name one or more, or use - for stdin.',
    });
  }
  return (await readTargetLines(run, named)).map(({ text }) => text);
}

/** @throws UsageError for more lines than one run takes */
function parseTargetLines(text: string): readonly WrittenTarget[] {
  // Counted before they are parted: of an endless stdin they would be many millions.
  let [count, at] = [0, text.indexOf('\n')];
  for (; at >= 0 && count <= MAX_ROWS; at = text.indexOf('\n', at + 1)) count += 1;
  if (count > MAX_ROWS) {
    throw new UsageError(`stdin has more than ${MAX_ROWS.toLocaleString('en')} lines`, {
      hint: 'Split it into smaller files.',
    });
  }
  // An empty list as JSON has it, or a table without rows.
  if (text.trim() === '[]' || isHeadingAlone(text.trim())) return [];
  return text
    .replace(/^\uFEFF/, '')
    .split(/\r?\n/)
    .map((line, index) => ({ text: line.trim(), line: index + 1 }))
    .filter((line) => line.text !== '');
}

/** `id`, or the heading of a list as CSV or TSV. */
function isHeadingAlone(line: string): boolean {
  return (
    line.length < 1000 &&
    /^[\w.",;\t-]+$/.test(line) &&
    line.split(/[,;\t]/).some((cell) => /^"?(id|e-?mail)"?$/i.test(cell))
  );
}

/** Stands for the id that a name or an address will be looked up to. */
const SOME_ID = '0';

/**
 * @param call the write for an id
 * @throws UsageError also for a word that names no record of this kind, and for an address where an id alone names one
 */
export function checkTarget(
  { noun, resolve, isName }: Pick<Write, 'noun' | 'resolve' | 'isName'>,
  target: string,
  call: (id: string) => ApiCall,
): void {
  if (resolve !== undefined) checkRecordName(noun[0], target);
  const isNotAnId = (): boolean => /[\p{L}\p{N}]/u.test(target) && !isRecordId(noun[0] as NamedKind, target);
  const needsLookUp = resolve !== undefined && (isName?.(target) ?? isNotAnId());
  call(needsLookUp ? SOME_ID : target).check('written');
}

/**
 * Does something with each target, and tells together all that is wrong with them.
 * @throws the failure of the only target that is wrong; UsageError (exit 2) or Failure (exit 5) for several;
 *   at once what is about no target
 */
async function mapTargets<T>(
  targets: readonly WrittenTarget[],
  work: (text: string) => T | Promise<T>,
  isWrong: (error: unknown) => error is Failure,
): Promise<readonly T[]> {
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
}

/** What a person types of an id, and less than all of a UUID. */
const BEGINNING = /^[^\s@]{1,35}$/;

type Person = Pick<Run, 'prompter' | 'watch' | 'output'>;

/**
 * Completes ids of which a person at a terminal gives a beginning, as tables show them. Anything else, and what no
 * listed id begins with, stays as it is: the service knows it or not.
 * @param columns what says which record it is
 * @returns what throws a UsageError for the beginning of several ids
 */
export function createIdFinder(
  context: Person,
  pages: () => AsyncIterable<ListPage>,
  columns: readonly Column[],
): (text: string) => Promise<string> {
  const { prompter, watch } = context;
  return async (text) => {
    if (!prompter.available || !BEGINNING.test(text)) return text;
    const rows = await watch.during(
      () => 'looking up the id',
      () => listTextIds(pages()),
    );
    const found = new Map<string, Row>();
    for (const row of rows) {
      const id = toText(row.id);
      if (id === text) return text;
      if (id.startsWith(text) && !isNumber(id)) found.set(id, row);
    }
    const [id = text] = found.keys();
    if (found.size < 2) return id;
    throw await createAmbiguousError(context, text, [...found.values()], columns);
  };
}

/** The same for records of this machine. */
export function findLocalId(
  context: Person,
  text: string,
  list: () => readonly Row[] | Promise<readonly Row[]>,
  columns: readonly Column[],
): Promise<string> {
  async function* pages() {
    const rows = await list();
    yield { rows, total: rows.length };
  }
  return createIdFinder(context, pages, columns)(text);
}

/** A number is an id: its beginning could be another one. */
function isNumber(id: unknown): boolean {
  return /^\d+$/.test(toText(id));
}

async function listTextIds(pages: AsyncIterable<ListPage>): Promise<readonly Row[]> {
  const found: Row[] = [];
  try {
    for await (const { rows } of pages) {
      // Where ids are numbers, the rest of a long list need not be read.
      if (rows.length > 0 && rows.every(({ id }) => isNumber(id))) break;
      for (const row of rows) found.push(row);
    }
  } catch (error) {
    if (error instanceof ApiError) return [];
    throw error;
  }
  return found;
}

const MAX_CANDIDATES = 10;

async function createAmbiguousError(
  { output }: Pick<Run, 'output'>,
  text: string,
  rows: readonly Row[],
  columns: readonly Column[],
): Promise<UsageError> {
  const shown = [...columns.filter(({ field }) => field !== 'id'), { field: 'id' }];
  const words = await output.inWords(rows.slice(0, MAX_CANDIDATES), shown);
  const lines = words.map((cells) => cells.filter(Boolean).join('  '));
  if (rows.length > MAX_CANDIDATES) lines.push(`and ${rows.length - MAX_CANDIDATES} more`);
  return new UsageError(`"${text}" matches ${rows.length} ids`, {
    code: 'ambiguous',
    reason: lines.join('\n'),
    hint: 'Type more characters of the one you mean.',
  });
}
