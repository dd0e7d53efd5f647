import type { Clock } from '../../clock.ts';
import { stringifyJson } from '../../json/stringify.ts';
import type { SandboxEvent } from '../app.ts';
import { createSecret, drawRandom, findRecord, toSandboxTime } from '../state.ts';
import type { Webhook, World } from '../world.ts';
import { type Attempt, CLAIM_MS, KEPT_COUNTS, RETRIES_MS, type StoredDelivery } from './delivery.ts';
import { explainRefusal } from './targets.ts';

/** The deliveries of a world: what is to be sent, who is sending it, what became of it. Pure but for the world. */

/** The two clocks at one moment. */
export interface DispatchTime {
  /** The sandbox's time, ms: schedules. */
  readonly now: number;
  /** The machine's time, ms: who is at work. */
  readonly machine: number;
}

export const getDispatchTime = (world: World, clock: Clock): DispatchTime => {
  const machine = clock.now();
  return { now: toSandboxTime(world, machine), machine };
};

const listStoredDeliveries = (world: World): StoredDelivery[] => {
  world.deliveries ??= [];
  return world.deliveries;
};

const endDelivery = (
  delivery: StoredDelivery,
  status: 'delivered' | 'failed' | 'refused',
  reason: string | null,
): void => {
  Object.assign(delivery, { status, reason, next_ms: null, claimed_ms: null });
};

/** Drops the oldest of what has ended, and gives the oldest up where far too many wait. */
const dropSurplus = (world: World): void => {
  const pending = listStoredDeliveries(world).filter(({ status }) => status === 'pending');
  for (const delivery of pending.slice(0, Math.max(0, pending.length - KEPT_COUNTS.waiting))) {
    endDelivery(delivery, 'failed', `more than ${KEPT_COUNTS.waiting} deliveries were waiting`);
  }
  let surplus =
    listStoredDeliveries(world).filter(({ status }) => status !== 'pending').length - KEPT_COUNTS.ended;
  if (surplus <= 0) return;
  world.deliveries = listStoredDeliveries(world).filter(({ status }) => {
    if (status === 'pending' || surplus === 0) return true;
    surplus -= 1;
    return false;
  });
};

/**
 * Puts down that a webhook is to hear of an event.
 * @param allowed hosts beside this machine that may be sent to
 */
export const addDelivery = (
  world: World,
  webhook: Webhook,
  { event, workspace_id, data, at_ms }: SandboxEvent,
  allowed: readonly string[],
): StoredDelivery => {
  const id = `msg_${createSecret(() => drawRandom(world), 16)}`;
  const created_at = new Date(at_ms).toISOString();
  const delivery: StoredDelivery = {
    id,
    event,
    webhook_id: webhook.id,
    workspace_id,
    url: webhook.url,
    body: stringifyJson({ id, event, workspace_id, created_at, data }),
    created_at,
    status: 'pending',
    reason: null,
    failures: 0,
    attempts_made: 0,
    attempts: [],
    next_ms: at_ms,
    claimed_ms: null,
  };
  const refusal = explainRefusal(webhook.url, allowed);
  if (refusal !== undefined) endDelivery(delivery, 'refused', refusal);
  listStoredDeliveries(world).push(delivery);
  dropSurplus(world);
  return delivery;
};

/** Puts an event down for every webhook of its workspace that subscribes to it. */
export const recordEvent = (world: World, event: SandboxEvent, allowed: readonly string[]): void => {
  const webhooks = Object.values(findRecord(world.spaces, event.workspace_id)?.webhooks ?? {});
  for (const webhook of webhooks) {
    if (webhook.events.includes(event.event)) addDelivery(world, webhook, event, allowed);
  }
};

/** A claim of another day is none: the machine's clock may have been set back. */
const isClaimed = ({ claimed_ms }: StoredDelivery, { machine }: DispatchTime): boolean =>
  claimed_ms !== null && machine < claimed_ms && claimed_ms <= machine + CLAIM_MS;

const isDue = (delivery: StoredDelivery, time: DispatchTime): boolean =>
  delivery.next_ms !== null && delivery.next_ms <= time.now && !isClaimed(delivery, time);

