import { defineCommand } from '../../cli/command.ts';
import { olderThanFlag, prune } from '../prune.ts';

export const jobsPrune = defineCommand({
  path: 'jobs prune',
  about: 'remove the journals of old runs',
  examples: ['ttctl jobs prune --older-than 180d', 'ttctl jobs prune --older-than 52w --dry-run'],
  prints: { shape: 'record', fields: ['before', 'runs'] },
  exits: [9],
  flags: [olderThanFlag],
  run: (context, { options }) => prune(context, options.olderThan, false),
});
