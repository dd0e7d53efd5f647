import { defineCommand } from '../../cli/command.ts';
import { tellChange } from '../planned.ts';

export const authLogout = defineCommand({
  path: 'auth logout',
  about: "remove the profile's credential from this machine",
  examples: ['ttctl auth logout', 'ttctl auth logout --profile work --yes'],
  prints: { shape: 'record', fields: ['profile', 'removed'] },
  exits: [9],
  run: async (context) => {
    const { settings, credentials, output, confirm } = context;
    const profile = settings.profile.value;
    const store = await credentials();
    const stored = store.read(profile);
    const warn = (): void => {
      if (settings.token !== undefined)
        output.warn('TTCTL_TOKEN is set: commands still sign in with it. Unset it.');
    };
    if (stored === undefined) {
      await output.record({ profile, removed: false });
      warn();
      output.note('There was no stored credential.');
      return;
    }
    if (settings.dryRun.value) return output.record({ profile, removed: false, planned: true });
    await confirm({
      local: true,
      question: `remove the credential of profile ${profile}`,
      facts: [`address    ${stored.base_url}`],
    });
    await store.remove(profile);
    await tellChange(context, {
      record: { profile, removed: true },
      next: () => {
        warn();
        output.note(
          'The token itself is still valid at the service until it ends: archive it there to revoke it.',
        );
      },
      text: `the credential of profile ${profile} was removed`,
      look: 'ttctl profile list',
    });
  },
});
