import { invalid, wrongState } from '../answer.ts';
import * as read from '../input.ts';
import { type Call, created, done, type Route, requireRecord, route } from '../input.ts';
import { findOrAddUser, NO_DETAILS, newMembership, type PersonDetails } from '../records.ts';
import * as state from '../state.ts';
import { MEMBER_ROLES, MEMBER_STATUSES, type Membership, type Role, type World } from '../world.ts';
import { readProjectId } from './projects.ts';

const ASSIGNABLE_ROLES = MEMBER_ROLES.filter((role) => role !== 'Owner');
// Two events for it are known by name, and which of them the service sends is not.
const ARCHIVED = { events: ['member.archived', 'member.deleted'] };

export const peopleRoutes: readonly Route[] = [
  route('GET /workspaces', { workspace: 'none' }, ({ world, user }) => {
    const data = Object.values(world.spaces).flatMap((workspace) => {
      const { id, owner_id, workspace_name, status, created_at, activated_at } = workspace;
      const role = state.findActiveMembership(workspace, user.id)?.role;
      if (role === undefined) return [];
      return { id, owner_id, user_id: user.id, workspace_name, role, status, created_at, activated_at };
    });
    return { data };
  }),
  route('GET /members', {}, (call) => {
    const hasEmail = readEmailFilter(call);
    const readers = { status: read.choice(MEMBER_STATUSES), role: read.choice(MEMBER_ROLES) };
    const rows = call.input.select(call.workspace.members, readers).filter(hasEmail);
    return call.input.page(rows, (row) => toMemberView(call, row));
  }),
  route('POST /members', 'member.invited', (call) => {
    const { input, world } = call;
    const person = readPerson(call);
    const role = input.need('role', read.choice(ASSIGNABLE_ROLES));
    const rate = input.maybe('rate', read.amount);
    const membership = invite(call, person, role);
    if (rate !== undefined && state.seesRates(call.me)) membership.rate = rate;
    // The sandbox sends no mail, and nothing answers there.
    const secret = state.createSecret(() => state.drawRandom(world), 32);
    const invitation_link = `https://sandbox.invalid/invitations/${secret}`;
    const data = { user_id: membership.user_id, invitation_link };
    return { ...done(toMemberEvent(world, membership)), data };
  }),
  route('GET /members/{memberId}', {}, (call) => ({ data: toMemberView(call, requirePerson(call)) })),
  route('PUT /members/{memberId}', 'member.updated', (call) => {
    const { input } = call;
    const membership = requirePerson(call);
    const user = requireRecord(call.world.users, 'member', membership.user_id);
    const names = { firstname: read.filledText, lastname: read.filledText };
    const person = input.given({ email: read.address, ...names, timezone: read.zone });
    const { remove_avatar, rate, ...settings } = input.given({
      role: read.choice(ASSIGNABLE_ROLES),
      rate_status: read.wholeNumber(0, 1),
      weekly_hours_limit: read.wholeNumber(0),
      remove_avatar: read.wholeNumber(0, 1),
      rate: read.amount,
    });
    requireUnarchived(membership);
    if (person.email !== undefined) requireFreeAddress(call, person.email, user.id);
    if (membership.role === 'Owner' && settings.role !== undefined)
      throw wrongState("The owner's role cannot be changed.");
    Object.assign(user, person);
    if (remove_avatar === 1) delete user.avatar;
    Object.assign(membership, settings, { updated_at: call.time });
    if (rate !== undefined && state.seesRates(call.me)) membership.rate = rate;
    return done(toMemberEvent(call.world, membership));
  }),
  route('GET /project-viewers', {}, (call) => {
    const hasEmail = readEmailFilter(call);
    const isViewer = (row: Membership) => row.role === 'Project viewer' && hasEmail(row);
    const rows = Object.values(call.workspace.members).filter(isViewer);
    return call.input.page(rows, (row) => toViewerView(call, row));
  }),
  route('POST /project-viewers', { workspace: 'body', events: ['member.invited'] }, (call) => {
    const viewer = invite(call, readPerson(call), 'Project viewer');
    const event = toMemberEvent(call.world, viewer);
    return created(toViewerView(call, viewer), event);
  }),
  route('GET /project-viewers/{viewerId}', {}, (call) => ({ data: toViewerView(call, requirePerson(call)) })),
  ...['/members/{memberId}', '/project-viewers/{viewerId}'].flatMap((path) => [
    // A soft delete from any state (docs/service.md, States); archiving twice changes nothing.
    route(`DELETE ${path}`, ARCHIVED, (call) => {
      const person = requirePerson(call);
      if (person.role === 'Owner') throw wrongState('The owner cannot be archived.');
      if (person.deleted_at !== null) return done();
      const now = { status_before: person.status, deleted_at: call.time, updated_at: call.time };
      Object.assign(person, { status: 'left', ...now });
      return done(toMemberEvent(call.world, person));
    }),
    route(`POST ${path}/restore`, 'member.activated', (call) => {
      const person = requirePerson(call);
      if (person.deleted_at === null) throw wrongState(`The member ${person.user_id} is not archived.`);
      person.status = person.status_before ?? 'active';
      Object.assign(person, { status_before: null, deleted_at: null, updated_at: call.time });
      return done(toMemberEvent(call.world, person));
    }),
  ]),
  route('POST /project-viewers/{viewerId}/assign-project', 'viewer.assigned', (call) => {
    const viewer = requirePerson(call);
    const project_id = readProjectId(call);
    requireUnarchived(viewer);
    if (!viewer.viewer_projects.includes(project_id)) viewer.viewer_projects.push(project_id);
    viewer.updated_at = call.time;
    return done({ id: viewer.user_id, project_id });
  }),
  route('DELETE /project-viewers/{viewerId}/unassign-project', 'viewer.unassigned', (call) => {
    const viewer = requirePerson(call);
    const project_id = readProjectId(call);
    if (!viewer.viewer_projects.includes(project_id))
      throw wrongState(`The project ${project_id} is not assigned to this viewer.`);
    viewer.viewer_projects = viewer.viewer_projects.filter((id) => id !== project_id);
    viewer.updated_at = call.time;
    return done({ id: viewer.user_id, project_id });
  }),
];

