import { join } from 'node:path';
import { Readable } from 'node:stream';
import type { Row } from '../api/page.ts';
import { pluralize } from '../changes/report.ts';
import { UsageError } from '../errors.ts';
import { safeJson } from '../output/safe-text.ts';
import { formatDuration } from '../parsing/calendar.ts';
import { type CommandLine, createCommandTemplate } from '../parsing/shell-word.ts';
import { isLoopback } from '../parsing/text.ts';
import type { Run } from '../run.ts';
import { withLock } from '../storage/lock.ts';
import {
  type Delivery,
  type ForwardingState,
  type ReceivedRequest,
  toDelivery,
  toLiveRow,
} from './delivery.ts';
import {
  describeOutcome,
  type ForwardingOptions,
  type ForwardingOutcome,
  forwardDelivery,
} from './forward.ts';
import { type DeliveryReply, type DeliveryServer, SHUTTING_DOWN, serveDeliveries } from './server.ts';
import { verifySignature } from './signature.ts';
import { type DeliveryStore, listLeft, openStore } from './store.ts';

/** What happens to a delivery: it is judged, kept, answered, forwarded until it is accepted, shown; in this order. */

export interface ListenerOptions extends ForwardingOptions {
  readonly host: string;
  /** 0 means any free port. */
  readonly port: number;
  /** Undefined: every path is taken. */
  readonly path: string | undefined;
  /** Folder; undefined: `webhooks` of the state directory. */
  readonly store: string | undefined;
  /** Only these are shown and forwarded; all are kept. Empty: every one. */
  readonly events: readonly string[];
  /** The sender gets the status of `forward`. */
  readonly forwardStatus: boolean;
  /** The sender gets its 2xx only once it was accepted; else 503. */
  readonly answerAfterHandler: boolean;
  /** Without a valid signature: 401, and it is not kept. */
  readonly requireSignature: boolean;
  /** Refuses what nothing shows to come from the service; a signature in an unknown format is left to be judged. */
  readonly refuseUnsigned: boolean;
}

const KEPT: DeliveryReply = { status: 200, text: 'kept' };

const [SECOND, MINUTE, HOUR] = [1000, 60_000, 3_600_000];
/** Between the attempts to forward one. */
const WAITS_MS = [...[5 * SECOND, 30 * SECOND, 2 * MINUTE, 10 * MINUTE], ...[HOUR, HOUR, HOUR, HOUR, HOUR]];

/** Deliveries that a program gets at the same time; commands run one after the other, in the order they came. */
const MAX_AT_ONCE = 8;

/**
 * Listens for as long as the work lasts. One listener at a time forwards what is in a folder: another could not tell
 * what is under way from what was left.
 * @throws UsageError for a forward that leads back; Failure (exit 1) where port or folder cannot be had
 */
export async function withReceiver(
  run: Run,
  listener: ListenerOptions,
  work: (receiver: Receiver) => Promise<void>,
): Promise<void> {
  const { clock, interrupted: signal } = run.machine;
  const store = openStore(run, listener.store);
  store.prepare(clock.now());
  const receiver = new Receiver(run, listener, store);
  const listen = async (): Promise<void> => {
    try {
      await receiver.open();
      await work(receiver);
    } finally {
      await receiver.close();
    }
  };
  if (!receiver.forwards) await listen();
  else await withLock(join(store.folder, 'forwarding'), clock, listen, { timeoutMs: 1000, signal });
}

/** One that has just come, and what became of it. */
interface LiveFacts extends ForwardingOutcome {
  /** Whether its sender had sent it before. */
  readonly repeat: boolean;
  /** How many attempts to forward it this listener has begun; 0: it is not to be. */
  readonly attempts: number;
}

/** What became of an attempt, and of the delivery. */
interface Attempt extends ForwardingOutcome {
  readonly state: ForwardingState;
}

export class Receiver {
  /** `http://127.0.0.1:4748/`: where a sender on this machine reaches it. */
  url = '';
  readonly listener: ListenerOptions;
  readonly forwards: boolean;
  /** What comes, and a row for each attempt to forward it; they end with `close`. */
  readonly rows = new Readable({ objectMode: true, read() {} });
  /** Keys of what is left to the next listener, after `close`. */
  readonly left = new Set<string>();

