import { checkLocalId } from '../../parsing/names.ts';
import { type ServiceDialect, showIds, toInwardId } from '../dialect.ts';
import { toMemberEvent } from '../handlers/people.ts';
import { toContractEvent, toProjectEvent } from '../handlers/projects.ts';
import { toTimesheetEvent } from '../handlers/time.ts';
import { createNotFound } from '../state.ts';
import type { RecordMap, StoredDelivery, Webhook, Workspace, World } from '../world.ts';
import { addDelivery } from './deliveries.ts';

export interface TriggerRequest {
  readonly event: string;
  /** Id of the one webhook that gets it, subscribed or not; absent: every one that subscribes, in any workspace. */
  readonly webhook?: string | undefined;
  /** In place of a sample. */
  readonly data?: unknown;
}

const WEBHOOKS_HINT = 'List them: ttctl --profile sandbox webhooks list';

/** Puts a made-up event down for the webhooks that it is for. @throws Failure (exit 5) for a webhook that there is not */
export function addMadeUpEvent(
  world: World,
  { event, webhook, data }: TriggerRequest,
  { dialect, allowed }: { readonly dialect: ServiceDialect; readonly allowed: readonly string[] },
  now: number,
): readonly StoredDelivery[] {
  if (webhook !== undefined) checkLocalId('webhook', webhook, WEBHOOKS_HINT);
  const id = webhook === undefined ? undefined : toInwardId(dialect, webhook);
  const isMeant = (one: Webhook): boolean => (id === undefined ? one.events.includes(event) : one.id === id);
  const added = Object.values(world.spaces).flatMap((workspace) => {
    const workspace_id = workspace.id;
    const sent = data === undefined ? showIds(dialect, createSample(world, workspace, event) ?? {}) : data;
    return Object.values(workspace.webhooks)
      .filter(isMeant)
      .map((one) => addDelivery(world, one, { event, workspace_id, data: sent, at_ms: now }, allowed));
  });
  if (webhook !== undefined && added.length === 0)
    throw createNotFound(`no webhook ${webhook} in the sandbox`, WEBHOOKS_HINT);
  return added;
}

/** The state after an event, where it is not called as the event is. */
const STATES: Readonly<Record<string, string>> = {
  created: 'pending',
  unsubmitted: 'open',
  invited: 'inactive',
};

/**
 * `data` for an event that somebody asks for: of a record of the workspace that fits, else of any of its kind. Undefined
 * for a noun that the sandbox does not know.
 */
function createSample(world: World, workspace: Workspace, event: string): unknown {
  const [noun = '', verb = ''] = event.split('.');
  const isGone = verb === 'deleted' || verb === 'archived';
  /** The first in that state, else the first that is archived or not, else the first of all. */
  const pick = <T extends object>(
    records: RecordMap<T>,
    show: (row: T) => unknown = (row) => row,
  ): unknown => {
    const rows: (T & { status?: unknown; deleted_at?: string | null })[] = Object.values(records);
    const row =
      rows.find(({ status }) => status === (STATES[verb] ?? verb)) ??
      rows.find(({ deleted_at }) => (deleted_at !== null) === isGone) ??
      rows[0];
    return row && show(row);
  };
  const { members, projects, contracts, tasks, assignments } = workspace;
  if (noun === 'member') return pick(members, (member) => toMemberEvent(world, member));
  if (noun === 'project') return pick(projects, toProjectEvent);
  if (noun === 'contract') return pick(contracts, toContractEvent);
  if (noun === 'task') return verb.endsWith('assigned') ? pick(assignments) : pick(tasks);
  if (noun === 'timesheet') return pick(workspace.timesheets, toTimesheetEvent);
  if (noun === 'leave') return pick(workspace.leaves);
  if (noun === 'time_request') return pick(workspace.time_requests);
  if (noun === 'expense') return pick(workspace.expenses);
  if (noun === 'viewer') {
    const viewer = Object.values(members).find(({ viewer_projects }) => viewer_projects.length > 0);
    return { id: viewer?.user_id ?? null, project_id: viewer?.viewer_projects[0] ?? null };
  }
  if (noun !== 'tracker') return undefined;
  const running = Object.values(world.trackers).find((row) => row.workspace_id === workspace.id);
  const user_id = running?.user_id ?? workspace.owner_id;
  const started_at = running?.started_at ?? workspace.created_at;
  const stopped_at = verb === 'stopped' ? new Date(Date.parse(started_at) + 3_600_000).toISOString() : null;
  const { contract_id = null, task_id = null } = running ?? {};
  return { user_id, workspace_id: workspace.id, contract_id, task_id, started_at, stopped_at };
}
