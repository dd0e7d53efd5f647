import type { Command } from 'commander';
import type { Door } from '../../run.ts';
import { viewersArchive } from './archive.ts';
import { viewersAssign } from './assign.ts';
import { viewersGet } from './get.ts';
import { viewersInvite } from './invite.ts';
import { viewersList } from './list.ts';
import { viewersRestore } from './restore.ts';
import { viewersUnassign } from './unassign.ts';

export const viewers = (group: Command, door: Door): Command =>
  group
    .addCommand(viewersList(door))
    .addCommand(viewersGet(door))
    .addCommand(viewersInvite(door))
    .addCommand(viewersArchive(door))
    .addCommand(viewersRestore(door))
    .addCommand(viewersAssign(door))
    .addCommand(viewersUnassign(door));
