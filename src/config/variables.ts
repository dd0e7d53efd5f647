import { listSettings } from './settings.ts';

/** The environment variables that ttctl reads. README and help print this table. */
export const VARIABLES: readonly (readonly [name: string, meaning: string])[] = [
  ['TTCTL_PROFILE', 'profile to use'],
  ...listSettings().flatMap(([, { variable, about = '' }]) =>
    variable === undefined ? [] : [[variable, about] as const],
  ),
  [
    'TTCTL_SANDBOX_SECRET',
    'lets ttctl sandbox control the server at TTCTL_BASE_URL; printed by ttctl sandbox env',
  ],
  ['TTCTL_NO_INPUT, CI', 'never prompt'],
  ['TTCTL_WEBHOOK_TOKEN', 'token of the webhook, to verify signatures of deliveries'],
  ['TTCTL_CONFIG_DIR', 'directory for settings and credentials'],
  ['TTCTL_STATE_DIR', 'directory for jobs, deliveries, the rate ledger, fault reports and the sandbox'],
  ['TTCTL_CACHE_DIR', 'directory for caches; may be deleted at any time'],
  ['BROWSER', 'program that opens the sign-in page'],
  ['NO_COLOR, FORCE_COLOR', 'disable or force colour'],
  [
    'HTTPS_PROXY, NO_PROXY',
    'proxy, and hosts to reach without it; http is allowed only for this machine, never through a proxy',
  ],
  ['NODE_EXTRA_CA_CERTS', 'file with additional certificate authorities'],
];
