import type { Group, Noun } from '../../cli/command.ts';
import { membersArchive } from './archive.ts';
import { membersGet } from './get.ts';
import { membersInvite } from './invite.ts';
import { membersList } from './list.ts';
import { membersRestore } from './restore.ts';
import { membersUpdate } from './update.ts';

export const members = (noun: Noun): Group => ({
  ...noun,
  commands: [membersList, membersGet, membersInvite, membersUpdate, membersArchive, membersRestore],
});
