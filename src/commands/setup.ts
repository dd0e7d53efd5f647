/** What tells of this program and this machine, loaded together. */

export { doctor } from '../doctor/doctor.ts';
export { completion } from './completion/index.ts';
export { schema } from './schema/index.ts';
