import type { SandboxApp } from '../exchange.ts';
import { problemPage } from '../page/problem.ts';
import type { World } from '../world.ts';
import { type ConsentOptions, createConsent } from './consent.ts';
import type { Moment } from './grants.ts';
import { answerToken } from './token.ts';

export interface OAuthOptions extends ConsentOptions {
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
    const moment: Moment = { now: options.clock(), random: options.random };
    if (request.path === '/oauth/token') return answerToken(world, request, moment);
    if (request.path === '/oauth/authorize') return consent(request, moment);
    return problemPage(404, 'There is nothing here.', [['Path', request.path]]);
  };
};
