import { defineCommand } from '../../cli/command.ts';
import { UsageError } from '../../outcome.ts';
import { printLocalChange } from '../local-change.ts';
import { describeIssuedApp } from './app-list.ts';
import { formatInspect, urlFlag } from './target.ts';

const grantFlag = {
  name: 'grant',
  value: 'grant',
  about: 'grant of the application',
  choices: ['authorization-code', 'client-credentials'],
  default: 'authorization-code',
} as const;

export const appCreate = defineCommand({
  path: 'sandbox app create',
  about: 'register an OAuth2 application and print its client id and secret',
  examples: [
    'ttctl sandbox app create --name "My app" --redirect-uri http://127.0.0.1:8484/callback',
    'ttctl sandbox app create --name Nightly --grant client-credentials --json',
  ],
  prints: {
    shape: 'record',
    fields: ['client_id', 'client_secret', 'name', 'grant', 'redirect_uri', 'member', 'created_at'],
  },
  exits: [4, 5, 7],
  flags: [
    urlFlag,
    { name: 'name', value: 'name', about: 'name shown on the authorization page; required', needed: {} },
    {
      name: 'redirect-uri',
      value: 'uri',
      about: 'redirect address; required for the authorization code grant',
    },
    grantFlag,
    {
      name: 'as',
      value: 'email',
      about: 'who registers it: an Owner or Executive Manager (default: the first owner)',
    },
  ],
  run: async (context, { options: { name, redirectUri, grant, as, ...options } }) => {
    if (name === undefined) throw new UsageError('missing --name', { code: 'missing_value' });
    const application = {
      name,
      grant,
      ...(redirectUri === undefined ? {} : { redirect_uri: redirectUri }),
      ...(as === undefined ? {} : { as }),
    };
    const issued = await (await context.sandbox()).control(options.url).createApp(application);
    await printLocalChange(context, {
      record: { ...issued },
      next: () => describeIssuedApp(issued).forEach(context.output.note),
      text: `application ${issued.client_id} was registered`,
      inspectLine: formatInspect('app list', options),
    });
  },
});