function toMemberEvent(world: World, { user_id, role, status, deleted_at }: Membership) {
  const { email = null, firstname = null, lastname = null } = state.findRecord(world.users, user_id) ?? {};
  return { id: user_id, email, firstname, lastname, current_role: role, status, deleted_at };
}

function readEmailFilter({ input, world }: Call): (membership: Membership) => boolean {
  const wanted = input.filter('email', read.address)?.toLowerCase();
  return ({ user_id }) =>
    wanted === undefined || state.findRecord(world.users, user_id)?.email.toLowerCase() === wanted;
}

/** A field without a value is left out; the rate fields have one only for those who may view rates. */
function toMemberView({ world, me }: Call, membership: Membership) {
  const {
    user_id: id,
    role: current_role,
    status_before: _before,
    viewer_projects: _all,
    ...shown
  } = membership;
  const { email, firstname, lastname, avatar, timezone } = requireRecord(world.users, 'member', id);
  const rates = state.seesRates(me) ? {} : { rate: undefined, rate_type: undefined };
  const person = { id, email, firstname, lastname, avatar, current_role, timezone };
  return { ...person, ...NO_DETAILS, ...shown, ...rates };
}

function readPerson({ input }: Call): PersonDetails {
  return {
    email: input.need('email', read.address),
    firstname: input.need('firstname', read.filledText),
    lastname: input.need('lastname', read.filledText),
  };
}

function requireFreeAddress(call: Call, address: string, exceptId?: number): void {
  const user = state.findUserByEmail(call.world, address);
  if (user === undefined || user.id === exceptId) return;
  if (state.findRecord(call.workspace.members, user.id) !== undefined)
    throw invalid('email', `The email ${address} has already been taken.`);
}

function invite(call: Call, person: PersonDetails, role: Role): Membership {
  requireFreeAddress(call, person.email);
  const status = role === 'Project viewer' ? 'active' : 'inactive';
  return newMembership(call, { user_id: findOrAddUser(call.world, person).id, role, status });
}

function requirePerson({ path, workspace: { members } }: Call): Membership {
  const { memberId, viewerId } = path;
  if (viewerId === undefined) return requireRecord(members, 'member', memberId);
  return requireRecord(members, 'project viewer', viewerId, ({ role }) => role === 'Project viewer');
}

function requireUnarchived({ deleted_at, user_id }: Membership): void {
  if (deleted_at !== null) throw wrongState(`The member ${user_id} is archived. Restore the member first.`);
}

function toViewerView({ world, workspace }: Call, viewer: Membership) {
  const { user_id, status, created_at: member_since, viewer_projects } = viewer;
  const { email, firstname, lastname } = requireRecord(world.users, 'project viewer', user_id);
  const projects = viewer_projects.flatMap((id) => state.findRecord(workspace.projects, id) ?? []);
  return {
    ...{ id: user_id, email, firstname, lastname, status, member_since },
    projects: projects.map((project) => ({ project_id: project.id, project_name: project.name })),
  };
}
