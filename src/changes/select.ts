import { listMeant } from '../api/lists.ts';
import type { ListPage, Row } from '../api/page.ts';
import type { Values } from '../api/plan.ts';
import type { NamedKind } from '../api/records.ts';
import { ApiError, type Failure, UsageError } from '../errors.ts';
import { toText } from '../json.ts';
import { checkRecordName, isRecordId } from '../parsing/names.ts';
import { MAX_ROWS } from '../parsing/text.ts';
import type { Run } from '../run.ts';
import type { Change, Selection, SendResult, Write } from './change.ts';
import { checkAnswerable, isWatched, SAMPLE_SIZE } from './confirm.ts';
import { getLabel, isLasting, type Selected } from './describe-change.ts';
import { isNameError, RowProblems, readText } from './input/files.ts';
import { createAlikeResult, findLikes, readWhole } from './proof.ts';

/** Which records a command line means: the one that it names, several, or all that a list finds. */

type Options = Readonly<Record<string, unknown>>;

/**
 * The changes that a command line means; nothing is sent for any of them before all are right.
 * @param options `all` and `ifMissing` as commander parsed them
 * @throws UsageError that tells all that is wrong with the targets; Failure (exit 5) for names of nothing
 */
export async function selectChanges(run: Run, work: Write, options: Options): Promise<Selection> {
  const { noun, verb, targets, values: after = {}, shown = work.all, facts = [] } = work;
  if (targets === undefined) return selectOne(run, work, options.ifMissing === true);
  const found =
    options.all === true ? await selectAll(run, work, targets) : await selectNamed(run, work, targets);
  const isDryRun = run.settings.dryRun.value;
  const isLabelled = isWatched(run);
  const { columns: labelColumns } = shown ?? {};
  const changes = found.map((one, n): Change => {
    const { target, id, before, words, columns = [] } = one;
    const isKept = (_: string, i: number) => isDryRun || columns[i] === undefined || isLasting(columns[i]);
    const label = isLabelled ? getLabel({ ...one, words: words.filter(isKept) }) : undefined;
    const call = work.call(id, after);
    return { n, key: id, target, label, labelColumns, before, after, call, columns: { id: target } };
  });
  const noneMessage = `No ${noun[1]} to ${verb[0]}.`;
  return { changes, words: ({ n }) => found[n]?.words ?? [], facts, noneMessage };
}

/** The record that is changed, or a new one; `--if-missing`: what is there already of its like, whole. */
async function selectOne(run: Run, work: Write, ifMissing: boolean): Promise<Selection> {
  const { noun, record, values: after = {}, resolve, findId } = work;
  let id = '';
  if (record !== undefined) {
    const { given, name } = record;
    if (given === undefined) throw new UsageError(`missing <${name}>`, { code: 'missing_value' });
    id = (await resolve?.(given)) ?? given;
    id = (await findId?.(id)) ?? id;
  }
  const target = record?.given ?? work.target?.(after) ?? `new ${noun[0]}`;
  const call = work.call(id, after);
  call.check(resolve === undefined ? 'written' : undefined);
  await call.requireWorkspace();
  const knownResults = new Map<number, SendResult>();
  const like = ifMissing ? (await findLikes(run.api, [call]))(call) : undefined;
  if (like !== undefined)
    knownResults.set(0, createAlikeResult({ target, call }, await readWhole(run.api, call, like)));
  const change = { n: 0, key: target, target, after, call, columns: {} };
  return { changes: [change], words: () => [target], facts: [], noneMessage: '', knownResults };
}

