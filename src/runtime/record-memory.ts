import { existsSync } from 'node:fs';
import type { CredentialStore } from '../auth/credentials.ts';
import { createObservedLists } from '../completion/observed.ts';
import type { Directories } from '../config/environment.ts';
import type { Settings } from '../config/settings-types.ts';
import type { Machine } from '../platform/machine.ts';
import type { Parts } from './run-services.ts';

/** Caches the records that a run received, for the completion of the next command line. */

export interface RecordMemory {
  readonly onReply: Parts['onReply'];
  /** Writes the records to the completion cache. Never rejects. */
  save(): Promise<void>;
  /** The store, which forgets what is kept for a profile when it is signed out or removed. */
  watch(store: CredentialStore): CredentialStore;
}

const withForgetting = (cache: string, store: CredentialStore): CredentialStore => ({
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
  if (cache === undefined) return { onReply: () => {}, save: async () => {}, watch: (store) => store };
  const watch: RecordMemory['watch'] = (store) => withForgetting(cache, store);
  // Of the sandbox nothing is kept: its own file says what there is (completion/world.ts).
  if (settings.embedded) return { onReply: () => {}, save: async () => {}, watch };
  const observed = createObservedLists();
  return {
    watch,
    onReply: observed.add,
    async save() {
      if (observed.all.length === 0 || !(machine.stderr.isTTY || existsSync(`${cache}/completion`))) return;
      const { cacheObserved } = await import('../completion/cache-observed.ts');
      await cacheObserved(cache, settings.profile.value, observed.all, machine.clock);
    },
  };
};
