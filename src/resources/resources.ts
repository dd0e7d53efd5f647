import type { Resource } from './define.ts';

export const RESOURCES: Readonly<Record<string, () => Promise<Resource>>> = {
  members: async () => (await import('./members.ts')).members,
  viewers: async () => (await import('./viewers.ts')).viewers,
  projects: async () => (await import('./projects.ts')).projects,
  contracts: async () => (await import('./contracts.ts')).contracts,
  tasks: async () => (await import('./tasks.ts')).tasks,
  timesheets: async () => (await import('./timesheets.ts')).timesheets,
  leaves: async () => (await import('./leaves.ts')).leaves,
  'time-requests': async () => (await import('./time-requests.ts')).timeRequests,
  expenses: async () => (await import('./expenses.ts')).expenses,
  'time-tracking': async () => (await import('./time-tracking.ts')).timeTracking,
  webhooks: async () => (await import('./webhooks.ts')).webhooks,
};
