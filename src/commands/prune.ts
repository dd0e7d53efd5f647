import { pluralize } from '../changes/run-summary.ts';
import type { Context } from '../context.ts';
import { UsageError } from '../outcome.ts';
import { toUtcDay } from '../parsing/calendar.ts';
import { parseDuration } from '../parsing/duration.ts';
import { printLocalChange } from './local-change.ts';

/** Removes runs that began before a day. */

export const olderThanFlag = {
  name: 'older-than',
  value: 'duration',
  about: 'only what is older than this, such as 180d or 26w; required',
  needed: {},
} as const;

/** @param singles whether single writes go too */
export const prune = async (
  context: Context,
  olderThan: string | undefined,
  singles: boolean,
): Promise<void> => {
  const { jobs, settings, confirm, clock } = context;
  if (olderThan === undefined) throw new UsageError('missing --older-than', { code: 'missing_value' });
  const service = await jobs();
  const before = toUtcDay(clock.now() - parseDuration(olderThan, '--older-than'));
  const what: readonly [string, string] = singles ? ['run', 'runs'] : ['bulk run', 'bulk runs'];
  const count = service.countOlder(before, singles);
  const plan = settings.dryRun.value;
  if (count > 0 && !plan) {
    await confirm({
      local: true,
      question: `remove ${pluralize(count, what)} begun before ${before}`,
      facts: ['They can no longer be shown, resumed or undone.'],
    });
  }
  const removed = plan ? 0 : await service.prune(before, singles);
  await printLocalChange(context, {
    record: { before, runs: plan ? count : removed },
    text: `${pluralize(removed, what)} removed`,
    inspectLine: singles ? 'ttctl history list' : 'ttctl jobs list',
  });
};