  readonly #context: Run;
  readonly #store: DeliveryStore;
  /** By the clock that senders sign by: milliseconds since the epoch. */
  #getSigningTime = async (): Promise<number> => this.#context.clock.now();
  /** Aborted: no attempt is begun any more. */
  readonly #stop = new AbortController();
  /** Keys of what is forwarded until it is accepted. */
  readonly #busy = new Set<string>();
  readonly #tasks = new Set<Promise<unknown>>();
  /** How many attempts may begin at once, and those that wait for their turn. */
  #free: number;
  readonly #waiting: (() => void)[] = [];
  #server: DeliveryServer | undefined;
  #isHinted = false;
  #begin: (known: { readonly token: string | undefined } | undefined) => void = () => {};
  /** Senders wait until it is known by which token they are judged. Undefined: it ends before that. */
  readonly #begun = new Promise<{ readonly token: string | undefined } | undefined>((resolve) => {
    this.#begin = resolve;
  });

  constructor(run: Run, listener: ListenerOptions, store: DeliveryStore) {
    this.#context = run;
    this.listener = listener;
    this.#store = store;
    this.forwards = listener.forward !== undefined || listener.exec !== undefined;
    this.#free = listener.exec === undefined ? MAX_AT_ONCE : 1;
  }

  /** Binds the port; nothing is answered before `begin`. @throws as `withReceiver` */
  async open(): Promise<void> {
    const { host, path = '/', forward } = this.listener;
    const { embedded, baseUrl } = this.#context.settings;
    if (embedded || (baseUrl !== undefined && isLoopback(new URL(baseUrl.value).hostname))) {
      const { createSigningTime } = await import('../sandbox-host/host.ts');
      this.#getSigningTime = createSigningTime(this.#context);
    }
    this.#server = await serveDeliveries({ ...this.listener, receive: (arrival) => this.#receive(arrival) });
    const { port } = this.#server;
    const target = forward === undefined ? undefined : new URL(forward);
    // What comes back again and again would be forwarded for ever.
    if (target?.port === String(port) && (isLoopback(target.hostname) || isWild(target.hostname)))
      throw new UsageError('--forward names this listener itself', { hint: 'Choose another --port.' });
    const name = isWild(host) ? '127.0.0.1' : host.includes(':') ? `[${host}]` : host;
    this.url = `http://${name}:${port}${path}`;
  }

  /**
   * Takes what comes until Ctrl-C, and forwards what earlier listeners left. Says on stderr where it listens.
   * @param token the secret of the webhook; absent: signatures cannot be checked
   * @param facts beside those of the listener, for programs
   */
  begin(token: string | undefined, facts: Row = {}): void {
    const { output, settings, interrupted, machine } = this.#context;
    if (token !== undefined) machine.redactor.register(token);
    const { listener, url } = this;
    const { folder } = this.#store;
    const ready = { url, host: listener.host, port: this.#server?.port, store: folder, ...facts };
    if (settings.output.value.errorsAsJson && !settings.quiet.value)
      void machine.stderr.write(`${safeJson({ listening: machine.redactor.json(ready) })}\n`).catch(() => {});
    output.note(`Listening on ${url}`);
    this.#noteExposure(token);
    output.note(`Deliveries are stored in ${folder}. Press Ctrl-C to stop.`);
    const left = this.forwards ? listLeft(this.#context, listener.store) : [];
    const wanted = left.filter(({ event }) => this.#isWanted(event));
    for (const { key } of wanted) void this.#forward(String(key), false, true);
    if (wanted.length > 0)
      output.note(`Forwarding ${pluralize(wanted.length, ['delivery', 'deliveries'])} not accepted before.`);
    interrupted.addEventListener('abort', () => void this.close(), { once: true });
    if (interrupted.aborted) void this.close();
    this.#begin({ token });
  }

  /** Answers what has come in, ends the attempts that have begun, and ends the rows. */
  async close(): Promise<void> {
    this.#begin(undefined);
    this.#stop.abort();
    await this.#server?.close();
    await Promise.all(this.#tasks);
    this.rows.push(null);
  }

  async #receive(arrival: ReceivedRequest): Promise<DeliveryReply> {
    const begun = await this.#begun;
    if (begun === undefined) return SHUTTING_DOWN;
    const { requireSignature, refuseUnsigned } = this.listener;
    const signature = verifySignature(arrival, begun.token, await this.#getSigningTime());
    const { state, detail } = signature;
    const isUnsigned = state === 'invalid' || (state === 'none' && detail === undefined);
    if ((requireSignature && state !== 'valid') || (refuseUnsigned && isUnsigned)) {
      this.#context.output.note(`Refused: signature ${state}${detail === undefined ? '' : ` (${detail})`}`);
      return { status: 401, text: 'a valid signature is required' };
    }
    try {
      return await this.#keep(toDelivery(arrival, this.#context.clock.now(), signature));
    } catch (error) {
      await reportFailure(this.#context, error);
      return { status: 503, text: 'it could not be stored; send it again' };
    }
  }

  /** @throws Failure (exit 1) where it cannot be on the disk */
  async #keep(delivery: Delivery): Promise<DeliveryReply> {
    const isWanted = this.#isWanted(delivery.event);
    const state = isWanted && this.forwards ? 'pending' : null;
    const repeat = this.#store.keep({ ...delivery, state }) === 'repeat';
    if (!isWanted) return KEPT;
    if (!this.forwards) {
      this.#show(delivery, { repeat, attempts: 0 });
      return KEPT;
    }
    // A repeat too: whoever sends again has not seen that it went well.
    const attempt = this.#forward(delivery.key, repeat);
    const { forwardStatus, answerAfterHandler } = this.listener;
    return forwardStatus || answerAfterHandler ? toReply(await attempt, forwardStatus) : KEPT;
  }

  #isWanted(event: unknown): boolean {
    const { events } = this.listener;
    return events.length === 0 || events.some((one) => one === event);
  }

  #show(delivery: Delivery, facts: LiveFacts): void {
    this.rows.push(toLiveRow(delivery, facts, this.#context.machine.redactor));
  }

  /**
   * Forwards it until it is accepted, ten times at most. One that is under way already is tried once beside that.
   * @param again whether the program may have had it before
   * @returns the first attempt; undefined: there was none, as the listener ends
   */
  #forward(key: string, repeat: boolean, again = repeat): Promise<Attempt | undefined> {
    const first = this.#attempt(key, 1, repeat, again);
    const task = this.#busy.has(key) ? first : this.#retry(key, first);
    this.#tasks.add(task);
    void task.finally(() => this.#tasks.delete(task));
    return first;
  }

  async #retry(key: string, first: Promise<Attempt | undefined>): Promise<void> {
    this.#busy.add(key);
    let last = await first;
    for (let attempts = 1; last?.state === 'pending'; attempts += 1) {
      await this.#context.clock.sleep(WAITS_MS[attempts - 1] ?? HOUR, this.#stop.signal).catch(() => {});
      last = await this.#attempt(key, attempts + 1, false, true);
    }
    this.#busy.delete(key);
  }

  /**
   * Forwards it once, when it has its turn. Never rejects.
   * @returns undefined: there is nothing to forward any more, or the listener ends
   */
  async #attempt(
    key: string,
    attempts: number,
    repeat: boolean,
    again: boolean,
  ): Promise<Attempt | undefined> {
    if (this.#free > 0) this.#free -= 1;
    else await new Promise<void>((begin) => this.#waiting.push(begin));
    try {
      const delivery = this.#store.read(key);
      // Somebody may have replayed or removed it meanwhile.
      if (delivery === undefined || (attempts > 1 && delivery.state === 'accepted')) return undefined;
      if (this.#stop.signal.aborted) {
        if (delivery.state !== 'accepted') this.left.add(key);
        return undefined;
      }
      const how = { repeat: again, replay: false };
      const outcome = await forwardDelivery(this.#context, delivery, this.listener, how);
      const isAccepted = describeOutcome(outcome).failure === undefined || delivery.state === 'accepted';
      const isLast = attempts > WAITS_MS.length && !this.#context.interrupted.aborted;
      const state = isAccepted ? 'accepted' : isLast ? 'failed' : 'pending';
      try {
        this.#store.mark(key, state);
      } catch (error) {
        // The next listener forwards it once more.
        await reportFailure(this.#context, error);
      }
      this.#show({ ...delivery, state }, { repeat, attempts, ...outcome });
      if (state === 'pending') this.#hint(delivery, attempts);
      return { ...outcome, state };
    } catch (error) {
      await reportFailure(this.#context, error);
      return { state: 'pending' };
    } finally {
      const next = this.#waiting.shift();
      if (next === undefined) this.#free += 1;
      else next();
    }
  }

  /** What whoever lets other machines in has to know. */
  #noteExposure(token: string | undefined): void {
    const { host, requireSignature } = this.listener;
    const { output } = this.#context;
    if (isLoopback(host.includes(':') ? `[${host}]` : host)) return;
    const where = isWild(host) ? 'all addresses of this machine' : host;
    output.note(`Other machines can reach the listener: it listens on ${where}.`);
    if (token === undefined)
      output.note(
        'Signatures are not verified, so anyone can send deliveries. To verify them, add --webhook, --create or --token-stdin.',
      );
    else if (!requireSignature)
      output.note('To refuse all deliveries without a valid signature, add --require-signature.');
  }

  /** Of the first that failed: how to forward it at once, to where it was to go. */
  #hint({ key }: Delivery, attempts: number): void {
    if (this.#isHinted || this.#stop.signal.aborted) return;
    this.#isHinted = true;
    const replay = createReplayTemplate(this.listener)`ttctl webhooks replay ${key.slice(0, 12)}`;
    const { output, machine } = this.#context;
    const wait = formatDuration((WAITS_MS[attempts - 1] ?? HOUR) / 1000);
    output.note(
      `Not forwarded. Next attempt in ${wait}, or when the next listener starts. Forward it again with: ${machine.redactor.text(replay)}`,
    );
  }
}

/** Command lines that forward to where a listener does. */
export function createReplayTemplate({ store, forward, exec, passEnv }: ListenerOptions): CommandLine {
  const flags = Object.entries({ store, forward, exec }).flatMap(([name, value]) =>
    value === undefined ? [] : [`--${name}`, value],
  );
  return createCommandTemplate([...flags, ...passEnv.flatMap((name) => ['--pass-env', name])]);
}

function isWild(host: string): boolean {
  return /^(0\.0\.0\.0|\[?::\]?)$/.test(host);
}

/** What the sender is told after the first attempt. */
function toReply(attempt: Attempt | undefined, forwardStatus: boolean): DeliveryReply {
  if (attempt === undefined) return { status: 503, text: 'stored, but not forwarded yet' };
  const { words, failure } = describeOutcome(attempt);
  const { forward } = attempt;
  if (forwardStatus && forward?.status !== undefined) {
    const { status } = forward;
    // A redirect would lead the sender elsewhere.
    const isFinal = (status >= 200 && status < 300) || status >= 400;
    return { status: isFinal ? status : 502, text: `stored and forwarded: ${status}` };
  }
  if (failure === undefined) return { status: 200, text: 'stored and forwarded' };
  return { status: forwardStatus ? 502 : 503, text: `stored, but not forwarded: ${words}` };
}

/** Says that something failed though the listener goes on: with `--quiet` too. */
async function reportFailure({ settings, machine }: Run, error: unknown): Promise<void> {
  const { renderFailure, renderFailureJson } = await import('../output/errors.ts');
  const lines = settings.output.value.errorsAsJson
    ? [renderFailureJson(error)]
    : await renderFailure(error, { colour: false, debug: settings.debug.value });
  await machine.stderr.write(`${machine.redactor.text(lines.join('\n'))}\n`).catch(() => {});
}
