/// <reference lib="esnext.disposable" />

/**
 * The sandbox of ttctl in a process of your own: a work-time tracking service with all its rules, for tests.
 * What you pass is in camelCase; records come as the service and `ttctl sandbox … --output json` show them.
 *
 * This file imports nothing: the build ships it as the types of `ttctl/sandbox`.
 */

/** A moment: a `Date`, milliseconds since 1970, or ISO 8601 text, which without an offset is UTC. */
export type Moment = Date | number | string;

/** Milliseconds, or text such as `90s`, `2h30m`, `15d`. */
export type Duration = number | string;

type Scope = 'read' | 'write' | 'admin';

type SeedName =
  | 'demo'
  | 'agency'
  | 'month-end'
  | 'messy'
  | 'big'
  | 'empty'
  | `big:${number}`
  | `simulate:${string}`;

/** The path of a seed file: it has a `/` or ends in `.json`. */
type SeedPath = string & Record<never, never>;

/** The content of a seed file. */
type SeedContent = { readonly [section: string]: unknown };

export type Seed = SeedName | SeedPath | SeedContent;

/** How the sandbox answers where services of this kind differ; the first value of each is the default. */
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

/** Of each token, over sliding windows. */
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
  /** What it begins with. Default: `demo`. */
  readonly seed?: Seed;
  /** The sandbox's time when it begins; its clock goes on from there. Default: the machine's time. */
  readonly now?: Moment;
  /** The clock stands still until it is moved. */
  readonly frozen?: boolean;
  /** Also as text: `pagination=top,created=200`. */
  readonly dialect?: Dialect | string;
  /** Default: `documented`. */
  readonly limits?: 'documented' | 'off' | Limits;
  /** E-mail address of who approves every OAuth2 request at once, with no page. */
  readonly autoApprove?: string;
  /** Hosts beside this machine that webhooks may be delivered to: `hooks.example.com`. Default: none. */
  readonly allowWebhooksTo?: readonly string[];
  /** The same number gives the same ids and secrets. Default: 1. */
  readonly seedNumber?: number;
}

/** A request as a plain record. */
export interface HandleRequest {
  /** Default: `GET`. */
  readonly method?: string;
  /** `/members/7` of the API, or `/oauth/token`; segments percent-encoded, also with `?query`. */
  readonly path: string;
  readonly query?:
    | Readonly<Record<string, string | number>>
    | readonly (readonly [name: string, value: string | number])[];
  readonly headers?: Readonly<Record<string, string>>;
  /** Text as it is; any other value as JSON. */
  readonly body?: unknown;
  /** Sent as `Authorization: Bearer …`. */
  readonly token?: string;
}

/** An answer as a plain record. */
export interface HandleAnswer {
  readonly status: number;
  /** Lower-case names. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  /** What a network would do to it, because a fault asks for it. Nothing waits here. */
  readonly wire?: {
    readonly latency_ms: number;
    /** Where the connection is cut: before the answer, or in the middle of its body. */
    readonly cut?: 'unanswered' | 'middle';
  };
}

export interface TokenOptions {
  /** E-mail address of an active Owner or Executive Manager. Default: the owner of the first workspace. */
  readonly as?: string;
  /** Also as text: `read write`. Default: both. */
  readonly scope?: string | readonly Scope[];
}

export interface IssuedToken {
  readonly token: string;
  readonly scopes: readonly Scope[];
  /** E-mail address of its owner. */
  readonly member: string;
  /** ISO 8601. */
  readonly expires_at: string;
}

export interface ApplicationOptions {
  readonly name: string;
  /** Needed for the authorization code grant. */
  readonly redirectUri?: string;
  /** Default: `authorization-code`. */
  readonly grant?: 'authorization-code' | 'client-credentials';
  /** E-mail address of who registers it. Default: the owner of the first workspace. */
  readonly as?: string;
}

export interface IssuedApplication {
  readonly client_id: string;
  readonly client_secret: string;
  readonly name: string;
  readonly grant: 'authorization-code' | 'client-credentials';
  readonly redirect_uri: string | null;
  /** E-mail address of who registered it. */
  readonly member: string;
  /** ISO 8601. */
  readonly created_at: string;
}

export interface ClockState {
  /** The sandbox's time, ISO 8601. */
  readonly now: string;
  readonly frozen: boolean;
  /** Seconds by which it is ahead of the machine's; negative: behind. */
  readonly ahead_seconds: number;
}

