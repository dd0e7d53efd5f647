import { defineCommand } from '../../cli/command.ts';
import { toText } from '../../json/stringify.ts';
import { commandLine } from '../../parsing/shell-word.ts';
import { printLocalChange } from '../local-change.ts';
import { SERVICE_EXITS } from '../outputs.ts';

export const workspacesUse = defineCommand({
  path: 'workspaces use',
  about: "set the profile's default workspace",
  examples: ['ttctl workspaces use 7', 'ttctl workspaces use "Northwind Studio"'],
  prints: { shape: 'record', fields: ['profile', 'workspace', 'workspace_name'] },
  exits: SERVICE_EXITS,
  positionals: [{ name: 'workspace', about: 'id or name', required: true }],
  run: async (context, { targets: [wanted = ''] }) => {
    const { lookUps, settings, settingsStore } = context;
    const workspace = await lookUps.workspace(wanted);
    const profile = settings.profile.value;
    const id = typeof workspace.id === 'number' ? workspace.id : toText(workspace.id);
    if (!settings.dryRun.value) {
      await settingsStore.update((file) => ({
        ...file,
        profiles: { ...file.profiles, [profile]: { ...file.profiles[profile], workspace: id } },
      }));
    }
    const chosen = { profile, workspace: workspace.id, workspace_name: workspace.name };
    await printLocalChange(context, {
      record: chosen,
      text: `workspace ${id} is now the default of profile ${profile}`,
      inspectLine: commandLine`ttctl profile show --profile ${profile}`,
    });
  },
});
