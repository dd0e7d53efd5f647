import type { LogEntry } from '../app.ts';
import type { SandboxRequest, SandboxResponse } from '../exchange.ts';
import { answerWithFault, describeFault, getSeenStatus, refuseAsOAuth, takeFault } from '../faults.ts';
import type { World } from '../world.ts';
import { type AuthorizeOptions, answerAuthorize } from './authorize.ts';
import { createProblemPage } from './pages.ts';
import type { GrantTime } from './request.ts';
import { answerToken } from './token.ts';

/**
 * The OAuth2 host of a sandbox, as a function of one request: `/oauth/authorize` and `/oauth/token` on the root
 * of the server. It changes `world` in place, and asks nothing of the API's own limits and dialects.
 */
export function answerOAuth(
  world: World,
  request: SandboxRequest,
  time: GrantTime,
  options: AuthorizeOptions,
): { readonly response: SandboxResponse; readonly entry: LogEntry; readonly changed: 'state' | false } {
  const route = `${request.method} ${request.path}`;
  const work = (): SandboxResponse => {
    if (request.path === '/oauth/token') return answerToken(world, request, time);
    if (request.path === '/oauth/authorize') return answerAuthorize(world, request, time, options);
    return createProblemPage(404, 'There is nothing here.', [['Path', request.path]]);
  };
  const fault = takeFault(world, route);
  const response = fault === undefined ? work() : answerWithFault(fault, work, refuseAsOAuth);
  const entry: LogEntry = {
    ...{ request, route, member: undefined, remaining: undefined, unread: [], at_ms: time.now },
    status: getSeenStatus(response),
    fault: fault && describeFault(fault),
  };
  // A code is in a redirect; whatever came to the token address was counted.
  const isChange = response.status === 302 || request.method === 'POST' || response.fault !== undefined;
  return { response, entry, changed: isChange && 'state' };
}
