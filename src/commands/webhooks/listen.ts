import { WEBHOOK_EVENTS } from '../../api/records.ts';
import { defineCommand } from '../../cli/command.ts';
import { zoneFlag } from '../flags.ts';
import { SERVICE_EXITS } from '../outputs.ts';
import { FORWARDING_GROUP, forwardingFlags, liveFields, storeFlag } from './deliveries.ts';

const CREATE = 'Temporary webhook';
const SIGNATURES = 'Signatures';

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
    {
      name: 'host',
      value: 'address',
      about: 'address to listen on; 0.0.0.0 accepts other machines',
      default: '127.0.0.1',
      unsafe: true,
    },
    { name: 'path', value: 'path', about: 'accept deliveries only at this path' },
    {
      name: 'event',
      value: 'name',
      about: `show and forward only these events; all are stored: ${WEBHOOK_EVENTS.join(', ')} or any other`,
      repeatable: true,
    },
    { name: 'show-body', about: 'show full bodies' },
    {
      name: 'limit',
      value: 'n',
      about: 'stop after <n> deliveries; exit code 8, or that of the failure, if one was not forwarded',
    },
    storeFlag,
    ...forwardingFlags,
    {
      name: 'forward-status',
      about: 'respond with the status of --forward, so that the sender retries',
      group: FORWARDING_GROUP,
    },
    {
      name: 'answer-after-handler',
      about: 'respond only once the delivery was forwarded (503 if it was not), so that the sender retries',
      group: FORWARDING_GROUP,
    },
    {
      name: 'create',
      about: 'create a webhook for this listener and delete it at the end; unsigned deliveries are refused',
      group: CREATE,
    },
    {
      name: 'url',
      value: 'url',
      about: 'public address of this listener (of a tunnel or proxy)',
      group: CREATE,
    },
    {
      name: 'webhook',
      value: 'id',
      about: 'verify signatures with the token of this webhook (default TTCTL_WEBHOOK_TOKEN)',
      group: SIGNATURES,
    },
    { name: 'token-stdin', about: 'verify signatures with the token on stdin', group: SIGNATURES },
    {
      name: 'require-signature',
      about: 'refuse deliveries without a valid signature (401) and do not store them',
      group: SIGNATURES,
    },
    zoneFlag,
  ],
  run: async (context, { options }) => {
    const { runListener } = await import('./run-listener.ts');
    await runListener(context, options);
  },
});
