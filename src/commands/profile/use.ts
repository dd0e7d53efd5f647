import { defineCommand } from '../../cli/command.ts';
import { UsageError } from '../../outcome.ts';
import { printLocalChange } from '../local-change.ts';

export const profileUse = defineCommand({
  path: 'profile use',
  about: 'set the default profile',
  examples: ['ttctl profile use work', 'ttctl profile use sandbox'],
  prints: { shape: 'record', fields: ['current_profile'] },
  positionals: [{ name: 'profile', about: 'name of the profile', required: true }],
  settings: 'mended',
  run: async (context, { targets: [name = ''] }) => {
    const { settings, settingsStore } = context;
    const { profiles } = settingsStore.read();
    if (name !== 'sandbox' && !Object.hasOwn(profiles, name)) {
      throw new UsageError(`there is no profile "${name}"`, { hint: 'List them: ttctl profile list' });
    }
    if (!settings.dryRun.value) await settingsStore.update((file) => ({ ...file, current_profile: name }));
    const record = { current_profile: name };
    const text = `${name} is now the default profile`;
    await printLocalChange(context, { record, text, inspectLine: 'ttctl profile list' });
  },
});
