import type { Group, Noun } from '../../cli/command.ts';
import { contractsArchive } from './archive.ts';
import { contractsCreate } from './create.ts';
import { contractsGet } from './get.ts';
import { contractsList } from './list.ts';
import { contractsUpdate } from './update.ts';

export const contracts = (noun: Noun): Group => ({
  ...noun,
  commands: [contractsList, contractsGet, contractsCreate, contractsUpdate, contractsArchive],
});
