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
const getKey = (token: string): Buffer => {
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
  `v1,${createHmac('sha256', getKey(token)).update(`${id}.${timestamp}.${body}`).digest('base64')}`;

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
  readonly send?: (options: PostOptions) => Promise<PostResult>;
}

export interface DeliverySender {
  /**
   * Sends until nothing is due, or time is over.
   * @throws Failure where the state cannot be written
   */
  run(): Promise<void>;
}

const buildHeaders = ({ id, token, body, at_ms }: ClaimedDelivery): Record<string, string> => {
  const timestamp = Math.floor(at_ms / 1_000);
  return {
    'content-type': 'application/json',
    'user-agent': 'ttctl-sandbox',
    'webhook-id': id,
    'webhook-timestamp': String(timestamp),
    'webhook-signature': signDelivery(token, { id, timestamp, body }),
  };
};

const explainResult = ({ status, fault }: PostResult): string | null => {
  if (status === null) return fault ?? 'no response arrived';
  if (status >= 200 && status < 300) return null;
  if (status >= 300 && status < 400) return `answered with ${status}: redirects are not followed`;
  return status === 410
    ? 'answered with 410: the receiver wants no more deliveries'
    : `answered with ${status}`;
};

/** An attempt, or undefined where it was interrupted. */
const attemptDelivery = async (
  claim: ClaimedDelivery,
  options: DeliverySenderOptions,
): Promise<Attempt | undefined> => {
  const { clock, signal, deadline = Number.POSITIVE_INFINITY, send = postDelivery } = options;
  const startedAt = clock.now();
  const headers = buildHeaders(claim);
  const timeoutMs = Math.min(ATTEMPT_MS, deadline - startedAt);
  const result = await send({ url: claim.url, headers, body: claim.body, timeoutMs, signal, clock });
  if (result.interrupted) return undefined;
  const { status, answer } = result;
  const reason = explainResult(result);
  const at = new Date(claim.at_ms).toISOString();
  return { at, url: claim.url, headers, status, reason, answer, duration_ms: clock.now() - startedAt };
};

/** Sends what is due for one webhook, one after the other. Each is written down as the next one is taken. */
const sendDueDeliveries = async (webhook: string, options: DeliverySenderOptions): Promise<void> => {
  const { state, clock, signal, allowed, deadline = Number.POSITIVE_INFINITY } = options;
  let recordPrevious: ((world: World) => void) | undefined;
  for (;;) {
    const claim = await state.use((world, save) => {
      const time = getDispatchTime(world, clock);
      const hasDue = listDue(world, time).some((delivery) => delivery.webhook_id === webhook);
      recordPrevious?.(world);
      if (hasDue || recordPrevious !== undefined) save();
      if (signal.aborted || time.machine >= deadline) return undefined;
      return claimDelivery(world, webhook, time, allowed);
    });
    if (claim === undefined) return;
    const attempt = await attemptDelivery(claim, options);
    recordPrevious = (world) =>
      attempt === undefined
        ? releaseDelivery(world, claim.id)
        : recordAttempt(world, claim.id, attempt, getDispatchTime(world, clock).now);
  }
};

export const createDeliverySender = (options: DeliverySenderOptions): DeliverySender => {
  const { state, clock, signal, deadline = Number.POSITIVE_INFINITY } = options;
  const runs = new Map<string, Promise<void>>();
  const listDueWebhooks = async (): Promise<Set<string>> => {
    const world = await state.peek();
    if (world === undefined || signal.aborted || clock.now() >= deadline) return new Set();
    return new Set(listDue(world, getDispatchTime(world, clock)).map((delivery) => delivery.webhook_id));
  };
  return {
    async run() {
      for (let due = await listDueWebhooks(); due.size > 0; due = await listDueWebhooks()) {
        for (const webhook of due) {
          if (runs.has(webhook)) continue;
          runs.set(
            webhook,
            sendDueDeliveries(webhook, options).finally(() => runs.delete(webhook)),
          );
        }
        await Promise.all([...due].map((webhook) => runs.get(webhook)));
      }
      await Promise.all(runs.values());
    },
  };
};
