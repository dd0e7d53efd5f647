import { dirname } from 'node:path';
import { createControl, performControl, type SandboxControl } from './control.ts';
import type { ControlledSandbox } from './control-operation.ts';
import { sendAfterwards } from './deliveries/afterwards.ts';
import { createDeliverySender } from './deliveries/sender.ts';
import { DEFAULT_DIALECT } from './dialect.ts';
import { getLogFile, openLogFile } from './log-file.ts';
import { createFileSnapshots, getSnapshotFolder } from './snapshots/snapshot-files.ts';
import type { StateAccess } from './state-access.ts';
import { openStateStore, type StoreDisk } from './store.ts';

const NEVER = new AbortController().signal;

export interface EmbeddedControl {
  readonly control: SandboxControl;
  /** Sends what became due by what the control changed, for a few seconds: with no server nobody else does. */
  close(): Promise<void>;
}

/**
 * The control over the state file of the embedded sandbox.
 * @param interrupted ends what is being sent
 */
export const createEmbeddedControl = (disk: StoreDisk, interrupted: AbortSignal = NEVER): EmbeddedControl => {
  const { clock, file } = disk;
  const store = openStateStore(disk);
  let hasChanged = false;
  const state: StateAccess = {
    ...store,
    use: (work) =>
      store.use((world, save) =>
        work(world, (change) => {
          hasChanged = true;
          save(change);
        }),
      ),
  };
  const sandbox: ControlledSandbox = {
    clock,
    state,
    log: openLogFile(getLogFile(file)),
    snapshots: createFileSnapshots(getSnapshotFolder(dirname(file)), disk),
    sender: createDeliverySender({ state, clock, allowed: [], signal: interrupted }),
    dialect: DEFAULT_DIALECT,
    allowed: [],
    about: () => ({ kind: 'embedded', state: file, rate_limit: 'off' }),
    stop: async () => {},
  };
  return {
    control: createControl((request) => performControl(sandbox, request)),
    close: async () => (hasChanged ? sendAfterwards(state, clock, interrupted) : undefined),
  };
};
