import type { Dispatcher } from '../deliveries/dispatcher.ts';
import type { SandboxRequest, SandboxResponse } from '../exchange.ts';
import { answerRequest } from '../host.ts';
import type { HostedSandbox } from '../hosted.ts';
import { registerApp } from '../oauth/apps.ts';
import { toSandboxTime } from '../state.ts';
import { createToken } from '../tokens.ts';
import type { ChosenOptions } from './options.ts';
import type { OwnClock } from './own-clock.ts';
import type { ApplicationOptions, IssuedApplication, IssuedToken, TokenOptions } from './types.ts';
import { findFirstWorkspace } from './views.ts';

/** What the parts of one sandbox share. */
export interface SandboxInternals {
  readonly hosted: HostedSandbox;
  readonly clock: OwnClock;
  readonly chosen: ChosenOptions;
  /** Sends to webhooks; to be woken when time or state is another. */
  readonly dispatcher: Dispatcher;
  /** Aborted when the sandbox is closed. */
  readonly ending: AbortController;
}

/** The answer to a request whose path is that of an address: `/api/v2/members`, `/oauth/token`. */
export const answerInternally = ({ hosted }: SandboxInternals, request: SandboxRequest): SandboxResponse =>
  answerRequest(request, hosted);

/** When it is in the sandbox, and chance. */
export const getSandboxTime = ({ hosted, clock }: SandboxInternals) => ({
  now: toSandboxTime(hosted.world(), clock.now()),
  random: () => clock.random(),
});

const parseScopes = (scope: TokenOptions['scope']): readonly string[] => {
  if (scope === undefined) return ['read', 'write'];
  return typeof scope === 'string' ? scope.split(/[\s,]+/).filter((word) => word !== '') : scope;
};

/** @throws UsageError, Failure (tokens.ts) */
export const issueToken = (internals: SandboxInternals, { as, scope, name }: TokenOptions): IssuedToken => {
  const world = internals.hosted.world();
  return createToken(world, {
    as: as ?? findFirstWorkspace(world).owner,
    scopes: parseScopes(scope),
    ...(name !== undefined && { name }),
    ...getSandboxTime(internals),
  });
};

/** @throws UsageError, Failure (oauth/apps.ts) */
export const registerApplication = (
  internals: SandboxInternals,
  { name, redirectUri, grant, as }: ApplicationOptions,
): IssuedApplication =>
  registerApp(
    internals.hosted.world(),
    {
      name,
      ...(redirectUri === undefined ? {} : { redirect_uri: redirectUri }),
      ...(grant === undefined ? {} : { grant }),
      ...(as === undefined ? {} : { as }),
    },
    getSandboxTime(internals),
  );
