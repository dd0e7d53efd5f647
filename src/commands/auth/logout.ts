import { defineCommand } from '../../cli/command.ts';
import { printLocalChange } from '../local-change.ts';

export const authLogout = defineCommand({
  path: 'auth logout',
  about: 'sign out and remove the credential from this machine',
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
        output.warn('TTCTL_TOKEN is still set, and commands use it. Unset it to sign out.');
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
    await printLocalChange(context, {
      record: { profile, removed: true },
      next: () => {
        warn();
        output.note('The token remains valid until it expires. To end it sooner, revoke it in the service.');
      },
      text: `the credential of profile ${profile} was removed`,
      inspectLine: 'ttctl profile list',
    });
  },
});
