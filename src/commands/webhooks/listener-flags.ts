import type { Flag } from '../../cli/flag.ts';
import { WEBHOOK_EVENTS } from '../../resources/webhook.ts';
import { ON } from './receiving-flags.ts';

/** The flags of `webhooks listen` alone. */

export const hostFlag = {
  name: 'host',
  value: 'address',
  about: 'address to listen on; 0.0.0.0 lets other machines in',
  default: '127.0.0.1',
  unsafe: true,
} as const satisfies Flag;

export const eventFlag = {
  name: 'event',
  value: 'name',
  about: `only show and hand on these; all are kept: ${WEBHOOK_EVENTS.join(', ')} or any other`,
  repeatable: true,
} as const satisfies Flag;

export const limitFlag = {
  name: 'limit',
  value: 'n',
  about: 'end after so many; exit 8, or the code of the failure, where one was not handed on',
} as const satisfies Flag;

const CREATE = 'Webhook of its own';
const SIGNATURES = 'Signatures';

export const listenerFlags = [
  {
    name: 'forward-status',
    about: 'answer with the status of --forward, so that the sender tries again',
    group: ON,
  },
  {
    name: 'create',
    about: 'make a webhook for this listener, and delete it at the end',
    group: CREATE,
  },
  {
    name: 'url',
    value: 'url',
    about: 'the address the service reaches this listener at: of a tunnel, a proxy',
    group: CREATE,
  },
  {
    name: 'webhook',
    value: 'id',
    about: 'check them with the token of this webhook; else with TTCTL_WEBHOOK_TOKEN',
    group: SIGNATURES,
  },
  { name: 'token-stdin', about: 'check them with the token on stdin', group: SIGNATURES },
  {
    name: 'require-signature',
    about: 'refuse what has no valid one: 401, and it is not kept',
    group: SIGNATURES,
  },
] as const satisfies readonly Flag[];
