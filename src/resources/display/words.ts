import type { Names } from '../../context.ts';
import type { Column } from '../../output/list-view.ts';

/** The columns that say in a few words which record it is, by noun; loaded when one is described. */
const LOADED: Readonly<Record<string, () => Promise<(names: Names) => readonly Column[]>>> = {
  members: async () => {
    const { personColumn } = await import('./columns.ts');
    return () => [personColumn, { field: 'email' }];
  },
  viewers: async () => {
    const { viewerWords } = await import('../viewer/columns.ts');
    return () => viewerWords;
  },
  projects: async () => {
    const { projectWords } = await import('../project/columns.ts');
    return () => projectWords;
  },
  contracts: async () => {
    const { contractWords } = await import('../contract/columns.ts');
    return () => contractWords;
  },
  tasks: async () => {
    const { taskWords } = await import('../task/columns.ts');
    return () => taskWords;
  },
  timesheets: async () => (await import('../timesheet/columns.ts')).timesheetWords,
  leaves: async () => (await import('../leave/columns.ts')).leaveWords,
  'time-requests': async () => (await import('../time-request/columns.ts')).timeRequestWords,
  expenses: async () => {
    const { expenseWords } = await import('../expense/columns.ts');
    return () => expenseWords;
  },
  webhooks: async () => {
    const { webhookWords } = await import('../webhook/columns.ts');
    return () => webhookWords;
  },
};

/** They have a place of their own. */
const SAID_ELSEWHERE = new Set(['id', 'status']);

/** What says in a few words which record of a noun it is. */
export const loadRecordWords = async (noun: string, names: Names): Promise<readonly Column[]> =>
  ((await LOADED[noun]?.())?.(names) ?? []).filter(({ field }) => !SAID_ELSEWHERE.has(field));
