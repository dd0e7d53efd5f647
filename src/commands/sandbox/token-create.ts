import { defineCommand } from '../../cli/command.ts';
import { UsageError } from '../../outcome.ts';
import { SCOPES } from '../../parsing/names.ts';
import { printLocalChange } from '../local-change.ts';
import { formatInspect, urlFlag } from './target.ts';

export const tokenCreate = defineCommand({
  path: 'sandbox token create',
  about: 'create a token of the sandbox and print it',
  examples: [
    'ttctl sandbox token create --as nora@lindenhof.example --scope read,write',
    'ttctl sandbox token create --as nora@lindenhof.example --name nightly --scope read --json',
  ],
  prints: { shape: 'record', fields: ['id', 'name', 'token', 'scopes', 'member', 'expires_at'] },
  exits: [4, 5, 7],
  flags: [
    urlFlag,
    {
      name: 'as',
      value: 'email',
      about: 'an Owner or Executive Manager of the sandbox; required',
      needed: {},
    },
    { name: 'name', value: 'name', about: 'name of the token (default: sandbox)' },
    {
      name: 'scope',
      value: 'scope',
      about: 'read, write (both); repeat or separate with commas',
      offers: SCOPES,
      repeatable: true,
    },
  ],
  run: async (context, { options }) => {
    const { as, name, scope = ['read,write'] } = options;
    if (as === undefined) {
      throw new UsageError('missing --as', {
        code: 'missing_value',
        hint: 'List the members: ttctl --profile sandbox members list',
      });
    }
    const scopes = scope.flatMap((text) => text.split(/[\s,]+/)).filter((scope) => scope !== '');
    const { sandbox, output, settings } = context;
    const issued = await (await sandbox())
      .control(options.url)
      .createToken({ as, scopes, ...(name !== undefined && { name }) });
    await printLocalChange(context, {
      record: { ...issued },
      ...(settings.output.value.shape === 'screen' ? { print: () => output.text(issued.token) } : {}),
      text: `a token for ${as} was created (it is not shown again)`,
      inspectLine: formatInspect('token list', options),
    });
  },
});
