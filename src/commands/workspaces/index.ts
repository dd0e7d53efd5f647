import type { Command } from 'commander';
import type { Door } from '../../run.ts';
import { withVerbs } from '../command.ts';
import { workspacesList } from './list.ts';
import { workspacesUse } from './use.ts';

export const workspaces = (group: Command, door: Door): Command =>
  withVerbs(group, door, {
    list: workspacesList,
    use: workspacesUse,
  });
