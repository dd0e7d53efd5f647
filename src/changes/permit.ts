import type { Call } from '../api/client.ts';
import type { Context } from '../context.ts';
import { UsageError } from '../outcome.ts';
import { paceFacts } from './pace-words.ts';
import { plural } from './tally.ts';

/** What stands between checked rows and the first request: `--max-changes`, and the question. */

export interface Permission {
  /** Imperative and past: `['approve', 'approved']`. */
  readonly verb: readonly [string, string];
  /** One and many: `['timesheet', 'timesheets']`. */
  readonly noun: readonly [string, string];
  /** Whether one alone asks too: it destroys or decides. */
  readonly asks: boolean;
  /** Lines of the question, above the sample: the project meant, that there is no way back. */
  readonly facts: readonly string[];
  /** How many writes it will be. */
  readonly count: number;
  /** The first of them: what it lacks they all lack. Absent where there are none. */
  readonly first: Call | undefined;
  /** One of them in a few words, from 0. */
  readonly words: (index: number) => readonly string[];
}

/** So many are shown before the question. */
export const SAMPLE = 5;

const mostChanges = (raw: unknown): number => {
  if (raw === undefined) return Number.POSITIVE_INFINITY;
  if (!/^\d{1,9}$/.test(String(raw))) throw new UsageError(`--max-changes: "${raw}" is not a whole number`);
  return Number(raw);
};

/**
 * Before records are read or looked up for a question: where nobody can be asked it is not put off so long.
 * @param count of what would be written; all: as many as a list has
 * @throws UsageError where it would be asked about, nobody can be asked, and no `--yes` answers
 */
export const permitUnread = async (
  { settings, prompter, confirm }: Context,
  { verb, noun, asks }: Pick<Permission, 'verb' | 'noun' | 'asks'>,
  count: number | 'all',
): Promise<void> => {
  const none = count === 0 || (count === 1 && !asks);
  if (none || prompter.available || settings.yes.value || settings.dryRun.value) return;
  const what = count === 'all' ? `all ${noun[1]} that are found` : plural(count, noun);
  await confirm({ question: `${verb[0]} ${what}`, facts: [], sample: [], more: 0 });
};

/**
 * @param options `maxChanges` as commander parsed it
 * @returns whether a person was asked, and so has read how long it takes
 * @throws UsageError for more than `--max-changes` allows, without a workspace, or when nobody can be asked;
 *   Cancelled when declined
 */
export const permit = async (
  context: Context,
  { verb, noun, asks, facts, count, first, words }: Permission,
  options: Readonly<Record<string, unknown>>,
): Promise<boolean> => {
  const most = mostChanges(options.maxChanges);
  if (count > most) {
    throw new UsageError(`${plural(count, noun)} would be ${verb[1]}, and --max-changes allows ${most}`);
  }
  const { settings } = context;
  // A name is looked up later: nothing is asked of the service before somebody has agreed.
  if (settings.workspace === undefined) await first?.ready();
  if (settings.dryRun.value || count === 0 || (count === 1 && !asks)) {
    await first?.ready();
    return false;
  }
  const sample = Array.from({ length: Math.min(count, SAMPLE) }, (_, index) => words(index));
  await context.confirm({
    question: `${verb[0]} ${plural(count, noun)}`,
    facts: [...facts, ...paceFacts(context, count)],
    sample,
    more: count - sample.length,
  });
  await first?.ready();
  return context.prompter.available && !settings.yes.value;
};
