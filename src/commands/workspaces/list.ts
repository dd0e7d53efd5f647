import { operations } from '../../api/operations.ts';
import { defineCommand } from '../../cli/command.ts';
import type { Column } from '../../context.ts';
import { workspace } from '../../resources/workspace.ts';
import { listFlags } from '../flags.ts';

const operation = operations.workspaces.list;

const columns: readonly Column[] = [
  { field: 'workspace_name', title: 'name', least: 16 },
  { field: 'role', drop: 2 },
  { field: 'status', kind: 'state', drop: 1 },
  { field: 'created_at', title: 'created', kind: 'date', drop: 3 },
  { field: 'id', kind: 'number' },
];

export const workspacesList = defineCommand({
  path: 'workspaces list',
  operation,
  examples: ['ttctl workspaces list', 'ttctl workspaces list --output json'],
  flags: [...listFlags(operation)],
  run: async ({ api, output, window }, { values }) => {
    await output.list(api.workspaces.list(values).pages(window), { noun: workspace.words[1], columns });
  },
});
