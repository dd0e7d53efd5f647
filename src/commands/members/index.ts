import type { Command } from 'commander';
import type { Door } from '../../run.ts';
import { withVerbs } from '../command.ts';
import { membersArchive } from './archive.ts';
import { membersGet } from './get.ts';
import { membersInvite } from './invite.ts';
import { membersList } from './list.ts';
import { membersRestore } from './restore.ts';
import { membersUpdate } from './update.ts';

export const members = (group: Command, door: Door): Command =>
  withVerbs(group, door, {
    list: membersList,
    get: membersGet,
    invite: membersInvite,
    update: membersUpdate,
    archive: membersArchive,
    restore: membersRestore,
  });
