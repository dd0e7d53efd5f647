import { join } from 'node:path';
import type { Row } from '../api/page.ts';
import type { RecordKind } from '../resources/kinds.ts';
import type { Space, User, World } from '../sandbox/world.ts';
import { readBounded } from './cache.ts';
import { type RecordEntry, toRecordEntry } from './entry.ts';
import type { Candidate } from './plain.ts';

/** The records of the embedded sandbox, straight from its state file. A world that is very large is left alone. */

const MOST_BYTES = 4 * 1024 * 1024;

/** Undefined where there is none, or none that can be read. Never throws. */
export const readWorld = (stateDirectory: string): World | undefined => {
  try {
    const world = JSON.parse(readBounded(join(stateDirectory, 'sandbox', 'world.json'), MOST_BYTES));
    return world.version === 1 ? world : undefined;
  } catch {
    return undefined;
  }
};

/** By id or name; without a wish the first, as the sandbox does. */
const spaceOf = ({ spaces }: World, wanted: string | undefined): Space | undefined => {
  const all = Object.values(spaces);
  if (wanted === undefined) return all[0];
  const name = wanted.toLowerCase();
  return all.find(({ id, workspace_name }) => String(id) === wanted || workspace_name.toLowerCase() === name);
};

const userOf = ({ users }: World, id: number): Partial<User> => users[String(id)] ?? {};

/** People of a workspace as the API shows them: user and membership in one. */
const people = (world: World, { members }: Space, viewers: boolean): readonly Row[] =>
  Object.values(members)
    .filter(({ role }) => (role === 'Project viewer') === viewers)
    .map((membership) => ({ ...membership, ...userOf(world, membership.user_id), id: membership.user_id }));

const contracts = (world: World, { contracts: all, projects }: Space): readonly Row[] =>
  Object.values(all).map((contract) => {
    const { firstname, lastname } = userOf(world, contract.user_id);
    const project = projects[String(contract.project_id)]?.name;
    return { ...contract, user_firstname: firstname, user_lastname: lastname, project_name: project };
  });

const rowsOf = (world: World, space: Space, kind: RecordKind): readonly Row[] => {
  const lists: Readonly<Record<RecordKind, () => readonly object[]>> = {
    member: () => people(world, space, false),
    viewer: () => people(world, space, true),
    contract: () => contracts(world, space),
    workspace: () => Object.values(world.spaces),
    project: () => Object.values(space.projects),
    task: () => Object.values(space.tasks),
    timesheet: () => Object.values(space.timesheets),
    leave: () => Object.values(space.leaves),
    policy: () => Object.values(space.leave_policies),
    'time-request': () => Object.values(space.time_requests),
    expense: () => Object.values(space.expenses),
    category: () => Object.values(space.categories),
    webhook: () => Object.values(space.webhooks),
  };
  return lists[kind]().map((record) => ({ ...record }));
};

/** @param workspace id or name; undefined: the first */
export const listWorldEntries = (
  world: World,
  kind: RecordKind,
  workspace: string | undefined,
): readonly RecordEntry[] => {
  const space = spaceOf(world, workspace);
  return space === undefined
    ? []
    : rowsOf(world, space, kind).flatMap((row) => toRecordEntry(kind, row) ?? []);
};

/** What it sends to webhooks, the latest first. */
export const listWorldDeliveries = ({ deliveries = [] }: World): readonly Candidate[] =>
  deliveries.toReversed().map(({ id, event, status }) => ({ value: id, about: `${event}, ${status}` }));

/** Everybody whom the sandbox knows. */
export const listWorldPeople = (world: World): readonly RecordEntry[] =>
  Object.values(world.users).flatMap((user) => toRecordEntry('member', { ...user }) ?? []);
