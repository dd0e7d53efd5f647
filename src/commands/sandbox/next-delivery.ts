import type { Context } from '../../context.ts';
import { formatDuration } from '../../parsing/duration.ts';

type SandboxControl = ReturnType<Awaited<ReturnType<Context['sandbox']>>['control']>;

/** Why there is nothing to send, and when there will be, by the sandbox's clock. */
export const describeNextDelivery = async (control: SandboxControl): Promise<string> => {
  const [deliveries, clock] = await Promise.all([control.deliveries({}), control.clock()]);
  const [at] = deliveries.flatMap(({ next_attempt_at }) => next_attempt_at ?? []).sort();
  if (at === undefined) return 'No delivery is waiting.';
  const seconds = Math.ceil((Date.parse(at) - Date.parse(clock.now)) / 1000);
  // Due, and nothing was sent: another process has it.
  if (seconds <= 0) return 'No delivery is due; the next one is being sent.';
  const next = `No delivery is due; the next one is in ${formatDuration(seconds)}.`;
  return clock.frozen ? `${next} The clock of the sandbox is frozen.` : next;
};
