import { defineCommand, defineGroup } from '../../cli/command.ts';
import { SCOPES } from '../../notation/scope-list.ts';
import { UsageError } from '../../outcome.ts';
import { told } from '../planned.ts';
import { urlFlag } from './target.ts';

const tokenCreate = defineCommand({
  path: 'sandbox token create',
  about: 'make a token of the sandbox and print it',
  examples: [
    'ttctl sandbox token create --as owner@northwind.example --scope read,write',
    'ttctl sandbox token create --as owner@northwind.example --scope read --json',
  ],
  prints: { shape: 'record', fields: ['token', 'scopes', 'member', 'expires_at'] },
  exits: [4, 5, 7],
  flags: [
    urlFlag,
    { name: 'as', value: 'email', about: 'an Owner or Executive Manager of the sandbox; needed', needed: {} },
    {
      name: 'scope',
      value: 'scope',
      about: 'read, write (both); repeat it or separate with commas',
      offers: SCOPES,
      repeatable: true,
    },
  ],
  run: async ({ sandbox, output, settings }, { options }) => {
    const { as, scope = ['read,write'] } = options;
    if (as === undefined) {
      throw new UsageError('missing --as', {
        code: 'missing_value',
        hint: 'See who there is: ttctl --profile sandbox members list',
      });
    }
    const scopes = scope.flatMap((text) => text.split(/[\s,]+/)).filter((scope) => scope !== '');
    const plan = settings.dryRun.value;
    const issued = await (await sandbox()).control(options.url).createToken({ as, scopes }, plan);
    if (plan) return output.record(...told(plan, { ...issued, token: null }));
    if (settings.output.value === 'table') return output.text(issued.token);
    await output.record({ ...issued });
  },
});

/** `sandbox token …` */
export const sandboxToken = defineGroup('sandbox token', 'tokens of the sandbox', [tokenCreate]);
