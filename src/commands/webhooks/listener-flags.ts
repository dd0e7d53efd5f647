import type { Flag } from '../../cli/flag.ts';
import { WEBHOOK_EVENTS } from '../../resources/webhook.ts';
import { FORWARDING_GROUP } from './receiving-flags.ts';

/** The flags of `webhooks listen` alone. */

export const hostFlag = {
  name: 'host',
  value: 'address',
  about: 'address to listen on; 0.0.0.0 accepts other machines',
  default: '127.0.0.1',
  unsafe: true,
} as const satisfies Flag;

export const eventFlag = {
  name: 'event',
  value: 'name',
  about: `show and forward only these events; all are stored: ${WEBHOOK_EVENTS.join(', ')} or any other`,
  repeatable: true,
} as const satisfies Flag;

export const limitFlag = {
  name: 'limit',
  value: 'n',
  about: 'stop after <n> deliveries; exit code 8, or that of the failure, if one was not forwarded',
} as const satisfies Flag;

const CREATE = 'Temporary webhook';
const SIGNATURES = 'Signatures';

export const listenerFlags = [
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
] as const satisfies readonly Flag[];
