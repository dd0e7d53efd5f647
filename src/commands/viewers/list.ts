import { operations } from '../../api/operations.ts';
import { defineCommand } from '../../cli/command.ts';
import { viewerColumns } from '../../resources/viewer/columns.ts';
import { viewer } from '../../resources/viewer.ts';
import { flag, listFlags } from '../flags.ts';

const operation = operations.viewers.list;

export const viewersList = defineCommand({
  path: 'viewers list',
  operation,
  examples: ['ttctl viewers list', 'ttctl viewers list --email eve@client.example'],
  flags: [...listFlags(operation), flag(operation, 'email')],
  run: async ({ api, output, window }, { values }) => {
    await output.list(api.viewers.list(values).pages(window), {
      noun: viewer.words[1],
      columns: viewerColumns,
    });
  },
});
