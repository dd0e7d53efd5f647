import { operations } from '../../api/operations.ts';
import type { Column } from '../../context.ts';
import { workspace } from '../../resources/workspace.ts';
import { type Door, runOperation } from '../../run.ts';
import { listOptions, operationCommand } from '../command.ts';

const operation = operations.workspaces.list;

const columns: readonly Column[] = [
  { field: 'id', kind: 'number' },
  { field: 'workspace_name', title: 'name', least: 16 },
  { field: 'role', drop: 2 },
  { field: 'status', kind: 'state', drop: 1 },
  { field: 'created_at', title: 'created', kind: 'date', drop: 3 },
];

export const workspacesList = (door: Door) =>
  listOptions(
    operationCommand('list', operation, ['ttctl workspaces list', 'ttctl workspaces list --output json']),
  ).action(
    runOperation(door, operation, async ({ api, output, window }, values) => {
      await output.list(api.workspaces.list(values).pages(window), { noun: workspace.words[1], columns });
    }),
  );
