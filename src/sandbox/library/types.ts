/// <reference lib="esnext.disposable" />

/**
 * The sandbox of ttctl in your own process: a work-time tracking service with all its rules, for tests.
 * Options are in camelCase; records have the form that the service and `ttctl sandbox … --output json` use.
 *
 * This file imports nothing: the build ships it as the types of `ttctl/sandbox`.
 */

/** A point in time: a `Date`, milliseconds since 1970, or ISO 8601 text (UTC if it has no offset). */
export type Moment = Date | number | string;

/** Milliseconds, or text such as `90s`, `2h30m`, `15d`. */
export type Duration = number | string;

type Scope = 'read' | 'write' | 'admin';

type SeedName = 'demo' | 'agency' | 'month-end' | 'messy' | 'big' | 'empty' | `big:${number}`;

/** The path of a seed file: it has a `/` or ends in `.json`. */
type SeedPath = string & Record<never, never>;

/** The content of a seed file. */
type SeedContent = { readonly [section: string]: unknown };

export type Seed = SeedName | SeedPath | SeedContent;

/** How the sandbox answers where services of this kind differ. The first value of each is the default. */
interface Dialect {
  readonly pagination?: 'meta' | 'top' | 'none';
  readonly created?: 'documented' | '200' | '201';
  readonly invalid?: '400' | '422';
  readonly ids?: 'uuid' | 'opaque';
  readonly empty?: 'null' | 'object';
  readonly unset?: 'absent' | 'null';
  readonly timestamp?: 'micro' | 'plain';
  readonly timesheets?: 'documented' | 'newer';
  readonly webhooks?: 'documented' | 'newer';
  readonly ignorePerPage?: 'no' | 'yes';
  readonly ignorePage?: 'no' | 'yes';
}

/** Limits per token, over sliding windows. */
interface Limits {
  /** Default 150 … */
  readonly requests?: number;
  /** … in 60 seconds. */
  readonly perSeconds?: number;
  /** Default 20 … */
  readonly writes?: number;
  /** … in 1 second. */
  readonly writesPerSeconds?: number;
}

export interface SandboxOptions {
  /** The initial data. Default: `demo`. */
  readonly seed?: Seed;
  /** The time at which the clock of the sandbox starts. Default: the machine's time. */
  readonly now?: Moment;
  /** Stops the clock until you move it. */
  readonly frozen?: boolean;
  /** Also as text: `pagination=top,created=200`. */
  readonly dialect?: Dialect | string;
  /** Default: `documented`. */
  readonly limits?: 'documented' | 'off' | Limits;
  /** E-mail address of the person who approves every OAuth2 request, without a page. */
  readonly autoApprove?: string;
  /** Hosts, besides this machine, that webhooks may be delivered to: `hooks.example.com`. Default: none. */
  readonly allowWebhooksTo?: readonly string[];
  /** The same number produces the same ids and secrets. Default: 1. */
  readonly seedNumber?: number;
}

/** A request as a plain record. */
export interface HandleRequest {
  /** Default: `GET`. */
  readonly method?: string;
  /** `/members/7` of the API, or `/oauth/token`; percent-encoded segments, optionally with `?query`. */
  readonly path: string;
  readonly query?:
    | Readonly<Record<string, string | number>>
    | readonly (readonly [name: string, value: string | number])[];
  readonly headers?: Readonly<Record<string, string>>;
  /** Text is sent unchanged, any other value as JSON. */
  readonly body?: unknown;
  /** Sent as `Authorization: Bearer …`. */
  readonly token?: string;
}

/** A response as a plain record. */
export interface HandleAnswer {
  readonly status: number;
  /** Lower-case names. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  /** What a network would do to the response because of a fault. `handle` itself never waits. */
  readonly wire?: {
    readonly latency_ms: number;
    /** Where the connection is closed: before the response, or in the middle of its body. */
    readonly cut?: 'unanswered' | 'middle';
  };
}

