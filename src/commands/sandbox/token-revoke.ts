import { defineCommand } from '../../cli/command.ts';
import { printLocalChange } from '../local-change.ts';
import { formatInspect, urlFlag } from './target.ts';
import { tokenColumns, tokenFields } from './token-list.ts';

export const tokenRevoke = defineCommand({
  path: 'sandbox token revoke',
  about: 'revoke a token of the sandbox',
  examples: ['ttctl sandbox token revoke nightly', 'ttctl sandbox token revoke 17'],
  prints: { shape: 'record', fields: tokenFields },
  exits: [5, 7],
  positionals: [{ name: 'token', about: 'id or name of the token', required: true }],
  flags: [urlFlag],
  run: async (context, { targets: [token = ''], options }) => {
    const control = (await context.sandbox()).control(options.url);
    const record = { ...(await control.revokeToken({ token })) };
    await printLocalChange(context, {
      record,
      columns: tokenColumns,
      text: `the token ${token} was revoked`,
      inspectLine: formatInspect('token list', options),
    });
  },
});
