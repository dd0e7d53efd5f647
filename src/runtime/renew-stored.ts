import { fileURLToPath } from 'node:url';
import type { Credential, CredentialStore } from '../auth/credentials.ts';
import { renewCredential } from '../auth/renewer.ts';
import type { Settings } from '../config/settings-types.ts';
import { removeCredentials } from '../platform/child-environment.ts';
import type { Machine } from '../platform/machine.ts';
import type { RunRequests } from './requests.ts';

/** Joins renewal to this machine. Loaded when a token is to be renewed. */

interface RenewalParts {
  readonly machine: Machine;
  readonly settings: Settings;
  readonly requests: RunRequests;
}

/** @throws Failure: see auth/renewer.ts */
export const renewStoredCredential = (
  { machine, settings, requests }: RenewalParts,
  store: CredentialStore,
  stored: Credential,
): Promise<Credential> => {
  const { clock, interrupted, node } = machine;
  const env = removeCredentials(machine.env, ['TTCTL_CLIENT_SECRET']);
  // Beside this file once it is built.
  const program = machine.renewer ?? fileURLToPath(new URL('./renew.cjs', import.meta.url));
  const { debug, log } = settings;
  const getRequestId = () => requests.numbers.nextId();
  const facts = { clock, interrupted, env, node, program, debug: debug.value, log: log?.value, getRequestId };
  return renewCredential(facts, store, settings.profile.value, stored);
};
