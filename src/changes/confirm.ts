import type { Row } from '../api/page.ts';
import type { ChangeWarnings } from '../decide/item.ts';
import { UsageError } from '../errors.ts';
import type { Run } from '../run.ts';
import type { Change, Changes, Selection, Write } from './change.ts';
import { rankChanges } from './describe-change.ts';
import { countLooks, pickSeen } from './look.ts';
import { formatPaceNotice, pluralize } from './report.ts';

/** Asks before changes are sent: which of them it describes in words, and what has to be heeded. */

type Options = Readonly<Record<string, unknown>>;

type ConfirmedWrite = Partial<Write> & Pick<Write, 'verb' | 'noun'>;

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
  { changes, words, facts, knownResults }: Selection,
  options: Options,
): Promise<boolean> {
  const { verb, noun, needsConfirmation = false } = write;
  const { settings, prompter } = run;
  const distinct = listDistinct(changes.filter(({ n }) => knownResults?.has(n) !== true));
  const count = distinct.length;
  checkCount(write, count, options);
  // What the first lacks they all lack.
  const first = distinct[0]?.call;
  // A name is looked up later: nothing is asked of the service before somebody has agreed.
  if (settings.workspace === undefined) await first?.requireWorkspace();
  const question = `${verb[0]} ${pluralize(count, noun)}`;
  const isQuestion = !settings.dryRun.value && count > 0 && (count > 1 || needsConfirmation);
  // Nobody reads about them; what is sure to be refused, or needs --yes, is told all the same.
  if (isQuestion && (settings.yes.value || !prompter.available)) await run.confirm({ question, facts: [] });
  else if (isQuestion) {
    const looks = await countLooks(run, distinct);
    const pace = formatPaceNotice(run, count + looks);
    const { order, fields } = await rankChanges(distinct);
    const { heeded, summary } = await findWarnings(run, write, order);
    const sample = await describeSample(run, write, heeded, words);
    await run.confirm({
      question,
      facts: [
        ...facts,
        ...(count > 1 && fields !== '' ? [`fields     ${fields}`] : []),
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
  { verb, noun }: Pick<Write, 'verb' | 'noun'>,
  count: number,
  { maxChanges: raw }: Options,
): void {
  if (raw === undefined) return;
  if (!/^\d{1,9}$/.test(String(raw))) throw new UsageError(`--max-changes: "${raw}" is not a whole number`);
  if (count <= Number(raw)) return;
  throw new UsageError(
    `${pluralize(count, noun)} would be ${verb[1]}, but --max-changes allows ${Number(raw)}`,
  );
}

/**
 * The warnings of a dry run, where nothing is asked.
 * @returns what its results say of it, by key; undefined where it has nothing of that kind
 */
export async function noteWarnings(
  run: Run,
  write: ConfirmedWrite,
  { changes, words }: Pick<Selection, 'changes' | 'words'>,
): Promise<Changes['warnings']> {
  const { heeded, summary } = await findWarnings(run, write, listDistinct(changes));
  if (summary === undefined) return undefined;
  const flagged = heeded.filter(({ warnings }) => warnings?.length);
  const sample = await describeSample(run, write, flagged, words);
  const lines = sample.flatMap((cells, i) => [
    `  ${cells.filter(Boolean).join('  ')}`,
    ...(flagged[i]?.warnings?.map(({ text }) => `    ! ${text}`) ?? []),
  ]);
  if (flagged.length > SAMPLE_SIZE) lines.push(`  and ${flagged.length - SAMPLE_SIZE} more with warnings`);
  run.output.note([...lines, summary.replace(/\.?$/, '.')].join('\n'));
  const toWarnings = ({ warnings }: Heeded) => ({
    warnings: warnings?.map(({ code }) => code) ?? null,
    warning_messages: warnings?.map(({ text }) => text) ?? null,
  });
  return new Map(heeded.map((one) => [one.change.key, toWarnings(one)]));
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
  { prompter, settings }: Run,
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
  return { heeded: heeded.sort((a, b) => rank(a) - rank(b)), summary };
}

export const SAMPLE_SIZE = 5;

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
    return known.length === 0 ? words(change) : known;
  };
  return Promise.all(heeded.slice(0, SAMPLE_SIZE).map(describe));
}

/** Whether a person looks on: then the names behind ids are worth their requests. */
export function isWatched({ prompter, settings }: Run): boolean {
  return prompter.available && settings.output.value.shape === 'screen';
}
