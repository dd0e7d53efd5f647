import type { Command } from 'commander';
import type { Door } from '../../run.ts';
import { withVerbs } from '../command.ts';
import { viewersArchive } from './archive.ts';
import { viewersAssign } from './assign.ts';
import { viewersGet } from './get.ts';
import { viewersInvite } from './invite.ts';
import { viewersList } from './list.ts';
import { viewersRestore } from './restore.ts';
import { viewersUnassign } from './unassign.ts';

export const viewers = (group: Command, door: Door): Command =>
  withVerbs(group, door, {
    list: viewersList,
    get: viewersGet,
    invite: viewersInvite,
    archive: viewersArchive,
    restore: viewersRestore,
    assign: viewersAssign,
    unassign: viewersUnassign,
  });
