import { Option } from 'commander';
import type { Context } from '../../context.ts';
import { SCOPES } from '../../notation/scope-list.ts';
import { UsageError } from '../../outcome.ts';
import { type Door, run } from '../../run.ts';
import { localCommand, SERVICE_EXITS } from '../command.ts';
import { choice, offering, repeated } from '../options.ts';
import { unsafe } from '../unsafe.ts';
import { CLIENT_AUTH } from './application.ts';
import { signInByBrowser, signInByClient } from './oauth-sign-in.ts';
import { signInFields } from './remember.ts';
import { signInByToken } from './sign-in.ts';

const signIn = (context: Context, options: Readonly<Record<string, unknown>>): Promise<void> => {
  if (context.settings.embedded) {
    throw new UsageError('the profile sandbox needs no sign-in', {
      hint: 'Use it at once: ttctl --profile sandbox members list',
    });
  }
  const { tokenStdin, clientCredentials, clientSecretStdin, created } = options;
  if (tokenStdin === true && (clientCredentials === true || clientSecretStdin === true))
    throw new UsageError('--token-stdin takes a token, and needs no client');
  if (created !== undefined && tokenStdin !== true)
    throw new UsageError('--created is the day of a token: it goes with --token-stdin');
  if (tokenStdin === true) return signInByToken(context, options);
  return clientCredentials === true ? signInByClient(context, options) : signInByBrowser(context, options);
};

const SCOPE_WORDS = 'scopes to ask for: read, write, admin; repeat it or separate with commas';

export const authLogin = (door: Door) =>
  localCommand('login', 'sign in with a browser, a Personal Access Token, or as a client', {
    examples: [
      'ttctl auth login',
      'ttctl auth login --profile work --base-url https://api.example.com/api/v2 --scope read,write',
      'ttctl auth login --no-browser --client-id 12 --client-secret-stdin',
      'ttctl auth login --profile work --token-stdin --created 2026-11-02',
    ],
    newProfile: true,
    prints: { shape: 'record', fields: signInFields },
    exits: [...SERVICE_EXITS, 9],
  })
    .option('--base-url <url>', 'the version 2 root of the API')
    .option('--auth-url <url>', 'the authorization host')
    .option('--token-url <url>', 'the token host')
    .option('--client-id <id>', 'client id of the OAuth2 application')
    .option('--client-secret-stdin', 'read the client secret from stdin; on a terminal, ask for it')
    .addOption(
      choice('--client-auth <way>', 'where the secret travels', CLIENT_AUTH).default(undefined, 'body'),
    )
    .addOption(offering(new Option('--scope <scopes>', SCOPE_WORDS).argParser(repeated), SCOPES))
    .option('--redirect-uri <url>', 'as registered; http://127.0.0.1:8484/callback where none is set')
    .option('--no-browser', 'open no browser: tell the address, and take the answer on stdin too')
    .addOption(unsafe(new Option('--no-pkce', 'leave PKCE out, for a server that refuses it')))
    .option('--client-credentials', 'sign in as the application itself, for servers')
    .option('--token-stdin', 'read a Personal Access Token from stdin; on a terminal, ask for it')
    .option('--created <day>', 'day that token was made, else today; it ends six months later')
    .action(run(door, (context, _targets, options) => signIn(context, options)));
