import type { Command } from 'commander';
import type { Door } from '../../run.ts';
import { withVerbs } from '../command.ts';
import { profileList } from './list.ts';
import { profileRemove } from './remove.ts';
import { profileSet } from './set.ts';
import { profileShow } from './show.ts';
import { profileUse } from './use.ts';

export const profile = (group: Command, door: Door): Command =>
  withVerbs(group, door, {
    list: profileList,
    show: profileShow,
    set: profileSet,
    use: profileUse,
    remove: profileRemove,
  });
