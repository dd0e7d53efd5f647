import { randomBytes } from 'node:crypto';
import { createControlEndpoint } from '../control-endpoint.ts';
import { formatRateLimit } from '../limits.ts';
import { listenOnSocket } from '../listen.ts';
import { createLocator } from '../locator.ts';
import { buildClientVariables } from '../variables.ts';
import { explainErrors } from './errors.ts';
import { issueToken, type SandboxInternals } from './internals.ts';
import type { ListenOptions, SandboxServer, TokenOptions } from './types.ts';
import { findFirstWorkspace } from './views.ts';

/** A sandbox of a test on a port of this machine (an adapter). */

/** @throws Failure where the port cannot be had */
export const listenOnPort = async (
  internals: SandboxInternals,
  { port: requestedPort = 0 }: ListenOptions,
): Promise<SandboxServer> => {
  const { hosted, clock } = internals;
  // Not from the seeded generator: it is what keeps other users of this machine out.
  const secret = randomBytes(24).toString('hex');
  const { port, close } = await listenOnSocket(hosted.app, {
    port: requestedPort,
    clock,
    controls: createControlEndpoint(hosted.perform, secret),
    oauth: hosted.oauth,
    now: hosted.now,
  });
  const locator = createLocator({ port, pid: 0, started_at: '', state: null, secret });
  const { url, base_url: baseUrl, auth_url: authUrl, token_url: tokenUrl } = locator;
  let closing: Promise<void> | undefined;
  const closeOnce = (): Promise<void> => {
    closing ??= close();
    return closing;
  };
  return {
    url,
    baseUrl,
    authUrl,
    tokenUrl,
    port,
    env: (tokenOptions: TokenOptions = {}) =>
      explainErrors(() => {
        const { token } = issueToken(internals, tokenOptions);
        const workspace = findFirstWorkspace(hosted.world()).id;
        const rateLimit = formatRateLimit(internals.chosen.limits);
        return buildClientVariables(locator, { token, workspace, secret, rateLimit });
      }),
    close: closeOnce,
    [Symbol.asyncDispose]: closeOnce,
  };
};
