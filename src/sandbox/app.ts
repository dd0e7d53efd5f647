import * as access from './access.ts';
import type {
  HandlerAnswer,
  RepeatableRequest,
  SandboxEvent,
  SandboxRequest,
  SandboxResponse,
} from './answer.ts';
import { Refusal } from './answer.ts';
import { recordEvent } from './deliveries.ts';
import * as dialects from './dialect.ts';
import { answerWithFault, describeFault, refuseAsApi, refuseAsOAuth, takeFault } from './faults.ts';
import { parseFields, RequestInput } from './input.ts';
import type { LogEntry } from './log.ts';
import { answerOAuth, type OAuthPages } from './oauth/authorize.ts';
import { findRoute, ROUTES } from './routes.ts';
import type { World } from './world.ts';

export const BASE_PATH = '/api/v2';

export interface Env {
  readonly now: number;
  readonly random: () => number;
  readonly limits?: access.RequestLimits | 'off' | undefined;
  readonly dialect?: dialects.ServiceDialect | undefined;
  /** Hosts beside this machine that webhooks may point to. */
  readonly allowed?: readonly string[] | undefined;
  /** E-mail address of who approves every OAuth2 request, without a page. */
  readonly autoApprove?: string | undefined;
  readonly pages?: OAuthPages;
}

export interface Answered {
  readonly response: SandboxResponse;
  readonly events: readonly SandboxEvent[];
  readonly entry: LogEntry;
  /** Whether the state changed, and what else the change takes to be made again; `state`: it cannot be. */
  readonly changed: false | 'state' | RepeatableRequest;
}

/**
 * The whole service as a function of one request: the API below `/api/v2`, the OAuth2 host below `/oauth`. It changes
 * `world` in place, and only when it answers with success (the limit windows, the faults and the count of token
 * requests aside). A refusal is found before anything is changed.
 */
export function answer(world: World, request: SandboxRequest, env: Env): Answered {
  const { now, limits = access.DOCUMENTED_LIMITS, dialect = dialects.DEFAULT_DIALECT, allowed = [] } = env;
  const { generator, next_id } = world;
  const { method, path } = request;
  const isOAuth = path.startsWith('/oauth/');
  const isApi = path.startsWith(`${BASE_PATH}/`);
  const match = isApi ? findRoute(ROUTES, method, path.slice(BASE_PATH.length)) : undefined;
  const route = isOAuth ? `${method} ${path}` : match?.route.route;
  const event = match?.route.events?.[0];
  const form: dialects.AnswerForm = { dialect, now, route, event, users: world.users };
  const isWrite = method !== 'GET';
  const events: SandboxEvent[] = [];
  const known: { member?: string; remaining?: number | undefined; input?: RequestInput } = {};
  const answerApi = (): SandboxResponse => {
    let headers: Record<string, string> = {};
    try {
      if (!isApi) throw new Refusal(404, `Not found: the API is at ${BASE_PATH}.`);
      // An unknown path is never answered with something plausible.
      if (match === undefined)
        throw new Refusal(404, `No such operation: ${method} ${path.slice(BASE_PATH.length)}`);
      const { route } = match;
      const token = access.requireToken(world, request.headers['authorization'], now);
      const allowance = access.requireAllowance(world, token, isWrite, now, limits);
      headers = allowance.headers;
      known.remaining = allowance.remaining;
      const user = access.requireUser(world, token, isWrite);
      known.member = user.email;
      const sent = { path: match.path, ...parseFields(request, route.form === true) };
      const { path: values, ...fields } = dialects.readDialect(dialect, route.route, sent);
      const input = new RequestInput(fields);
      known.input = input;
      const call = { world, user, now, time: new Date(now).toISOString(), input, path: values };
      let answer: HandlerAnswer;
      let workspace_id = 0;
      if (route.of === 'user') answer = route.handle(call);
      else {
        const place = access.requireWorkspace(world, input, user, route.workspace);
        workspace_id = place.workspace.id;
        answer = route.handle({ ...call, ...place });
      }
      const heard = answer.event;
      if (heard !== undefined) {
        const data = dialects.showIds(dialect, heard);
        workspace_id = answer.workspace_id ?? workspace_id;
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
  const work = isOAuth ? () => answerOAuth(world, request, env) : answerApi;
  const fault = takeFault(world, route);
  const refuse = isOAuth ? refuseAsOAuth : refuseAsApi(form);
  const response = fault === undefined ? work() : answerWithFault(fault, work, refuse);
  for (const event of events) recordEvent(world, event, allowed);
  const entry: LogEntry = {
    route: route ?? null,
    status: response.wire?.cut === 'unanswered' ? null : response.status,
    fault: fault === undefined ? null : describeFault(fault),
    remaining: known.remaining ?? null,
    unread: known.input?.unread() ?? [],
    member: known.member ?? null,
  };
  // A write that succeeded changes the state; a fault, which counts down; a code, which is in a redirect; a count of tokens.
  const isChange =
    fault !== undefined || (isOAuth ? isWrite || response.status === 302 : isWrite && response.status < 300);
  // Without the headers that the service does not read.
  const { authorization = '', 'content-type': type = '' } = request.headers;
  const repeatable = { ...request, headers: { authorization, 'content-type': type } };
  let changed: Answered['changed'] = false;
  if (isChange) changed = isOAuth ? 'state' : { now, generator, next_id, request: repeatable };
  return { response, events, entry, changed };
}

/** Does to the world what the request did before. @throws Error where it goes otherwise */
export function repeatRequest(world: World, { now, request, ...begun }: RepeatableRequest): void {
  Object.assign(world, begun);
  const { response, changed } = answer(world, request, { now, random: () => 0, limits: 'off' });
  if (changed === false) throw new Error(`it is answered with ${response.status}`);
}
