import type { Flag } from '../../cli/flag.ts';

/** The flags that `listen`, `received` and `replay` share. */

/** Heading of what is done with a delivery. */
export const ON = 'Hand on';

export const storeFlag = {
  name: 'store',
  value: 'folder',
  about: 'where deliveries are kept; default: webhooks in the state directory',
} as const satisfies Flag;

export const handOnFlags = [
  { name: 'forward', value: 'url', about: 'post each on to this address, byte for byte', group: ON },
  {
    name: 'exec',
    value: 'command',
    about:
      'run this in the shell for each: its body on stdin, all that it prints to stderr; TTCTL_EVENT, TTCTL_DELIVERY_ID and others in the environment',
    group: ON,
    unsafe: true,
  },
  {
    name: 'pass-env',
    value: 'name',
    about: 'pass this variable to the command too; it gets PATH, HOME and the like, and no credentials',
    repeatable: true,
    group: ON,
    unsafe: true,
  },
] as const satisfies readonly Flag[];
