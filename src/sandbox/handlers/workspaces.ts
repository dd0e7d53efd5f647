import { answerData } from '../answer.ts';
import type { Route, UserCall } from '../call.ts';
import { findActiveMembership } from '../state.ts';

const list = (call: UserCall) =>
  answerData(
    Object.values(call.world.spaces).flatMap((space) => {
      const membership = findActiveMembership(space, call.user.id);
      if (membership === undefined) return [];
      return {
        id: space.id,
        owner_id: space.owner_id,
        user_id: call.user.id,
        workspace_name: space.workspace_name,
        role: membership.role,
        status: space.status,
        created_at: space.created_at,
        activated_at: space.activated_at,
      };
    }),
  );

export const routes: readonly Route[] = [
  {
    route: 'GET /workspaces',
    lowerRoles: true,
    of: 'user',
    handle: list,
    documented: ['the workspaces of the authenticated user', 'no workspace_id'],
    beyond: ['record', 'reads-limit'],
  },
];
