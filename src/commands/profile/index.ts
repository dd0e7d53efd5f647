import type { Command } from 'commander';
import type { Door } from '../../run.ts';
import { factsOf, withFacts, withVerbs } from '../command.ts';
import { profileList } from './list.ts';
import { profileRemove } from './remove.ts';
import { profileSet } from './set.ts';
import { profileShow } from './show.ts';
import { profileUse } from './use.ts';

/** A wrong value in a profile must not keep anybody from the commands that show and change it. */
const mending =
  (make: (door: Door) => Command) =>
  (door: Door): Command => {
    const command = make(door);
    return withFacts(command, { ...factsOf(command), settings: 'mended' });
  };

export const profile = (group: Command, door: Door): Command =>
  withVerbs(group, door, {
    list: mending(profileList),
    show: mending(profileShow),
    set: mending(profileSet),
    use: mending(profileUse),
    remove: mending(profileRemove),
  });
