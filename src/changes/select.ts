import { listMeant } from '../api/lists.ts';
import { type ListPage, onePage, type Row } from '../api/page.ts';
import type { Values } from '../api/plan.ts';
import type { NamedKind } from '../api/records.ts';
import type { ChangeWarnings } from '../decide/item.ts';
import { ApiError, type Failure, UsageError } from '../errors.ts';
import { toText } from '../json.ts';
import { checkRecordName, isRecordId } from '../parsing/names.ts';
import { MAX_ROWS, parseCount } from '../parsing/text.ts';
import type { Run } from '../run.ts';
import type { Change, Changes, RunWords, Selection, SendResult, Write } from './change.ts';
import { isNameError, RowProblems, readText } from './input/files.ts';
import { keepValues } from './kept.ts';
import { countLooks, getLabel, isLasting, pickSeen, rankChanges, type Selected } from './look.ts';
import { createAlikeResult, findLikes, readWhole } from './proof.ts';
import { formatPaceNotice, pluralize } from './report.ts';

/**
 * Which records a command line means: the one that it names, several, or all that a list finds; and the question before
 * they are changed, with what has to be heeded.
 */

/**
 * The changes that a command line means; nothing is sent for any of them before all are right.
 * @param options `all` and `ifMissing` as commander parsed them
 * @throws UsageError that tells all that is wrong with the targets; Failure (exit 5) for names of nothing
 */
