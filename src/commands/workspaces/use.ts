import { defineCommand } from '../../cli/command.ts';
import { textOf } from '../../json/text.ts';
import { SERVICE_EXITS } from '../answers.ts';
import { told } from '../planned.ts';

export const workspacesUse = defineCommand({
  path: 'workspaces use',
  about: "set the profile's default workspace",
  examples: ['ttctl workspaces use 7', 'ttctl workspaces use "Northwind Studio"'],
  prints: { shape: 'record', fields: ['profile', 'workspace', 'workspace_name'] },
  exits: SERVICE_EXITS,
  positionals: [{ name: 'workspace', about: 'id or name', required: true }],
  run: async ({ lookUps, output, settings, settingsStore }, { targets: [wanted = ''] }) => {
    const workspace = await lookUps.workspace(wanted);
    const profile = settings.profile.value;
    const id = typeof workspace.id === 'number' ? workspace.id : textOf(workspace.id);
    if (!settings.dryRun.value) {
      await settingsStore.update((file) => ({
        ...file,
        profiles: { ...file.profiles, [profile]: { ...file.profiles[profile], workspace: id } },
      }));
    }
    const chosen = { profile, workspace: workspace.id, workspace_name: workspace.name };
    await output.record(...told(settings.dryRun.value, chosen));
  },
});
