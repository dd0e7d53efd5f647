import { createHmac } from 'node:crypto';
import type { Clock } from '../../clock.ts';
import type { StateAccess } from '../state-access.ts';
import type { World } from '../world.ts';
import { ATTEMPT_MS, type Attempt } from './delivery.ts';
import {
  type ClaimedDelivery,
  claimDelivery,
  getDispatchTime,
  listDue,
  recordAttempt,
  releaseDelivery,
} from './ledger.ts';
import { type PostOptions, type PostResult, postDelivery } from './post.ts';

/** Sends what is due: those of one webhook in their order, those of several at the same time. */

const PREFIX = 'whsec_';
const BASE64 = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/;

/** What stands after `whsec_`, decoded; a token that is no such text is itself the key. */
const keyOf = (token: string): Buffer => {
  const text = token.slice(PREFIX.length);
  return token.startsWith(PREFIX) && text !== '' && BASE64.test(text)
    ? Buffer.from(text, 'base64')
    : Buffer.from(token, 'utf8');
};

export interface Signed {
  readonly id: string;
  /** Seconds since the epoch. */
  readonly timestamp: number;
  readonly body: string;
}

/** `v1,<base64 of the HMAC-SHA-256 of "id.timestamp.body">` */
export const signDelivery = (token: string, { id, timestamp, body }: Signed): string =>
  `v1,${createHmac('sha256', keyOf(token)).update(`${id}.${timestamp}.${body}`).digest('base64')}`;

export interface DeliverySenderOptions {
  readonly state: Pick<StateAccess, 'use' | 'peek'>;
  /** The machine's clock. */
  readonly clock: Clock;
  /** Hosts beside this machine that may be sent to. */
  readonly allowed: readonly string[];
  /** Ends what is on its way; it stays pending. */
  readonly signal: AbortSignal;
  /** The machine's time, ms, by which all is to be over. */
  readonly deadline?: number;
  readonly send?: (wish: PostOptions) => Promise<PostResult>;
}

export interface DeliverySender {
  /**
   * Sends until nothing is due, or time is over.
   * @throws Failure where the state cannot be written
   */
  run(): Promise<void>;
}

const headersOf = ({ id, token, body, at_ms }: ClaimedDelivery): Record<string, string> => {
  const timestamp = Math.floor(at_ms / 1_000);
  return {
    'content-type': 'application/json',
    'user-agent': 'ttctl-sandbox',
    'webhook-id': id,
    'webhook-timestamp': String(timestamp),
    'webhook-signature': signDelivery(token, { id, timestamp, body }),
  };
};

const reasonOf = ({ status, fault }: PostResult): string | null => {
  if (status === null) return fault ?? 'no response arrived';
  if (status >= 200 && status < 300) return null;
  if (status >= 300 && status < 400) return `answered with ${status}: redirects are not followed`;
  return status === 410
    ? 'answered with 410: the receiver wants no more deliveries'
    : `answered with ${status}`;
};

/** An attempt, or undefined where it was interrupted. */
const attempt = async (
  taken: ClaimedDelivery,
  options: DeliverySenderOptions,
): Promise<Attempt | undefined> => {
  const { clock, signal, deadline = Number.POSITIVE_INFINITY, send = postDelivery } = options;
  const begun = clock.now();
  const headers = headersOf(taken);
  const timeoutMs = Math.min(ATTEMPT_MS, deadline - begun);
  const posted = await send({ url: taken.url, headers, body: taken.body, timeoutMs, signal, clock });
  if (posted.interrupted) return undefined;
  const { status, answer } = posted;
  const reason = reasonOf(posted);
  const at = new Date(taken.at_ms).toISOString();
  return { at, url: taken.url, headers, status, reason, answer, duration_ms: clock.now() - begun };
};

/** Sends what is due for one webhook, one after the other. Each is written down as the next one is taken. */
const workOff = async (webhook: string, options: DeliverySenderOptions): Promise<void> => {
  const { state, clock, signal, allowed, deadline = Number.POSITIVE_INFINITY } = options;
  let write: ((world: World) => void) | undefined;
  for (;;) {
    const taken = await state.use((world, save) => {
      const moment = getDispatchTime(world, clock);
      const waiting = listDue(world, moment).some((delivery) => delivery.webhook_id === webhook);
      write?.(world);
      if (waiting || write !== undefined) save();
      if (signal.aborted || moment.machine >= deadline) return undefined;
      return claimDelivery(world, webhook, moment, allowed);
    });
    if (taken === undefined) return;
    const made = await attempt(taken, options);
    write = (world) =>
      made === undefined
        ? releaseDelivery(world, taken.id)
        : recordAttempt(world, taken.id, made, getDispatchTime(world, clock).now);
  }
};

export const createDeliverySender = (options: DeliverySenderOptions): DeliverySender => {
  const { state, clock, signal, deadline = Number.POSITIVE_INFINITY } = options;
  const lanes = new Map<string, Promise<void>>();
  const webhooksDue = (): Set<string> => {
    const world = state.peek();
    if (world === undefined || signal.aborted || clock.now() >= deadline) return new Set();
    return new Set(listDue(world, getDispatchTime(world, clock)).map((delivery) => delivery.webhook_id));
  };
  return {
    async run() {
      for (let due = webhooksDue(); due.size > 0; due = webhooksDue()) {
        for (const webhook of due) {
          if (lanes.has(webhook)) continue;
          lanes.set(
            webhook,
            workOff(webhook, options).finally(() => lanes.delete(webhook)),
          );
        }
        await Promise.all([...due].map((webhook) => lanes.get(webhook)));
      }
      await Promise.all(lanes.values());
    },
  };
};
