import type { Contract } from '../records.ts';
import { findRecord } from '../state.ts';
import type { Membership, Workspace, World } from '../world.ts';

/** Who works, and on what: active people with an active contract of a project that is not archived. */

export interface Workplace {
  readonly workspace: Workspace;
  readonly membership: Membership;
  readonly contract: Contract;
}

export interface Worker {
  readonly user: number;
  /** At least one; of several workspaces where the person is in several. */
  readonly workplaces: readonly Workplace[];
}

const mayWork = ({ status, deleted_at, is_blocked, role }: Membership): boolean =>
  status === 'active' && deleted_at === null && !is_blocked && role !== 'Project viewer';

const listWorkplaces = (workspace: Workspace): Workplace[] =>
  Object.values(workspace.contracts).flatMap((contract) => {
    const membership = findRecord(workspace.members, contract.user_id);
    const project = findRecord(workspace.projects, contract.project_id);
    const isUsable =
      contract.status === 'active' && contract.deleted_at === null && project?.deleted_at === null;
    return isUsable && membership !== undefined && mayWork(membership)
      ? [{ workspace, membership, contract }]
      : [];
  });

/** One a person, since a person has one tracker. */
export const listWorkers = (world: World): Worker[] => {
  const byUser = new Map<number, Workplace[]>();
  for (const workplace of Object.values(world.spaces).flatMap(listWorkplaces)) {
    const user = workplace.membership.user_id;
    byUser.set(user, [...(byUser.get(user) ?? []), workplace]);
  }
  return [...byUser].map(([user, workplaces]) => ({ user, workplaces }));
};

/** Each workspace of the worker once. */
export const listWorkerSpaces = ({ workplaces }: Worker): Workplace[] =>
  workplaces.filter(
    (workplace, index) =>
      workplaces.findIndex(({ workspace }) => workspace === workplace.workspace) === index,
  );
