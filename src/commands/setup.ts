/** What tells of this program and this machine, loaded together. */
export { completion } from './completion/index.ts';
export { doctor } from './doctor/index.ts';
export { schema } from './schema/index.ts';