export interface TokenOptions {
  /** E-mail address of an active Owner or Executive Manager. Default: the owner of the first workspace. */
  readonly as?: string;
  /** Also as text: `read write`. Default: both. */
  readonly scope?: string | readonly Scope[];
  /** Default: `sandbox`. */
  readonly name?: string;
}

export interface IssuedToken {
  readonly id: number;
  readonly name: string;
  readonly token: string;
  readonly scopes: readonly Scope[];
  /** E-mail address of its owner. */
  readonly member: string;
  /** ISO 8601. */
  readonly expires_at: string;
}

export interface ApplicationOptions {
  readonly name: string;
  /** Required for the authorization code grant. */
  readonly redirectUri?: string;
  /** Default: `authorization-code`. */
  readonly grant?: 'authorization-code' | 'client-credentials';
  /** E-mail address of the person who registers it. Default: the owner of the first workspace. */
  readonly as?: string;
}

export interface IssuedApplication {
  readonly client_id: string;
  readonly client_secret: string;
  readonly name: string;
  readonly grant: 'authorization-code' | 'client-credentials';
  readonly redirect_uri: string | null;
  /** E-mail address of the person who registered it. */
  readonly member: string;
  /** ISO 8601. */
  readonly created_at: string;
}

export interface ClockState {
  /** The sandbox's time, ISO 8601. */
  readonly now: string;
  readonly frozen: boolean;
  /** Seconds ahead of the machine's clock, to the millisecond; negative if behind. */
  readonly ahead_seconds: number;
}

/** The clock that tokens, limits, webhook retries and dates in responses follow. */
export interface SandboxClock {
  now(): Date;
  state(): ClockState;
  set(to: Moment): ClockState;
  advance(by: Duration): ClockState;
  /** Stops the clock, at the given time or now. */
  freeze(at?: Moment): ClockState;
  /** Restarts the clock from its current time. */
  resume(): ClockState;
}

export interface FaultOptions {
  /** Number of calls. Default: 1. */
  readonly times?: number;
  /** Returned instead of the operation's own status, 300 to 599; nothing is done. */
  readonly status?: number;
  /** Seconds, with 429 (default 60) or 503. */
  readonly retryAfter?: number;
  /** Does the work, then fails the call, so that a blind retry does it twice. */
  readonly afterCommit?: boolean;
  /** Delays the response, by the machine's clock. */
  readonly latency?: Duration;
  /** Closes the connection before or after the work is done. */
  readonly drop?: 'before' | 'after';
  readonly body?: 'truncated' | 'broken' | 'html' | 'empty' | 'wrong-type' | 'failure' | 'deep';
}

interface FaultRow {
  readonly id: number;
  /** `PUT /timesheets/{timesheetId}/approve` */
  readonly route: string;
  readonly times: number;
  /** Number of remaining calls. */
  readonly left: number;
  /** The fault in words. */
  readonly fault: string;
  readonly status: number | null;
  readonly retry_after: number | null;
  readonly after_commit: boolean;
  readonly latency_ms: number;
  readonly drop: 'before' | 'after' | null;
  readonly body: string | null;
}

/** Makes the next calls of an operation fail: a fixed number, never a percentage. */
export interface SandboxFaults {
  /** @param operation `PUT /timesheets/{timesheetId}/approve`, `timesheets approve`, `POST /oauth/token` */
  add(operation: string, fault: FaultOptions): FaultRow;
  list(): readonly FaultRow[];
  /** Clears the faults with these ids, or all. Returns how many were cleared. */
  clear(...ids: readonly number[]): number;
}

