import { defineCommand } from '../../cli/command.ts';
import { UsageError } from '../../outcome.ts';
import { told } from '../planned.ts';
import { urlFlag } from './target.ts';

const grantFlag = {
  name: 'grant',
  value: 'grant',
  about: 'how it signs in',
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
    { name: 'name', value: 'name', about: 'what people see on the authorize page; needed', needed: {} },
    {
      name: 'redirect-uri',
      value: 'uri',
      about: 'where people return to; the authorization code grant needs it',
    },
    grantFlag,
    {
      name: 'as',
      value: 'email',
      about: 'the Owner or Executive Manager who registers it; default: the first owner',
    },
  ],
  run: async (context, { options: { name, redirectUri, grant, as, ...options } }) => {
    if (name === undefined) throw new UsageError('missing --name', { code: 'missing_value' });
    const wish = {
      name,
      grant,
      ...(redirectUri === undefined ? {} : { redirect_uri: redirectUri }),
      ...(as === undefined ? {} : { as }),
    };
    const { sandbox, output, settings } = context;
    const plan = settings.dryRun.value;
    const issued = await (await sandbox()).control(options.url).createApp(wish, plan);
    if (plan) return output.record(...told(plan, { ...issued, client_id: null, client_secret: null }));
    await output.record({ ...issued });
    output.note('The secret is not shown again.');
  },
});
