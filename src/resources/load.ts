import type { Resource } from './define.ts';

/** The resource of a noun, loaded when it is needed. */
export async function loadResource(noun: string): Promise<Resource | undefined> {
  switch (noun) {
    case 'members':
      return (await import('./members.ts')).members;
    case 'viewers':
      return (await import('./viewers.ts')).viewers;
    case 'projects':
      return (await import('./projects.ts')).projects;
    case 'contracts':
      return (await import('./contracts.ts')).contracts;
    case 'tasks':
      return (await import('./tasks.ts')).tasks;
    case 'timesheets':
      return (await import('./timesheets.ts')).timesheets;
    case 'leaves':
      return (await import('./leaves.ts')).leaves;
    case 'time-requests':
      return (await import('./time-requests.ts')).timeRequests;
    case 'expenses':
      return (await import('./expenses.ts')).expenses;
    case 'time-tracking':
      return (await import('./time-tracking.ts')).timeTracking;
    case 'webhooks':
      return (await import('./webhooks.ts')).webhooks;
    default:
      return undefined;
  }
}
