import { type Command, Option } from 'commander';
import type { ServeOptions } from '../../context.ts';
import { repeated } from '../options.ts';
import { unsafe } from '../unsafe.ts';

/** What kind of sandbox a server is to be: flags that `start` and `exec` share. */

const text = (value: unknown): string | undefined => (typeof value === 'string' ? value : undefined);

/** The words of a flag that is repeated or has commas. */
const wordsOf = (value: unknown): string[] =>
  (Array.isArray(value) ? value.map(String) : []).flatMap((part) =>
    part.split(',').map((word) => word.trim()),
  );

export const withWish = (command: Command): Command =>
  command
    .option(
      '--seed <name>',
      'begin with a seed (demo, agency, month-end, messy, big, empty, simulate:4w) or a seed file',
    )
    .option(
      '--dialect <choices>',
      'answer as other generations of the service do: pagination=top,created=200',
    )
    .addOption(unsafe(new Option('--no-limits', 'keep no rate limits')))
    .addOption(
      unsafe(
        new Option(
          '--allow-webhooks-to <host>',
          'also deliver webhooks to this host, not to this machine alone; several with a comma or repeated',
        ).argParser(repeated),
      ),
    )
    .addOption(
      unsafe(
        new Option(
          '--auto-approve <email>',
          'approve every OAuth2 request at once as this person, with no page',
        ),
      ),
    );

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
