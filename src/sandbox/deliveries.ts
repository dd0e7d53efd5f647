import { type MachineClock, Problem } from './basics.ts';
import type { postDelivery } from './post.ts';
import { createSecret, drawRandom, findRecord, type SandboxStore, toSandboxTime } from './state.ts';
import type { StoredDelivery, Webhook, World } from './world.ts';

/**
 * What the sandbox sends to webhooks: what is to be sent, and what became of it. It is recorded together with the change
 * and sent afterwards. Nothing of it is documented (docs/service.md, What the sandbox assumes).
 */

/** Seconds after each failed attempt, by the sandbox's clock; the first attempt is made at once. */
const RETRIES = [5, 300, 1_800, 7_200, 18_000, 36_000, 36_000];
const ATTEMPT_MS = 10_000;
/** After this a process that took a delivery is given up, and another sends it. */
const CLAIM_MS = 15_000;
const MAX_ENDED = 200;

export interface SandboxEvent {
  readonly event: string;
  readonly workspace_id: number;
  readonly data: unknown;
  readonly at_ms: number;
}

/** Puts an event with data down for every webhook of its workspace that subscribes to it. */
export function recordEvent(world: World, event: SandboxEvent): void {
  if (event.data === undefined) return;
  const webhooks = Object.values(findRecord(world.spaces, event.workspace_id)?.webhooks ?? {});
  // No rates: a receiver has no role.
  const { rate, rate_type, budget_estimation, ...data } = event.data as Readonly<Record<string, unknown>>;
  for (const webhook of webhooks)
    if (webhook.events.includes(event.event)) addDelivery(world, webhook, { ...event, data });
}

export function addDelivery(
  world: World,
  webhook: Webhook,
  { event, workspace_id, data, at_ms }: SandboxEvent,
): StoredDelivery {
  const id = `msg_${createSecret(() => drawRandom(world), 16)}`;
  const created_at = new Date(at_ms).toISOString();
  const delivery: StoredDelivery = {
    ...{ id, event, webhook_id: webhook.id, workspace_id, url: webhook.url },
    body: JSON.stringify({ id, event, workspace_id, created_at, data }),
    ...{ created_at, status: 'pending', reason: null, failures: 0, attempts: 0, last_status: null },
    next_ms: at_ms,
  };
  const all = [...(world.deliveries ?? []), delivery];
  const ended = all.filter(({ status }) => status !== 'pending');
  const dropped = new Set(ended.slice(0, Math.max(0, ended.length - MAX_ENDED)));
  world.deliveries = all.filter((one) => !dropped.has(one));
  return delivery;
}

function endDelivery(
  delivery: StoredDelivery,
  status: 'delivered' | 'failed' | 'refused',
  reason: string | null,
): void {
  Object.assign(delivery, { status, reason, next_ms: null });
}

const LOOPBACK = /^(127(\.\d{1,3}){3}|\[::1\]|localhost)$/;

/** What is to be sent by now, oldest first. @param now the sandbox's time, as of all here */
export function listDue(world: World, now: number): readonly StoredDelivery[] {
  return (world.deliveries ?? []).filter(({ next_ms }) => next_ms !== null && next_ms <= now);
}

export function getNextDelay(world: World, now: number): number | undefined {
  const waiting = (world.deliveries ?? []).flatMap(({ next_ms }) => next_ms ?? []);
  const [next] = waiting.sort((one, other) => one - other);
  if (next === undefined || (next > now && world.time.frozen_ms !== null)) return undefined;
  return Math.max(0, next - now);
}

/**
 * Takes the oldest delivery of a webhook that is due, and puts it off, so that no other process sends it meanwhile. It
 * goes where the webhook points by now; a webhook that is gone, or points where nothing may be sent, ends its deliveries.
 * @param allowed hosts beside this machine that may be sent to
 */
export function claimDelivery(world: World, webhookId: string, now: number, allowed: readonly string[]) {
  for (const delivery of listDue(world, now)) {
    if (delivery.webhook_id !== webhookId) continue;
    const webhook = findRecord(findRecord(world.spaces, delivery.workspace_id)?.webhooks ?? {}, webhookId);
    delivery.url = webhook?.url ?? delivery.url;
    const { hostname } = new URL(delivery.url);
    const refusal = `${hostname} is not this machine (sandbox start --allow-webhooks-to)`;
    if (webhook === undefined) endDelivery(delivery, 'failed', 'the webhook was deleted');
    else if (!LOOPBACK.test(hostname) && !allowed.includes(hostname))
      endDelivery(delivery, 'refused', refusal);
    else {
      delivery.next_ms = now + CLAIM_MS;
      const { id, url, body } = delivery;
      return { id, url, body, token: webhook.token };
    }
  }
  return undefined;
}

export type Attempt = Awaited<ReturnType<typeof postDelivery>>;

/**
 * Writes down what became of a delivery that was taken; one that is gone by now (a reset) is left alone.
 * @param attempt undefined: it was interrupted, so that nothing is known
 */
