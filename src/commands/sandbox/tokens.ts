import { defineGroup } from '../../cli/command.ts';
import { UsageError } from '../../errors.ts';
import type { Column } from '../../output/list-view.ts';
import { SCOPES } from '../../parsing/names.ts';
import { findLoopbackRedirectProblem } from '../../parsing/text.ts';
import { groupFlags } from '../flags.ts';
import { defineList, defineRecord } from './verb.ts';

const tokenColumns: readonly Column[] = [
  { field: 'name' },
  { field: 'member' },
  { field: 'kind', drop: 2 },
  { field: 'scopes', kind: 'list' },
  { field: 'status', kind: 'state' },
  { field: 'created_at', title: 'created', kind: 'time', drop: 3 },
  { field: 'expires_at', title: 'expires', kind: 'time', drop: 1 },
  { field: 'id' },
];

export const sandboxToken = defineGroup('sandbox token', 'manage tokens of the sandbox', [
  defineRecord({
    path: 'token create',
    about: 'create a token of the sandbox and print it',
    examples: [
      'ttctl sandbox token create --as nora@lindenhof.example --scope read,write',
      'ttctl sandbox token create --as nora@lindenhof.example --name nightly --scope read --json',
    ],
    exits: [4, 5, 7],
    flags: [
      { name: 'as', value: 'email', about: 'an Owner or Executive Manager; required', needed: {} },
      { name: 'name', value: 'name', about: 'name of the token (default: sandbox)' },
      { name: 'scope', value: 'scope', about: 'read, write (both)', offers: SCOPES, repeatable: true },
    ],
    fields: ['id', 'name', 'token', 'scopes', 'member', 'expires_at'],
    run: ({ control, options: { as, name, scope = ['read,write'] } }) => {
      if (as === undefined) {
        const hint = 'List the members: ttctl --profile sandbox members list';
        throw new UsageError('missing --as', { code: 'missing_value', hint });
      }
      const scopes = scope.flatMap((text) => text.split(/[\s,]+/)).filter((word) => word !== '');
      return control.createToken({ as, scopes, name });
    },
    print: ({ token }, { output, settings }) =>
      settings.output.value.shape === 'screen' ? output.text(token) : undefined,
  }),
  defineList({
    looks: true,
    path: 'token list',
    about: 'list the tokens of the sandbox, without their secrets',
    examples: ['ttctl sandbox token list', 'ttctl sandbox token list --output json'],
    flags: groupFlags,
    noun: 'tokens',
    columns: tokenColumns,
    list: ({ control }) => control.tokens(),
  }),
  defineRecord({
    path: 'token revoke',
    about: 'revoke a token of the sandbox',
    examples: ['ttctl sandbox token revoke nightly', 'ttctl sandbox token revoke 17'],
    exits: [5, 7],
    positionals: [{ name: 'token', about: 'id or name of the token', required: true }],
    columns: tokenColumns,
    run: ({ control, targets: [token = ''] }) => control.revokeToken({ token }),
  }),
]);

export const sandboxApp = defineGroup('sandbox app', 'manage OAuth2 applications of the sandbox', [
  defineRecord({
    path: 'app create',
    about: 'register an OAuth2 application and print its client id and secret',
    examples: [
      'ttctl sandbox app create --name "My app" --redirect-uri http://127.0.0.1:8484/callback',
      'ttctl sandbox app create --name Nightly --grant client-credentials --json',
    ],
    exits: [4, 5, 7],
    flags: [
      { name: 'name', value: 'name', about: 'name shown on the authorization page; required', needed: {} },
      { name: 'redirect-uri', value: 'uri', about: 'required for the authorization code grant' },
      {
        name: 'grant',
        value: 'grant',
        about: 'grant of the application',
        choices: ['authorization-code', 'client-credentials'],
        default: 'authorization-code',
      },
      { name: 'as', value: 'email', about: 'who registers it (default: the first owner)' },
    ],
    fields: ['client_id', 'client_secret', 'name', 'grant', 'redirect_uri', 'member', 'created_at'],
    run: ({ control, options: { name, redirectUri, grant, as } }) => {
      if (name === undefined) throw new UsageError('missing --name', { code: 'missing_value' });
      return control.createApp({ name, grant, redirect_uri: redirectUri, as });
    },
    after: ({ redirect_uri: uri }, { output }) => {
      output.note('The secret is not shown again.');
      const problem = uri === null ? undefined : findLoopbackRedirectProblem(uri);
      if (problem !== undefined)
        output.note(`Its redirect URI ${problem}: ttctl auth login cannot use this application.`);
    },
  }),
  defineList({
    looks: true,
    path: 'app list',
    about: 'list the OAuth2 applications of the sandbox',
    examples: ['ttctl sandbox app list', 'ttctl sandbox app list --output json'],
    flags: groupFlags,
    noun: 'applications',
    columns: [
      { field: 'client_id' },
      { field: 'name' },
      { field: 'grant' },
      { field: 'redirect_uri', title: 'redirect URI' },
      { field: 'member', title: 'registered by', drop: 2 },
      { field: 'created_at', title: 'created', kind: 'time', drop: 1 },
    ],
    id: 'client_id',
    list: ({ control }) => control.apps(),
    after: (rows, { output }) => {
      if (rows.some(({ client_id }) => client_id === 'sbx_app_demo'))
        output.note('The secret of sbx_app_demo is sbx_secret_demo.');
    },
  }),
]);
