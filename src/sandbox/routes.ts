import type { Route } from './call.ts';

interface Handlers {
  readonly routes: readonly Route[];
}

/** The handlers of each first segment of a path, loaded when one is asked for: a start costs one of them. */
const HANDLERS_BY_NOUN: Readonly<Record<string, () => Promise<Handlers>>> = {
  workspaces: () => import('./handlers/workspaces.ts'),
  members: () => import('./handlers/members.ts'),
  'project-viewers': () => import('./handlers/viewers.ts'),
  projects: () => import('./handlers/projects.ts'),
  contracts: () => import('./handlers/contracts.ts'),
  tasks: () => import('./handlers/tasks.ts'),
  timesheets: () => import('./handlers/timesheets.ts'),
  leaves: () => import('./handlers/leaves.ts'),
  'time-requests': () => import('./handlers/time-requests.ts'),
  expenses: () => import('./handlers/expenses.ts'),
  'time-tracking': () => import('./handlers/time-tracking.ts'),
  webhooks: () => import('./handlers/webhooks.ts'),
};

/** The routes that can answer `path` (`/members/7` needs those of members); none for an unknown noun. */
export const loadRoutesFor = async (path: string): Promise<readonly Route[]> => {
  const noun = path.split('/')[1] ?? '';
  const load = Object.hasOwn(HANDLERS_BY_NOUN, noun) ? HANDLERS_BY_NOUN[noun] : undefined;
  return load === undefined ? [] : (await load()).routes;
};

/** Every route, in the order of the documentation. */
export const loadAllRoutes = async (): Promise<readonly Route[]> => {
  const handlers = await Promise.all(Object.values(HANDLERS_BY_NOUN).map((load) => load()));
  return handlers.flatMap((handler) => handler.routes);
};

/** No operation starts a tracker, and webhooks may subscribe to it. */
const WITHOUT_ROUTE = ['tracker.started'];

/** Every event that the sandbox sends. */
export const loadEvents = async (): Promise<readonly string[]> => {
  const routes = await loadAllRoutes();
  return [...new Set([...WITHOUT_ROUTE, ...routes.flatMap(({ events = [] }) => events)])];
};
