import type { Command } from 'commander';
import type { Door } from '../../run.ts';
import { profileList } from './list.ts';
import { profileRemove } from './remove.ts';
import { profileSet } from './set.ts';
import { profileShow } from './show.ts';
import { profileUse } from './use.ts';

export const profile = (group: Command, door: Door): Command =>
  group
    .addCommand(profileList(door))
    .addCommand(profileShow(door))
    .addCommand(profileSet(door))
    .addCommand(profileUse(door))
    .addCommand(profileRemove(door));
