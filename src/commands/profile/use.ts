import { UsageError } from '../../outcome.ts';
import { type Door, run } from '../../run.ts';
import { localCommand } from '../command.ts';
import { tellChange } from '../planned.ts';

export const profileUse = (door: Door) =>
  localCommand('use', 'make a profile the default one', {
    examples: ['ttctl profile use work', 'ttctl profile use sandbox'],
    prints: { shape: 'record', fields: ['current_profile'] },
  })
    .argument('<profile>', 'name of the profile')
    .action(
      run(door, async (context, [name = '']) => {
        const { settings, settingsStore } = context;
        const { profiles } = settingsStore.read();
        if (name !== 'sandbox' && !Object.hasOwn(profiles, name)) {
          throw new UsageError(`there is no profile "${name}"`, { hint: 'See them: ttctl profile list' });
        }
        if (!settings.dryRun.value)
          await settingsStore.update((file) => ({ ...file, current_profile: name }));
        const record = { current_profile: name };
        const text = `${name} is now the default profile`;
        await tellChange(context, { record, text, look: 'ttctl profile list' });
      }),
    );
