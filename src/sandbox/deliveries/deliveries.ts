import type { SandboxEvent } from '../answer.ts';
import { createNotFound, Problem } from '../basics.ts';
import { type ServiceDialect, showIds, toInwardId, toOutwardId } from '../dialect.ts';
import { toMemberEvent } from '../handlers/people.ts';
import { toContractEvent, toProjectEvent } from '../handlers/projects.ts';
import { toTimesheetEvent } from '../handlers/time.ts';
import { createSecret, drawRandom, findRecord } from '../state.ts';
import type { Attempt, RecordMap, StoredDelivery, Webhook, Workspace, World } from '../world.ts';

/**
 * What the sandbox sends to webhooks: what is to be sent, and what became of it. It is recorded together with the change
 * and sent afterwards (sender.ts). Nothing of it is documented (docs/service.md, What the sandbox assumes).
 */

/** Seconds after each failed attempt, by the sandbox's clock; the first attempt is made at once. */
const RETRIES = [5, 300, 1_800, 7_200, 18_000, 36_000, 36_000];
/** For one attempt, by the machine's clock. */
export const ATTEMPT_MS = 10_000;
/** After this a process that took a delivery is given up, and another sends it. */
const CLAIM_MS = ATTEMPT_MS + 5_000;
/** What is kept: attempts of a delivery, ended deliveries, waiting ones. */
const KEPT_COUNTS = { attempts: 20, ended: 200, waiting: 2_000 } as const;

/** Puts an event down for every webhook of its workspace that subscribes to it. @param allowed as `addDelivery` */
export function recordEvent(world: World, event: SandboxEvent, allowed: readonly string[]): void {
  const webhooks = Object.values(findRecord(world.spaces, event.workspace_id)?.webhooks ?? {});
  for (const webhook of webhooks)
    if (webhook.events.includes(event.event)) addDelivery(world, webhook, event, allowed);
}

/**
 * Puts down that a webhook is to hear of an event.
 * @param allowed hosts beside this machine that may be sent to
 */
