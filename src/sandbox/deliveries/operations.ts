import { EXIT, Failure, UsageError } from '../../outcome.ts';
import { checkLocalId } from '../../parsing/id.ts';
import { findNearest } from '../../parsing/names.ts';
import {
  type ControlFields,
  type ControlledSandbox,
  defineControlOperation,
  isText,
  pickTexts,
  readList,
} from '../control-operation.ts';
import { type ServiceDialect, toInwardId } from '../dialect.ts';
import { EVENTS } from '../routes.ts';
import type { Webhook, Workspace, World } from '../world.ts';
import type { StoredDelivery } from './delivery.ts';
import { addDelivery, getDispatchTime, listDue, rescheduleDelivery } from './ledger.ts';
import {
  listDeliveryRows,
  type StoredDeliveryFilter,
  type StoredDeliveryRow,
  toDeliveryDetails,
  toDeliveryRow,
} from './rows.ts';
import { createSample } from './sample.ts';

/** The control's operations on what is sent to webhooks. */

export interface TriggerRequest {
  readonly event: string;
  /** Id of the one webhook that gets it, subscribed or not; absent: every one that subscribes, in any workspace. */
  readonly webhook?: string | undefined;
  /** In place of a sample. */
  readonly data?: unknown;
}

export interface TriggerResult {
  /** Whether the sandbox itself sends events of this name. */
  readonly known: boolean;
  /** A name that may have been meant. */
  readonly meant: string | null;
  readonly deliveries: readonly StoredDeliveryRow[];
}

const DELIVERIES_HINT = 'List them: ttctl sandbox webhooks deliveries';
const WEBHOOKS_HINT = 'List them: ttctl --profile sandbox webhooks list';

const createNotFound = (noun: string, id: string, hint: string): Failure =>
  new Failure(`no ${noun} ${id} in the sandbox`, { code: 'not_found', exit: EXIT.notFound, hint });

/** @throws Failure (exit 5), UsageError for an empty id */
export const findStoredDelivery = (world: World | undefined, id: string): StoredDelivery => {
  checkLocalId('delivery', id, DELIVERIES_HINT);
  const delivery = (world?.deliveries ?? []).find((row) => row.id === id);
  if (delivery === undefined) throw createNotFound('delivery', id, DELIVERIES_HINT);
  return delivery;
};

/** The webhooks that an event is for, each with its workspace. */
const listEventWebhooks = (world: World, { event, webhook }: TriggerRequest, dialect: ServiceDialect) => {
  if (webhook !== undefined) checkLocalId('webhook', webhook, WEBHOOKS_HINT);
  const webhookId = webhook === undefined ? undefined : toInwardId(dialect, webhook);
  const pairs = Object.values(world.spaces).flatMap((workspace): [Workspace, Webhook][] =>
    Object.values(workspace.webhooks).map((one) => [workspace, one]),
  );
  const matches = pairs.filter(([, one]) =>
    webhookId === undefined ? one.events.includes(event) : one.id === webhookId,
  );
  if (webhook !== undefined && matches.length === 0) throw createNotFound('webhook', webhook, WEBHOOKS_HINT);
  return matches;
};

const checkEventName = (event: string): void => {
  if (event.trim() === '' || event.length > 200)
    throw new UsageError(`"${event}" is not the name of an event`);
};

const getNow = ({ clock }: ControlledSandbox, world: World): number => getDispatchTime(world, clock).now;

/**
 * Changes the state, sends what is due by then, and returns what became of the deliveries that were chosen, once each
 * was tried.
 */
const sendSelected = async (
  { state, sender, dialect }: ControlledSandbox,
  select: (world: World) => readonly StoredDelivery[],
): Promise<readonly StoredDeliveryRow[]> => {
  const selected = await state.use((world, save) => {
    const deliveries = select(world);
    if (deliveries.length > 0) save();
    return deliveries.map((delivery) => toDeliveryRow(dialect, delivery));
  });
  await sender.run();
  const rows = new Map(listDeliveryRows(await state.peek(), dialect, {}).map((row) => [row.id, row]));
  return selected.map((row) => rows.get(row.id) ?? row);
};

const trigger = async (sandbox: ControlledSandbox, request: TriggerRequest): Promise<TriggerResult> => {
  const { dialect, allowed } = sandbox;
  const { event } = request;
  checkEventName(event);
  const known = EVENTS.includes(event);
  const deliveries = await sendSelected(sandbox, (world) =>
    listEventWebhooks(world, request, dialect).map(([workspace, webhook]) => {
      const data = request.data === undefined ? createSample(world, workspace, event, dialect) : request.data;
      const sandboxEvent = { event, workspace_id: workspace.id, data, at_ms: getNow(sandbox, world) };
      return addDelivery(world, webhook, sandboxEvent, allowed);
    }),
  );
  return { known, meant: known ? null : (findNearest(event, EVENTS) ?? null), deliveries };
};

export const DELIVERY_OPERATIONS = {
  deliveries: defineControlOperation(
    'GET webhooks/deliveries',
    (fields): StoredDeliveryFilter => pickTexts(fields, 'webhook', 'event', 'status'),
    async ({ state, dialect }, filter) => listDeliveryRows(await state.peek(), dialect, filter),
  ),
  delivery: defineControlOperation(
    'GET webhooks/delivery',
    ({ id }) => ({ id: String(id ?? '') }),
    async ({ state, dialect }, { id }) =>
      toDeliveryDetails(dialect, findStoredDelivery(await state.peek(), id)),
  ),
  /** Sends these again now, whatever became of them. */
  redeliver: defineControlOperation(
    'POST webhooks/redeliver',
    ({ ids }): { readonly ids: readonly string[] } => ({ ids: readList(ids, isText) }),
    (sandbox, { ids }) =>
      sendSelected(sandbox, (world) => {
        const deliveries = [...new Set(ids)].map((id) => findStoredDelivery(world, id));
        for (const delivery of deliveries)
          rescheduleDelivery(world, delivery, getNow(sandbox, world), sandbox.allowed);
        return deliveries;
      }),
  ),
  /** Sends what is due; `all`: what waits for its next attempt too. */
  deliver: defineControlOperation(
    'POST webhooks/deliver',
    ({ all }: ControlFields): { readonly all?: boolean } => ({ all: all === true }),
    (sandbox, { all }) =>
      sendSelected(sandbox, (world) => {
        const time = getDispatchTime(world, sandbox.clock);
        if (all !== true) return listDue(world, time);
        const pending = (world.deliveries ?? []).filter(({ next_ms }) => next_ms !== null);
        for (const delivery of pending) delivery.next_ms = Math.min(delivery.next_ms ?? 0, time.now);
        return pending;
      }),
  ),
  /** Makes an event and sends it. */
  trigger: defineControlOperation(
    'POST webhooks/trigger',
    ({ data, ...fields }): TriggerRequest => ({
      event: String(fields['event'] ?? ''),
      ...pickTexts(fields, 'webhook'),
      ...(data === undefined ? {} : { data }),
    }),
    trigger,
  ),
};
