/** What reads plans, jobs and the history, loaded together. */
export { history } from './history/index.ts';
export { jobs } from './jobs/index.ts';
export { plan } from './plan/index.ts';
export { undo } from './undo/index.ts';
