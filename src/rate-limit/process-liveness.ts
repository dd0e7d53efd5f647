import { getHolderState, getSelf } from '../storage/holder.ts';

/** Tells which processes live, for the requests that they left open. */
export interface ProcessLiveness {
  /** Host, boot and container of this process, as the ledger names them. */
  readonly home: string;
  /** Whether a run has ended for certain: it was here, and its process is gone. */
  isDead(run: string, home: string): boolean;
}

/** FNV-1a, 32 bits: enough to tell two hosts or containers that share a directory. */
const hashText = (text: string): string => {
  let hash = 0x811c9dc5;
  for (let index = 0; index < text.length; index += 1)
    hash = Math.imul(hash ^ text.charCodeAt(index), 0x01000193);
  return (hash >>> 0).toString(36);
};

export const openProcessLiveness = (): ProcessLiveness => {
  const self = getSelf();
  const ownHome = hashText([self.host, self.boot, self.pidNamespace].join());
  return {
    home: ownHome,
    isDead(run, home) {
      if (home !== ownHome) return false;
      const pid = Number.parseInt(run.split('-')[0] ?? '', 36);
      return getHolderState({ ...self, start: undefined, pid }) === 'dead';
    },
  };
};