export async function selectChanges(run: Run, work: Write, options: Values): Promise<Selection> {
  const { noun, verb, targets, values: after = {}, shown = work.all, facts = [] } = work;
  if (targets === undefined) return selectOne(run, work, options.ifMissing === true);
  const found =
    options.all === true ? await selectAll(run, work, targets) : await selectNamed(run, work, targets);
  const isDryRun = run.settings.dryRun.value;
  const isLabelled = run.settings.output.value.shape === 'screen';
  const { columns: labelColumns } = shown ?? {};
  const changes = found.map((one, n): Change => {
    const { target, id, before, columns } = one;
    const words = one.words.filter((_, i) => isDryRun || !columns?.[i] || isLasting(columns[i]));
    const label = isLabelled && columns ? getLabel({ ...one, words }) : undefined;
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
  const given = work.call(id, after);
  given.check(resolve === undefined ? 'written' : undefined);
  await given.requireWorkspace();
  const call = work.call(id, { ...after, ...(await keepValues(run, given)) });
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
  const { dryRun, output } = run.settings;
  const inQuestion = run.prompter.available && !dryRun.value ? SAMPLE_SIZE : 0;
  const isRead = output.value.shape === 'screen';
  const words = await run.output.inWords(isRead ? rows : rows.slice(0, inQuestion), columns);
  return rows.map((before, i) => {
    const id = toText(before.id);
    return { target: id, id, before, words: words[i] ?? [], columns };
  });
}

async function selectNamed(run: Run, work: Write, named: readonly string[]): Promise<readonly Selected[]> {
  const targets = await readTargets(run, named, work.noun[0]);
  const isWrong = (error: unknown) => error instanceof UsageError;
  await mapTargets(targets, (text) => checkTarget(work, text, work.values ?? {}), isWrong);
  const texts = targets.map(({ text }) => text);
  await checkAnswerable(run, work, new Set(texts).size);
  const ids = await mapTargets(
    targets,
    async (text) => {
      const id = (await work.resolve?.(text, texts)) ?? text;
      return work.findId?.(id) ?? id;
    },
    isNameError,
  );
  const found = texts.map((target, i): Selected => {
    const id = ids[i] ?? target;
    const known = run.picked.get(id);
    if (known !== undefined)
      return { target, id, words: [...new Set([...known.words, id])], columns: known.columns };
    return { target, id, words: id === target ? [target] : [target, id] };
  });
  const { prompter, settings } = run;
  const { row: find, columns } = work.shown ?? work.all ?? {};
  const isAsked = (work.needsConfirmation === true || found.length > 1) && prompter.available;
  if (!isAsked || settings.yes.value || settings.dryRun.value || !find || !columns) return found;
  try {
    const unknown = ({ id }: Selected) => (run.picked.has(id) ? undefined : find(id));
    const rows = await Promise.all(found.slice(0, SAMPLE_SIZE).map(unknown));
    const known = rows.filter((row) => row !== undefined);
    const words = await run.output.inWords(known, columns);
    return found.map((target, i) => {
      const before = rows[i];
      return before === undefined
        ? target
        : { ...target, before, words: words[known.indexOf(before)] ?? [], columns };
    });
  } catch (error) {
    // Who may not read them is asked about ids.
    if (error instanceof ApiError) return found;
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
  const failures: { readonly line: number | undefined; readonly error: Failure }[] = [];
  const found: T[] = [];
  for (const { text, line } of targets) {
    try {
      found.push(await work(text));
    } catch (error) {
      if (isWrong(error)) failures.push({ line, error });
      else if (failures.length === 0) throw error;
      else break;
    }
  }
  const [first] = failures;
  if (first === undefined) return found;
  if (failures.length === 1 && first.line === undefined) throw first.error;
  const problems = new RowProblems(first.line === undefined ? undefined : 'stdin');
  for (const { line, error } of failures) problems.add(line, error.tell('\n'), error.hint, error.exit);
  problems.throwIfAny();
  return found;
}

/** What a person types of an id, and less than all of a UUID. */
const BEGINNING = /^[^\s@]{1,35}$/;
const NUMBER = /^\d+$/;

/**
 * Completes ids of which a person at a terminal gives a beginning, as tables show them. Anything else, and what no
 * listed id begins with, stays as it is: the service knows it or not.
 * @returns what throws a UsageError for the beginning of several ids
 */
export function createIdFinder(
  { prompter, watch }: Run,
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
    throw new UsageError(`"${text}" matches ${found.size} ids`, {
      code: 'ambiguous',
      reason: [...found].slice(0, 10).join('\n'),
      hint: 'Type more characters of the one you mean.',
    });
  };
}

export function findLocalId(run: Run, text: string, list: () => readonly Row[]): Promise<string> {
  return createIdFinder(run, () => onePage({ rows: list() }))(text);
}

type ConfirmedWrite = Partial<Write> & RunWords;

/**
 * What a person has seen who agreed to it is kept with each change that destroys or decides: it is not sent once its
 * record shows something else.
 * @param options `maxChanges` as commander parsed it
 * @returns whether a person was asked, and so has read how long it takes
 * @throws UsageError for more than `--max-changes` allows, without a workspace, or when nobody can be asked;
 *   Cancelled when declined
 */
export async function confirmChanges(
  run: Run,
  write: ConfirmedWrite,
  { changes, words, facts, knownResults, what }: Selection,
  options: Values,
): Promise<boolean> {
  const { verb, noun, needsConfirmation = false } = write;
  const { settings, prompter } = run;
  const distinct = listDistinct(changes.filter(({ n }) => knownResults?.has(n) !== true));
  const count = distinct.length;
  checkCount(write, count, options, what);
  // What the first lacks they all lack.
  const first = distinct[0]?.call;
  // A name is looked up later: nothing is asked of the service before somebody has agreed.
  if (settings.workspace === undefined) await first?.requireWorkspace();
  const question = `${verb[0]} ${what ?? pluralize(count, noun)}`;
  const isQuestion = !settings.dryRun.value && count > 0 && (count > 1 || needsConfirmation);
  // Nobody reads about them; what is sure to be refused, or needs --yes, is told all the same.
  if (isQuestion && (settings.yes.value || !prompter.available)) await run.confirm({ question, facts: [] });
  else if (isQuestion) {
    const looks = await countLooks(run, distinct);
    const pace = formatPaceNotice(run, count + looks);
    const { order, fields, lasting } = await rankChanges(distinct);
    const { heeded, summary } = await findWarnings(run, write, order);
    const sample = await describeSample(run, write, heeded, words);
    await run.confirm({
      question,
      facts: [
        ...facts,
        // What becomes of whole records is asked anyway.
        ...(count > 1 && write.final === undefined && !/^(archiving \d+)?$/.test(fields)
          ? [`fields     ${fields}`]
          : []),
        ...lasting,
        ...(pace === undefined ? [] : [`time       ${pace}`]),
      ],
      sample,
      more: count - sample.length,
      warnings: heeded.map(({ warnings }) => warnings?.map(({ text }) => text) ?? []),
      summary,
    });
    if (needsConfirmation)
      for (const { change, row } of heeded)
        change.seen ??= pickSeen(change.call.operation.id, { record: row ?? change.before });
  }
  await first?.requireWorkspace();
  return isQuestion && prompter.available && !settings.yes.value;
}

/**
 * Before records are read or looked up.
 * @param count of what would be written; all: as many as a list has
 * @throws UsageError where it would be asked about, nobody can be asked, and no `--yes` answers
 */
export async function checkAnswerable(
  { settings, prompter, confirm }: Run,
  { verb, noun, needsConfirmation = false }: ConfirmedWrite,
  count: number | 'all',
): Promise<void> {
  const isAsked = count === 'all' || count > 1 || (count === 1 && needsConfirmation);
  if (!isAsked || prompter.available || settings.yes.value || settings.dryRun.value) return;
  const what = count === 'all' ? `all matching ${noun[1]}` : pluralize(count, noun);
  await confirm({ question: `${verb[0]} ${what}`, facts: [] });
}

/** @throws UsageError for more than `--max-changes` allows */
export function checkCount(
  { verb, noun }: RunWords,
  count: number,
  { maxChanges: raw }: Values,
  what = pluralize(count, noun),
): void {
  if (raw === undefined) return;
  const most = parseCount('--max-changes', raw);
  if (count <= most) return;
  throw new UsageError(`${what} would be ${verb[1]}, but --max-changes allows ${most}`);
}

/**
 * The warnings of a dry run, where nothing is asked.
 * @returns what its results say of it, by key; undefined where it has nothing of that kind
 */
export async function noteWarnings(
  run: Run,
  write: ConfirmedWrite,
  { changes, words, knownResults }: Selection,
): Promise<Changes['warnings']> {
  const distinct = listDistinct(changes.filter(({ n }) => knownResults?.has(n) !== true));
  if (distinct.length === 0) return undefined;
  const { heeded, summary } = await findWarnings(run, write, distinct);
  if (summary === undefined) return undefined;
  const flagged = heeded.filter(({ warnings }) => warnings?.length);
  const sample = await describeSample(run, write, flagged, words);
  const lines = sample.flatMap((cells, i) => [
    `  ${cells.filter(Boolean).join('  ')}`,
    ...(flagged[i]?.warnings?.map(({ text }) => `    ! ${text}`) ?? []),
  ]);
  if (flagged.length > SAMPLE_SIZE) lines.push(`  and ${flagged.length - SAMPLE_SIZE} more with warnings`);
  const last = [summary.replace(/\.?$/, '.'), write.final].filter(Boolean).join(' ');
  run.output.note([...lines, last].join('\n'));
  return new Map(heeded.map(({ change, warnings }) => [change.key, toWarningFields(warnings)]));
}

export function toWarningFields(warnings: Heeded['warnings'] | undefined) {
  return {
    warnings: warnings?.map(({ code }) => code) ?? null,
    warning_messages: warnings?.map(({ text }) => text) ?? null,
  };
}

/** The second of two that are the same write is not another one. */
export function listDistinct(changes: readonly Change[]): readonly Change[] {
  const keys = new Set<string>();
  return changes.filter(({ key }) => !keys.has(key) && keys.add(key));
}

interface Heeded {
  readonly change: Change;
  readonly warnings: ChangeWarnings['warnings'][number];
  readonly row?: Row | undefined;
}

/** @returns the changes as a person should read them: those that something has to be heeded of first */
async function findWarnings(
  { prompter, settings, leftOut }: Run,
  { findWarnings: find, alwaysWarns = false }: ConfirmedWrite,
  changes: readonly Change[],
): Promise<{ readonly heeded: readonly Heeded[]; readonly summary?: string }> {
  const isRead = settings.dryRun.value || (prompter.available && !settings.yes.value);
  // One that was named is no bulk decision: its lists would take longer than the decision.
  const isSingle = changes.length < 2 && changes[0]?.before === undefined;
  if (find === undefined || !isRead || (isSingle && !alwaysWarns))
    return { heeded: changes.map((change) => ({ change, warnings: [] })) };
  const { warnings, rows, summary } = await find(changes);
  const heeded = changes.map((change, i) => ({ change, warnings: warnings[i] ?? null, row: rows[i] }));
  /** What could not be checked stands behind what is known. */
  const rank = (one: Heeded): number =>
    one.warnings?.some(({ code }) => code !== 'not_checked') ? 0 : one.warnings?.length ? 1 : 2;
  const counts = [summary, leftOut].filter(Boolean).join('; ');
  return { heeded: heeded.sort((a, b) => rank(a) - rank(b)), summary: counts };
}

export const SAMPLE_SIZE = 10;

/** The first of them in words: of their records, where these were read for the warnings. */
async function describeSample(
  { output }: Run,
  { shown, all }: ConfirmedWrite,
  heeded: readonly Heeded[],
  words: Selection['words'],
): Promise<readonly (readonly string[])[]> {
  const columns = (shown ?? all)?.columns ?? [];
  const describe = async ({ change, row }: Heeded) => {
    const [known = []] = row === undefined ? [] : await output.inWords([row], columns);
    const cells = known.length === 0 ? await words(change) : known;
    // What the name says is not said again.
    const [name = ''] = cells;
    return cells.filter((cell, i) => i === 0 || !name.split(/ {2,}/).includes(cell));
  };
  return Promise.all(heeded.slice(0, SAMPLE_SIZE).map(describe));
}
