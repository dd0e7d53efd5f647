import type { Flag } from '../../cli/flag.ts';
import { FORWARDING_STATES } from '../../webhooks/service.ts';

/** The flags that `listen`, `received` and `replay` share. */

/** Heading of what is done with a delivery. */
export const FORWARDING_GROUP = 'Forward';

export const storeFlag = {
  name: 'store',
  value: 'folder',
  about: 'folder for deliveries (default: webhooks in the state directory)',
} as const satisfies Flag;

export const stateFlag = {
  name: 'state',
  value: 'state',
  about: 'only deliveries in this state of forwarding',
  choices: FORWARDING_STATES,
} as const satisfies Flag;

export const forwardingFlags = [
  {
    name: 'forward',
    value: 'url',
    about: 'forward each delivery to this address unchanged',
    group: FORWARDING_GROUP,
  },
  {
    name: 'exec',
    value: 'command',
    about:
      'run this shell command for each delivery, with the body on stdin, TTCTL_EVENT, TTCTL_DELIVERY_ID and others in the environment; its output goes to stderr',
    group: FORWARDING_GROUP,
    unsafe: true,
  },
  {
    name: 'pass-env',
    value: 'name',
    about:
      'also pass this variable to the command, which otherwise gets PATH, HOME and the like, but no credentials',
    repeatable: true,
    group: FORWARDING_GROUP,
    unsafe: true,
  },
  {
    name: 'handler-timeout',
    value: 'seconds',
    about: 'end a command that takes longer',
    default: '300',
    group: FORWARDING_GROUP,
  },
] as const satisfies readonly Flag[];