/** A request and its outcome. */
interface LogRow {
  readonly id: string;
  /** Its `X-Request-Id`; null if it had none. */
  readonly request_id: string | null;
  /** The sandbox's time, ISO 8601. */
  readonly at: string;
  readonly method: string;
  /** Without the base path. */
  readonly path: string;
  /** All values of a repeated name. */
  readonly query: Readonly<Record<string, string | readonly string[]>>;
  /** Secrets are masked; null if there was no body. */
  readonly body: unknown;
  /** `PUT /timesheets/{timesheetId}/approve`; null if there is no such operation. */
  readonly route: string | null;
  /** Null if the connection was closed before a response. */
  readonly status: number | null;
  /** The fault that applied to the call, in words. */
  readonly fault: string | null;
  /** Requests left in the minute; null if not counted. */
  readonly remaining: number | null;
  /** Fields that were sent but ignored: `query.page`, `body.color`. */
  readonly unread: readonly string[];
  /** E-mail address of the owner of the token; null if the token was not valid. */
  readonly member: string | null;
  readonly duration_ms: number;
}

type DeliveryStatus = 'pending' | 'delivered' | 'failed' | 'refused';

/** One event for one webhook. */
interface DeliveryRow {
  /** The `webhook-id` of every attempt. */
  readonly id: string;
  readonly event: string;
  /** `refused`: the sandbox is not allowed to send to that address. */
  readonly status: DeliveryStatus;
  /** Number of attempts so far. */
  readonly attempts: number;
  /** Status of the last response; null if there was none. */
  readonly last_status: number | null;
  /** Why it was not delivered; null if it was. */
  readonly reason: string | null;
  /** The sandbox's time, ISO 8601; null if there will be none. */
  readonly next_attempt_at: string | null;
  readonly created_at: string;
  readonly webhook_id: string;
  readonly workspace_id: number;
  readonly url: string;
}

interface DeliveryAttempt {
  /** The sandbox's time, ISO 8601. */
  readonly at: string;
  readonly url: string;
  /** The headers as sent; lower-case names. */
  readonly headers: Readonly<Record<string, string>>;
  readonly status: number | null;
  readonly reason: string | null;
  /** The first 1,024 bytes of the response. */
  readonly answer: string | null;
  readonly duration_ms: number;
}

interface DeliveryDetails extends DeliveryRow {
  /** The last request; without headers if nothing has been sent. */
  readonly request: {
    readonly method: 'POST';
    readonly url: string;
    readonly headers: Readonly<Record<string, string>>;
    readonly body: string;
  };
  readonly history: readonly DeliveryAttempt[];
}

interface DeliveryFilter {
  /** Id of a webhook. */
  readonly webhook?: string;
  readonly event?: string;
  readonly status?: DeliveryStatus;
}

interface TriggerOptions {
  /** Id of the only webhook to receive it, subscribed or not. Default: every webhook that subscribes. */
  readonly webhook?: string;
  /** Default: a record from the sandbox. */
  readonly data?: unknown;
}

/** Deliveries to webhooks: real, signed requests, retried by the sandbox's clock. */
export interface SandboxWebhooks {
  /** Newest first. */
  deliveries(filter?: DeliveryFilter): readonly DeliveryRow[];
  /** One delivery in full: request, headers, every attempt. */
  delivery(id: string): DeliveryDetails;
  /** Sends a made-up event without changing anything else in the sandbox. */
  trigger(event: string, options?: TriggerOptions): Promise<readonly DeliveryRow[]>;
  /** Sends these again now, whatever their status. */
  redeliver(...ids: readonly string[]): Promise<readonly DeliveryRow[]>;
  /** Sends the deliveries that are waiting for their next attempt now. */
  deliver(): Promise<readonly DeliveryRow[]>;
  /** Resolves once no delivery is due or in progress. */
  settled(): Promise<void>;
}

/** A record of the state. */
export interface StateRecord {
  readonly id: number | string;
  readonly [field: string]: unknown;
}

