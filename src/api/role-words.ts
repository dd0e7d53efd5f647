import type { Operation } from './operation.ts';

/** Who may carry an operation out (docs/service.md, Roles), in words. */
export const ROLE_WORDS: Readonly<Record<Exclude<Operation['roles'], 'any'>, string>> = {
  managers: 'Owners and Executive Managers',
  'task-writers': 'Owners, Executive Managers, Project Managers and Team Managers',
};
