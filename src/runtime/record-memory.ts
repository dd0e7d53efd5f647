import { existsSync } from 'node:fs';
import { createObservedLists } from '../completion/cache-observed.ts';
import type { Directories } from '../config/environment.ts';
import type { Settings } from '../config/settings-types.ts';
import type { Machine } from '../platform/machine.ts';
import type { Parts } from './run-services.ts';

/** Caches the records that a run received, for the completion of the next command line. */

export interface RecordMemory {
  readonly onReply: Parts['onReply'];
  /** Writes the records to the completion cache. Never rejects. */
  save(): Promise<void>;
  /** Forgets what is kept for a profile that is signed out or removed. */
  forget(profile: string): Promise<void>;
}

/**
 * Nothing is kept by a run that nobody watches where nobody has worked yet: a pipeline leaves no names behind.
 */
export const openRecordMemory = (
  machine: Machine,
  settings: Settings,
  { cache }: Directories,
): RecordMemory => {
  if (cache === undefined) return { onReply: () => {}, save: async () => {}, forget: async () => {} };
  const forget = async (profile: string): Promise<void> => {
    const { forgetProfile } = await import('../completion/cache.ts');
    forgetProfile(cache, profile);
  };
  // Of the sandbox nothing is kept: its own file says what there is (completion/world.ts).
  if (settings.embedded) return { onReply: () => {}, save: async () => {}, forget };
  const observed = createObservedLists();
  return {
    forget,
    onReply: observed.add,
    async save() {
      if (observed.all.length === 0 || !(machine.stderr.isTTY || existsSync(`${cache}/completion`))) return;
      const { cacheObserved } = await import('../completion/cache-observed.ts');
      await cacheObserved(cache, settings.profile.value, observed.all, machine.clock);
    },
  };
};
