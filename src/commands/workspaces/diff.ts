import { defineCommand } from '../../cli/command.ts';
import { SERVICE_EXITS } from '../outputs.ts';

export const workspacesDiff = defineCommand({
  path: 'workspaces diff',
  about: 'show how the workspace differs from the files of a folder (exit 10 if it does)',
  examples: ['ttctl workspaces diff workspace', 'ttctl workspaces diff workspace --output json'],
  more: [
    {
      title: 'What is compared',
      entries: [
        [
          'changed',
          'a cell differs from the record; before is the value in the service, after the one in the file',
        ],
        ['new', 'a row without a counterpart: apply would create the record'],
        ['missing', 'a record that the file has no row for: apply leaves it alone'],
        ['gone', 'a row whose record is not there, or is archived'],
      ],
    },
    {
      title: 'Files',
      text: 'A file or a column that the folder does not have is not compared. Names next to ids are only for readers: the id decides.',
    },
  ],
  prints: {
    shape: 'list',
    fields: ['file', 'line', 'id', 'record', 'status', 'field', 'before', 'after'],
  },
  exits: [...SERVICE_EXITS, 10],
  positionals: [{ name: 'folder', about: 'folder of the files', required: true }],
  run: async (context, { targets: [folder = ''], program }) => {
    const { diffFolder } = await import('./diff-folder.ts');
    await diffFolder(context, folder, await program());
  },
});
