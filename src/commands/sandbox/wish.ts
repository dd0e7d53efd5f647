import type { Flag, OptionsOf } from '../../cli/flag.ts';
import type { ServeOptions } from '../../context.ts';

/** What kind of sandbox a server is to be: flags that `start` and `exec` share. */

export const wishFlags = [
  {
    name: 'seed',
    value: 'name',
    about: 'begin with a seed (demo, agency, month-end, messy, big, empty, simulate:4w) or a seed file',
  },
  {
    name: 'dialect',
    value: 'choices',
    about: 'answer as other generations of the service do: pagination=top,created=200',
  },
  { name: 'no-limits', about: 'keep no rate limits', unsafe: true },
  {
    name: 'allow-webhooks-to',
    value: 'host',
    about: 'also deliver webhooks to this host, not to this machine alone; several with a comma or repeated',
    repeatable: true,
    unsafe: true,
  },
  {
    name: 'auto-approve',
    value: 'email',
    about: 'approve every OAuth2 request at once as this person, with no page',
    unsafe: true,
  },
] as const satisfies readonly Flag[];

type WishOptions = OptionsOf<typeof wishFlags> & { readonly state?: string | undefined };

export const wishOf = (options: WishOptions, port: number): ServeOptions => {
  const { state, seed, dialect, autoApprove, limits, allowWebhooksTo = [] } = options;
  const hosts = allowWebhooksTo.flatMap((part) => part.split(',').map((word) => word.trim()));
  return {
    port,
    ...(state === undefined ? {} : { state }),
    ...(seed === undefined ? {} : { seed }),
    ...(dialect === undefined ? {} : { dialect }),
    ...(autoApprove === undefined ? {} : { autoApprove }),
    ...(limits === false ? { limits: 'off' } : {}),
    ...(hosts.length === 0 ? {} : { allowWebhooksTo: hosts }),
  };
};

/** The same wish as flags, for the process that serves. */
export const flagsOf = ({
  port,
  state,
  seed,
  dialect,
  limits,
  autoApprove,
  ...wish
}: ServeOptions): string[] => [
  `--port=${port}`,
  ...(state === undefined ? [] : [`--state=${state}`]),
  ...(seed === undefined ? [] : [`--seed=${seed}`]),
  ...(dialect === undefined ? [] : [`--dialect=${dialect}`]),
  ...(limits === undefined ? [] : ['--no-limits']),
  ...(autoApprove === undefined ? [] : [`--auto-approve=${autoApprove}`]),
  ...(wish.allowWebhooksTo ?? []).map((host) => `--allow-webhooks-to=${host}`),
];
