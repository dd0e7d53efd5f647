import type { Session } from './auth/session.ts';
import type { Settings } from './config/settings.ts';
import { Failure } from './errors.ts';
import { Budget, withPacing } from './http/budget.ts';
import {
  planWrite,
  refuseWrite,
  type WaitNotice,
  withAuthorization,
  withBeforeSend,
  withRetries,
} from './http/links.ts';
import { createHttpSender } from './http/send.ts';
import { isWrite, type Transport } from './http/transport.ts';
import type { RunRequests } from './platform/log.ts';
import type { Machine } from './platform/machine.ts';
import type { EmbeddedSandbox } from './sandbox-host/embedded.ts';

/** The transport chain of one run, link by link; the budget that all processes share, and how its waits are told. */

interface ChainOptions {
  readonly machine: Machine;
  readonly settings: Settings;
  readonly session: Session;
  readonly embedded: Pick<EmbeddedSandbox, 'transport' | 'close' | 'state'> | undefined;
  readonly limitsDirectory: string | undefined;
  readonly requests: RunRequests;
  readonly onWait: (wait: WaitNotice) => void;
  readonly warn: (text: string) => void;
}

/**
 * The links, the last one first: send, tracing (`--debug`, `--log`), withBeforeSend, withPacing, withAuthorization,
 * withRetries, numbers, and what a write needs. So what is sent again, after a 401 too, is paced and counted again.
 */
export async function openChain(options: ChainOptions) {
  const { machine, settings, session, requests, onWait, embedded } = options;
  const { clock, env, interrupted: interrupt } = machine;
  const { value: rate, from } = settings.rateLimit;
  const timeoutMs = settings.timeoutSeconds.value * 1000;
  const maxWaitMs = settings.maxWaitSeconds.value * 1000;
  const userAgent = `ttctl/${machine.version}`;
  const sender = embedded ?? createHttpSender({ timeoutMs, userAgent, interrupt, env, clock });
  let link = withBeforeSend(requests.observe(sender.transport));
  const log = (text: string): void => void machine.stderr.write(`limits: ${text}\n`).catch(() => {});
  // The embedded sandbox has no limits unless they were asked for.
  const isFree = embedded && from === 'default' && (await embedded.state.peek())?.limits !== true;
  const budget =
    rate === 'off' || isFree
      ? undefined
      : new Budget({
          ...{ rate, clock, timeoutMs, maxWaitMs, onWait, interrupt, directory: options.limitsDirectory },
          log: settings.debug.value ? log : undefined,
        });
  if (budget !== undefined) link = withPacing(link, budget, () => chain.isBulk);
  link = withAuthorization(link, session, requests.decide);
  link = withRetries(link, { maxWaitMs, clock, interrupt, onWait, decide: requests.decide });
  const chain = {
    transport: guardWrites(requests.link(link), options),
    /** Set once the requests are some of very many: from then on they let single commands pass. */
    isBulk: false,
    /** What is left of the limits, with what other processes use: `132 of 150 this minute, …`, or `off`. */
    async limits(base: string) {
      const authorization = `Bearer ${await session.token()}`;
      return budget?.getRemaining({ base, headers: { authorization } }) ?? { text: 'off', waitMs: 0 };
    },
    /** After the output: the embedded sandbox may have something to send, though not in a dry run. */
    async close() {
      if (!settings.dryRun.value || embedded === undefined) await sender.close();
    },
  };
  return chain;
}

/**
 * A write is refused where the profile is read-only or its token may not write, and is ended by no first signal. In a
 * dry run it is answered with what would have gone out: for every command, known or not.
 */
function guardWrites(next: Transport, { machine, settings, session, warn }: ChainOptions): Transport {
  const isPlanned = settings.dryRun.value;
  let isWarned = false;
  return async (request) => {
    const { method, path } = request;
    if (!isWrite(method)) return next(request);
    try {
      if (settings.readOnly.value) refuseWrite(settings);
      if (!isWarned) await session.checkWriteScope(`${method} ${path}`);
    } catch (error) {
      // Who may only read may look at a plan.
      if (!isPlanned || !(error instanceof Failure)) throw error;
      if (!isWarned) warn(`the real run would be refused: ${error.message} (exit ${error.exit})`);
    }
    isWarned = isPlanned;
    if (isPlanned) return planWrite(request, machine.redactor);
    const release = machine.exitNotices.hold(true);
    return next(request).finally(release);
  };
}

/** A later end of the same wait is news from so much on. */
const REPEAT_NOTICE_MS = 10_000;
/** Where no line can change, waits of a kind are told so often: a log has one line a minute. */
const NOTE_EVERY_MS = 60_000;

/**
 * Says that something is waited for: once, however many requests wait for the same.
 * @param showWait a line that changes, at a terminal; false where there is none
 */
export function createWaitNotifier(
  showWait: (text: string) => boolean,
  note: (text: string) => void,
  now: () => number,
): (wait: WaitNotice) => void {
  /** By whether it is a fault: when the wait that was told ends, and when the last note was. */
  const told = new Map<boolean, { readonly end: number; readonly notedAt: number }>();
  return (wait) => {
    const end = now() + wait.ms;
    const isFault = wait.why === 'fault';
    const before = told.get(isFault);
    if (before !== undefined && now() < before.end && end < before.end + REPEAT_NOTICE_MS) return;
    const seconds = `${Math.max(1, Math.ceil(wait.ms / 1000))} s`;
    // A second try is not the same news as the first, and less than a second is no time to be told.
    const retry = `retrying${wait.ms < 1000 ? '' : ` in ${seconds}`}`;
    const again = wait.attempt > 1 ? `, attempt ${wait.attempt + 1}` : '';
    const text = isFault ? `${retry}${again}` : `waiting ${seconds} for the rate limit`;
    let notedAt = before?.notedAt ?? Number.NEGATIVE_INFINITY;
    if (!showWait(text) && now() - notedAt >= NOTE_EVERY_MS) {
      note(text);
      notedAt = now();
    }
    told.set(isFault, { end, notedAt });
  };
}
