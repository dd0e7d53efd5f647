import { defineCommand } from '../../cli/command.ts';
import type { Positional } from '../../cli/flag.ts';
import { forwardingFlags, storeFlag } from './receiving-flags.ts';
import { replayDeliveries } from './replay-deliveries.ts';

/** Which ones is a question once it is known where to. */
const ids: Positional = {
  name: 'id',
  about: 'ids of stored deliveries, or - to read them from stdin',
  required: false,
  variadic: true,
  needed: {
    kind: 'received',
    when: ({ forward, exec, failed }) => failed !== true && (forward !== undefined || exec !== undefined),
  },
};

export const webhooksReplay = defineCommand({
  path: 'webhooks replay',
  about: 'forward stored deliveries again, marked ttctl-replay',
  examples: [
    'ttctl webhooks replay msg_p5jXN8AQM9LWM0D4loKWxJek --forward http://127.0.0.1:3000/hook',
    'ttctl webhooks replay - --exec "jq .data"',
    'ttctl webhooks replay --failed --forward http://127.0.0.1:3000/hook',
  ],
  prints: { shape: 'results' },
  exits: [6, 7, 8],
  positionals: [ids],
  flags: [
    { name: 'failed', about: 'all deliveries that could not be forwarded, earliest first', unsafe: true },
    ...forwardingFlags,
    storeFlag,
  ],
  run: (context, { targets, options }) => replayDeliveries(context, targets, options),
});