async function selectAll(run: Run, work: Write, targets: readonly string[]): Promise<readonly Selected[]> {
  const { all, values = {} } = work;
  if (targets.length > 0) throw new UsageError('--all cannot be used with named targets');
  if (all === undefined) throw new UsageError('this command does not take --all');
  work.call('0', values).check();
  await checkAnswerable(run, work, 'all');
  const { columns } = all;
  const rows: Row[] = [];
  const read = async (): Promise<void> => {
    const meant = listMeant(run.lists.once(all.list()), all.ready, run.output.warn);
    for await (const page of run.choose(meant)) for (const row of page.rows) rows.push(row);
  };
  await run.watch.during(() => `reading the list: ${rows.length} found`, read);
  // A person reads about all of them, for what became of them; else about the sample above the question.
  const inQuestion = run.prompter.available && !run.settings.dryRun.value ? SAMPLE_SIZE : 0;
  const words = await run.output.inWords(isWatched(run) ? rows : rows.slice(0, inQuestion), columns);
  return rows.map((before, i) => {
    const id = toText(before.id);
    return { target: id, id, before, words: words[i] ?? [], columns };
  });
}

async function selectNamed(run: Run, work: Write, named: readonly string[]): Promise<readonly Selected[]> {
  const targets = await readTargets(run, named, work.noun[0]);
  const check = (target: string): void => checkTarget(work, target, work.values ?? {});
  await mapTargets(targets, check, (error) => error instanceof UsageError);
  const texts = targets.map(({ text }) => text);
  await checkAnswerable(run, work, new Set(texts).size);
  const findId = async (text: string): Promise<string> => {
    const id = (await work.resolve?.(text, texts)) ?? text;
    return work.findId?.(id) ?? id;
  };
  const ids = await mapTargets(targets, findId, isNameError);
  const found = texts.map((target, i): Selected => {
    const id = ids[i] ?? target;
    const known = run.picked.get(id);
    if (known !== undefined)
      return { target, id, words: [...new Set([...known.words, id])], columns: known.columns };
    return { target, id, words: id === target ? [target] : [target, id] };
  });
  const { prompter, settings } = run;
  const isAsked = work.needsConfirmation === true || found.length > 1;
  if (!isAsked || !prompter.available || settings.yes.value || settings.dryRun.value) return found;
  return describeNamed(run, work, found);
}

/** The first targets with their records in words, but those that are known. Who may not read them is asked about ids. */
async function describeNamed(
  run: Run,
  { shown, all }: Write,
  targets: readonly Selected[],
): Promise<readonly Selected[]> {
  const { row: find, columns } = shown ?? all ?? {};
  if (find === undefined || columns === undefined) return targets;
  try {
    const unknown = ({ id }: Selected) => (run.picked.has(id) ? undefined : find(id));
    const rows = await Promise.all(targets.slice(0, SAMPLE_SIZE).map(unknown));
    const found = rows.filter((row) => row !== undefined);
    const words = await run.output.inWords(found, columns);
    return targets.map((target, i) => {
      const before = rows[i];
      const known = before === undefined ? undefined : words[found.indexOf(before)];
      return known === undefined ? target : { ...target, before, words: known, columns };
    });
  } catch (error) {
    if (error instanceof ApiError) return targets;
    throw error;
  }
}

interface WrittenTarget {
  readonly text: string;
  /** Its line, from 1, where it came from stdin. */
  readonly line?: number;
}

/**
 * Targets as people write them: arguments, or `-` for one on each line of stdin. An empty stdin names nothing, and is
 * fine.
 * @throws UsageError where nothing is named, and for more lines than one run takes
 */
export async function readTargets(
  run: Run,
  named: readonly string[],
  noun: string,
): Promise<readonly WrittenTarget[]> {
  if (named.length === 0)
    throw new UsageError(`no ${noun} given`, {
      code: 'missing_value',
      hint: 'Name one or more, or use - for stdin.',
    });
  if (!named.includes('-')) return named.map((text) => ({ text }));
  if (named.length > 1) throw new UsageError('- (stdin) cannot be mixed with other targets');
  // Of an endless stdin they would be many millions.
  const lines = (await readText(run.machine, '-')).split('\n', MAX_ROWS + 2);
  if (lines.length > MAX_ROWS + 1)
    throw new UsageError(`stdin has more than ${MAX_ROWS.toLocaleString('en')} lines`, {
      hint: 'Split it into smaller files.',
    });
  return lines.map((line, i) => ({ text: line.trim(), line: i + 1 })).filter((line) => line.text !== '');
}

