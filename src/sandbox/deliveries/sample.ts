import { checkLocalId } from '../../parsing/names.ts';
import { type ServiceDialect, showIds, toInwardId } from '../dialect.ts';
import { toMemberEvent } from '../handlers/people.ts';
import { toContractEvent, toProjectEvent } from '../handlers/projects.ts';
import { toTimesheetEvent, toTrackerEvent } from '../handlers/time.ts';
import { createNotFound } from '../state.ts';
import type { StoredDelivery, Webhook, Workspace, World } from '../world.ts';
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
  { now, dialect, allowed }: { now: number; dialect: ServiceDialect; allowed: readonly string[] },
): readonly StoredDelivery[] {
  if (webhook !== undefined) checkLocalId('webhook', webhook, WEBHOOKS_HINT);
  const id = webhook === undefined ? undefined : toInwardId(dialect, webhook);
  const isMeant = (one: Webhook): boolean => (id === undefined ? one.events.includes(event) : one.id === id);
  const added = Object.values(world.spaces).flatMap((workspace) => {
    const webhooks = Object.values(workspace.webhooks).filter(isMeant);
    return webhooks.map((one) => {
      const sent = data === undefined ? createSample(world, workspace, event, dialect) : data;
      return addDelivery(world, one, { event, workspace_id: workspace.id, data: sent, at_ms: now }, allowed);
    });
  });
  if (webhook !== undefined && added.length === 0)
    throw createNotFound(`no webhook ${webhook} in the sandbox`, WEBHOOKS_HINT);
  return added;
}

/**
 * `data` for an event that somebody asks for: of a record of the workspace that fits, else of any of its kind. An empty
 * object for a noun that the sandbox does not know.
 */
function createSample(world: World, workspace: Workspace, event: string, dialect: ServiceDialect): unknown {
  const [noun = '', verb = ''] = event.split('.');
  return showIds(dialect, sampleRecord(world, workspace, noun, verb) ?? {});
}

function sampleRecord(world: World, workspace: Workspace, noun: string, verb: string): unknown {
  const { members, projects, contracts, tasks, assignments } = workspace;
  if (noun === 'tracker') return sampleTracker(world, workspace, verb);
  if (noun === 'member') return show(pick(members, verb), (member) => toMemberEvent(world, member));
  if (noun === 'project') return show(pick(projects, verb), toProjectEvent);
  if (noun === 'contract') return show(pick(contracts, verb), toContractEvent);
  if (noun === 'task') return verb.endsWith('assigned') ? pick(assignments, verb) : pick(tasks, verb);
  if (noun === 'timesheet') return show(pick(workspace.timesheets, verb), toTimesheetEvent);
  if (noun === 'leave') return pick(workspace.leaves, verb);
  if (noun === 'time_request') return pick(workspace.time_requests, verb);
  if (noun === 'expense') return pick(workspace.expenses, verb);
  if (noun !== 'viewer') return undefined;
  const viewer = Object.values(members).find(({ viewer_projects }) => viewer_projects.length > 0);
  return { id: viewer?.user_id ?? null, project_id: viewer?.viewer_projects[0] ?? null };
}

/** The state after an event, where it is not called as the event is. */
const STATES: Readonly<Record<string, string>> = {
  created: 'pending',
  unsubmitted: 'open',
  invited: 'inactive',
};

/** The first in that state, else the first that is archived or not, else the first of all. */
function pick<T extends object>(records: Readonly<Record<string, T>>, verb: string): T | undefined {
  const rows: (T & { status?: unknown; deleted_at?: string | null })[] = Object.values(records);
  const isGone = verb === 'deleted' || verb === 'archived';
  return (
    rows.find(({ status }) => status === (STATES[verb] ?? verb)) ??
    rows.find(({ deleted_at }) => (deleted_at !== null) === isGone) ??
    rows[0]
  );
}

function show<T>(row: T | undefined, format: (row: T) => unknown): unknown {
  return row === undefined ? undefined : format(row);
}

function sampleTracker(
  world: World,
  { id, owner_id, created_at, contracts }: Workspace,
  verb: string,
): unknown {
  const [contract] = Object.values(contracts);
  const tracker = Object.values(world.trackers).find((row) => row.workspace_id === id) ?? {
    ...{ user_id: contract?.user_id ?? owner_id, workspace_id: id, contract_id: contract?.id ?? null },
    ...{ task_id: null, started_at: created_at },
  };
  const stopped = new Date(Date.parse(tracker.started_at) + 3_600_000).toISOString();
  return toTrackerEvent(tracker, verb === 'stopped' ? stopped : null);
}
