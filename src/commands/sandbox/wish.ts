import type { Flag } from '../../cli/flag.ts';
import type { ServeOptions } from '../../context.ts';

/** What kind of sandbox a server is to be: flags that `start` and `exec` share. */

const text = (value: unknown): string | undefined => (typeof value === 'string' ? value : undefined);

/** The words of a flag that is repeated or has commas. */
const wordsOf = (value: unknown): string[] =>
  (Array.isArray(value) ? value.map(String) : []).flatMap((part) =>
    part.split(',').map((word) => word.trim()),
  );

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

export const wishOf = (options: Readonly<Record<string, unknown>>, port: number): ServeOptions => {
  const [state, seed, dialect] = [text(options.state), text(options.seed), text(options.dialect)];
  const autoApprove = text(options.autoApprove);
  const allowWebhooksTo = wordsOf(options.allowWebhooksTo);
  return {
    port,
    ...(state === undefined ? {} : { state }),
    ...(seed === undefined ? {} : { seed }),
    ...(dialect === undefined ? {} : { dialect }),
    ...(autoApprove === undefined ? {} : { autoApprove }),
    ...(options.limits === false ? { limits: 'off' } : {}),
    ...(allowWebhooksTo.length === 0 ? {} : { allowWebhooksTo }),
  };
};
