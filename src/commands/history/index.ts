import type { Group, Noun } from '../../cli/command.ts';
import { historyList } from './list.ts';
import { historyPrune } from './prune.ts';
import { historyShow } from './show.ts';

export const history = (noun: Noun): Group => ({
  ...noun,
  commands: [historyList, historyShow, historyPrune],
});
