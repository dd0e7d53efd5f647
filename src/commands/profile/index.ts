import type { Group, Noun } from '../../cli/command.ts';
import { profileList } from './list.ts';
import { profileRemove } from './remove.ts';
import { profileSet } from './set.ts';
import { profileShow } from './show.ts';
import { profileUse } from './use.ts';

export const profile = (noun: Noun): Group => ({
  ...noun,
  commands: [profileList, profileShow, profileSet, profileUse, profileRemove],
});
