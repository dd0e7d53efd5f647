import { type ServiceDialect, toInwardId, toOutwardId } from '../dialect.ts';
import type { World } from '../world.ts';
import type { Attempt, StoredDelivery, StoredDeliveryStatus } from './delivery.ts';

/** Deliveries as `ttctl sandbox webhooks` shows them. */

export interface StoredDeliveryRow {
  readonly id: string;
  readonly event: string;
  readonly status: StoredDeliveryStatus;
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

export interface StoredDeliveryDetails extends StoredDeliveryRow {
  /** What was sent last; without headers where nothing has been sent. */
  readonly request: {
    readonly method: 'POST';
    readonly url: string;
    readonly headers: Readonly<Record<string, string>>;
    readonly body: string;
  };
  readonly history: readonly Attempt[];
}

export interface StoredDeliveryFilter {
  readonly webhook?: string | undefined;
  readonly event?: string | undefined;
  readonly status?: string | undefined;
}

export const toDeliveryRow = (dialect: ServiceDialect, delivery: StoredDelivery): StoredDeliveryRow => ({
  id: delivery.id,
  event: delivery.event,
  status: delivery.status,
  attempts: delivery.attempts_made,
  last_status: delivery.attempts.at(-1)?.status ?? null,
  reason: delivery.reason,
  next_attempt_at: delivery.next_ms === null ? null : new Date(delivery.next_ms).toISOString(),
  created_at: delivery.created_at,
  webhook_id: toOutwardId(dialect, delivery.webhook_id),
  workspace_id: delivery.workspace_id,
  url: delivery.url,
});

/** The latest first. */
export const listDeliveryRows = (
  world: World | undefined,
  dialect: ServiceDialect,
  { webhook, event, status }: StoredDeliveryFilter,
): StoredDeliveryRow[] => {
  const webhookId = webhook === undefined ? undefined : toInwardId(dialect, webhook);
  return (world?.deliveries ?? [])
    .filter(
      (delivery) =>
        (webhookId === undefined || delivery.webhook_id === webhookId) &&
        (event === undefined || delivery.event === event) &&
        (status === undefined || delivery.status === status),
    )
    .map((delivery) => toDeliveryRow(dialect, delivery))
    .reverse();
};

export const toDeliveryDetails = (
  dialect: ServiceDialect,
  delivery: StoredDelivery,
): StoredDeliveryDetails => {
  const last = delivery.attempts.at(-1);
  return {
    ...toDeliveryRow(dialect, delivery),
    request: {
      method: 'POST',
      url: last?.url ?? delivery.url,
      headers: last?.headers ?? {},
      body: delivery.body,
    },
    history: delivery.attempts,
  };
};
