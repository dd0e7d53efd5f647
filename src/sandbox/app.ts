import * as access from './access.ts';
import type { HandlerAnswer } from './answer.ts';
import type { Route, UserCall } from './call.ts';
import { DEFAULT_DIALECT, type ServiceDialect } from './dialect.ts';
import { toAnswerResponse, toFaultRefusal, toRefusalResponse } from './envelope.ts';
import type { SandboxApp, SandboxRequest, SandboxResponse } from './exchange.ts';
import { describeFault } from './fault.ts';
import { refuseAsApi } from './fault-refusal.ts';
import { answerWithFault, getSeenStatus, takeFault } from './faults.ts';
import { parseRequestInput, type RequestInput } from './input.ts';
import { DOCUMENTED_LIMITS, type RequestLimits } from './limits.ts';
import { createNoRouteRefusal, createRouteFinder, type RouteMatch } from './match.ts';
import type { Workspace, World } from './world.ts';

/** Something that webhooks may be subscribed to. */
export interface SandboxEvent {
  readonly event: string;
  readonly workspace_id: number;
  readonly data: unknown;
  /** The sandbox's time, ms. */
  readonly at_ms: number;
}

/** What came in and what became of it, for `sandbox log`. */
export interface LogEntry {
  readonly request: SandboxRequest;
  /** `PUT /timesheets/{timesheetId}/approve`; absent for an unknown path. */
  readonly route: string | undefined;
  /** Null: the connection was cut before an answer. */
  readonly status: number | null;
  /** E-mail address of whose token it was, where it was a good one. */
  readonly member: string | undefined;
  /** Requests left of the minute, where they were counted. */
  readonly remaining: number | undefined;
  /** What went wrong because it was asked for, in words. */
  readonly fault: string | undefined;
  /** What the request sent and nobody read: `body.color`. Empty where it was refused before it was read. */
  readonly unread: readonly string[];
  readonly at_ms: number;
}

export interface AppOptions {
  /** The sandbox's time in ms. */
  readonly clock: () => number;
  /** The routes that are answered (`routes.ts`); every other path is 404. */
  readonly routes: readonly Route[];
  /** Default: as documented. */
  readonly limits?: RequestLimits | 'off' | undefined;
  readonly dialect?: ServiceDialect | undefined;
  readonly onEvent?: (event: SandboxEvent) => void;
  readonly onAnswer?: (entry: LogEntry) => void;
}

interface Progress {
  readonly match: RouteMatch | undefined;
  member: string | undefined;
  input: RequestInput | undefined;
  headers: Record<string, string>;
  events: SandboxEvent[];
}

const authorize = (
  world: World,
  request: SandboxRequest,
  now: number,
  limits: RequestLimits | 'off',
  progress: Progress,
) => {
  const write = request.method !== 'GET';
  const token = access.requireToken(world, request.headers['authorization'], now);
  if (limits !== 'off') {
    const allowance = access.requireAllowance(world, token, write, now, limits);
    progress.headers['x-ratelimit-limit'] = String(allowance.limit);
    progress.headers['x-ratelimit-remaining'] = String(allowance.remaining);
  }
  access.requireScope(token, write);
  const user = access.requireUser(world, token);
  progress.member = user.email;
  return user;
};

const handleRequest = (
  world: World,
  request: SandboxRequest,
  now: number,
  options: AppOptions,
  progress: Progress,
): HandlerAnswer => {
  if (progress.match === undefined) throw createNoRouteRefusal(request.method, request.path);
  const { route, path } = progress.match;
  const user = authorize(world, request, now, options.limits ?? DOCUMENTED_LIMITS, progress);
  const input = parseRequestInput(request, route.form === true);
  progress.input = input;
  const call: UserCall = {
    world,
    user,
    now,
    input,
    path,
    dialect: options.dialect ?? DEFAULT_DIALECT,
    emit: (workspace: Workspace, data: unknown) => {
      for (const event of route.events ?? [])
        progress.events.push({ event, workspace_id: workspace.id, data, at_ms: now });
    },
  };
  if (route.of === 'user') return route.handle(call);
  const workspace = access.requireWorkspace(world, input, user, route.workspace);
  const me = access.requireRole(workspace, user);
  return route.handle({ ...call, workspace, me });
};

const createProgress = (match: RouteMatch | undefined): Progress => ({
  match,
  member: undefined,
  input: undefined,
  headers: {},
  events: [],
});

/**
 * The whole service as a function of one request. It changes `world` in place, and only when it answers with
 * success (the limit windows and the faults aside). A refusal is found before anything is changed.
 */
export const createSandboxApp = (world: World, options: AppOptions): SandboxApp => {
  const dialect = options.dialect ?? DEFAULT_DIALECT;
  const findRoute = createRouteFinder(options.routes);
  const respond = (request: SandboxRequest, now: number, progress: Progress): SandboxResponse => {
    try {
      const answer = handleRequest(world, request, now, options, progress);
      return toAnswerResponse(answer, now, dialect, progress.headers);
    } catch (thrown) {
      const refusal = toFaultRefusal(thrown);
      return toRefusalResponse(refusal, now, dialect, progress.headers);
    }
  };
  /** The work, and what it tells webhooks, whatever becomes of the answer. */
  const respondAndEmit = (request: SandboxRequest, now: number, progress: Progress): SandboxResponse => {
    const response = respond(request, now, progress);
    if (response.status < 300) for (const event of progress.events) options.onEvent?.(event);
    return response;
  };
  return (request) => {
    const now = options.clock();
    const match = findRoute(request.method, request.path);
    const progress = createProgress(match);
    const fault = takeFault(world, match?.route.route);
    const run = () => respondAndEmit(request, now, progress);
    const response = fault === undefined ? run() : answerWithFault(fault, run, refuseAsApi(now, dialect));
    const remaining = progress.headers['x-ratelimit-remaining'];
    options.onAnswer?.({
      request,
      route: match?.route.route,
      status: getSeenStatus(response),
      member: progress.member,
      remaining: remaining === undefined ? undefined : Number(remaining),
      fault: fault && describeFault(fault),
      unread: progress.input?.unread() ?? [],
      at_ms: now,
    });
    return response;
  };
};