export function recordAttempt(world: World, id: string, attempt: Attempt | undefined, now: number): void {
  const delivery = world.deliveries?.find((one) => one.id === id);
  if (delivery === undefined) return;
  delivery.next_ms = now;
  if (attempt === undefined) return;
  const { reason, status } = attempt;
  delivery.attempts += 1;
  delivery.last_status = status;
  const delay = status === 410 ? undefined : RETRIES[delivery.failures];
  if (reason !== null) delivery.failures += 1;
  if (reason === null) endDelivery(delivery, 'delivered', null);
  else if (delay === undefined) endDelivery(delivery, 'failed', reason);
  else Object.assign(delivery, { reason, next_ms: now + delay * 1_000 });
}

/**
 * Hosts as a person writes them, in the form in which URLs have them.
 * @throws Problem for an address, a port, a path
 */
export function parseHosts(texts: readonly string[]): string[] {
  return texts.map((text) => {
    const url = `http://${text}/`;
    if (/^(\[[\da-f:.]+\]|[^\s:/?#@[\]\\*]+)$/i.test(text) && URL.canParse(url)) return new URL(url).hostname;
    throw new Problem(`--allow-webhooks-to: "${text}" is not a host`, {
      hint: 'Use only the host name: hooks.example.com',
    });
  });
}

export type StoredDeliveryRow = ReturnType<typeof toDeliveryRow>;

export function listDeliveryRows(world: World | undefined, status?: string): StoredDeliveryRow[] {
  const found = (world?.deliveries ?? []).filter((one) => (status ?? one.status) === one.status);
  return found.map(toDeliveryRow).reverse();
}

/** As `ttctl sandbox webhooks` shows it: how many attempts there have been, and what the last one was answered with. */
export function toDeliveryRow({ body: _body, failures: _failures, next_ms, ...row }: StoredDelivery) {
  return { ...row, next_attempt_at: next_ms === null ? null : new Date(next_ms).toISOString() };
}

export interface TriggerRequest {
  readonly event: string;
  /** Default: the first record of its noun, as the state has it. */
  readonly data?: unknown;
}

/** Puts a made-up event down for every webhook that subscribes to it, in any workspace. */
export function addMadeUpEvent(world: World, { event, data }: TriggerRequest, now: number) {
  return Object.values(world.spaces).flatMap((workspace) => {
    const kinds: Readonly<Record<string, unknown>> = { trackers: world.trackers, ...workspace };
    const [sample = {}] = Object.values(kinds[`${event.split('.')[0]}s`] ?? {});
    const made = { event, workspace_id: workspace.id, data: data ?? sample, at_ms: now };
    const subscribed = Object.values(workspace.webhooks).filter(({ events }) => events.includes(event));
    return subscribed.map((webhook) => addDelivery(world, webhook, made));
  });
}

interface DeliverySenderOptions {
  readonly store: Pick<SandboxStore, 'use' | 'peek'>;
  readonly clock: MachineClock;
  readonly timers: MachineClock;
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

/** Sends what is due: those of one webhook in their order, those of several at the same time. */
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
      const due = listDue(world, toSandboxTime(world, clock.now()));
      if (due.length === 0) break;
      for (const { webhook_id: id } of due)
        if (!sending.has(id))
          sending.set(
            id,
            sendDueDeliveries(id, options, deadline).finally(() => sending.delete(id)),
          );
      await Promise.all(due.map(({ webhook_id }) => sending.get(webhook_id)));
    }
    await Promise.all(sending.values());
  }

  async function runAndSchedule(): Promise<void> {
    const minDelay = await run().then(
      () => 0,
      () => FAULT_DELAY_MS,
    );
    timer.abort();
    const own = new AbortController();
    timer = own;
    const world = await store.peek();
    const delay = world && getNextDelay(world, toSandboxTime(world, clock.now()));
    if (delay === undefined || signal.aborted || own.signal.aborted) return;
    const ms = Math.min(Math.max(delay, minDelay), MAX_TIMER_MS);
    timers.sleep(ms, AbortSignal.any([own.signal, signal])).then(wake, () => {});
  }

  function wake(): void {
    if (signal.aborted) return;
    timer.abort();
    const round = runAndSchedule()
      .catch(() => {})
      .finally(() => rounds.delete(round));
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
  { store, clock, signal, allowed, send }: DeliverySenderOptions,
  deadline: number,
): Promise<void> {
  // Most runs send nothing.
  const post = send ?? (await import('./post.ts')).postDelivery;
  /** `attempt` is undefined where it was interrupted. */
  let previous: { readonly id: string; readonly attempt: Attempt | undefined } | undefined;
  for (;;) {
    const claim = await store.use((world, save) => {
      const now = toSandboxTime(world, clock.now());
      const hasDue = listDue(world, now).some((delivery) => delivery.webhook_id === webhook);
      if (previous !== undefined) recordAttempt(world, previous.id, previous.attempt, now);
      const isOver = signal.aborted || clock.now() >= deadline;
      const taken = isOver ? undefined : claimDelivery(world, webhook, now, allowed);
      if (hasDue || previous !== undefined) save();
      return taken;
    });
    if (claim === undefined) return;
    const timeoutMs = Math.min(ATTEMPT_MS, deadline - clock.now());
    const attempt = await post({ ...claim, timeoutMs, signal, clock });
    previous = { id: claim.id, attempt: attempt.status === null && signal.aborted ? undefined : attempt };
  }
}
