import type { Command } from 'commander';
import type { Door } from '../../run.ts';
import { membersArchive } from './archive.ts';
import { membersGet } from './get.ts';
import { membersInvite } from './invite.ts';
import { membersList } from './list.ts';
import { membersRestore } from './restore.ts';
import { membersUpdate } from './update.ts';

export const members = (group: Command, door: Door): Command =>
  group
    .addCommand(membersList(door))
    .addCommand(membersGet(door))
    .addCommand(membersInvite(door))
    .addCommand(membersUpdate(door))
    .addCommand(membersArchive(door))
    .addCommand(membersRestore(door));
