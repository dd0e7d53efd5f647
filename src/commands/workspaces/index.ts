import type { Group, Noun } from '../../cli/command.ts';
import { workspacesList } from './list.ts';
import { workspacesUse } from './use.ts';

export const workspaces = (noun: Noun): Group => ({
  ...noun,
  commands: [workspacesList, workspacesUse],
});
