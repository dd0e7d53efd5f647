import { createHmac } from 'node:crypto';
import type http from 'node:http';
import type { MachineClock } from '../basics.ts';
import { toSandboxTime } from '../state.ts';
import type { SandboxStore } from '../store.ts';
import type { Attempt } from '../world.ts';
import * as deliveries from './deliveries.ts';

/** Sends what is due: those of one webhook in their order, those of several at the same time. */

interface DeliverySenderOptions {
  readonly store: Pick<SandboxStore, 'use' | 'peek'>;
  readonly clock: MachineClock;
  /** What waits for the next attempt. */
  readonly timers: MachineClock;
  /** Hosts beside this machine that may be sent to. */
  readonly allowed: readonly string[];
  /** Ends what is on its way; it stays pending. */
  readonly signal: AbortSignal;
  readonly send?: typeof postDelivery;
}

export type DeliverySender = ReturnType<typeof createDeliverySender>;

/** Timers of Node reach no further than 24 days. */
const MAX_TIMER_MS = 24 * 3_600_000;
/** After a round that failed: a full disk is not stormed. */
const FAULT_DELAY_MS = 5_000;

export function createDeliverySender(options: DeliverySenderOptions) {
  const { store, clock, timers, signal } = options;
  const sending = new Map<string, Promise<void>>();
  const rounds = new Set<Promise<void>>();
  let timer = new AbortController();

  /**
   * Sends until nothing is due.
   * @param deadline the machine's time, ms, by which all is to be over
   * @throws Problem where the state cannot be written
   */
  async function run(deadline = Number.POSITIVE_INFINITY): Promise<void> {
    for (;;) {
      const world = await store.peek();
      if (world === undefined || signal.aborted || clock.now() >= deadline) break;
      const due = deliveries.listDue(world, toSandboxTime(world, clock.now()));
      const webhooks = new Set(due.map((one) => one.webhook_id));
      if (webhooks.size === 0) break;
      for (const webhook of webhooks) {
        if (sending.has(webhook)) continue;
        const work = sendDueDeliveries(webhook, options, deadline);
        sending.set(
          webhook,
          work.finally(() => sending.delete(webhook)),
        );
      }
      await Promise.all([...webhooks].map((webhook) => sending.get(webhook)));
    }
    await Promise.all(sending.values());
  }

  async function schedule(minDelay: number): Promise<void> {
    timer.abort();
    const own = new AbortController();
    timer = own;
    const world = await store.peek();
    const delay = world && deliveries.getNextDelay(world, toSandboxTime(world, clock.now()));
    if (delay === undefined || signal.aborted || own.signal.aborted) return;
    const ms = Math.min(Math.max(delay, minDelay), MAX_TIMER_MS);
    timers.sleep(ms, AbortSignal.any([own.signal, signal])).then(wake, () => {});
  }

  /** Looks at once what is due, and again when the next attempt is: something was put down, the clock was moved. */
  function wake(): void {
    if (signal.aborted) return;
    timer.abort();
    const round = run()
      .then(
        () => 0,
        () => FAULT_DELAY_MS,
      )
      .then((minDelay) => {
        rounds.delete(round);
        return schedule(minDelay).catch(() => {});
      });
    rounds.add(round);
  }

  /** Resolves once nothing is due and nothing on its way. */
  async function idle(deadline?: number): Promise<void> {
    while (rounds.size > 0) await Promise.all(rounds);
    await run(deadline);
  }

  return { run, wake, idle };
}

