import type { Dispatcher } from '../deliveries/dispatcher.ts';
import type { SandboxRequest, SandboxResponse } from '../exchange.ts';
import { answerAt } from '../host.ts';
import type { Hosted } from '../hosted.ts';
import { registerApp } from '../oauth/apps.ts';
import { sandboxTime } from '../state.ts';
import { createToken } from '../tokens.ts';
import type { Chosen } from './options.ts';
import type { OwnClock } from './own-clock.ts';
import type { ApplicationOptions, IssuedApplication, IssuedToken, TokenOptions } from './types.ts';
import { firstOf } from './views.ts';

/** What the parts of one sandbox share. */
export interface Rig {
  readonly hosted: Hosted;
  readonly clock: OwnClock;
  readonly chosen: Chosen;
  /** Sends to webhooks; to be woken when time or state is another. */
  readonly dispatcher: Dispatcher;
  /** Aborted when the sandbox is closed. */
  readonly ending: AbortController;
}

/** The answer to a request whose path is that of an address: `/api/v2/members`, `/oauth/token`. */
export const answerOf = ({ hosted }: Rig, request: SandboxRequest): SandboxResponse =>
  answerAt(request, hosted);

/** When it is in the sandbox, and chance. */
export const momentOf = ({ hosted, clock }: Rig) => ({
  now: sandboxTime(hosted.world(), clock.now()),
  random: () => clock.random(),
});

const scopesOf = (scope: TokenOptions['scope']): readonly string[] => {
  if (scope === undefined) return ['read', 'write'];
  return typeof scope === 'string' ? scope.split(/[\s,]+/).filter((word) => word !== '') : scope;
};

/** @throws UsageError, Failure (tokens.ts) */
export const issue = (rig: Rig, { as, scope }: TokenOptions): IssuedToken => {
  const world = rig.hosted.world();
  return createToken(world, { as: as ?? firstOf(world).owner, scopes: scopesOf(scope), ...momentOf(rig) });
};

/** @throws UsageError, Failure (oauth/apps.ts) */
export const registered = (
  rig: Rig,
  { name, redirectUri, grant, as }: ApplicationOptions,
): IssuedApplication =>
  registerApp(
    rig.hosted.world(),
    {
      name,
      ...(redirectUri === undefined ? {} : { redirect_uri: redirectUri }),
      ...(grant === undefined ? {} : { grant }),
      ...(as === undefined ? {} : { as }),
    },
    momentOf(rig),
  );