export interface WorkspaceState {
  readonly id: number;
  readonly name: string;
  /** E-mail address. */
  readonly owner: string;
  /** With `email` and names; includes archived members. */
  readonly members: readonly StateRecord[];
  readonly projects: readonly StateRecord[];
  readonly contracts: readonly StateRecord[];
  readonly tasks: readonly StateRecord[];
  readonly assignments: readonly StateRecord[];
  readonly timesheets: readonly StateRecord[];
  readonly leaves: readonly StateRecord[];
  readonly leave_policies: readonly StateRecord[];
  readonly time_requests: readonly StateRecord[];
  readonly expenses: readonly StateRecord[];
  readonly expense_categories: readonly StateRecord[];
  readonly webhooks: readonly StateRecord[];
}

/** A copy of the data in the sandbox. */
export interface SandboxState {
  /** Name of the seed it started from. */
  readonly seed: string;
  /** The sandbox's time, ISO 8601. */
  readonly now: string;
  readonly workspaces: readonly WorkspaceState[];
}

/** Everything in a sandbox, including its faults and its time. It is JSON; its other fields are internal. */
export interface Snapshot {
  readonly version: 1;
  /** The sandbox's time, ISO 8601. */
  readonly now: string;
}

export interface ListenOptions {
  /** Default: 0, which means any free port. */
  readonly port?: number;
}

/** A sandbox on a port of 127.0.0.1. */
export interface SandboxServer {
  /** `http://127.0.0.1:41234` */
  readonly url: string;
  /** `http://127.0.0.1:41234/api/v2` */
  readonly baseUrl: string;
  readonly authUrl: string;
  readonly tokenUrl: string;
  readonly port: number;
  /** The variables that point `ttctl` in another process at this server, including a new token. */
  env(options?: TokenOptions): Readonly<Record<string, string>>;
  close(): Promise<void>;
  [Symbol.asyncDispose](): Promise<void>;
}

/** The type of `fetch` in the environment that uses this file. */
type Fetch = typeof globalThis extends { fetch: infer F }
  ? F
  : (input: unknown, init?: unknown) => Promise<unknown>;

export interface Sandbox {
  /** For `sandbox.fetch` only. A server has its own addresses. */
  readonly baseUrl: string;
  readonly authUrl: string;
  readonly tokenUrl: string;
  /** Id of the first workspace. */
  readonly workspaceId: number;
  /**
   * Like the global `fetch`, but nothing leaves the process: whatever the host, `/api/v2/…` is the API and `/oauth/…`
   * the OAuth2 host. Redirects are returned, not followed.
   */
  readonly fetch: Fetch;
  /** The same with plain records, synchronously. */
  handle(request: HandleRequest): HandleAnswer;
  listen(options?: ListenOptions): Promise<SandboxServer>;
  /** Creates a Personal Access Token. */
  token(options?: TokenOptions): IssuedToken;
  /** Registers an OAuth2 application. */
  application(options: ApplicationOptions): IssuedApplication;
  readonly clock: SandboxClock;
  readonly faults: SandboxFaults;
  readonly webhooks: SandboxWebhooks;
  /** The latest 1,000 requests, oldest first. */
  log(): readonly LogRow[];
  clearLog(): void;
  state(): SandboxState;
  snapshot(): Snapshot;
  /** Restores everything in the snapshot. The clock continues from the time of the snapshot; the log is kept. */
  restore(snapshot: Snapshot): void;
  /**
   * Starts over with the original or another seed: no faults, an empty log, the clock as in the options.
   * All tokens expire. Servers keep running.
   */
  reset(seed?: Seed): Promise<void>;
  /** Stops its servers and everything in progress. */
  close(): Promise<void>;
  [Symbol.asyncDispose](): Promise<void>;
}

/** A request that is not possible: an unknown seed, or contradictory options of a fault. */
export declare class SandboxError extends Error {
  /** `usage`, `not_found`, … */
  readonly code: string;
}

/**
 * Creates a sandbox, which is ready at once and needs no port and no file.
 * @throws SandboxError for invalid options, with a suggestion
 */
export declare function createSandbox(options?: SandboxOptions): Promise<Sandbox>;
