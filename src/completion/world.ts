import { join } from 'node:path';
import type { RecordKind } from '../api/fields.ts';
import type { Row } from '../api/page.ts';
import type { User, Workspace, World } from '../sandbox/world.ts';
import { readSmall } from '../storage/own-files.ts';
import { type RecordEntry, toRecordEntry } from './names.ts';
import type { Candidate } from './plain.ts';

/** The records of the embedded sandbox, straight from its state file. A world that is very large is left alone. */

const MAX_BYTES = 4 * 1024 * 1024;

/** Undefined where there is none, or none that can be read. Never throws. */
export function readWorld(stateDirectory: string): World | undefined {
  try {
    const world = JSON.parse(readSmall(join(stateDirectory, 'sandbox', 'world.json'), MAX_BYTES) ?? '{}');
    return world.version === 1 ? world : undefined;
  } catch {
    return undefined;
  }
}

/** @param wanted id or name of a workspace; undefined: the first */
export function listWorldEntries(
  world: World,
  kind: RecordKind,
  wanted: string | undefined,
): readonly RecordEntry[] {
  const workspace = findWorkspace(world, wanted);
  return workspace === undefined
    ? []
    : listRows(world, workspace, kind).flatMap((row) => toRecordEntry(kind, row) ?? []);
}

/** By id or name; without a wish the first, as the sandbox does. */
function findWorkspace({ spaces }: World, wanted: string | undefined): Workspace | undefined {
  const all = Object.values(spaces);
  if (wanted === undefined) return all[0];
  const name = wanted.toLowerCase();
  return all.find(({ id, workspace_name }) => String(id) === wanted || workspace_name.toLowerCase() === name);
}

function listRows(world: World, workspace: Workspace, kind: RecordKind): readonly Row[] {
  const lists: Readonly<Record<RecordKind, () => readonly object[]>> = {
    member: () => listPeople(world, workspace, false),
    viewer: () => listPeople(world, workspace, true),
    contract: () => listContracts(world, workspace),
    workspace: () => Object.values(world.spaces),
    project: () => Object.values(workspace.projects),
    task: () => Object.values(workspace.tasks),
    timesheet: () => Object.values(workspace.timesheets),
    leave: () => Object.values(workspace.leaves),
    policy: () => Object.values(workspace.leave_policies),
    'time-request': () => Object.values(workspace.time_requests),
    expense: () => Object.values(workspace.expenses),
    category: () => Object.values(workspace.categories),
    webhook: () => Object.values(workspace.webhooks),
  };
  return lists[kind]().map((record) => ({ ...record }));
}

/** People of a workspace as the API shows them: user and membership in one. */
function listPeople(world: World, { members }: Workspace, viewers: boolean): readonly Row[] {
  return Object.values(members)
    .filter(({ role }) => (role === 'Project viewer') === viewers)
    .map((membership) => ({ ...membership, ...getUser(world, membership.user_id), id: membership.user_id }));
}

function getUser({ users }: World, id: number): Partial<User> {
  return users[String(id)] ?? {};
}

function listContracts(world: World, { contracts: all, projects }: Workspace): readonly Row[] {
  return Object.values(all).map((contract) => {
    const { firstname, lastname } = getUser(world, contract.user_id);
    const project = projects[String(contract.project_id)]?.name;
    return { ...contract, user_firstname: firstname, user_lastname: lastname, project_name: project };
  });
}

/** What it sends to webhooks, the latest first. */
export function listWorldDeliveries({ deliveries = [] }: World): readonly Candidate[] {
  return deliveries
    .toReversed()
    .map(({ id, event, status }) => ({ value: id, about: `${event}, ${status}` }));
}

/** The tokens that have not been revoked, by the name that one alone has, else by id. */
export function listWorldTokens(world: World): readonly Candidate[] {
  const tokens = Object.values(world.tokens).filter(({ revoked }) => !revoked);
  return tokens.map(({ id, name, user_id, scopes }) => ({
    value: tokens.filter((other) => other.name === name).length === 1 ? name : String(id),
    about: [getUser(world, user_id).email, ...scopes].join(', '),
  }));
}

/** Everybody whom the sandbox knows. */
export function listWorldPeople(world: World): readonly RecordEntry[] {
  return Object.values(world.users).flatMap((user) => toRecordEntry('member', { ...user }) ?? []);
}
