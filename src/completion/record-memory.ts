import { existsSync } from 'node:fs';
import type { ApiConnection } from '../api/client.ts';
import type { Directories } from '../config/environment.ts';
import type { Settings } from '../config/settings.ts';
import type { Machine } from '../platform/machine.ts';
import { createObservedLists } from './cache-observed.ts';

/**
 * Caches the records that a run received, for the completion of the next command line. Nothing is kept by a run that
 * nobody watches where nobody has worked yet: a pipeline leaves no names behind. Nor is anything of the sandbox: its
 * own file says what there is (completion/world.ts).
 */
export const openRecordMemory = (machine: Machine, settings: Settings, { cache }: Directories) => {
  const observed = cache === undefined || settings.embedded ? undefined : createObservedLists();
  const onReply: ApiConnection['onReply'] = observed?.add ?? (() => {});
  return {
    onReply,
    /** Writes the records to the completion cache. Never rejects. */
    async save(): Promise<void> {
      if (cache === undefined || observed === undefined || observed.all.length === 0) return;
      if (!machine.stderr.isTTY && !existsSync(`${cache}/completion`)) return;
      const { cacheObserved } = await import('./cache-observed.ts');
      await cacheObserved(cache, settings.profile.value, observed.all, machine.clock);
    },
  };
};
