import type { ServiceDialect } from '../dialect.ts';
import * as events from '../events.ts';
import type { Membership, Space, World } from '../world.ts';

/** `data` for an event that somebody asks for: of a record of the workspace that fits, else of any of its kind. */

type Sample = (world: World, space: Space, verb: string, dialect: ServiceDialect) => unknown;

/** The first that fits, else the first of all. */
const pick = <T>(records: Readonly<Record<string, T>>, fits: (row: NoInfer<T>) => boolean): T | undefined =>
  Object.values(records).find(fits) ?? Object.values(records)[0];

const isGone = (verb: string) => (row: { readonly deleted_at: string | null }) =>
  (row.deleted_at !== null) === (verb === 'deleted' || verb === 'archived');

const inState = (verb: string) => (row: { readonly status: string }) => {
  const states: Readonly<Record<string, string>> = { created: 'pending', unsubmitted: 'open' };
  return row.status === (states[verb] ?? verb);
};

const shownAs = <T>(row: T | undefined, show: (row: T) => unknown): unknown =>
  row === undefined ? {} : show(row);

const tracker: Sample = (world, space, verb) => {
  const running = Object.values(world.trackers).find((row) => row.workspace_id === space.id);
  const contract = Object.values(space.contracts)[0];
  const started_at = running?.started_at ?? space.created_at;
  const base = running ?? {
    user_id: contract?.user_id ?? space.owner_id,
    workspace_id: space.id,
    contract_id: contract?.id ?? null,
    task_id: null,
    started_at,
  };
  const stopped = verb === 'stopped' ? new Date(Date.parse(started_at) + 3_600_000).toISOString() : null;
  return events.toTrackerData(base, stopped);
};

const member: Sample = (world, space, verb) => {
  const isInvited = ({ status }: Membership) => status === 'inactive';
  const row = pick(space.members, verb === 'invited' ? isInvited : isGone(verb));
  return shownAs(row, (found) => events.toMemberData(world, found));
};

const task: Sample = (_world, space, verb) => {
  if (verb === 'assigned' || verb === 'unassigned') return { ...Object.values(space.assignments)[0] };
  return shownAs(pick(space.tasks, isGone(verb)), events.toTaskData);
};

const viewer: Sample = (_world, space) => {
  const row = pick(space.members, ({ viewer_projects }) => viewer_projects.length > 0);
  return { id: row?.user_id ?? null, project_id: row?.viewer_projects[0] ?? null };
};

const SAMPLES: Readonly<Record<string, Sample>> = {
  tracker,
  member,
  viewer,
  task,
  project: (_world, space, verb) => shownAs(pick(space.projects, isGone(verb)), events.toProjectData),
  contract: (_world, space, verb) => shownAs(pick(space.contracts, isGone(verb)), events.toContractData),
  timesheet: (_world, space, verb, dialect) =>
    shownAs(pick(space.timesheets, inState(verb)), (row) => events.toSheetData(dialect, row)),
  leave: (_world, space, verb, dialect) =>
    shownAs(pick(space.leaves, inState(verb)), (row) => events.toRequestData(dialect, row)),
  time_request: (_world, space, verb, dialect) =>
    shownAs(pick(space.time_requests, inState(verb)), (row) => events.toRequestData(dialect, row)),
  expense: (_world, space, _verb, dialect) =>
    shownAs(Object.values(space.expenses)[0], (row) => events.toExpenseData(dialect, row)),
};

/** An empty object for a noun that the sandbox does not know. */
export const createSample = (world: World, space: Space, event: string, dialect: ServiceDialect): unknown => {
  const [noun = '', verb = ''] = event.split('.');
  const sample = Object.hasOwn(SAMPLES, noun) ? SAMPLES[noun] : undefined;
  return sample === undefined ? {} : sample(world, space, verb, dialect);
};