export function addDelivery(
  world: World,
  webhook: Webhook,
  { event, workspace_id, data, at_ms }: SandboxEvent,
  allowed: readonly string[],
): StoredDelivery {
  const id = `msg_${createSecret(() => drawRandom(world), 16)}`;
  const created_at = new Date(at_ms).toISOString();
  const delivery: StoredDelivery = {
    ...{ id, event, webhook_id: webhook.id, workspace_id, url: webhook.url },
    body: JSON.stringify({ id, event, workspace_id, created_at, data }),
    ...{ created_at, status: 'pending', reason: null, failures: 0, attempts_made: 0, attempts: [] },
    next_ms: at_ms,
  };
  endIfRefused(delivery, allowed);
  const all = [...(world.deliveries ?? []), delivery];
  // The oldest of what has ended is dropped, and the oldest given up where far too many wait.
  const pending = all.filter(({ status }) => status === 'pending');
  for (const one of pending.slice(0, Math.max(0, pending.length - KEPT_COUNTS.waiting)))
    endDelivery(one, 'failed', `more than ${KEPT_COUNTS.waiting} deliveries were waiting`);
  const ended = all.filter(({ status }) => status !== 'pending');
  const dropped = new Set(ended.slice(0, Math.max(0, ended.length - KEPT_COUNTS.ended)));
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

/** A delivery to an address that may not be sent to gets nothing. @returns whether it ended so */
function endIfRefused(delivery: StoredDelivery, allowed: readonly string[]): boolean {
  const { hostname } = new URL(delivery.url);
  if (LOOPBACK.test(hostname) || allowed.includes(hostname)) return false;
  endDelivery(delivery, 'refused', `${hostname} is not this machine (sandbox start --allow-webhooks-to)`);
  return true;
}

/** What is to be sent by now, oldest first. @param now the sandbox's time, as of all here */
export function listDue(world: World, now: number): readonly StoredDelivery[] {
  return (world.deliveries ?? []).filter(({ next_ms }) => next_ms !== null && next_ms <= now);
}

/** How many ms until something is to be sent. Undefined: nothing waits, or time stands still before it. */
export function getNextDelay(world: World, now: number): number | undefined {
  const waiting = (world.deliveries ?? []).flatMap(({ next_ms }) => next_ms ?? []);
  const [next] = waiting.sort((one, other) => one - other);
  if (next === undefined || (next > now && world.time.frozen_ms !== null)) return undefined;
  return Math.max(0, next - now);
}

function findWebhook(world: World, { workspace_id, webhook_id }: StoredDelivery): Webhook | undefined {
  return findRecord(findRecord(world.spaces, workspace_id)?.webhooks ?? {}, webhook_id);
}

/**
 * Takes the oldest delivery of a webhook that is due, and puts it off, so that no other process sends it meanwhile. It
 * goes where the webhook points by now; a webhook that is gone, or points where nothing may be sent, ends its deliveries.
 */
export function claimDelivery(world: World, webhookId: string, now: number, allowed: readonly string[]) {
  for (const delivery of listDue(world, now)) {
    if (delivery.webhook_id !== webhookId) continue;
    const webhook = findWebhook(world, delivery);
    delivery.url = webhook?.url ?? delivery.url;
    if (webhook === undefined) endDelivery(delivery, 'failed', 'the webhook was deleted');
    else if (!endIfRefused(delivery, allowed)) {
      delivery.next_ms = now + CLAIM_MS;
      const { id, url, body } = delivery;
      return { id, url, body, token: webhook.token };
    }
  }
  return undefined;
}

/**
 * Writes down what became of a delivery that was taken; one that is gone by now (a reset) is left alone.
 * @param attempt undefined: it was interrupted, so that nothing is known
 */
export function recordAttempt(world: World, id: string, attempt: Attempt | undefined, now: number): void {
  const delivery = world.deliveries?.find((one) => one.id === id);
  if (delivery === undefined) return;
  delivery.next_ms = now;
  if (attempt === undefined) return;
  delivery.attempts = [...delivery.attempts, attempt].slice(-KEPT_COUNTS.attempts);
  delivery.attempts_made += 1;
  const { reason, status } = attempt;
  const delay = status === 410 ? undefined : RETRIES[delivery.failures];
  if (reason !== null) delivery.failures += 1;
  if (reason === null) endDelivery(delivery, 'delivered', null);
  else if (delay === undefined) endDelivery(delivery, 'failed', reason);
  else Object.assign(delivery, { reason, next_ms: now + delay * 1_000 });
}

/** Lets a delivery be sent now, whatever became of it; its schedule begins again. */
export function rescheduleDelivery(
  world: World,
  delivery: StoredDelivery,
  now: number,
  allowed: readonly string[],
): void {
  delivery.url = findWebhook(world, delivery)?.url ?? delivery.url;
  if (!endIfRefused(delivery, allowed))
    Object.assign(delivery, { status: 'pending', failures: 0, next_ms: now });
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

export type StoredDeliveryFilter = { readonly [N in 'webhook' | 'event' | 'status']?: string | undefined };

/** The newest first. */
export function listDeliveryRows(
  world: World | undefined,
  dialect: ServiceDialect,
  { webhook, event, status }: StoredDeliveryFilter = {},
): StoredDeliveryRow[] {
  const rows = (world?.deliveries ?? []).map((delivery) => toDeliveryRow(dialect, delivery)).reverse();
  return rows.filter(
    (row) =>
      (webhook ?? row.webhook_id) === row.webhook_id &&
      (event ?? row.event) === row.event &&
      (status ?? row.status) === row.status,
  );
}

/** As `ttctl sandbox webhooks` shows it: how many attempts there have been, and what the last one was answered with. */
export function toDeliveryRow(dialect: ServiceDialect, delivery: StoredDelivery) {
  const { id, event, status, reason, next_ms, created_at, webhook_id, workspace_id, url } = delivery;
  return {
    ...{ id, event, status, attempts: delivery.attempts_made },
    last_status: delivery.attempts.at(-1)?.status ?? null,
    reason,
    next_attempt_at: next_ms === null ? null : new Date(next_ms).toISOString(),
    ...{ created_at, webhook_id: toOutwardId(dialect, webhook_id), workspace_id, url },
  };
}

/** With what was sent last; without headers where nothing has been sent. */
export function toDeliveryDetails(dialect: ServiceDialect, delivery: StoredDelivery) {
  const { url, headers } = delivery.attempts.at(-1) ?? { url: delivery.url, headers: {} };
  const request = { method: 'POST', url, headers, body: delivery.body } as const;
  return { ...toDeliveryRow(dialect, delivery), request, history: delivery.attempts };
}

export interface TriggerRequest {
  readonly event: string;
  /** Id of the one webhook that gets it, subscribed or not; absent: every one that subscribes, in any workspace. */
  readonly webhook?: string | undefined;
  readonly data?: unknown;
}

/** Puts a made-up event down for the webhooks that it is for. @throws Problem (exit 5) for a webhook that there is not */
export function addMadeUpEvent(
  world: World,
  { event, webhook, data }: TriggerRequest,
  { dialect, allowed }: { readonly dialect: ServiceDialect; readonly allowed: readonly string[] },
  now: number,
): readonly StoredDelivery[] {
  const id = webhook === undefined ? undefined : toInwardId(dialect, webhook);
  const added = Object.values(world.spaces).flatMap((workspace) => {
    const sent = data === undefined ? showIds(dialect, createSample(world, workspace, event) ?? {}) : data;
    const made = { event, workspace_id: workspace.id, data: sent, at_ms: now };
    return Object.values(workspace.webhooks)
      .filter((one) => (id === undefined ? one.events.includes(event) : one.id === id))
      .map((one) => addDelivery(world, one, made, allowed));
  });
  if (webhook === undefined || added.length > 0) return added;
  throw createNotFound(
    `no webhook "${webhook}" in the sandbox`,
    'List them: ttctl --profile sandbox webhooks list',
  );
}

/**
 * `data` for an event that somebody asks for: of the first record in the state that it names, else of the first of its kind. Undefined
 * for a noun that the sandbox does not know.
 */
function createSample(world: World, workspace: Workspace, event: string): unknown {
  const [noun = '', verb = ''] = event.split('.');
  const pick = <T extends object>(
    records: RecordMap<T>,
    show: (row: T) => unknown = (row) => row,
  ): unknown => {
    const rows: (T & { status?: unknown })[] = Object.values(records);
    const row = rows.find(({ status }) => status === verb) ?? rows[0];
    return row && show(row);
  };
  const { members, projects, contracts, tasks, assignments } = workspace;
  if (noun === 'member') return pick(members, (member) => toMemberEvent(world, member));
  if (noun === 'project') return pick(projects, toProjectEvent);
  if (noun === 'contract') return pick(contracts, toContractEvent);
  if (noun === 'task') return verb.endsWith('assigned') ? pick(assignments) : pick(tasks);
  if (noun === 'timesheet') return pick(workspace.timesheets, toTimesheetEvent);
  if (noun === 'leave') return pick(workspace.leaves);
  if (noun === 'time_request') return pick(workspace.time_requests);
  if (noun === 'expense') return pick(workspace.expenses);
  if (noun === 'viewer') {
    const viewer = Object.values(members).find(({ viewer_projects }) => viewer_projects.length > 0);
    return { id: viewer?.user_id ?? null, project_id: viewer?.viewer_projects[0] ?? null };
  }
  if (noun !== 'tracker') return undefined;
  const { owner_id: user_id, id: workspace_id, created_at: started_at } = workspace;
  const idle = { user_id, workspace_id, contract_id: null, task_id: null, started_at };
  const tracker = Object.values(world.trackers).find((row) => row.workspace_id === workspace_id) ?? idle;
  const stopped_ms = Date.parse(tracker.started_at) + 3_600_000;
  return { ...tracker, stopped_at: verb === 'stopped' ? new Date(stopped_ms).toISOString() : null };
}
