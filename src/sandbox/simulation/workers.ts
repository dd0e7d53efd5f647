import type { Contract } from '../records.ts';
import { findRecord } from '../state.ts';
import type { Membership, Space, World } from '../world.ts';

/** Who works, and on what: active people with an active contract of a project that is not archived. */

export interface Workplace {
  readonly space: Space;
  readonly membership: Membership;
  readonly contract: Contract;
}

export interface Worker {
  readonly user: number;
  /** At least one; of several workspaces where the person is in several. */
  readonly places: readonly Workplace[];
}

const mayWork = ({ status, deleted_at, is_blocked, role }: Membership): boolean =>
  status === 'active' && deleted_at === null && !is_blocked && role !== 'Project viewer';

const placesOf = (space: Space): Workplace[] =>
  Object.values(space.contracts).flatMap((contract) => {
    const membership = findRecord(space.members, contract.user_id);
    const project = findRecord(space.projects, contract.project_id);
    const usable =
      contract.status === 'active' && contract.deleted_at === null && project?.deleted_at === null;
    return usable && membership !== undefined && mayWork(membership) ? [{ space, membership, contract }] : [];
  });

/** One a person, since a person has one tracker. */
export const listWorkers = (world: World): Worker[] => {
  const byUser = new Map<number, Workplace[]>();
  for (const place of Object.values(world.spaces).flatMap(placesOf)) {
    const user = place.membership.user_id;
    byUser.set(user, [...(byUser.get(user) ?? []), place]);
  }
  return [...byUser].map(([user, places]) => ({ user, places }));
};

/** Each workspace of the worker once. */
export const listWorkerSpaces = ({ places }: Worker): Workplace[] =>
  places.filter((place, index) => places.findIndex(({ space }) => space === place.space) === index);
