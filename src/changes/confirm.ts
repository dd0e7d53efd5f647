import type { Context } from '../context.ts';
import { UsageError } from '../outcome.ts';
import type { ChangeOfRun, Selection, Write } from './change.ts';
import { SAMPLE_SIZE } from './describe.ts';
import { describePace } from './pace-text.ts';
import { pluralize } from './run-summary.ts';

/** What stands between checked changes and the first request: `--max-changes`, and the question. */

const mostChanges = (raw: unknown): number => {
  if (raw === undefined) return Number.POSITIVE_INFINITY;
  if (!/^\d{1,9}$/.test(String(raw))) throw new UsageError(`--max-changes: "${raw}" is not a whole number`);
  return Number(raw);
};

type Options = Readonly<Record<string, unknown>>;

type About = Pick<Write, 'verb' | 'noun' | 'asks'>;

/**
 * @param options `maxChanges` as commander parsed it
 * @throws UsageError for more than `--max-changes` allows
 */
export const checkCount = ({ verb, noun }: About, count: number, options: Options): void => {
  const most = mostChanges(options.maxChanges);
  if (count <= most) return;
  throw new UsageError(`${pluralize(count, noun)} would be ${verb[1]}, and --max-changes allows ${most}`);
};

/**
 * Before records are read or looked up for a question: where nobody can be asked it is not put off so long.
 * @param count of what would be written; all: as many as a list has
 * @throws UsageError where it would be asked about, nobody can be asked, and no `--yes` answers
 */
export const checkAnswerable = async (
  { settings, prompter, confirm }: Context,
  { verb, noun, asks = false }: About,
  count: number | 'all',
): Promise<void> => {
  const none = count === 0 || (count === 1 && !asks);
  if (none || prompter.available || settings.yes.value || settings.dryRun.value) return;
  const what = count === 'all' ? `all matching ${noun[1]}` : pluralize(count, noun);
  await confirm({ question: `${verb[0]} ${what}`, facts: [], sample: [], more: 0 });
};

/** Those that will be sent: the first of each key. */
const distinct = (changes: readonly ChangeOfRun[]): readonly ChangeOfRun[] => {
  const first = new Map<string, ChangeOfRun>();
  for (const change of changes) if (!first.has(change.key)) first.set(change.key, change);
  return [...first.values()];
};

/**
 * @param options `maxChanges` as commander parsed it
 * @returns whether a person was asked, and so has read how long it takes
 * @throws UsageError for more than `--max-changes` allows, without a workspace, or when nobody can be asked;
 *   Cancelled when declined
 */
export const confirmChanges = async (
  context: Context,
  work: About,
  { changes, words, facts }: Selection,
  options: Options,
): Promise<boolean> => {
  const { verb, noun, asks = false } = work;
  const { settings } = context;
  const all = distinct(changes);
  const count = all.length;
  checkCount(work, count, options);
  // What the first lacks they all lack.
  const first = all[0]?.call;
  // A name is looked up later: nothing is asked of the service before somebody has agreed.
  if (settings.workspace === undefined) await first?.ready();
  if (settings.dryRun.value || count === 0 || (count === 1 && !asks)) {
    await first?.ready();
    return false;
  }
  const sample = all.slice(0, SAMPLE_SIZE).map(words);
  await context.confirm({
    question: `${verb[0]} ${pluralize(count, noun)}`,
    facts: [...facts, ...describePace(context, count)],
    sample,
    more: count - sample.length,
  });
  await first?.ready();
  return context.prompter.available && !settings.yes.value;
};
