import type { Command } from 'commander';
import type { Door } from '../../run.ts';
import { contractsArchive } from './archive.ts';
import { contractsCreate } from './create.ts';
import { contractsGet } from './get.ts';
import { contractsList } from './list.ts';
import { contractsUpdate } from './update.ts';

export const contracts = (group: Command, door: Door): Command =>
  group
    .addCommand(contractsList(door))
    .addCommand(contractsGet(door))
    .addCommand(contractsCreate(door))
    .addCommand(contractsUpdate(door))
    .addCommand(contractsArchive(door));
