import { contracts } from './contracts.ts';
import type { Resource } from './define.ts';
import { expenses } from './expenses.ts';
import { leaves } from './leaves.ts';
import { members } from './members.ts';
import { projects } from './projects.ts';
import { tasks } from './tasks.ts';
import { timeRequests } from './time-requests.ts';
import { timeTracking } from './time-tracking.ts';
import { timesheets } from './timesheets.ts';
import { viewers } from './viewers.ts';
import { webhooks } from './webhooks.ts';

/** By their nouns. */
export const RESOURCES: Readonly<Record<string, Resource>> = {
  members,
  viewers,
  projects,
  contracts,
  tasks,
  timesheets,
  leaves,
  'time-requests': timeRequests,
  expenses,
  'time-tracking': timeTracking,
  webhooks,
};
