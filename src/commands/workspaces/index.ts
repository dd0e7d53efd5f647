import type { Group, Noun } from '../../cli/command.ts';
import { workspacesApply } from './apply.ts';
import { workspacesDiff } from './diff.ts';
import { workspacesExport } from './export.ts';
import { workspacesList } from './list.ts';
import { workspacesUse } from './use.ts';

export const workspaces = (noun: Noun): Group => ({
  ...noun,
  commands: [workspacesList, workspacesUse, workspacesExport, workspacesDiff, workspacesApply],
});
