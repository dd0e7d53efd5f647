import type { HandlerAnswer } from './answer.ts';
import type { ServiceDialect } from './dialect.ts';
import type { RequestInput } from './input.ts';
import type { Membership, User, Workspace, World } from './world.ts';

/** A request that passed token, limit and scope. */
export interface UserCall {
  readonly world: World;
  readonly user: User;
  /** The sandbox's time, ms. */
  readonly now: number;
  readonly input: RequestInput;
  /** The values of the route's braces. */
  readonly path: Readonly<Record<string, string>>;
  readonly dialect: ServiceDialect;
  /** Sends the events of the route to the webhooks of a workspace. */
  emit(workspace: Workspace, data: unknown): void;
}

/** A request that also passed the checks of workspace and role. */
export interface WorkspaceCall extends UserCall {
  readonly workspace: Workspace;
  /** The caller's membership: an active Owner or Executive Manager. */
  readonly me: Membership;
}

interface RouteFacts {
  /** The specification's own words: `PUT /timesheets/{timesheetId}/approve`. */
  readonly route: string;
  /** Also accepts `application/x-www-form-urlencoded`. */
  readonly form?: true;
  /**
   * `workspace_id` is documented to stand in the body. Absent: in the query of a read; of a write, in
   * either, for there the documentation names no place or two.
   */
  readonly workspace?: 'body';
  /** What it tells webhooks: names of events (docs/service.md, Deliveries). */
  readonly events?: readonly string[];
}

/** A route of one workspace, or (`of: 'user'`) one that takes no `workspace_id`. */
export type Route =
  | (RouteFacts & { readonly of?: 'workspace'; readonly handle: (call: WorkspaceCall) => HandlerAnswer })
  | (RouteFacts & { readonly of: 'user'; readonly handle: (call: UserCall) => HandlerAnswer });

/** The moment of the call as records carry it. */
export const formatCallTime = (call: { readonly now: number }): string => new Date(call.now).toISOString();

/** The value of a brace of the route. */
export const getPathValue = (call: UserCall, name: string): string => call.path[name] ?? '';
