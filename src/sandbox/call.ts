import type { HandlerAnswer } from './answer.ts';
import type { RequestInput } from './input.ts';
import type { Membership, User, Workspace, World } from './world.ts';

export interface UserCall {
  readonly world: World;
  readonly user: User;
  /** The sandbox's time: ms, and as records carry it. */
  readonly now: number;
  readonly time: string;
  readonly input: RequestInput;
  readonly path: Readonly<Record<string, string>>;
}

/** A request that also passed the checks of workspace and role. */
export interface Call extends UserCall {
  readonly workspace: Workspace;
  /** The caller's membership: an active Owner or Executive Manager. */
  readonly me: Membership;
}

interface RouteOptions {
  readonly form?: true;
  /**
   * `workspace_id` is documented to stand in the body. Absent: in the query of a read; of a write, in
   * either, for there the documentation names no place or two.
   */
  readonly workspace?: 'body';
  /** What it tells webhooks: names of events (docs/service.md, Deliveries). */
  readonly events?: readonly string[];
}

/**
 * A route of one workspace, or (`of: 'user'`) one that takes no `workspace_id`. `route` is in the specification's own
 * words: `PUT /timesheets/{timesheetId}/approve`.
 */
export type Route = RouteOptions & { readonly route: string } & (
    | { readonly of?: 'workspace'; readonly handle: (call: Call) => HandlerAnswer }
    | { readonly of: 'user'; readonly handle: (call: UserCall) => HandlerAnswer }
  );

/** A route of one workspace. @param options or the one event that webhooks hear of it */
export function route(
  operation: string,
  options: RouteOptions | string,
  handle: (call: Call) => HandlerAnswer,
): Route {
  const more = typeof options === 'string' ? { events: [options] } : options;
  return { route: operation, ...more, handle };
}

/** The answer of a write: `data` is null. @param event what webhooks hear of it */
export function done(event?: object): HandlerAnswer {
  return { data: null, ...(event && { event }) };
}

export function created(data: unknown, event: object): HandlerAnswer {
  return { status: 201, data, event };
}
