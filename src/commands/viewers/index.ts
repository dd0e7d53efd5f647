import type { Group, Noun } from '../../cli/command.ts';
import { viewersArchive } from './archive.ts';
import { viewersAssign } from './assign.ts';
import { viewersGet } from './get.ts';
import { viewersInvite } from './invite.ts';
import { viewersList } from './list.ts';
import { viewersRestore } from './restore.ts';
import { viewersUnassign } from './unassign.ts';

export const viewers = (noun: Noun): Group => ({
  ...noun,
  commands: [
    viewersList,
    viewersGet,
    viewersInvite,
    viewersArchive,
    viewersRestore,
    viewersAssign,
    viewersUnassign,
  ],
});