/** Tokens, limits, retries of webhooks, dates in answers: everything goes by this clock. */
export interface SandboxClock {
  now(): Date;
  state(): ClockState;
  set(to: Moment): ClockState;
  advance(by: Duration): ClockState;
  /** Stands still, at this moment or now. */
  freeze(at?: Moment): ClockState;
  /** Goes on from where it stands. */
  resume(): ClockState;
}

export interface FaultOptions {
  /** How many calls; default 1. */
  readonly times?: number;
  /** Answered in place of the operation's own, 300 to 599; nothing is done. */
  readonly status?: number;
  /** Seconds, with 429 (60) or 503. */
  readonly retryAfter?: number;
  /** The work is done, and then the call fails: what makes blind retries do it twice. */
  readonly afterCommit?: boolean;
  /** The answer comes later, by the machine's clock. */
  readonly latency?: Duration;
  /** The connection is cut before or after the work is done. */
  readonly drop?: 'before' | 'after';
  readonly body?: 'truncated' | 'broken' | 'html' | 'empty' | 'wrong-type' | 'failure' | 'deep';
}

interface FaultRow {
  readonly id: number;
  /** `PUT /timesheets/{timesheetId}/approve` */
  readonly route: string;
  readonly times: number;
  /** How many of the calls are still to come. */
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

/** Calls that go wrong: the next so many of an operation, never a share of them. */
export interface SandboxFaults {
  /** @param operation `PUT /timesheets/{timesheetId}/approve`, `timesheets approve`, `POST /oauth/token` */
  add(operation: string, fault: FaultOptions): FaultRow;
  list(): readonly FaultRow[];
  /** Takes away the faults of these ids, or all. Returns how many. */
  clear(...ids: readonly number[]): number;
}

/** What came in and what became of it. */
interface LogRow {
  readonly id: string;
  /** The sandbox's time, ISO 8601. */
  readonly at: string;
  readonly method: string;
  /** Without the base path. */
  readonly path: string;
  /** Of names that came several times all values. */
  readonly query: Readonly<Record<string, string | readonly string[]>>;
  /** Secrets are masked; null: there was none. */
  readonly body: unknown;
  /** `PUT /timesheets/{timesheetId}/approve`; null: no such operation. */
  readonly route: string | null;
  /** Null: the connection was cut before an answer. */
  readonly status: number | null;
  /** The fault that the call met, in words. */
  readonly fault: string | null;
  /** Requests left of the minute; null: not counted. */
  readonly remaining: number | null;
  /** What was sent and nobody read: `query.page`, `body.color`. */
  readonly unread: readonly string[];
  /** E-mail address of whose token it was; null: no good one. */
  readonly member: string | null;
  readonly duration_ms: number;
}

type DeliveryStatus = 'pending' | 'delivered' | 'failed' | 'refused';

/** One event for one webhook. */
interface DeliveryRow {
  /** The `webhook-id` of every attempt. */
  readonly id: string;
  readonly event: string;
  /** `refused`: the sandbox may not send to that address. */
  readonly status: DeliveryStatus | 'planned';
  /** How many there have been. */
  readonly attempts: number;
  /** Status of the last answer; null: none came. */
  readonly last_status: number | null;
  /** Why it is not delivered; null where it is. */
  readonly reason: string | null;
  /** The sandbox's time, ISO 8601; null: there will be none. */
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
  /** As they were sent; lower-case names. */
  readonly headers: Readonly<Record<string, string>>;
  readonly status: number | null;
  readonly reason: string | null;
  /** The first 1,024 bytes of the answer. */
  readonly answer: string | null;
  readonly duration_ms: number;
}

interface DeliveryDetails extends DeliveryRow {
  /** What was sent last; without headers where nothing has been sent. */
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
  /** Id of the one webhook that gets it, subscribed or not. Default: every one that subscribes. */
  readonly webhook?: string;
  /** In place of a sample of what is in the sandbox. */
  readonly data?: unknown;
}

/** What is sent to webhooks: real requests, signed, tried again by the sandbox's clock. */
export interface SandboxWebhooks {
  /** The latest first. */
  deliveries(filter?: DeliveryFilter): readonly DeliveryRow[];
  /** One of them whole: request, headers, every attempt. */
  delivery(id: string): DeliveryDetails;
  /** Makes an event up and sends it; nothing else in the sandbox changes. */
  trigger(event: string, options?: TriggerOptions): Promise<readonly DeliveryRow[]>;
  /** Sends these again now, whatever became of them. */
  redeliver(...ids: readonly string[]): Promise<readonly DeliveryRow[]>;
  /** Sends now what waits for its next attempt. */
  deliver(): Promise<readonly DeliveryRow[]>;
  /** Resolves once nothing is due and nothing is on its way. */
  settled(): Promise<void>;
}

/** A record as the state keeps it. */
export interface StateRecord {
  readonly id: number | string;
  readonly [field: string]: unknown;
}

export interface WorkspaceState {
  readonly id: number;
  readonly name: string;
  /** E-mail address. */
  readonly owner: string;
  /** With `email` and names; also those who are archived. */
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

/** What is in the sandbox, as a copy. */
export interface SandboxState {
  /** Name of the seed that it grew from. */
  readonly seed: string;
  /** The sandbox's time, ISO 8601. */
  readonly now: string;
  readonly workspaces: readonly WorkspaceState[];
}

/** Everything that a sandbox holds, its faults and what time it was with it. JSON; the rest of it is the sandbox's business. */
export interface Snapshot {
  readonly version: 1;
  /** The sandbox's time, ISO 8601. */
  readonly now: string;
}

/** What was done while time passed. */
interface Simulated {
  /** The sandbox's time, ISO 8601. */
  readonly from: string;
  readonly to: string;
  /** How many worked or could have. */
  readonly people: number;
  readonly tracked_hours: number;
  readonly trackers_started: number;
  readonly trackers_stopped: number;
  readonly trackers_running: number;
  readonly timesheets_submitted: number;
  readonly leaves_asked: number;
  readonly time_requests_made: number;
  readonly expenses_booked: number;
  /** What webhooks could hear of. */
  readonly events: number;
}

export interface ListenOptions {
  /** Default 0: any free one. */
  readonly port?: number;
}

export interface EnvOptions extends TokenOptions {
  /**
   * `ttctl` waits for the limits by the machine's clock. By default it moves the sandbox's clock on instead, so that a
   * wait of a minute takes no time.
   */
  readonly realTime?: boolean;
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
  /** The variables that point `ttctl` in another process at it, with a new token in them. */
  env(options?: EnvOptions): Readonly<Record<string, string>>;
  close(): Promise<void>;
  [Symbol.asyncDispose](): Promise<void>;
}

/** The `fetch` of wherever this is used. */
type Fetch = typeof globalThis extends { fetch: infer F }
  ? F
  : (input: unknown, init?: unknown) => Promise<unknown>;

export interface Sandbox {
  /** For `fetch`: addresses that exist nowhere else. A server has its own. */
  readonly baseUrl: string;
  readonly authUrl: string;
  readonly tokenUrl: string;
  /** Id of the first workspace. */
  readonly workspaceId: number;
  /**
   * Like the global one, but nothing leaves the process: whatever the host, `/api/v2/…` is the API and `/oauth/…`
   * the OAuth2 host. A redirect is returned, not followed.
   */
  readonly fetch: Fetch;
  /** The same with plain records, at once. */
  handle(request: HandleRequest): HandleAnswer;
  listen(options?: ListenOptions): Promise<SandboxServer>;
  /** A new Personal Access Token. */
  token(options?: TokenOptions): IssuedToken;
  /** Registers an OAuth2 application. */
  application(options: ApplicationOptions): IssuedApplication;
  readonly clock: SandboxClock;
  readonly faults: SandboxFaults;
  readonly webhooks: SandboxWebhooks;
  /** The latest 1,000 requests, the oldest first. */
  log(): readonly LogRow[];
  clearLog(): void;
  state(): SandboxState;
  /**
   * Time passes with people at work in it, a year at most: they track time, submit sheets on Fridays, ask for leave and
   * time, book expenses. Nothing is decided. The clock moves along.
   */
  simulate(by: Duration): Promise<Simulated>;
  snapshot(): Snapshot;
  /** Brings back everything that the snapshot holds; the clock goes on from the time of then. The log goes on. */
  restore(snapshot: Snapshot): void;
  /**
   * Begins again as when it was made, or with another seed: no fault, an empty log, the clock as in the options.
   * Every token ends. Servers stay.
   */
  reset(seed?: Seed): Promise<void>;
  /** Ends its servers and whatever is under way. */
  close(): Promise<void>;
  [Symbol.asyncDispose](): Promise<void>;
}

/** What was asked for cannot be: an unknown seed, a fault that contradicts itself. */
export declare class SandboxError extends Error {
  /** `usage`, `not_found`, … */
  readonly code: string;
}

/**
 * Makes a sandbox, which answers at once; it needs no port and no file.
 * @throws SandboxError for options that cannot be, with a suggestion
 */
export declare function createSandbox(options?: SandboxOptions): Promise<Sandbox>;
