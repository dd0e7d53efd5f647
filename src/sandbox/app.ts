import * as access from './access.ts';
import { Refusal, type SandboxEvent, type SandboxRequest, type SandboxResponse } from './answer.ts';
import { recordEvent } from './deliveries/deliveries.ts';
import * as dialects from './dialect.ts';
import { answerWithFault, describeFault, getSeenStatus, refuseAsApi, takeFault } from './faults.ts';
import { parseFields, RequestInput } from './input.ts';
import { findRoute, ROUTES } from './routes.ts';
import { toSandboxTime } from './state.ts';
import type { World } from './world.ts';

/** What came in and what became of it, for `sandbox log`. */
export interface LogEntry {
  readonly request: SandboxRequest;
  /** `PUT /timesheets/{timesheetId}/approve`; absent for an unknown path. */
  readonly route: string | undefined;
  /** Null: the connection was cut before an answer. */
  readonly status: number | null;
  readonly member: string | undefined;
  readonly remaining: number | undefined;
  readonly fault: string | undefined;
  /** What the request sent and nobody read: `body.color`. Empty where it was refused before it was read. */
  readonly unread: readonly string[];
  readonly at_ms: number;
}

export interface Env {
  readonly now: number;
  readonly limits?: access.RequestLimits | 'off' | undefined;
  readonly dialect?: dialects.ServiceDialect | undefined;
  /** Hosts beside this machine that webhooks may point to. */
  readonly allowed?: readonly string[] | undefined;
}

export interface Answered {
  readonly response: SandboxResponse;
  /** What webhooks are to hear of it. */
  readonly events: readonly SandboxEvent[];
  readonly entry: LogEntry;
  /** What changed: only what the request does when it is repeated, or anything. */
  readonly changed: 'request' | 'state' | false;
}

/**
 * The whole service as a function of one request. It changes `world` in place, and only when it answers with
 * success (the limit windows and the faults aside). A refusal is found before anything is changed.
 */
export function answerRequest(world: World, request: SandboxRequest, env: Env): Answered {
  const { now, limits = access.DOCUMENTED_LIMITS, dialect = dialects.DEFAULT_DIALECT, allowed = [] } = env;
  const match = findRoute(ROUTES, request.method, request.path);
  const form: dialects.AnswerForm = { dialect, now, route: match?.route.route, users: world.users };
  const isWrite = request.method !== 'GET';
  const events: SandboxEvent[] = [];
  const known: { member?: string; remaining?: number | undefined; input?: RequestInput } = {};
  const work = (): SandboxResponse => {
    let headers: Record<string, string> = {};
    try {
      // An unknown path is never answered with something plausible.
      if (match === undefined) throw new Refusal(404, `No such operation: ${request.method} ${request.path}`);
      const { route } = match;
      const token = access.requireToken(world, request.headers['authorization'], now);
      const allowance = access.requireAllowance(world, token, isWrite, now, limits);
      headers = allowance.headers;
      known.remaining = allowance.remaining;
      const user = access.requireUser(world, token, isWrite);
      known.member = user.email;
      const sent = { path: match.path, ...parseFields(request, route.form === true) };
      const { path, ...fields } = dialects.readDialect(dialect, route.route, sent);
      const input = new RequestInput(fields);
      known.input = input;
      const call = { world, user, now, time: new Date(now).toISOString(), input, path };
      const answer =
        route.of === 'user'
          ? route.handle(call)
          : route.handle({ ...call, ...access.requireWorkspace(world, input, user, route.workspace) });
      if (answer.event !== undefined) {
        const workspace_id = answer.event.workspace.id;
        const data = dialects.showIds(dialect, answer.event.data);
        for (const event of route.events ?? []) events.push({ event, workspace_id, data, at_ms: now });
      }
      return dialects.writeAnswer(form, answer, headers);
    } catch (thrown) {
      if (thrown instanceof Refusal) return dialects.writeRefusal(form, thrown, headers);
      // A fault of the sandbox: 500, as a service would.
      const reason = thrown instanceof Error ? thrown.message : 'unknown';
      return dialects.writeRefusal(form, new Refusal(500, `Server error in the sandbox: ${reason}`), headers);
    }
  };
  const fault = takeFault(world, form.route);
  const response = fault === undefined ? work() : answerWithFault(fault, work, refuseAsApi(form));
  for (const event of events) recordEvent(world, event, allowed);
  const entry: LogEntry = {
    ...{ request, route: form.route, member: known.member, remaining: known.remaining, at_ms: now },
    status: getSeenStatus(response),
    fault: fault && describeFault(fault),
    unread: known.input?.unread() ?? [],
  };
  // Only a write that succeeded changes the state, and a fault: it counts down, and may come after the work.
  const isChange = (isWrite && response.status < 300) || response.fault !== undefined;
  return { response, events, entry, changed: isChange && 'request' };
}

/** A request that changed the state, so that it can be repeated: with what it began from. */
export interface RepeatableRequest {
  readonly at: number;
  readonly generator: number;
  readonly next_id: number;
  readonly request: SandboxRequest;
}

/**
 * Does to the world what the request did before.
 * @throws Error where it goes otherwise
 */
export function repeatRequest(world: World, { at, request, ...begun }: RepeatableRequest): void {
  Object.assign(world, begun);
  const { response, changed } = answerRequest(world, request, {
    now: toSandboxTime(world, at),
    limits: 'off',
  });
  if (changed === false) throw new Error(`it is answered with ${response.status}`);
}
