import type { JobStore } from './changes/job/store.ts';
import type { Run } from './run.ts';

/** Everything a command is handed. */
export type Context = Run & { jobs(): Promise<JobStore> };
