import type { Flag, OptionValues } from '../../cli/flag.ts';
import type { ServeOptions } from '../../context.ts';

/** What kind of sandbox a server is to be: flags that `start` and `exec` share. */

export const serveFlags = [
  {
    name: 'seed',
    value: 'name',
    about: 'seed to start from (demo, agency, month-end, messy, big, empty) or a seed file',
  },
  {
    name: 'dialect',
    value: 'choices',
    about: 'imitate another generation of the service: pagination=top,created=200',
  },
  {
    name: 'allow-webhooks-to',
    value: 'host',
    about: 'also deliver webhooks to this host, not only to this machine; repeat or separate with commas',
    repeatable: true,
    unsafe: true,
  },
  {
    name: 'auto-approve',
    value: 'email',
    about: 'approve every OAuth2 request as this person, without a page',
    unsafe: true,
  },
] as const satisfies readonly Flag[];

type ServeFlagOptions = OptionValues<typeof serveFlags> & {
  readonly state?: string | undefined;
  readonly limits?: boolean | undefined;
};

export const readServeFlags = (options: ServeFlagOptions, port: number): ServeOptions => {
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

/** The options as flags, for the server process. */
export const formatServeFlags = ({
  port,
  state,
  seed,
  dialect,
  limits,
  autoApprove,
  ...rest
}: ServeOptions): string[] => [
  `--port=${port}`,
  ...(state === undefined ? [] : [`--state=${state}`]),
  ...(seed === undefined ? [] : [`--seed=${seed}`]),
  ...(dialect === undefined ? [] : [`--dialect=${dialect}`]),
  ...(limits === undefined ? [] : ['--no-limits']),
  ...(autoApprove === undefined ? [] : [`--auto-approve=${autoApprove}`]),
  ...(rest.allowWebhooksTo ?? []).map((host) => `--allow-webhooks-to=${host}`),
];
