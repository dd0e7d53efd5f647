import type { Contract } from '../records.ts';
import { find } from '../state.ts';
import type { Membership, Space, World } from '../world.ts';

/** Who works, and on what: active people with an active contract of a project that is not archived. */

export interface Place {
  readonly space: Space;
  readonly membership: Membership;
  readonly contract: Contract;
}

export interface Worker {
  readonly user: number;
  /** At least one; of several workspaces where the person is in several. */
  readonly places: readonly Place[];
}

const mayWork = ({ status, deleted_at, is_blocked, role }: Membership): boolean =>
  status === 'active' && deleted_at === null && !is_blocked && role !== 'Project viewer';

const placesOf = (space: Space): Place[] =>
  Object.values(space.contracts).flatMap((contract) => {
    const membership = find(space.members, contract.user_id);
    const project = find(space.projects, contract.project_id);
    const usable =
      contract.status === 'active' && contract.deleted_at === null && project?.deleted_at === null;
    return usable && membership !== undefined && mayWork(membership) ? [{ space, membership, contract }] : [];
  });

/** One a person, since a person has one tracker. */
export const workersOf = (world: World): Worker[] => {
  const byUser = new Map<number, Place[]>();
  for (const place of Object.values(world.spaces).flatMap(placesOf)) {
    const user = place.membership.user_id;
    byUser.set(user, [...(byUser.get(user) ?? []), place]);
  }
  return [...byUser].map(([user, places]) => ({ user, places }));
};

/** Each workspace of the worker once. */
export const spacesOf = ({ places }: Worker): Place[] =>
  places.filter((place, index) => places.findIndex(({ space }) => space === place.space) === index);
