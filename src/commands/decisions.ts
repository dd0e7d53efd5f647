/** What shows what waits for a decision, loaded together. */
export { close } from './close/index.ts';
export { status } from './status/index.ts';
