import * as access from './access.ts';
import type { RepeatableRequest, SandboxRequest, SandboxResponse } from './answer.ts';
import { Refusal } from './answer.ts';
import { recordEvent } from './deliveries.ts';
import * as dialects from './dialect.ts';
import { answerWithFault, describeFault, refuseAsApi, refuseAsOAuth } from './faults.ts';
import { type Call, parseFields, RequestInput } from './input.ts';
import type { LogEntry } from './log.ts';
import { findRoute, ROUTES } from './routes.ts';
import type { GrantTime } from './tokens.ts';
import type { World } from './world.ts';

export const BASE_PATH = '/api/v2';

export interface Env extends GrantTime {
  /** Absent: as documented. */
  readonly limits?: 'off' | undefined;
  readonly dialect?: dialects.ServiceDialect | undefined;
  /** Answers what is below `/oauth`; absent: nothing is there. */
  readonly oauth?: ((world: World, request: SandboxRequest, time: GrantTime) => SandboxResponse) | undefined;
}

export interface Answered {
  readonly response: SandboxResponse;
  readonly entry: LogEntry;
  /** Whether the state changed, and what else the change takes to be made again; `state`: it cannot be. */
  readonly changed: false | 'state' | RepeatableRequest;
}

/**
 * The whole service as a function of one request: the API below `/api/v2`, the OAuth2 host below `/oauth`. It changes
 * `world` in place, and only when it answers with success (the limit windows and the faults aside). A refusal is found before anything is changed.
 */
export function answer(world: World, request: SandboxRequest, env: Env): Answered {
  const { now, dialect = dialects.DEFAULT_DIALECT, oauth } = env;
  const { generator, next_id } = world;
  const { method, path } = request;
  const isWrite = method !== 'GET';
  const isOAuth = oauth !== undefined && path.startsWith('/oauth/');
  const isApi = path.startsWith(`${BASE_PATH}/`);
  const match = isApi ? findRoute(ROUTES, method, path.slice(BASE_PATH.length)) : undefined;
  const route = isOAuth ? `${method} ${path}` : match?.route.route;
  const form: dialects.AnswerForm = {
    dialect,
    now,
    route,
    event: match?.route.events?.[0],
    users: world.users,
  };
  const entry: LogEntry = {
    ...{ route: route ?? null, status: null, fault: null, remaining: null, unread: [], member: null },
  };
  let input: RequestInput | undefined;
  const answerApi = (): SandboxResponse => {
    let headers: Record<string, string> = {};
    try {
      if (!isApi) throw new Refusal(404, `Not found: the API is at ${BASE_PATH}.`);
      // An unknown path is never answered with something plausible.
      if (match === undefined)
        throw new Refusal(404, `No such operation: ${method} ${path.slice(BASE_PATH.length)}`);
      const { route } = match;
      const token = access.requireToken(world, request.headers.authorization, now);
      if (env.limits !== 'off') {
        entry.remaining = access.requireAllowance(world, token, isWrite, now);
        headers = access.createLimitHeaders(entry.remaining);
      }
      const user = access.requireUser(world, token, isWrite);
      entry.member = user.email;
      const sent = { path: match.path, ...parseFields(request, route.form === true) };
      const { path: values, ...fields } = dialects.readDialect(dialect, route.route, sent);
      input = new RequestInput(fields);
      const call = { world, user, now, time: new Date(now).toISOString(), input, path: values };
      const place =
        route.workspace === 'none' ? undefined : access.requireWorkspace(world, input, user, route.workspace);
      const answer = route.handle({ ...call, ...place } as Call);
      const workspace_id = answer.workspace_id ?? place?.workspace.id ?? 0;
      const data = dialects.showIds(dialect, answer.event);
      for (const event of route.events ?? []) recordEvent(world, { event, workspace_id, data, at_ms: now });
      return dialects.writeAnswer(form, answer, headers);
    } catch (thrown) {
      return dialects.writeRefusal(form, toRefusal(thrown), headers);
    }
  };
  const work = isOAuth ? () => oauth(world, request, env) : answerApi;
  // In the order in which they were added; it is used up with this call.
  const fault = world.faults?.find((one) => one.route === route && one.left > 0);
  if (fault !== undefined) fault.left -= 1;
  const refuse = isOAuth ? refuseAsOAuth : refuseAsApi(form);
  const response = fault === undefined ? work() : answerWithFault(fault, work, refuse);
  if (fault !== undefined) entry.fault = describeFault(fault);
  if (response.wire?.cut !== 'unanswered') entry.status = response.status;
  entry.unread = (input as RequestInput | undefined)?.unread() ?? [];
  // A write that succeeded changes the state; a fault, which counts down; a code, which is in a redirect.
  const { status } = response;
  const isChange = fault !== undefined || (isWrite && status < 300) || (isOAuth && status === 302);
  // Without the headers that the service does not read.
  const { authorization = '', 'content-type': type = '' } = request.headers;
  const repeatable = { ...request, headers: { authorization, 'content-type': type } };
  const change = isOAuth ? 'state' : { now, generator, next_id, request: repeatable };
  return { response, entry, changed: isChange && change };
}

/** A fault of the sandbox is 500, as a service would say. */
function toRefusal(thrown: unknown): Refusal {
  const reason = thrown instanceof Error ? thrown.message : 'unknown';
  return thrown instanceof Refusal ? thrown : new Refusal(500, `Server error in the sandbox: ${reason}`);
}
