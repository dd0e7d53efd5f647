import { type ServiceDialect, showIds } from '../dialect.ts';
import { toMemberEvent } from '../handlers/people.ts';
import { toContractEvent, toProjectEvent } from '../handlers/projects.ts';
import { toTimesheetEvent, toTrackerEvent } from '../handlers/time.ts';
import type { Membership, Workspace, World } from '../world.ts';

/** `data` for an event that somebody asks for: of a record of the workspace that fits, else of any of its kind. */

type SampleFactory = (world: World, workspace: Workspace, verb: string) => unknown;

/** The first that fits, else the first of all. */
const pick = <T>(
  records: Readonly<Record<string, T>>,
  matches: (row: NoInfer<T>) => boolean,
): T | undefined => Object.values(records).find(matches) ?? Object.values(records)[0];

const createArchivedFilter = (verb: string) => (row: { readonly deleted_at: string | null }) =>
  (row.deleted_at !== null) === (verb === 'deleted' || verb === 'archived');

const createStatusFilter = (verb: string) => (row: { readonly status: string }) => {
  const states: Readonly<Record<string, string>> = { created: 'pending', unsubmitted: 'open' };
  return row.status === (states[verb] ?? verb);
};

const showOrEmpty = <T>(row: T | undefined, show: (row: T) => unknown): unknown =>
  row === undefined ? {} : show(row);

const sampleTracker: SampleFactory = (world, workspace, verb) => {
  const running = Object.values(world.trackers).find((row) => row.workspace_id === workspace.id);
  const contract = Object.values(workspace.contracts)[0];
  const started_at = running?.started_at ?? workspace.created_at;
  const base = running ?? {
    user_id: contract?.user_id ?? workspace.owner_id,
    workspace_id: workspace.id,
    contract_id: contract?.id ?? null,
    task_id: null,
    started_at,
  };
  const stopped = verb === 'stopped' ? new Date(Date.parse(started_at) + 3_600_000).toISOString() : null;
  return toTrackerEvent(base, stopped);
};

const sampleMember: SampleFactory = (world, workspace, verb) => {
  const isInvited = ({ status }: Membership) => status === 'inactive';
  const row = pick(workspace.members, verb === 'invited' ? isInvited : createArchivedFilter(verb));
  return showOrEmpty(row, (membership) => toMemberEvent(world, membership));
};

const sampleTask: SampleFactory = (_world, workspace, verb) => {
  if (verb === 'assigned' || verb === 'unassigned') return { ...Object.values(workspace.assignments)[0] };
  return { ...pick(workspace.tasks, createArchivedFilter(verb)) };
};

const sampleViewer: SampleFactory = (_world, workspace) => {
  const row = pick(workspace.members, ({ viewer_projects }) => viewer_projects.length > 0);
  return { id: row?.user_id ?? null, project_id: row?.viewer_projects[0] ?? null };
};

const SAMPLES: Readonly<Record<string, SampleFactory>> = {
  tracker: sampleTracker,
  member: sampleMember,
  viewer: sampleViewer,
  task: sampleTask,
  project: (_world, workspace, verb) =>
    showOrEmpty(pick(workspace.projects, createArchivedFilter(verb)), toProjectEvent),
  contract: (_world, workspace, verb) =>
    showOrEmpty(pick(workspace.contracts, createArchivedFilter(verb)), toContractEvent),
  timesheet: (_world, workspace, verb) =>
    showOrEmpty(pick(workspace.timesheets, createStatusFilter(verb)), toTimesheetEvent),
  leave: (_world, workspace, verb) => ({ ...pick(workspace.leaves, createStatusFilter(verb)) }),
  time_request: (_world, workspace, verb) => ({ ...pick(workspace.time_requests, createStatusFilter(verb)) }),
  expense: (_world, workspace) => ({ ...Object.values(workspace.expenses)[0] }),
};

/** An empty object for a noun that the sandbox does not know. */
export const createSample = (
  world: World,
  workspace: Workspace,
  event: string,
  dialect: ServiceDialect,
): unknown => {
  const [noun = '', verb = ''] = event.split('.');
  const sample = Object.hasOwn(SAMPLES, noun) ? SAMPLES[noun] : undefined;
  return showIds(dialect, sample?.(world, workspace, verb) ?? {});
};
