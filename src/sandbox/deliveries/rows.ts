import type { Dialect } from '../dialect.ts';
import { inwardId, outwardId } from '../ids.ts';
import type { World } from '../world.ts';
import type { Attempt, Delivery, DeliveryStatus } from './delivery.ts';

/** Deliveries as `ttctl sandbox webhooks` shows them. */

export interface DeliveryRow {
  readonly id: string;
  readonly event: string;
  readonly status: DeliveryStatus | 'planned';
  /** How many there have been. */
  readonly attempts: number;
  /** Status of the last answer. */
  readonly last_status: number | null;
  readonly reason: string | null;
  readonly next_attempt_at: string | null;
  readonly created_at: string;
  readonly webhook_id: string;
  readonly workspace_id: number;
  readonly url: string;
}

export interface DeliveryDetails extends DeliveryRow {
  /** What was sent last; without headers where nothing has been sent. */
  readonly request: {
    readonly method: 'POST';
    readonly url: string;
    readonly headers: Readonly<Record<string, string>>;
    readonly body: string;
  };
  readonly history: readonly Attempt[];
}

export interface DeliveryFilter {
  readonly webhook?: string | undefined;
  readonly event?: string | undefined;
  readonly status?: string | undefined;
}

export const rowOf = (dialect: Dialect, delivery: Delivery): DeliveryRow => ({
  id: delivery.id,
  event: delivery.event,
  status: delivery.status,
  attempts: delivery.attempts_made,
  last_status: delivery.attempts.at(-1)?.status ?? null,
  reason: delivery.reason,
  next_attempt_at: delivery.next_ms === null ? null : new Date(delivery.next_ms).toISOString(),
  created_at: delivery.created_at,
  webhook_id: outwardId(dialect, delivery.webhook_id),
  workspace_id: delivery.workspace_id,
  url: delivery.url,
});

/** The latest first. */
export const rowsOf = (
  world: World | undefined,
  dialect: Dialect,
  { webhook, event, status }: DeliveryFilter,
): DeliveryRow[] => {
  const inward = webhook === undefined ? undefined : inwardId(dialect, webhook);
  return (world?.deliveries ?? [])
    .filter(
      (delivery) =>
        (inward === undefined || delivery.webhook_id === inward) &&
        (event === undefined || delivery.event === event) &&
        (status === undefined || delivery.status === status),
    )
    .map((delivery) => rowOf(dialect, delivery))
    .reverse();
};

export const detailsOf = (dialect: Dialect, delivery: Delivery): DeliveryDetails => {
  const last = delivery.attempts.at(-1);
  return {
    ...rowOf(dialect, delivery),
    request: {
      method: 'POST',
      url: last?.url ?? delivery.url,
      headers: last?.headers ?? {},
      body: delivery.body,
    },
    history: delivery.attempts,
  };
};
