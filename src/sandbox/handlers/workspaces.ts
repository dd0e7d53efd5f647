import { answerData } from '../answer.ts';
import type { Route, UserCall } from '../call.ts';
import { findActiveMembership } from '../state.ts';

const list = (call: UserCall) =>
  answerData(
    Object.values(call.world.spaces).flatMap((workspace) => {
      const membership = findActiveMembership(workspace, call.user.id);
      if (membership === undefined) return [];
      return {
        id: workspace.id,
        owner_id: workspace.owner_id,
        user_id: call.user.id,
        workspace_name: workspace.workspace_name,
        role: membership.role,
        status: workspace.status,
        created_at: workspace.created_at,
        activated_at: workspace.activated_at,
      };
    }),
  );

export const routes: readonly Route[] = [
  {
    route: 'GET /workspaces',
    of: 'user',
    handle: list,
  },
];
