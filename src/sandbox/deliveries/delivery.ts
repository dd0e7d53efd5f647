/** What the sandbox sends to webhooks, as the state keeps it. */

/** `refused`: the sandbox may not send to that address. */
export type StoredDeliveryStatus = 'pending' | 'delivered' | 'failed' | 'refused';

export interface Attempt {
  /** The sandbox's time, ISO 8601. */
  at: string;
  url: string;
  /** As they were sent; lower-case names. */
  headers: Record<string, string>;
  /** Status of the answer; null: none came. */
  status: number | null;
  /** Why it was not delivered; null where it was. */
  reason: string | null;
  /** The first 1,024 bytes of the answer as text; null: none came. */
  answer: string | null;
  /** By the machine's clock. */
  duration_ms: number;
}

/** One event for one webhook. */
export interface StoredDelivery {
  /** `msg_…`: the same in every attempt, as `webhook-id` and in the body. */
  id: string;
  event: string;
  webhook_id: string;
  workspace_id: number;
  /** Where the last attempt went, or the next one goes. */
  url: string;
  /** The bytes that are signed and sent. */
  body: string;
  created_at: string;
  status: StoredDeliveryStatus;
  /** Why it is not delivered yet, or never will be. */
  reason: string | null;
  /** Failed attempts since the event, or since somebody asked for it to be sent again. */
  failures: number;
  /** How many attempts there have been; `attempts` keeps the last ones. */
  attempts_made: number;
  attempts: Attempt[];
  /** The sandbox's time of the next attempt; null: there is none. */
  next_ms: number | null;
  /** Until when, by the machine's clock, a process that took it is believed to be sending it. */
  claimed_ms: number | null;
}
