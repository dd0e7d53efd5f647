import type { SandboxApp } from '../exchange.ts';
import { answerWithFault, describeFault, getSeenStatus, refuseAsOAuth, takeFault } from '../faults.ts';
import type { RequestLog } from '../log.ts';
import { type LoggedAppOptions, logAnswer } from '../logged-app.ts';
import { toSandboxTime } from '../state.ts';
import type { World } from '../world.ts';
import { type ConsentOptions, createConsent } from './consent.ts';
import type { GrantTime } from './grants.ts';
import { renderProblemPage } from './pages.ts';
import { answerToken } from './token.ts';

interface OAuthOptions extends ConsentOptions {
  /** The sandbox's time in ms. */
  readonly clock: () => number;
  readonly random: () => number;
}

/**
 * The OAuth2 host of a sandbox, as a function of one request: `/oauth/authorize` and `/oauth/token` on the root
 * of the server. It changes `world` in place, and asks nothing of the API's own limits and dialects.
 */
export const createOAuth = (world: World, options: OAuthOptions): SandboxApp => {
  const consent = createConsent(world, options);
  return (request) => {
    const time: GrantTime = { now: options.clock(), random: options.random };
    if (request.path === '/oauth/token') return answerToken(world, request, time);
    if (request.path === '/oauth/authorize') return consent(request, time);
    return renderProblemPage(404, 'There is nothing here.', [['Path', request.path]]);
  };
};

export interface LoggedOAuthOptions extends LoggedAppOptions, ConsentOptions {}

/** The OAuth2 host of one world in a server: kept, logged, with faults. */
export const createLoggedOAuth = (world: World, log: RequestLog, options: LoggedOAuthOptions): SandboxApp => {
  const machine = options.clock;
  const clock = (): number => toSandboxTime(world, machine.now());
  const oauth = createOAuth(world, { ...options, clock, random: () => machine.random() });
  return (request) => {
    const startedAt = machine.now();
    const at_ms = clock();
    const route = `${request.method} ${request.path}`;
    const fault = takeFault(world, route);
    const answer = () => oauth(request);
    const response = fault === undefined ? answer() : answerWithFault(fault, answer, refuseAsOAuth);
    // A code is in a redirect; whatever came to the token address was counted.
    const hasChanged = response.status === 302 || request.method === 'POST';
    if (hasChanged || response.fault !== undefined) options.save?.(world);
    const [status, description] = [getSeenStatus(response), fault && describeFault(fault)];
    const rest = { member: undefined, remaining: undefined, unread: [], at_ms };
    const entry = { request, route, status, fault: description, ...rest };
    logAnswer(options, log, entry, startedAt, response.wire?.latency_ms);
    return response;
  };
};