/** Stands for the id that a name or an address will be looked up to. */
const SOME_ID = '0';

/** @throws UsageError also for a word that names no record of this kind, and for an address where an id alone names one */
export function checkTarget(
  { noun, resolve, isName, call }: Pick<Write, 'noun' | 'resolve' | 'isName' | 'call'>,
  target: string,
  values: Values,
): void {
  let id = target;
  if (resolve !== undefined) {
    checkRecordName(noun[0], target);
    const isNoId = /[\p{L}\p{N}]/u.test(target) && !isRecordId(noun[0] as NamedKind, target);
    if (isName?.(target) ?? isNoId) id = SOME_ID;
  }
  call(id, values).check('written');
}

/** Tells together all that is wrong with the targets. @throws the failure of the only one; at once what is about none */
async function mapTargets<T>(
  targets: readonly WrittenTarget[],
  work: (text: string) => T | Promise<T>,
  isWrong: (error: unknown) => error is Failure,
): Promise<readonly T[]> {
  let problems: RowProblems | undefined;
  const found: T[] = [];
  let onlyFailure: Failure | undefined;
  for (const { text, line } of targets) {
    try {
      found.push(await work(text));
    } catch (error) {
      if (!isWrong(error)) {
        problems?.throwIfAny();
        throw error;
      }
      onlyFailure = problems === undefined && line === undefined ? error : undefined;
      problems ??= new RowProblems(line === undefined ? undefined : 'stdin');
      problems.add(line, [error.message, error.reason].filter(Boolean).join('\n'), error.hint, error.exit);
    }
  }
  if (onlyFailure !== undefined) throw onlyFailure;
  problems?.throwIfAny();
  return found;
}

/** What a person types of an id, and less than all of a UUID. */
const BEGINNING = /^[^\s@]{1,35}$/;
const NUMBER = /^\d+$/;

type Person = Pick<Run, 'prompter' | 'watch'>;

/**
 * Completes ids of which a person at a terminal gives a beginning, as tables show them. Anything else, and what no
 * listed id begins with, stays as it is: the service knows it or not.
 * @returns what throws a UsageError for the beginning of several ids
 */
export function createIdFinder(
  { prompter, watch }: Person,
  pages: () => AsyncIterable<Pick<ListPage, 'rows'>>,
): (text: string) => Promise<string> {
  return async (text) => {
    if (!prompter.available || !BEGINNING.test(text)) return text;
    const found = new Set<string>();
    const look = async (): Promise<void> => {
      for await (const { rows } of pages()) {
        const ids = rows.map(({ id }) => toText(id));
        // Where ids are numbers, the rest of a long list need not be read: the beginning of one could be another one.
        if (ids.length > 0 && ids.every((id) => NUMBER.test(id))) break;
        for (const id of ids) if (id === text || (id.startsWith(text) && !NUMBER.test(id))) found.add(id);
      }
    };
    await watch
      .during(() => 'looking up the id', look)
      .catch((error: unknown) => {
        if (!(error instanceof ApiError)) throw error;
        found.clear();
      });
    const [id = text] = found;
    if (found.has(text) || found.size < 2) return found.has(text) ? text : id;
    const more = found.size - MAX_CANDIDATES;
    throw new UsageError(`"${text}" matches ${found.size} ids`, {
      code: 'ambiguous',
      reason: [...[...found].slice(0, MAX_CANDIDATES), ...(more > 0 ? [`and ${more} more`] : [])].join('\n'),
      hint: 'Type more characters of the one you mean.',
    });
  };
}

const MAX_CANDIDATES = 10;

/** The same for records of this machine. */
export function findLocalId(run: Person, text: string, list: () => readonly Row[]): Promise<string> {
  async function* pages() {
    yield { rows: list() };
  }
  return createIdFinder(run, pages)(text);
}
