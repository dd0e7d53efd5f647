import { defineCommand } from '../../cli/command.ts';
import { UsageError } from '../../outcome.ts';
import { commandLine } from '../../parsing/shell-word.ts';
import { printLocalChange } from '../local-change.ts';

export const authRefresh = defineCommand({
  path: 'auth refresh',
  about: 'renew the sign-in now',
  examples: ['ttctl auth refresh', 'ttctl auth refresh --profile work --output json'],
  prints: {
    shape: 'record',
    fields: ['profile', 'renewed', 'access_expires_at', 'refresh_expires_at'],
  },
  exits: [3, 7],
  run: async (context) => {
    const { settings, output, auth } = context;
    const profile = settings.profile.value;
    if (settings.token !== undefined) {
      throw new UsageError('TTCTL_TOKEN is set and cannot be renewed', {
        hint: 'Unset it to renew the stored sign-in.',
      });
    }
    if (settings.embedded) throw new UsageError('the profile sandbox needs no sign-in');
    if (settings.dryRun.value) return output.record({ profile, renewed: false, planned: true });
    const { access_expires_at, refresh_expires_at } = await (await auth()).renew();
    await printLocalChange(context, {
      record: {
        profile,
        renewed: true,
        access_expires_at: access_expires_at ?? null,
        refresh_expires_at: refresh_expires_at ?? null,
      },
      text: `the sign-in of profile ${profile} was renewed`,
      inspectLine: commandLine`ttctl auth status --profile ${profile}`,
    });
  },
});
