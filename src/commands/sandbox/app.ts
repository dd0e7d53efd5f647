import { Option } from 'commander';
import { UsageError } from '../../outcome.ts';
import { type Door, run } from '../../run.ts';
import { localCommand } from '../command.ts';
import { choice, needed } from '../options.ts';
import { tellChange } from '../planned.ts';
import { appList, issuedNotes } from './app-list.ts';
import { lookAt, urlOf, withUrl } from './target.ts';

const GRANTS = ['authorization-code', 'client-credentials'];

const appCreate = (door: Door) =>
  withUrl(
    localCommand('create', 'register an OAuth2 application and print its client id and secret', {
      examples: [
        'ttctl sandbox app create --name "My app" --redirect-uri http://127.0.0.1:8484/callback',
        'ttctl sandbox app create --name Nightly --grant client-credentials --json',
      ],
      prints: {
        shape: 'record',
        fields: ['client_id', 'client_secret', 'name', 'grant', 'redirect_uri', 'member', 'created_at'],
      },
      exits: [4, 5, 7],
    }),
  )
    .addOption(needed(new Option('--name <name>', 'what people see on the authorize page; needed')))
    .option('--redirect-uri <uri>', 'where people return to; the authorization code grant needs it')
    .addOption(choice('--grant <grant>', 'how it signs in', GRANTS).default('authorization-code'))
    .option('--as <email>', 'the Owner or Executive Manager who registers it; default: the first owner')
    .action(
      run(door, async (context, _targets, { name, redirectUri, grant, as, ...options }) => {
        if (typeof name !== 'string') throw new UsageError('missing --name', { code: 'missing_value' });
        const wish = {
          name,
          grant: String(grant),
          ...(typeof redirectUri === 'string' ? { redirect_uri: redirectUri } : {}),
          ...(typeof as === 'string' ? { as } : {}),
        };
        const plan = context.settings.dryRun.value;
        const issued = await (await context.sandbox()).control(urlOf(options)).createApp({ ...wish, plan });
        await tellChange(context, {
          record: plan ? { ...issued, client_id: null, client_secret: null } : { ...issued },
          next: () => issuedNotes(issued).forEach(context.output.note),
          text: `application ${issued.client_id} was registered`,
          look: lookAt('app list', options),
        });
      }),
    );

/** `sandbox app …` */
export const sandboxApp = (door: Door) =>
  localCommand('app', 'OAuth2 applications of the sandbox', { examples: [] })
    .addCommand(appCreate(door))
    .addCommand(appList(door));