/** Sends what is due for one webhook, one after the other. Each is written down as the next one is taken. */
async function sendDueDeliveries(
  webhook: string,
  { store, clock, signal, allowed, send = postDelivery }: DeliverySenderOptions,
  deadline: number,
): Promise<void> {
  /** `attempt` is undefined where it was interrupted. */
  let previous: { readonly id: string; readonly attempt: Attempt | undefined } | undefined;
  for (;;) {
    const claim = await store.use((world, save) => {
      const now = toSandboxTime(world, clock.now());
      const hasDue = deliveries.listDue(world, now).some((delivery) => delivery.webhook_id === webhook);
      if (previous !== undefined) deliveries.recordAttempt(world, previous.id, previous.attempt, now);
      if (hasDue || previous !== undefined) save();
      const isOver = signal.aborted || clock.now() >= deadline;
      const taken = isOver ? undefined : deliveries.claimDelivery(world, webhook, now, allowed);
      return taken && { ...taken, now };
    });
    if (claim === undefined) return;
    const { id, url, body, now } = claim;
    const startedAt = clock.now();
    const timestamp = Math.floor(now / 1_000);
    const headers = {
      'content-type': 'application/json',
      'user-agent': 'ttctl-sandbox',
      'webhook-id': id,
      'webhook-timestamp': String(timestamp),
      'webhook-signature': signDelivery(claim.token, { id, timestamp, body }),
    };
    const timeoutMs = Math.min(deliveries.ATTEMPT_MS, deadline - startedAt);
    const { status, answer, fault } = await send({ url, headers, body, timeoutMs, signal, clock });
    let reason: string | null = `answered with ${status}`;
    if (status === null) reason = fault ?? 'no response arrived';
    else if (status >= 200 && status < 300) reason = null;
    else if (status >= 300 && status < 400) reason += ': redirects are not followed';
    else if (status === 410) reason += ': the receiver wants no more deliveries';
    const attempt = { at: new Date(now).toISOString(), url, headers, status, reason, answer };
    const isInterrupted = status === null && signal.aborted;
    previous = {
      id,
      attempt: isInterrupted ? undefined : { ...attempt, duration_ms: clock.now() - startedAt },
    };
  }
}

/**
 * `v1,<base64 of the HMAC-SHA-256 of "id.timestamp.body">`
 * @param token the key is what stands after `whsec_`, decoded; a token that is no such text is itself the key
 * @param signed `timestamp` in seconds since the epoch
 */
export function signDelivery(
  token: string,
  { id, timestamp, body }: { readonly id: string; readonly timestamp: number; readonly body: string },
): string {
  const pattern = /^whsec_((?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?)$/;
  const encoded = pattern.exec(token)?.[1];
  const key = encoded ? Buffer.from(encoded, 'base64') : Buffer.from(token, 'utf8');
  return `v1,${createHmac('sha256', key).update(`${id}.${timestamp}.${body}`).digest('base64')}`;
}

export interface PostOptions extends Readonly<Pick<Attempt, 'url' | 'headers'>> {
  readonly body: string;
  /** For everything, from connecting to the last byte of the answer. */
  readonly timeoutMs: number;
  readonly signal: AbortSignal;
  readonly clock: MachineClock;
}

interface PostResult extends Readonly<Pick<Attempt, 'status' | 'answer'>> {
  readonly fault: string | null;
}

/** Of an answer, for show; the rest of it is not waited for. */
const MAX_KEPT_BYTES = 1_024;

const ERROR_MESSAGES: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'connection refused',
  ECONNRESET: 'the connection was closed before a response arrived',
  ENOTFOUND: 'no such host',
};

/**
 * Sends one delivery. Redirects are not followed, proxies not asked. Never rejects. Once a status has come, it is what
 * counts: the rest of an answer is only for show.
 */
async function postDelivery(options: PostOptions): Promise<PostResult> {
  const { headers, body, timeoutMs, signal, clock } = options;
  const url = new URL(options.url);
  const { request }: typeof http = await import(url.protocol === 'https:' ? 'node:https' : 'node:http');
  const outgoing = request(url, {
    method: 'POST',
    headers: { ...headers, 'content-length': Buffer.byteLength(body), connection: 'close' },
    agent: false,
  });
  let received = Buffer.alloc(0);
  let status: number | null = null;
  let fault: string | null = null;
  const exchange = new Promise<void>((resolve) => {
    outgoing.once('response', (incoming) => {
      status = incoming.statusCode ?? null;
      incoming.on('data', (chunk: Buffer) => {
        received = Buffer.concat([received, chunk]);
        if (received.length > MAX_KEPT_BYTES) resolve();
      });
      incoming.on('error', () => resolve()).once('close', resolve);
    });
    outgoing.on('error', ({ code = '', message }: NodeJS.ErrnoException) => {
      fault ??= ERROR_MESSAGES[code] ?? (code.startsWith('HPE_') ? 'the response is not HTTP' : message);
      resolve();
    });
  });
  const ended = new AbortController();
  const timeout = clock.sleep(timeoutMs, AbortSignal.any([signal, ended.signal])).then(
    () => {
      fault = `no answer within ${Math.ceil(timeoutMs / 1_000)} s`;
    },
    () => {},
  );
  outgoing.end(body);
  await Promise.race([exchange, timeout]);
  ended.abort();
  outgoing.destroy();
  if (status === null) return { status, answer: null, fault };
  // Whole characters only: the cut may go through one.
  const answer = new TextDecoder().decode(received.subarray(0, MAX_KEPT_BYTES), { stream: true });
  return { status, answer, fault: null };
}
