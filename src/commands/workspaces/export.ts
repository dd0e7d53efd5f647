import { defineCommand } from '../../cli/command.ts';
import { SERVICE_EXITS } from '../outputs.ts';

export const workspacesExport = defineCommand({
  path: 'workspaces export',
  about: 'save the workspace as CSV files in a folder, for a repository',
  examples: ['ttctl workspaces export workspace', 'ttctl workspaces export workspace --dry-run'],
  more: [
    {
      title: 'Files',
      text: 'projects.csv, members.csv, viewers.csv, contracts.csv, tasks.csv and webhooks.csv, with the fields that can be set, for every record that is not archived. Ids come with names. Secrets, timestamps and computed values are left out, so that identical workspaces give identical files. A file that would stay the same is not written, and other files in the folder are left alone.',
    },
  ],
  prints: { shape: 'list', fields: ['file', 'records', 'status'] },
  exits: SERVICE_EXITS,
  positionals: [
    { name: 'folder', about: 'folder of the files; it is made if it is missing', required: true },
  ],
  run: async (context, { targets: [folder = ''] }) => {
    const { exportFolder } = await import('./export-folder.ts');
    await exportFolder(context, folder);
  },
});
