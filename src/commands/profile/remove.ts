import { defineCommand } from '../../cli/command.ts';
import { UsageError } from '../../outcome.ts';
import { printLocalChange } from '../local-change.ts';

export const profileRemove = defineCommand({
  path: 'profile remove',
  about: 'remove a profile and its credential from this machine',
  examples: ['ttctl profile remove work', 'ttctl profile remove work --yes'],
  prints: { shape: 'record', fields: ['profile', 'removed'] },
  exits: [9],
  positionals: [{ name: 'profile', about: 'name of the profile', required: true }],
  settings: 'mended',
  run: async (context, { targets: [name = ''] }) => {
    const { settings, settingsStore, credentials, output, confirm } = context;
    const { profiles } = settingsStore.read();
    const store = await credentials();
    if (!Object.hasOwn(profiles, name) && store.read(name) === undefined) {
      throw name === 'sandbox'
        ? new UsageError('the profile sandbox cannot be removed', {
            hint: 'Start over with: ttctl --profile sandbox sandbox reset',
          })
        : new UsageError(`there is no profile "${name}"`, { hint: 'List them: ttctl profile list' });
    }
    if (settings.dryRun.value) return output.record({ profile: name, removed: false, planned: true });
    await confirm({
      local: true,
      question: `remove profile ${name}`,
      facts: [`address    ${profiles[name]?.base_url ?? 'none'}`],
    });
    const signedIn = await store.remove(name);
    await settingsStore.update((file) => {
      const { [name]: _removed, ...others } = file.profiles;
      const { current_profile: current, ...rest } = file;
      return {
        ...rest,
        ...(current === undefined || current === name ? {} : { current_profile: current }),
        profiles: others,
      };
    });
    const tokenNote = 'Its token remains valid until it expires. To end it sooner, revoke it in the service.';
    await printLocalChange(context, {
      record: { profile: name, removed: true },
      next: () => signedIn && output.note(tokenNote),
      text: `profile ${name} was removed`,
      inspectLine: 'ttctl profile list',
    });
  },
});
