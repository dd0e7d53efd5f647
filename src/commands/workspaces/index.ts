import type { Command } from 'commander';
import type { Door } from '../../run.ts';
import { workspacesList } from './list.ts';
import { workspacesUse } from './use.ts';

export const workspaces = (group: Command, door: Door): Command =>
  group.addCommand(workspacesList(door)).addCommand(workspacesUse(door));
