import type { Row } from '../api/page.ts';
import type { Failure } from '../outcome.ts';

/** What `ttctl webhooks listen`, `received` and `replay` work with: `runtime/webhook-service.ts` builds it. */

export const FORWARDING_STATES = ['pending', 'done', 'failed'] as const;
export type ForwardingState = (typeof FORWARDING_STATES)[number];

/** How far the forwarding of a delivery is. */
export interface ForwardingProgress {
  /** `pending`: it is tried again; `failed`: it is not. */
  readonly state: ForwardingState;
  /** How many were begun. */
  readonly attempts: number;
  /** ISO 8601; null: as soon as possible, or never. */
  readonly next_attempt_at: string | null;
  /** Why the last one failed, in words. */
  readonly last_error: string | null;
}

/** What is done with a delivery once it is kept. */
export interface ForwardingOptions {
  /** Where it is posted to. */
  readonly forward?: string;
  /** A command line for the shell, which gets the body on stdin. */
  readonly exec?: string;
  /** Names of variables that the command gets beside the usual ones. */
  readonly passEnv?: readonly string[];
  /** How long the command may take. */
  readonly handlerTimeoutMs: number;
}

export interface ListenerOptions extends ForwardingOptions {
  readonly host: string;
  /** 0 means any free port. */
  readonly port: number;
  /** Absent: every path is taken. */
  readonly path?: string;
  /** Folder; absent: `webhooks` of the state directory. */
  readonly store?: string;
  /** Only these are shown and handed on; all are kept. Empty: every one. */
  readonly events: readonly string[];
  /** The sender gets the status of `forward`. */
  readonly forwardStatus: boolean;
  /** The sender gets its 2xx only once it was forwarded; else 503. */
  readonly answerAfterHandler: boolean;
  /** Without a valid signature: 401, and it is not kept. */
  readonly requireSignature: boolean;
  /** Refuses what nothing shows to come from the service; a signature in an unknown format is left to be judged. */
  readonly refuseUnsigned: boolean;
}

export interface Receiver {
  /** `http://127.0.0.1:4748/`: where a sender on this machine reaches it. */
  readonly url: string;
  /**
   * What comes, each once it is kept and handed on; until Ctrl-C, or until nobody takes more. Nothing is answered before
   * this has begun. Says on stderr where it listens.
   * @param token the secret of the webhook; absent: signatures cannot be checked
   */
  deliveries(token: string | undefined, facts: Readonly<Record<string, unknown>>): AsyncGenerator<Row>;
  /** Why one of those was not handed on, where it was not. */
  getFailure(row: Row): Failure | undefined;
}

/** What became of handing one on; `failure` where it did not work. */
export interface ForwardingResult {
  readonly words: string;
  readonly failure?: Failure;
}

export interface WebhookService {
  /** The token of the environment (`TTCTL_WEBHOOK_TOKEN`). */
  readonly token: string | undefined;
  /**
   * Listens for as long as the work lasts.
   * @throws UsageError for what contradicts itself; Failure (exit 1) where port or folder cannot be had
   */
  receive(options: ListenerOptions, work: (receiver: Receiver) => Promise<void>): Promise<void>;
  /** What is kept, the latest first; without the bodies. What cannot be read is among it, and says why. */
  list(store: string | undefined): readonly Row[];
  /** One whole. @throws UsageError when there is none, or several */
  show(id: string, store: string | undefined, secrets: boolean): Row;
  /** The keys of some by their ids. @throws UsageError as `show` */
  keys(ids: readonly string[], store: string | undefined): readonly string[];
  /** The keys of what could not be forwarded, the earliest first. */
  failed(store: string | undefined): readonly string[];
  /** Removes these, by their keys. @throws Failure (exit 1) */
  remove(keys: readonly string[], store: string | undefined): void;
  /** Hands one on again, as it came; one that cannot be read is a failure too. What was not done is then. */
  replay(key: string, store: string | undefined, to: ForwardingOptions): Promise<ForwardingResult>;
}
