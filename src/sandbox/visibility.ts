import type { Contract } from './records.ts';
import { findRecord, isManager } from './state.ts';
import type { Membership, Space } from './world.ts';

/**
 * Which contracts a role sees (docs/service.md, Contracts). Only the first two roles pass the check of the role,
 * but in the dialect `lowerRolesRead`.
 */
export const listVisibleContracts = (space: Space, caller: Membership): Contract[] => {
  const live = Object.values(space.contracts).filter((contract) => contract.deleted_at === null);
  const own = (contract: Contract): boolean => contract.user_id === caller.user_id;
  const inTeam = (contract: Contract): boolean => {
    const team = findRecord(space.members, contract.user_id)?.team_name ?? null;
    return team !== null && caller.manages_teams.includes(team);
  };
  switch (caller.role) {
    case 'Owner':
    case 'Executive manager':
      return live;
    case 'Project manager':
      return live.filter((row) => own(row) || caller.manages_projects.includes(row.project_id));
    case 'Team manager':
      return live.filter((row) => own(row) || inTeam(row));
    case 'Project viewer':
      return live.filter((row) => caller.viewer_projects.includes(row.project_id));
    case 'Regular User':
      return live.filter(own);
  }
};

/** Whether a role sees the tasks of a project: that of a contract that it sees (assumed). */
export const seesTasks = (space: Space, caller: Membership, project: number): boolean =>
  isManager(caller.role) || listVisibleContracts(space, caller).some((row) => row.project_id === project);
