import { defineCommand } from '../../cli/command.ts';
import { SCOPES } from '../../parsing/names.ts';
import { SERVICE_EXITS } from '../outputs.ts';
import { CLIENT_AUTH } from './application.ts';
import { signInFields } from './remember.ts';
import { signIn } from './sign-in.ts';

const SCOPE_WORDS = 'scopes to request: read, write, admin; repeat or separate with commas';

export const authLogin = defineCommand({
  path: 'auth login',
  about: 'sign in with a browser, a Personal Access Token or client credentials',
  examples: [
    'ttctl auth login',
    'ttctl auth login --profile work --base-url https://api.example.com/api/v2 --scope read,write',
    'ttctl auth login --no-browser --client-id 12 --client-secret-stdin',
    'ttctl auth login --profile work --token-stdin --created 2026-11-02',
  ],
  newProfile: true,
  prints: { shape: 'record', fields: signInFields },
  exits: [...SERVICE_EXITS, 9],
  flags: [
    { name: 'base-url', value: 'url', about: 'base URL of the API (version 2)' },
    { name: 'auth-url', value: 'url', about: 'authorization host' },
    { name: 'token-url', value: 'url', about: 'token host' },
    { name: 'client-id', value: 'id', about: 'client id of the OAuth2 application' },
    { name: 'client-secret-stdin', about: 'read the client secret from stdin, or ask for it in a terminal' },
    {
      name: 'client-auth',
      value: 'way',
      about: 'how to send the client secret',
      choices: CLIENT_AUTH,
      usual: 'body',
    },
    { name: 'scope', value: 'scopes', about: SCOPE_WORDS, repeatable: true, offers: SCOPES },
    {
      name: 'redirect-uri',
      value: 'url',
      about: 'registered redirect address (default http://127.0.0.1:8484/callback)',
    },
    {
      name: 'no-browser',
      about: 'print the address instead of opening a browser, and also read the final address from stdin',
    },
    { name: 'no-pkce', about: 'disable PKCE, for servers that refuse it', unsafe: true },
    { name: 'client-credentials', about: 'sign in as the application (for servers)' },
    { name: 'token-stdin', about: 'read a Personal Access Token from stdin, or ask for it in a terminal' },
    {
      name: 'created',
      value: 'day',
      about: 'day the token was created (default today); it expires six months later',
    },
  ],
  run: (context, { options }) => signIn(context, options),
});
