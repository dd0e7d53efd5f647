import type { Command } from 'commander';
import type { Door } from '../../run.ts';
import { withVerbs } from '../command.ts';
import { contractsArchive } from './archive.ts';
import { contractsCreate } from './create.ts';
import { contractsGet } from './get.ts';
import { contractsList } from './list.ts';
import { contractsUpdate } from './update.ts';

export const contracts = (group: Command, door: Door): Command =>
  withVerbs(group, door, {
    list: contractsList,
    get: contractsGet,
    create: contractsCreate,
    update: contractsUpdate,
    archive: contractsArchive,
  });
