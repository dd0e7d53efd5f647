import { isLoopback } from '../parsing/address.ts';
import type { SandboxControl } from '../sandbox/control.ts';
import { createRemoteControl } from '../sandbox/control-client.ts';
import { createEmbeddedControl } from '../sandbox/embedded-control.ts';
import { findServerAddress } from './address.ts';
import { createSandboxDisk } from './embedded.ts';
import type { ServiceOptions } from './service.ts';

/** A sandbox signs its deliveries by its own clock, which may have been moved: they are judged by the same one. */

/** The sandbox that the settings lead to; undefined: it is none that this user may ask. */
const findControl = (options: ServiceOptions): SandboxControl | undefined => {
  const { embedded, baseUrl, stateFile, machine } = options;
  if (embedded) return createEmbeddedControl(createSandboxDisk(stateFile, machine.clock)).control;
  if (baseUrl === undefined || !isLoopback(new URL(baseUrl.value).hostname)) return undefined;
  const address = findServerAddress(options, undefined);
  if (address === undefined || address.secret === '') return undefined;
  return createRemoteControl(address.origin, address.secret, { maxWait: 1 });
};

/** Milliseconds since the epoch: of the sandbox where it says, else of this machine. */
export const createSigningTime = (options: ServiceOptions): (() => Promise<number>) => {
  const { clock } = options.machine;
  const control = findControl(options);
  if (control === undefined) return async () => clock.now();
  return async () => {
    const state = await control.clock().catch(() => undefined);
    const now = Date.parse(String(state?.now));
    return Number.isNaN(now) ? clock.now() : now;
  };
};
