import type { World } from '../world.ts';

/** The records of a world by kind, for comparing two worlds. */

export interface SnapshotRecord {
  readonly kind: string;
  readonly id: string;
  readonly workspace_id: number | null;
  readonly record: Readonly<Record<string, unknown>>;
}

/** Of one workspace, by the names of its collections. */
const WORKSPACE_KINDS = {
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

const maskSecret = (secret: string): string => `…${secret.slice(-4)}`;

const toRecords = (
  kind: string,
  records: object | undefined,
  getId: (key: string, record: SnapshotRecord['record']) => string = (key) => key,
  workspace_id: number | null = null,
): SnapshotRecord[] =>
  Object.entries({ ...records }).map(([key, value]) => {
    const record = { ...(value as object) };
    return { kind, id: getId(key, record), workspace_id, record };
  });

const toClockRecords = ({ time }: World): SnapshotRecord[] => {
  const at = time.frozen_ms === null ? null : new Date(time.frozen_ms).toISOString();
  return [{ kind: 'clock', id: 'clock', workspace_id: null, record: { stands_still_at: at } }];
};

/** Without the tokens that the embedded sandbox makes for itself, with whatever command comes first. */
const omitEmbeddedTokens = ({ tokens }: World) =>
  Object.fromEntries(Object.entries(tokens).filter(([, { name }]) => name !== 'embedded'));

/** All that a snapshot holds and somebody could have changed. A clock that runs differs always, and is left out. */
export const listSnapshotRecords = (world: World): SnapshotRecord[] => {
  const workspaceRecords = Object.values(world.spaces).flatMap((workspace) => {
    const { id, owner_id, workspace_name, status } = workspace;
    const records = Object.entries(WORKSPACE_KINDS).flatMap(([kind, name]) =>
      toRecords(kind, workspace[name], undefined, id),
    );
    const record = { owner_id, workspace_name, status };
    return [{ kind: 'workspace', id: String(id), workspace_id: id, record }, ...records];
  });
  return [
    ...workspaceRecords,
    ...toRecords('user', world.users),
    ...toRecords('tracker', world.trackers),
    ...toRecords('token', omitEmbeddedTokens(world), (_key, { id }) => String(id)),
    ...toRecords('app', world.oauth?.apps),
    ...toRecords('authorization_code', world.oauth?.codes, maskSecret),
    ...toRecords('refresh_token', world.oauth?.refresh_tokens, maskSecret),
    ...toRecords('delivery', world.deliveries, (_key, { id }) => String(id)),
    ...toClockRecords(world),
  ];
};
