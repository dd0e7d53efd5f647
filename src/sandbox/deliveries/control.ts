import type { Clock } from '../../clock.ts';
import { EXIT, Failure, UsageError } from '../../outcome.ts';
import { type Dialect, nearest } from '../dialect.ts';
import { EVENTS } from '../events.ts';
import { inwardId } from '../ids.ts';
import type { Webhook } from '../records.ts';
import type { Space, World } from '../world.ts';
import type { Delivery } from './delivery.ts';
import { addDelivery, dueNow, momentOf, sendAgain } from './ledger.ts';
import {
  type DeliveryDetails,
  type DeliveryFilter,
  type DeliveryRow,
  detailsOf,
  rowOf,
  rowsOf,
} from './rows.ts';
import { sampleOf } from './sample.ts';
import type { DeliverySender, Depot } from './sender.ts';

/** What `ttctl sandbox webhooks …` can do, wherever the sandbox runs. */

export interface TriggerWish {
  readonly event: string;
  /** Id of the one webhook that gets it, subscribed or not; absent: every one that subscribes, in any workspace. */
  readonly webhook?: string;
  /** In place of a sample. */
  readonly data?: unknown;
}

export interface Triggered {
  /** Whether the sandbox itself sends events of this name. */
  readonly known: boolean;
  /** A name that may have been meant. */
  readonly meant: string | null;
  readonly deliveries: readonly DeliveryRow[];
}

/** `plan`: nothing is sent or kept; the rows say what would be (`planned`). */
export interface WebhookControl {
  deliveries(filter: DeliveryFilter): Promise<readonly DeliveryRow[]>;
  /** @throws Failure (exit 5) */
  delivery(id: string): Promise<DeliveryDetails>;
  /** Sends these again now, whatever became of them. Returns once each has been tried. @throws Failure (exit 5) */
  redeliver(ids: readonly string[], plan: boolean): Promise<readonly DeliveryRow[]>;
  /** Sends what is due; `all`: what waits for its next attempt too. */
  deliver(all: boolean, plan: boolean): Promise<readonly DeliveryRow[]>;
  /** Makes an event and sends it. @throws Failure (exit 5) for an unknown webhook */
  trigger(wish: TriggerWish, plan: boolean): Promise<Triggered>;
}

export interface WebhookControlOptions {
  readonly depot: Depot;
  readonly sender: DeliverySender;
  readonly clock: Clock;
  readonly dialect: Dialect;
  readonly allowed: readonly string[];
}

const noDelivery = (id: string): Failure =>
  new Failure(`no delivery ${id} in the sandbox`, {
    code: 'not_found',
    exit: EXIT.notFound,
    hint: 'See which there are: ttctl sandbox webhooks deliveries',
  });

const noWebhook = (id: string): Failure =>
  new Failure(`no webhook ${id} in the sandbox`, {
    code: 'not_found',
    exit: EXIT.notFound,
    hint: 'See which there are: ttctl --profile sandbox webhooks list',
  });

/** @throws Failure (exit 5) */
export const deliveryById = (world: World | undefined, id: string): Delivery => {
  const delivery = (world?.deliveries ?? []).find((row) => row.id === id);
  if (delivery === undefined) throw noDelivery(id);
  return delivery;
};

/** The webhooks that an event is for, each with its workspace. */
const webhooksFor = (world: World, { event, webhook }: TriggerWish, dialect: Dialect) => {
  const wanted = webhook === undefined ? undefined : inwardId(dialect, webhook);
  const all = Object.values(world.spaces).flatMap((space): [Space, Webhook][] =>
    Object.values(space.webhooks).map((one) => [space, one]),
  );
  const found = all.filter(([, one]) =>
    wanted === undefined ? one.events.includes(event) : one.id === wanted,
  );
  if (webhook !== undefined && found.length === 0) throw noWebhook(webhook);
  return found;
};

const checkName = (event: string): void => {
  if (event.trim() === '' || event.length > 200)
    throw new UsageError(`"${event}" is not the name of an event`);
};

export const createWebhookControl = (options: WebhookControlOptions): WebhookControl => {
  const { depot, sender, clock, dialect, allowed } = options;
  const nowOf = (world: World): number => momentOf(world, clock).now;
  /** Changes the world, sends what is due by then, and tells what became of what was chosen. */
  const send = async (plan: boolean, choose: (world: World) => readonly Delivery[]) => {
    const chosen = await depot.change((world, keep) => {
      const deliveries = choose(plan ? structuredClone(world) : world);
      if (!plan && deliveries.length > 0) keep();
      return deliveries.map((delivery) => rowOf(dialect, delivery));
    });
    if (plan)
      return chosen.map((row) => (row.status === 'pending' ? { ...row, status: 'planned' as const } : row));
    await sender.run();
    const rows = new Map(rowsOf(depot.look(), dialect, {}).map((row) => [row.id, row]));
    return chosen.map((row) => rows.get(row.id) ?? row);
  };
  return {
    deliveries: async (filter) => rowsOf(depot.look(), dialect, filter),
    delivery: async (id) => detailsOf(dialect, deliveryById(depot.look(), id)),
    redeliver: (ids, plan) =>
      send(plan, (world) => {
        const deliveries = [...new Set(ids)].map((id) => deliveryById(world, id));
        for (const delivery of deliveries) sendAgain(world, delivery, nowOf(world), allowed);
        return deliveries;
      }),
    deliver: (all, plan) =>
      send(plan, (world) => {
        const moment = momentOf(world, clock);
        if (!all) return dueNow(world, moment);
        const waiting = (world.deliveries ?? []).filter(({ next_ms }) => next_ms !== null);
        for (const delivery of waiting) delivery.next_ms = Math.min(delivery.next_ms ?? 0, moment.now);
        return waiting;
      }),
    async trigger(wish, plan) {
      const { event } = wish;
      checkName(event);
      const known = EVENTS.some((name) => name === event);
      const deliveries = await send(plan, (world) =>
        webhooksFor(world, wish, dialect).map(([space, webhook]) => {
          const data = wish.data === undefined ? sampleOf(world, space, event, dialect) : wish.data;
          const about = { event, workspace_id: space.id, data, at_ms: nowOf(world) };
          return addDelivery(world, webhook, about, allowed);
        }),
      );
      return { known, meant: known ? null : (nearest(event, EVENTS) ?? null), deliveries };
    },
  };
};
