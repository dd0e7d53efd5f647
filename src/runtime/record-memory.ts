import { existsSync } from 'node:fs';
import type { CredentialStore } from '../auth/credentials.ts';
import { createObservedLists } from '../completion/observed.ts';
import type { Directories } from '../config/environment.ts';
import type { Settings } from '../config/settings-types.ts';
import type { Machine } from '../platform/machine.ts';
import type { Parts } from './run-services.ts';

/** What a run keeps of the records it saw, for the completion of the next command line. */

export interface RecordMemory {
  readonly seen: Parts['seen'];
  /** Writes it down. Never fails. */
  keep(): Promise<void>;
  /** The store, which forgets what is kept for a profile when it is signed out or removed. */
  watch(store: CredentialStore): CredentialStore;
}

const watching = (cache: string, store: CredentialStore): CredentialStore => ({
  ...store,
  async remove(profile) {
    const { forgetProfile } = await import('../completion/cache.ts');
    forgetProfile(cache, profile);
    return store.remove(profile);
  },
});

/**
 * Nothing is kept by a run that nobody watches where nobody has worked yet: a pipeline leaves no names behind.
 */
export const openRecordMemory = (
  machine: Machine,
  settings: Settings,
  { cache }: Directories,
): RecordMemory => {
  if (cache === undefined) return { seen: () => {}, keep: async () => {}, watch: (store) => store };
  const watch: RecordMemory['watch'] = (store) => watching(cache, store);
  // Of the sandbox nothing is kept: its own file says what there is (completion/world.ts).
  if (settings.embedded) return { seen: () => {}, keep: async () => {}, watch };
  const observed = createObservedLists();
  return {
    watch,
    seen: observed.add,
    async keep() {
      if (observed.all.length === 0 || !(machine.stderr.isTTY || existsSync(`${cache}/completion`))) return;
      const { cacheObserved } = await import('../completion/cache-observed.ts');
      await cacheObserved(cache, settings.profile.value, observed.all, machine.clock);
    },
  };
};
