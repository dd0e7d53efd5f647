import type { Run } from './run.ts';

/** Everything a command is handed. */
export type Context = Run;
