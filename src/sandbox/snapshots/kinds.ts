import type { World } from '../world.ts';

/** The records of a world by kind, for comparing two worlds. */

export interface SnapshotRecord {
  readonly kind: string;
  readonly id: string;
  readonly workspace_id: number | null;
  readonly record: Readonly<Record<string, unknown>>;
}

/** Of one workspace, by the names of its collections. */
const IN_SPACE = {
  member: 'members',
  project: 'projects',
  contract: 'contracts',
  task: 'tasks',
  assignment: 'assignments',
  timesheet: 'timesheets',
  leave: 'leaves',
  leave_policy: 'leave_policies',
  time_request: 'time_requests',
  expense: 'expenses',
  category: 'categories',
  webhook: 'webhooks',
} as const;

const lastOf = (secret: string): string => `…${secret.slice(-4)}`;

const kept = (
  kind: string,
  records: object | undefined,
  idOf: (key: string, record: SnapshotRecord['record']) => string = (key) => key,
  workspace_id: number | null = null,
): SnapshotRecord[] =>
  Object.entries({ ...records }).map(([key, value]) => {
    const record = { ...(value as object) };
    return { kind, id: idOf(key, record), workspace_id, record };
  });

const clockOf = ({ time }: World): SnapshotRecord[] => {
  const at = time.frozen_ms === null ? null : new Date(time.frozen_ms).toISOString();
  return [{ kind: 'clock', id: 'clock', workspace_id: null, record: { stands_still_at: at } }];
};

/** Without the tokens that the embedded sandbox makes for itself, with whatever command comes first. */
const askedFor = ({ tokens }: World) =>
  Object.fromEntries(Object.entries(tokens).filter(([, { name }]) => name !== 'embedded'));

/** All that a snapshot holds and somebody could have changed. A clock that runs differs always, and is left out. */
export const listSnapshotRecords = (world: World): SnapshotRecord[] => {
  const spaces = Object.values(world.spaces).flatMap((space) => {
    const { id, owner_id, workspace_name, status } = space;
    const records = Object.entries(IN_SPACE).flatMap(([kind, name]) =>
      kept(kind, space[name], undefined, id),
    );
    const record = { owner_id, workspace_name, status };
    return [{ kind: 'workspace', id: String(id), workspace_id: id, record }, ...records];
  });
  return [
    ...spaces,
    ...kept('user', world.users),
    ...kept('tracker', world.trackers),
    ...kept('token', askedFor(world), (_key, { id }) => String(id)),
    ...kept('app', world.oauth?.apps),
    ...kept('authorization_code', world.oauth?.codes, lastOf),
    ...kept('refresh_token', world.oauth?.refresh_tokens, lastOf),
    ...kept('delivery', world.deliveries, (_key, { id }) => String(id)),
    ...clockOf(world),
  ];
};
