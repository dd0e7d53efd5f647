import type { SandboxEvent } from '../answer.ts';
import { checkId, createNotFound, type MachineClock, Problem } from '../basics.ts';
import { type ServiceDialect, showIds, toInwardId, toOutwardId } from '../dialect.ts';
import { toMemberEvent } from '../handlers/people.ts';
import { toContractEvent, toProjectEvent } from '../handlers/projects.ts';
import { toTimesheetEvent } from '../handlers/time.ts';
import { createSecret, drawRandom, findRecord, toSandboxTime } from '../state.ts';
import type { Attempt, RecordMap, StoredDelivery, Webhook, Workspace, World } from '../world.ts';

/**
 * What the sandbox sends to webhooks: what is to be sent, who is sending it, what became of it. It is recorded together
 * with the change and sent afterwards (sender.ts). Nothing of it is documented (docs/service.md, What the sandbox assumes).
 */

/** Seconds after each failed attempt, by the sandbox's clock; the first attempt is made at once. */
const RETRIES = [5, 300, 1_800, 7_200, 18_000, 36_000, 36_000];
/** For one attempt, by the machine's clock. */
export const ATTEMPT_MS = 10_000;
/** After this a process that took a delivery is given up. */
const CLAIM_MS = ATTEMPT_MS + 5_000;
/** What is kept: attempts of a delivery, ended deliveries, waiting ones. */
const KEPT_COUNTS = { attempts: 20, ended: 200, waiting: 2_000 } as const;

type DispatchTime = ReturnType<typeof getDispatchTime>;

/** The sandbox's time, ms, for schedules; the machine's, for who is at work. */
export function getDispatchTime(world: World, clock: Pick<MachineClock, 'now'>) {
  const machine = clock.now();
  return { now: toSandboxTime(world, machine), machine };
}

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
    ...{ next_ms: at_ms, claimed_ms: null },
  };
  const refusal = explainRefusal(webhook.url, allowed);
  if (refusal !== undefined) endDelivery(delivery, 'refused', refusal);
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
  Object.assign(delivery, { status, reason, next_ms: null, claimed_ms: null });
}

/** What is to be sent now and nobody is sending, oldest first. */
export function listDue(world: World, time: DispatchTime): readonly StoredDelivery[] {
  return (world.deliveries ?? []).filter(
    (delivery) => delivery.next_ms !== null && delivery.next_ms <= time.now && !isClaimed(delivery, time),
  );
}

/** A claim of another day is none: the machine's clock may have been set back. */
function isClaimed({ claimed_ms }: StoredDelivery, { machine }: DispatchTime): boolean {
  return claimed_ms !== null && machine < claimed_ms && claimed_ms <= machine + CLAIM_MS;
}

/**
 * How many ms until something is to be sent, or a process that took something is given up: 0 or more. Undefined:
 * nothing waits, or time stands still before it.
 */
export function getNextDelay(world: World, time: DispatchTime): number | undefined {
  let least: number | undefined;
  for (const delivery of world.deliveries ?? []) {
    const untilDue = Math.max(0, (delivery.next_ms ?? 0) - time.now);
    if (delivery.next_ms === null || (untilDue > 0 && world.time.frozen_ms !== null)) continue;
    const untilFree = isClaimed(delivery, time) ? (delivery.claimed_ms ?? 0) - time.machine : 0;
    least = Math.min(least ?? Number.POSITIVE_INFINITY, Math.max(untilDue, untilFree));
  }
  return least;
}

function findWebhook(world: World, { workspace_id, webhook_id }: StoredDelivery): Webhook | undefined {
  return findRecord(findRecord(world.spaces, workspace_id)?.webhooks ?? {}, webhook_id);
}

/**
 * Takes the oldest delivery of a webhook that is due, so that no other process sends it. It goes where the webhook
 * points by now; a webhook that is gone, or points where nothing may be sent, ends its deliveries.
 */
export function claimDelivery(
  world: World,
  webhookId: string,
  time: DispatchTime,
  allowed: readonly string[],
) {
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
}

/**
 * Writes down what became of a delivery that was taken; one that is gone by now (a reset) is left alone.
 * @param attempt undefined: it was interrupted, so that nothing is known
 */
export function recordAttempt(world: World, id: string, attempt: Attempt | undefined, now: number): void {
  const delivery = world.deliveries?.find((one) => one.id === id);
  if (delivery === undefined) return;
  delivery.claimed_ms = null;
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
  const refusal = explainRefusal(delivery.url, allowed);
  if (refusal !== undefined) endDelivery(delivery, 'refused', refusal);
  else Object.assign(delivery, { status: 'pending', failures: 0, next_ms: now });
}

const LOOPBACK = /^(127(\.\d{1,3}){3}|\[::1\]|localhost)$/;

/** Why a webhook with this address gets nothing; undefined where it may. */
export function explainRefusal(url: string, allowed: readonly string[]): string | undefined {
  const { hostname } = new URL(url);
  if (LOOPBACK.test(hostname) || allowed.includes(hostname)) return undefined;
  return `${hostname} is not this machine (sandbox start --allow-webhooks-to)`;
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

export function listDeliveryRows(
  world: World | undefined,
  dialect: ServiceDialect,
  { webhook, event, status }: StoredDeliveryFilter = {},
): StoredDeliveryRow[] {
  const webhook_id = webhook === undefined ? undefined : toInwardId(dialect, webhook);
  return (world?.deliveries ?? [])
    .filter(
      (delivery) =>
        (webhook_id ?? delivery.webhook_id) === delivery.webhook_id &&
        (event ?? delivery.event) === delivery.event &&
        (status ?? delivery.status) === delivery.status,
    )
    .map((delivery) => toDeliveryRow(dialect, delivery))
    .reverse();
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

const WEBHOOKS_HINT = 'List them: ttctl --profile sandbox webhooks list';

/** Puts a made-up event down for the webhooks that it is for. @throws Problem (exit 5) for a webhook that there is not */
export function addMadeUpEvent(
  world: World,
  { event, webhook, data }: TriggerRequest,
  { dialect, allowed }: { readonly dialect: ServiceDialect; readonly allowed: readonly string[] },
  now: number,
): readonly StoredDelivery[] {
  if (webhook !== undefined) checkId('webhook', webhook, WEBHOOKS_HINT);
  const id = webhook === undefined ? undefined : toInwardId(dialect, webhook);
  const isMeant = (one: Webhook): boolean => (id === undefined ? one.events.includes(event) : one.id === id);
  const added = Object.values(world.spaces).flatMap((workspace) => {
    const workspace_id = workspace.id;
    const sent = data === undefined ? showIds(dialect, createSample(world, workspace, event) ?? {}) : data;
    return Object.values(workspace.webhooks)
      .filter(isMeant)
      .map((one) => addDelivery(world, one, { event, workspace_id, data: sent, at_ms: now }, allowed));
  });
  if (webhook !== undefined && added.length === 0)
    throw createNotFound(`no webhook ${webhook} in the sandbox`, WEBHOOKS_HINT);
  return added;
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
  const running = Object.values(world.trackers).find((row) => row.workspace_id === workspace.id);
  const user_id = running?.user_id ?? workspace.owner_id;
  const started_at = running?.started_at ?? workspace.created_at;
  const stopped_at = verb === 'stopped' ? new Date(Date.parse(started_at) + 3_600_000).toISOString() : null;
  const { contract_id = null, task_id = null } = running ?? {};
  return { user_id, workspace_id: workspace.id, contract_id, task_id, started_at, stopped_at };
}
