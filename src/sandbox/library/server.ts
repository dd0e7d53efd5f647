import { randomBytes } from 'node:crypto';
import { createControlEndpoint } from '../control-endpoint.ts';
import { listen } from '../listen.ts';
import { locatorFor } from '../locator.ts';
import { clientVariables } from '../variables.ts';
import { explaining } from './errors.ts';
import { issue, type Rig } from './rig.ts';
import type { EnvOptions, ListenOptions, SandboxServer } from './types.ts';
import { firstOf } from './views.ts';

/** A sandbox of a test on a port of this machine (an adapter). */

/** @throws Failure where the port cannot be had */
export const listenWith = async (rig: Rig, { port: wanted = 0 }: ListenOptions): Promise<SandboxServer> => {
  const { hosted, clock } = rig;
  // Not from the seeded generator: it is what keeps other users of this machine out.
  const secret = randomBytes(24).toString('hex');
  const { port, close } = await listen(hosted.app, {
    port: wanted,
    clock,
    controls: createControlEndpoint(hosted.perform, secret),
    oauth: hosted.oauth,
    now: hosted.now,
  });
  const place = locatorFor({ port, pid: 0, started_at: '', state: null, secret });
  const { url, base_url: baseUrl, auth_url: authUrl, token_url: tokenUrl } = place;
  let closed: Promise<void> | undefined;
  const closeOnce = (): Promise<void> => {
    closed ??= close();
    return closed;
  };
  return {
    url,
    baseUrl,
    authUrl,
    tokenUrl,
    port,
    env: ({ realTime, ...wish }: EnvOptions = {}) =>
      explaining(() => {
        const { token } = issue(rig, wish);
        const workspace = firstOf(hosted.world()).id;
        const waits = { TTCTL_SANDBOX_CLOCK: realTime === true ? '' : 'advance' };
        return { ...clientVariables(place, { token, workspace, secret }), ...waits };
      }),
    close: closeOnce,
    [Symbol.asyncDispose]: closeOnce,
  };
};
