import { defineCommand } from '../../cli/command.ts';
import { keptSection, olderThanFlag, prune } from '../prune.ts';

export const historyPrune = defineCommand({
  path: 'history prune',
  about: 'remove old writes from the history',
  examples: ['ttctl history prune --older-than 180d', 'ttctl history prune --older-than 52w --dry-run'],
  more: [keptSection],
  prints: { shape: 'record', fields: ['before', 'runs', 'kept'] },
  exits: [9],
  flags: [olderThanFlag],
  run: (context, { options }) => prune(context, options.olderThan),
});
