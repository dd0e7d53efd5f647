import { defineCommand } from '../../cli/command.ts';
import { olderThanFlag } from '../prune.ts';
import { stateFlag, storeFlag } from './receiving-flags.ts';

export const webhooksReceivedPrune = defineCommand({
  path: 'webhooks received prune',
  about: 'remove old deliveries; pending ones only with --state pending',
  examples: [
    'ttctl webhooks received prune --older-than 30d',
    'ttctl webhooks received prune --older-than 26w --state failed --dry-run',
  ],
  prints: { shape: 'record', fields: ['before', 'deliveries'] },
  exits: [9],
  flags: [olderThanFlag, stateFlag, storeFlag],
  run: async (context, { options }) => {
    const { pruneDeliveries } = await import('./prune-deliveries.ts');
    await pruneDeliveries(context, options);
  },
});
