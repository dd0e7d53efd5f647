import type { Contract } from './records.ts';
import { findRecord, isManager } from './state.ts';
import type { Membership, Workspace } from './world.ts';

/**
 * Which contracts a role sees (docs/service.md, Contracts). Only the first two roles pass the check of the role,
 * but in the dialect `lowerRolesRead`.
 */
export const listVisibleContracts = (workspace: Workspace, caller: Membership): Contract[] => {
  const contracts = Object.values(workspace.contracts).filter((contract) => contract.deleted_at === null);
  const isOwn = (contract: Contract): boolean => contract.user_id === caller.user_id;
  const isInTeam = (contract: Contract): boolean => {
    const team = findRecord(workspace.members, contract.user_id)?.team_name ?? null;
    return team !== null && caller.manages_teams.includes(team);
  };
  switch (caller.role) {
    case 'Owner':
    case 'Executive manager':
      return contracts;
    case 'Project manager':
      return contracts.filter((row) => isOwn(row) || caller.manages_projects.includes(row.project_id));
    case 'Team manager':
      return contracts.filter((row) => isOwn(row) || isInTeam(row));
    case 'Project viewer':
      return contracts.filter((row) => caller.viewer_projects.includes(row.project_id));
    case 'Regular User':
      return contracts.filter(isOwn);
  }
};

/** Whether a role sees the tasks of a project: that of a contract that it sees (assumed). */
export const seesTasks = (workspace: Workspace, caller: Membership, project: number): boolean =>
  isManager(caller.role) || listVisibleContracts(workspace, caller).some((row) => row.project_id === project);
