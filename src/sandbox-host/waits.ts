import type { Clock } from '../clock.ts';
import { UsageError } from '../outcome.ts';
import { isLoopback } from '../parsing/address.ts';
import type { Machine } from '../platform/machine.ts';
import { createRemoteControl } from '../sandbox/control-client.ts';
import { createEmbeddedControl } from '../sandbox/embedded-control.ts';
import { createFollowingClock } from '../sandbox/following-clock.ts';
import { createSandboxDisk } from './embedded.ts';

/** Waiting on a sandbox: its clock is moved on in place of sleeping (`TTCTL_SANDBOX_CLOCK=advance`). */

export interface WaitClockOptions {
  readonly machine: Machine;
  /** Root of the API that is waited for. */
  readonly base: string;
  /** State file of the embedded sandbox, where that answers. */
  readonly embedded: string | undefined;
  /** Default: over the network. */
  readonly open?: typeof createRemoteControl;
}

/** @throws UsageError */
const checkClockMode = (value: string): void => {
  if (value === 'advance') return;
  throw new UsageError(`TTCTL_SANDBOX_CLOCK must be "advance", not "${value}"`, {
    hint: 'It advances the clock of the sandbox instead of waiting.',
  });
};

/**
 * The clock to wait by. It is the machine's own, but for a sandbox of this machine that is the very one that the
 * requests go to: the embedded one, or a server at the same loopback address that knows this user's secret
 * and confirms each move (following-clock.ts). A real service is on no such address, and could confirm nothing.
 * @throws UsageError for an unknown value of the variable
 */
export const createWaitClock = async (options: WaitClockOptions): Promise<Clock> => {
  const { machine, base, embedded, open = createRemoteControl } = options;
  const { clock, env } = machine;
  checkClockMode(env.TTCTL_SANDBOX_CLOCK ?? '');
  if (embedded !== undefined)
    return createFollowingClock(clock, createEmbeddedControl(createSandboxDisk(embedded, clock)).control);
  const { protocol, hostname, origin } = new URL(base);
  const secret = env.TTCTL_SANDBOX_SECRET ?? '';
  if (protocol !== 'http:' || !isLoopback(hostname) || secret === '') return clock;
  return createFollowingClock(clock, open(origin, secret));
};
