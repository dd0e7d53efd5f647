import { formatCallTime, type WorkspaceCall } from './call.ts';
import { toMemberData } from './events.ts';
import { invalid, notFound, wrongState } from './refusal.ts';
import { createNumber, createSecret, drawRandom, findRecord, findUserByEmail } from './state.ts';
import type { Membership, Role, User, World } from './world.ts';

/** What members and project viewers have in common: both are memberships. */

/** A membership with the settings that a new one has; what has no value is named, so that all are of one shape. */
export const createMembership = (user: number, role: Role, at: string): Membership => ({
  user_id: user,
  role,
  status: 'active',
  team_name: undefined,
  title: undefined,
  birth_date: undefined,
  hired_at: undefined,
  preferred_timezone: undefined,
  settings_max_inactive_minutes: 10,
  currency: 'EUR',
  rate: 0,
  rate_type: 'hourly',
  rate_status: 0,
  tax_country: undefined,
  tax_state: undefined,
  is_blocked: false,
  weekly_hours_limit: 40,
  screenshots: 'full',
  created_at: at,
  updated_at: at,
  deleted_at: null,
  status_before: null,
  viewer_projects: [],
});

export interface PersonDetails {
  readonly email: string;
  readonly firstname: string;
  readonly lastname: string;
}

/** A new user; whether the address is free is not checked. */
export const addUser = (world: World, person: PersonDetails): User => {
  const user: User = { id: createNumber(world), ...person };
  world.users[user.id] = user;
  return user;
};

/** The user with this address, or a new one. */
export const findOrAddUser = (world: World, person: PersonDetails): User =>
  findUserByEmail(world, person.email) ?? addUser(world, person);

/** @throws Refusal (400) where somebody of the workspace, archived or not, has the address. */
export const requireFreeAddress = (call: WorkspaceCall, email: string, exceptId?: number): void => {
  const user = findUserByEmail(call.world, email);
  if (user === undefined || user.id === exceptId || findRecord(call.workspace.members, user.id) === undefined)
    return;
  throw invalid('email', `The email ${email} has already been taken.`);
};

/** Adds a person by invitation; nothing is checked here. */
export const invitePerson = (call: WorkspaceCall, person: PersonDetails, role: Role): Membership => {
  const user = findOrAddUser(call.world, person);
  const membership = createMembership(user.id, role, formatCallTime(call));
  membership.status = role === 'Project viewer' ? 'active' : 'inactive';
  call.workspace.members[user.id] = membership;
  call.emit(call.workspace, toMemberData(call.world, membership));
  return membership;
};

/** Where an invited person would accept; the sandbox sends no mail, and nothing answers there. */
export const createInvitationLink = (call: WorkspaceCall): string =>
  `https://sandbox.invalid/invitations/${createSecret(() => drawRandom(call.world), 32)}`;

/** @throws Refusal (404). */
export const requireMember = (call: WorkspaceCall, id: string): Membership => {
  const membership = findRecord(call.workspace.members, id);
  if (membership === undefined) throw notFound('member', id);
  return membership;
};

/** @throws Refusal (400) for an archived one. */
export const requireUnarchivedMember = (membership: Membership): void => {
  if (membership.deleted_at !== null) {
    throw wrongState(`The member ${membership.user_id} is archived. Restore the member first.`);
  }
};

/**
 * A soft delete from any state (docs/service.md, States); archiving twice changes nothing. Two events for it are known
 * by name, and which of them the service sends is not.
 */
export const archivePerson = (call: WorkspaceCall, membership: Membership): void => {
  if (membership.role === 'Owner') throw wrongState('The owner cannot be archived.');
  if (membership.deleted_at !== null) return;
  membership.status_before = membership.status;
  membership.status = 'left';
  membership.deleted_at = formatCallTime(call);
  membership.updated_at = formatCallTime(call);
  call.emit(call.workspace, toMemberData(call.world, membership));
};

/** @throws Refusal (400) unless archived. */
export const restorePerson = (call: WorkspaceCall, membership: Membership): void => {
  if (membership.deleted_at === null) {
    throw wrongState(`The member ${membership.user_id} is not archived.`);
  }
  membership.status = membership.status_before ?? 'active';
  membership.status_before = null;
  membership.deleted_at = null;
  membership.updated_at = formatCallTime(call);
  call.emit(call.workspace, toMemberData(call.world, membership));
};