/** What is to be sent now and nobody is sending, oldest first. */
export const listDue = (world: World, time: DispatchTime): readonly StoredDelivery[] =>
  (world.deliveries ?? []).filter((delivery) => isDue(delivery, time));

/**
 * How many ms until something is to be sent, or a process that took something is given up: 0 or more. Undefined:
 * nothing waits, or time stands still before it.
 */
export const getNextDelay = (world: World, time: DispatchTime): number | undefined => {
  let minDelay: number | undefined;
  for (const delivery of world.deliveries ?? []) {
    if (delivery.next_ms === null) continue;
    const untilDue = Math.max(0, delivery.next_ms - time.now);
    if (untilDue > 0 && world.time.frozen_ms !== null) continue;
    const untilReleased = isClaimed(delivery, time) ? (delivery.claimed_ms ?? 0) - time.machine : 0;
    minDelay = Math.min(minDelay ?? Number.POSITIVE_INFINITY, Math.max(untilDue, untilReleased));
  }
  return minDelay;
};

const findWebhook = (world: World, { workspace_id, webhook_id }: StoredDelivery): Webhook | undefined =>
  findRecord(findRecord(world.spaces, workspace_id)?.webhooks ?? {}, webhook_id);

export interface ClaimedDelivery {
  readonly id: string;
  readonly url: string;
  readonly token: string;
  readonly body: string;
  /** The sandbox's time of the attempt. */
  readonly at_ms: number;
}

/**
 * Takes the oldest delivery of a webhook that is due, so that no other process sends it. It goes where the webhook
 * points by now; a webhook that is gone, or points where nothing may be sent, ends its deliveries.
 */
export const claimDelivery = (
  world: World,
  webhookId: string,
  time: DispatchTime,
  allowed: readonly string[],
): ClaimedDelivery | undefined => {
  for (const delivery of listDue(world, time)) {
    if (delivery.webhook_id !== webhookId) continue;
    const webhook = findWebhook(world, delivery);
    const refusal = webhook && explainRefusal(webhook.url, allowed);
    if (webhook === undefined) endDelivery(delivery, 'failed', 'the webhook was deleted');
    else if (refusal !== undefined) endDelivery(delivery, 'refused', refusal);
    else {
      delivery.url = webhook.url;
      delivery.claimed_ms = time.machine + CLAIM_MS;
      const { id, url, body } = delivery;
      return { id, url, body, token: webhook.token, at_ms: time.now };
    }
  }
  return undefined;
};

const findDelivery = (world: World, id: string): StoredDelivery | undefined =>
  (world.deliveries ?? []).find((delivery) => delivery.id === id);

/** Gives a delivery back that was taken and not sent. */
export const releaseDelivery = (world: World, id: string): void => {
  const delivery = findDelivery(world, id);
  if (delivery !== undefined) delivery.claimed_ms = null;
};

/** Writes an attempt down. One that is gone by now (a reset) is left alone. */
export const recordAttempt = (world: World, id: string, attempt: Attempt, now: number): void => {
  const delivery = findDelivery(world, id);
  if (delivery === undefined) return;
  delivery.attempts = [...delivery.attempts, attempt].slice(-KEPT_COUNTS.attempts);
  delivery.attempts_made += 1;
  const { reason, status } = attempt;
  const delay = status === 410 ? undefined : RETRIES_MS[delivery.failures];
  if (reason === null) endDelivery(delivery, 'delivered', null);
  else if (delay === undefined) endDelivery(delivery, 'failed', reason);
  else Object.assign(delivery, { reason, next_ms: now + delay, claimed_ms: null });
  if (reason !== null) delivery.failures += 1;
};

/** Lets a delivery be sent now, whatever became of it; its schedule begins again. */
export const rescheduleDelivery = (
  world: World,
  delivery: StoredDelivery,
  now: number,
  allowed: readonly string[],
): void => {
  delivery.url = findWebhook(world, delivery)?.url ?? delivery.url;
  const refusal = explainRefusal(delivery.url, allowed);
  if (refusal !== undefined) endDelivery(delivery, 'refused', refusal);
  else Object.assign(delivery, { status: 'pending', failures: 0, next_ms: now });
};
