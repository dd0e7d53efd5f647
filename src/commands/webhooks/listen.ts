import { defineCommand } from '../../cli/command.ts';
import { zoneFlag } from '../flags.ts';
import { SERVICE_EXITS } from '../outputs.ts';
import { liveFields } from './delivery-fields.ts';
import { eventFlag, hostFlag, limitFlag, listenerFlags } from './listener-flags.ts';
import { forwardingFlags, storeFlag } from './receiving-flags.ts';

export const webhooksListen = defineCommand({
  path: 'webhooks listen',
  about: 'receive deliveries on this machine: show, store and forward them',
  examples: [
    'ttctl --profile sandbox webhooks listen --create --event project.created',
    'ttctl webhooks listen --port 4748 --forward http://127.0.0.1:3000/hook',
    'ttctl webhooks listen --exec "jq .data" --limit 1 --output ndjson',
  ],
  writes: true,
  prints: { shape: 'list', fields: liveFields },
  exits: [...SERVICE_EXITS, 8, 9],
  flags: [
    { name: 'port', value: 'n', about: 'port to listen on; 0 for a free port', default: '4748' },
    hostFlag,
    { name: 'path', value: 'path', about: 'accept deliveries only at this path' },
    eventFlag,
    { name: 'show-body', about: 'show full bodies' },
    limitFlag,
    storeFlag,
    ...forwardingFlags,
    ...listenerFlags,
    zoneFlag,
  ],
  run: async (context, { options }) => {
    const { runListener } = await import('./run-listener.ts');
    await runListener(context, options);
  },
});
