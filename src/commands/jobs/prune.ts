import { defineCommand } from '../../cli/command.ts';
import { keptSection, olderThanFlag, prune } from '../prune.ts';

export const jobsPrune = defineCommand({
  path: 'jobs prune',
  about: 'remove the journals of old runs that are finished',
  examples: ['ttctl jobs prune --older-than 180d', 'ttctl jobs prune --older-than 52w --dry-run'],
  more: [keptSection],
  prints: { shape: 'record', fields: ['before', 'runs', 'kept'] },
  exits: [9],
  flags: [olderThanFlag],
  run: (context, { options }) => prune(context, options.olderThan, false),
});
