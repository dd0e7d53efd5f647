import { Option } from 'commander';
import { SCOPES } from '../../notation/scope-list.ts';
import { UsageError } from '../../outcome.ts';
import { type Door, run } from '../../run.ts';
import { localCommand } from '../command.ts';
import { needed, offering, repeated } from '../options.ts';
import { tellChange } from '../planned.ts';
import { lookAt, urlOf, withUrl } from './target.ts';

const tokenCreate = (door: Door) =>
  withUrl(
    localCommand('create', 'make a token of the sandbox and print it', {
      examples: [
        'ttctl sandbox token create --as owner@northwind.example --scope read,write',
        'ttctl sandbox token create --as owner@northwind.example --scope read --json',
      ],
      prints: { shape: 'record', fields: ['token', 'scopes', 'member', 'expires_at'] },
      exits: [4, 5, 7],
    }),
  )
    .addOption(needed(new Option('--as <email>', 'an Owner or Executive Manager of the sandbox; needed')))
    .addOption(
      offering(
        new Option('--scope <scope>', 'read, write (both); repeat it or separate with commas'),
        SCOPES,
      ).argParser(repeated),
    )
    .action(
      run(door, async (context, _targets, options) => {
        const as = options.as;
        if (typeof as !== 'string') {
          throw new UsageError('missing --as', {
            code: 'missing_value',
            hint: 'See who there is: ttctl --profile sandbox members list',
          });
        }
        const given = Array.isArray(options.scope) ? options.scope.map(String) : ['read,write'];
        const scopes = given.flatMap((text) => text.split(/[\s,]+/)).filter((scope) => scope !== '');
        const { sandbox, output, settings } = context;
        const plan = settings.dryRun.value;
        const issued = await (await sandbox()).control(urlOf(options)).createToken({ as, scopes, plan });
        await tellChange(context, {
          record: plan ? { ...issued, token: null } : { ...issued },
          ...(settings.output.value.shape === 'screen' ? { print: () => output.text(issued.token) } : {}),
          text: `a token for ${as} was made (it is not shown again)`,
          look: lookAt('status', options),
        });
      }),
    );

/** `sandbox token …` */
export const sandboxToken = (door: Door) =>
  localCommand('token', 'tokens of the sandbox', { examples: [] }).addCommand(tokenCreate(door));
