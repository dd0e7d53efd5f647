import type { Context } from '../../context.ts';
import { Failure } from '../../outcome.ts';
import type { RunWords } from '../change.ts';
import type { RunLog } from '../run-log.ts';
import { formatResumeCommand } from './destination.ts';
import { createJobHeader, toJobRow, type WrittenChange } from './first-lines.ts';
import { createJobLog } from './log.ts';

/** The history of a write that is not one of several. */

export interface SingleLog extends RunLog {
  /** Of the run. */
  readonly id: string;
  /** Looks at what became of it, and sends it again only where it is shown not done. */
  readonly resumeLine: string;
}

/**
 * Writes a single write down when it is sent. Where that cannot be, people are told, and the write goes on.
 * @returns undefined where none is wanted
 */
export const createSingleLog = async (
  context: Context,
  words: RunWords,
  change: WrittenChange,
): Promise<SingleLog | undefined> => {
  const store = await context.jobs();
  if (!store.wanted || context.settings.dryRun.value) return undefined;
  // From here on the credential is known, and masked.
  await context.accessToken();
  const row = toJobRow(change, store.redact);
  const header = await createJobHeader(context, words, 1);
  const single = store.single((id) => [header(id), row]);
  const log = createJobLog(context, single, store);
  let isLost = false;
  const attempt = async (work: () => Promise<void>): Promise<void> => {
    if (isLost) return;
    try {
      await work();
    } catch (error) {
      if (!(error instanceof Failure)) throw error;
      isLost = true;
      context.output.warn(
        `not written to the history: ${[error.message, error.reason].filter(Boolean).join(': ')}`,
      );
    }
  };
  let isSent = false;
  return {
    id: single.id,
    resumeLine: formatResumeCommand(header(single.id)),
    beforeSend(change, known) {
      isSent = true;
      return attempt(() => log.beforeSend(change, known));
    },
    // What was not sent is no write.
    logResult: async (n, sent) => (isSent ? attempt(() => log.logResult(n, sent)) : undefined),
  };
};
