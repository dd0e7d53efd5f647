import { oauthOf } from '../oauth/apps.ts';
import type { Membership, World } from '../world.ts';

/**
 * An application to try `auth login` with. Its secret is no secret: client id `sbx_app_demo`, client secret
 * `sbx_secret_demo`, redirect address http://127.0.0.1:8484/callback.
 */
export const addApp = (world: World, owner: Membership, now: number): void => {
  const { apps } = oauthOf(world);
  apps['sbx_app_demo'] = {
    client_id: 'sbx_app_demo',
    client_secret: 'sbx_secret_demo',
    name: 'ttctl',
    grant: 'authorization-code',
    redirect_uri: 'http://127.0.0.1:8484/callback',
    user_id: owner.user_id,
    created_ms: now,
  };
};
