import type { Session } from './auth/session.ts';
import type { Settings } from './config/settings.ts';
import { Failure } from './errors.ts';
import { openBudgets, withPacing } from './http/budget.ts';
import { planWrite, refuseWrite, type WaitNotice, withAuthorization, withBeforeSend } from './http/links.ts';
import { withRetries } from './http/retry.ts';
import { createHttpSender } from './http/send.ts';
import { type HttpRequest, isWrite, type Transport } from './http/transport.ts';
import type { RunRequests } from './platform/log.ts';
import type { Machine } from './platform/machine.ts';
import type { EmbeddedSandbox } from './sandbox-host/embedded.ts';

type FindBudget = ReturnType<typeof openBudgets>;

/** The transport chain of one run, link by link; the budget that all processes share, and how its waits are told. */

interface TransportChainOptions {
  readonly machine: Machine;
  readonly settings: Settings;
  readonly session: Session;
  /** Answers in place of the network: the embedded sandbox. */
  readonly embedded: Pick<EmbeddedSandbox, 'transport' | 'close' | 'state'> | undefined;
  /** Of the ledgers that all processes share. Undefined: no place is known for them. */
  readonly limitsDirectory: string | undefined;
  /** Asks before the first write to a protected profile. */
  readonly confirmWrite: () => Promise<void>;
  readonly requests: RunRequests;
  /** Tells a person why nothing happens: waiting for the rate limit, for a fault to pass. */
  readonly onWait: (wait: WaitNotice) => void;
  readonly warn: (text: string) => void;
}

/**
 * The links, the last one first: send, tracing (`--debug`, `--log`), withBeforeSend, withPacing, withAuthorization,
 * withRetries, numbers, and what a write needs. So what is sent again, after a 401 too, is paced and counted again.
 */
export class TransportChain {
  readonly transport: Transport;
  /** From now on the requests are some of very many: they let single commands pass. */
  isBulk = false;
  readonly #options: TransportChainOptions;
  readonly #findBudget: FindBudget | undefined;
  readonly #sender: { close(): Promise<void> };

  private constructor(options: TransportChainOptions, findBudget: FindBudget | undefined) {
    const { machine, settings, session, requests, onWait } = options;
    const { decide } = requests;
    const sender = options.embedded ?? createSender(machine, settings);
    this.#options = options;
    this.#findBudget = findBudget;
    this.#sender = sender;
    let link = withBeforeSend(requests.observe(sender.transport, settings.timeoutSeconds.value * 1000));
    if (findBudget !== undefined) link = withPacing(link, findBudget, () => this.isBulk);
    link = withAuthorization(link, session, decide);
    link = withRetries(link, {
      maxWaitMs: settings.maxWaitSeconds.value * 1000,
      clock: machine.clock,
      interrupt: machine.interrupted,
      onWait,
      decide,
    });
    this.transport = this.#guardWrites(requests.numbers.link(link));
  }

  static async open(options: TransportChainOptions): Promise<TransportChain> {
    return new TransportChain(options, await openRateLimit(options));
  }

  /**
   * A write is refused where the profile is read-only or its token may not write, waits for a person where the profile is
   * protected, and is ended by no first signal. In a dry run it is answered with what would have gone out: for every
   * command, known or not.
   */
  #guardWrites(next: Transport): Transport {
    const { machine, settings, session, confirmWrite, warn } = this.#options;
    const check = async ({ method, path }: HttpRequest): Promise<void> => {
      if (settings.readOnly.value) refuseWrite(settings.profile.value);
      await session.checkWriteScope(`${method} ${path}`);
    };
    const send: Transport = async (request) => {
      const answer = await next(request);
      if (answer.status === 403) await session.learnScopes(answer.body);
      return answer;
    };
    let isWarned = false;
    return async (request) => {
      if (!isWrite(request.method)) return send(request);
      if (!settings.dryRun.value) {
        await check(request);
        if (settings.protected.value) await confirmWrite();
        const say = () => undefined;
        return machine.exitNotices.during(say, () => send(request), true);
      }
      // Who may only read may look at a plan.
      if (!isWarned)
        await check(request).catch((error: unknown) => {
          if (!(error instanceof Failure)) throw error;
          warn(`the real run would be refused: ${error.message} (exit ${error.exit})`);
        });
      isWarned = true;
      return planWrite(request, machine.redactor);
    };
  }

  /** What is left of the limits, with what other processes use: `132 of 150 this minute, …`, or `off`. */
  async limits(base: string): Promise<{ readonly text: string; readonly waitMs: number }> {
    const authorization = `Bearer ${await this.#options.session.token()}`;
    const budget = this.#findBudget?.({ base, headers: { authorization } });
    return budget?.getRemaining() ?? { text: 'off', waitMs: 0 };
  }

  /** After the output: the embedded sandbox may have something to send, though not in a dry run. */
  async close(): Promise<void> {
    const { settings, embedded } = this.#options;
    if (settings.dryRun.value && embedded !== undefined) return;
    await this.#sender.close();
  }
}

function createSender(machine: Machine, settings: Settings) {
  return createHttpSender({
    timeoutMs: settings.timeoutSeconds.value * 1000,
    userAgent: `ttctl/${machine.version}`,
    interrupt: machine.interrupted,
    env: machine.env,
    clock: machine.clock,
  });
}

/** Finds the budget of a credential, which is shared with all processes of the user; undefined where nothing is limited. */
async function openRateLimit(options: TransportChainOptions): Promise<FindBudget | undefined> {
  const { machine, settings, embedded, limitsDirectory, onWait } = options;
  const { value: rate, from } = settings.rateLimit;
  const isFree =
    embedded !== undefined && from === 'default' && (await embedded.state.peek())?.limits !== true;
  if (rate === 'off' || isFree) return undefined;
  const log = (text: string): void => void machine.stderr.write(`limits: ${text}\n`).catch(() => {});
  return openBudgets({
    rate,
    directory: limitsDirectory,
    clock: machine.clock,
    timeoutMs: settings.timeoutSeconds.value * 1000,
    maxWaitMs: settings.maxWaitSeconds.value * 1000,
    onWait,
    interrupt: machine.interrupted,
    log: settings.debug.value ? log : undefined,
  });
}

function toSeconds(ms: number): number {
  return Math.max(1, Math.ceil(ms / 1000));
}

/** A second try is not the same news as the first, and less than a second is no time to be told. */
function formatWait({ ms, why, attempt }: WaitNotice): string {
  if (why !== 'fault') return `waiting ${toSeconds(ms)} s for the rate limit`;
  const time = ms < 1000 ? '' : ` in ${toSeconds(ms)} s`;
  return `retrying${time}${attempt > 1 ? `, attempt ${attempt + 1}` : ''}`;
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
    const text = formatWait(wait);
    let notedAt = before?.notedAt ?? Number.NEGATIVE_INFINITY;
    if (!showWait(text) && now() - notedAt >= NOTE_EVERY_MS) {
      note(text);
      notedAt = now();
    }
    told.set(isFault, { end, notedAt });
  };
}
