import { findPrunable, pruneHistory } from '../changes/history.ts';
import { pluralize } from '../changes/report.ts';
import { openRuns } from '../changes/store.ts';
import type { Context } from '../context.ts';
import { UsageError } from '../errors.ts';
import { parseDuration, toUtcDay } from '../parsing/calendar.ts';
import { commandLine, placeholder } from '../parsing/shell-word.ts';
import { printLocalChange } from './local-change.ts';

/** Removes runs that began before a day, except those that could still be resumed. */

export const olderThanFlag = {
  name: 'older-than',
  value: 'duration',
  about: 'only what is older than this, such as 180d or 26w; required',
  needed: {},
} as const;

export const keptSection = {
  title: 'What is kept',
  text: 'A run that is not finished is named and kept, because it can still be resumed. To finish it: ttctl jobs resume <job>',
} as const;

export const prune = async (context: Context, olderThan: string | undefined): Promise<void> => {
  const { settings, confirm, clock } = context;
  if (olderThan === undefined) throw new UsageError('missing --older-than', { code: 'missing_value' });
  const store = openRuns(context);
  const before = toUtcDay(clock.now() - parseDuration(olderThan, '--older-than'));
  const what = ['run', 'runs'] as const;
  const { old, kept } = findPrunable(store, before);
  const count = old.length;
  const plan = settings.dryRun.value;
  noteKept(context, kept);
  if (count > 0 && !plan) {
    await confirm({
      local: true,
      question: `remove ${pluralize(count, what)} begun before ${before}`,
      facts: ['They can no longer be shown, resumed or undone.'],
    });
  }
  const removed = plan ? 0 : await pruneHistory(context, store, old);
  await printLocalChange(context, {
    record: { before, runs: plan ? count : removed, kept },
    text: `${pluralize(removed, what)} removed`,
    inspectLine: 'ttctl history list',
  });
};

const MAX_NAMED = 5;

const noteKept = ({ output }: Context, kept: readonly string[]): void => {
  const [id = ''] = kept;
  if (kept.length === 0) return;
  const named =
    kept.length > MAX_NAMED ? [...kept.slice(0, MAX_NAMED), `${kept.length - MAX_NAMED} more`] : kept;
  const [verb, job] = kept.length === 1 ? ['is', id] : ['are', placeholder('job')];
  output.note(
    `${pluralize(kept.length, ['bulk run', 'bulk runs'])} ${verb} unfinished and kept: ${named.join(', ')}`,
  );
  output.note(`To finish: ${commandLine`ttctl jobs resume ${job}`}`);
};
