import { defineCommand } from '../../cli/command.ts';
import { SCOPES } from '../../notation/scope-list.ts';
import { SERVICE_EXITS } from '../answers.ts';
import { CLIENT_AUTH } from './application.ts';
import { signInFields } from './remember.ts';
import { signIn } from './sign-in.ts';

const SCOPE_WORDS = 'scopes to ask for: read, write, admin; repeat it or separate with commas';

export const authLogin = defineCommand({
  path: 'auth login',
  about: 'sign in with a browser, a Personal Access Token, or as a client',
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
    { name: 'base-url', value: 'url', about: 'the version 2 root of the API' },
    { name: 'auth-url', value: 'url', about: 'the authorization host' },
    { name: 'token-url', value: 'url', about: 'the token host' },
    { name: 'client-id', value: 'id', about: 'client id of the OAuth2 application' },
    { name: 'client-secret-stdin', about: 'read the client secret from stdin; on a terminal, ask for it' },
    {
      name: 'client-auth',
      value: 'way',
      about: 'where the secret travels',
      choices: CLIENT_AUTH,
      usual: 'body',
    },
    { name: 'scope', value: 'scopes', about: SCOPE_WORDS, repeatable: true, offers: SCOPES },
    {
      name: 'redirect-uri',
      value: 'url',
      about: 'as registered; http://127.0.0.1:8484/callback where none is set',
    },
    { name: 'no-browser', about: 'open no browser: tell the address, and take the answer on stdin too' },
    { name: 'no-pkce', about: 'leave PKCE out, for a server that refuses it', unsafe: true },
    { name: 'client-credentials', about: 'sign in as the application itself, for servers' },
    { name: 'token-stdin', about: 'read a Personal Access Token from stdin; on a terminal, ask for it' },
    { name: 'created', value: 'day', about: 'day that token was made, else today; it ends six months later' },
  ],
  run: (context, { options }) => signIn(context, options),
});
