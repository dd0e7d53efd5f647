import { answerCreated, answerData, answerDone, type HandlerAnswer } from '../answer.ts';
import { formatCallTime, getPathValue, type Route, type WorkspaceCall } from '../call.ts';
import { toMemberData } from '../events.ts';
import { matchesFilter } from '../filters.ts';
import { toMemberView } from '../member-view.ts';
import { answerPage } from '../paging.ts';
import * as people from '../people.ts';
import { amountReader, choiceReader, emailReader, integerReader, textReader, zoneReader } from '../read.ts';
import { wrongState } from '../refusal.ts';
import { findRecord, seesRates } from '../state.ts';
import type { Membership } from '../world.ts';

const ROLES = [
  'Owner',
  'Project viewer',
  'Executive manager',
  'Team manager',
  'Project manager',
  'Regular User',
] as const;
const ASSIGNABLE_ROLES = [
  'Regular User',
  'Project manager',
  'Team manager',
  'Executive manager',
  'Project viewer',
] as const;
const STATUSES = ['active', 'inactive', 'left', 'unknown'] as const;

const list = (call: WorkspaceCall): HandlerAnswer => {
  const email = call.input.filter('email', emailReader)?.toLowerCase();
  const status = call.input.filter('status', choiceReader(STATUSES));
  const role = call.input.filter('role', choiceReader(ROLES));
  const rows = Object.values(call.workspace.members).filter(
    (membership) =>
      matchesFilter(status, membership.status) &&
      matchesFilter(role, membership.role) &&
      (email === undefined ||
        findRecord(call.world.users, membership.user_id)?.email.toLowerCase() === email),
  );
  return answerPage(call, rows, (membership) => toMemberView(call, membership));
};

const invite = (call: WorkspaceCall): HandlerAnswer => {
  const person = {
    email: call.input.need('email', emailReader),
    firstname: call.input.need('firstname', textReader),
    lastname: call.input.need('lastname', textReader),
  };
  const role = call.input.need('role', choiceReader(ASSIGNABLE_ROLES));
  const rate = call.input.maybe('rate', amountReader);
  people.requireFreeAddress(call, person.email);
  const membership = people.invitePerson(call, person, role);
  if (rate !== undefined && seesRates(call.me)) membership.rate = rate;
  const data = { user_id: membership.user_id, invitation_link: people.createInvitationLink(call) };
  return answerCreated(200, data, 'The invitation has been sent.');
};

const requireMember = (call: WorkspaceCall): Membership =>
  people.requireMember(call, getPathValue(call, 'memberId'));

interface MemberChange {
  readonly email: string | undefined;
  readonly firstname: string | undefined;
  readonly lastname: string | undefined;
  readonly timezone: string | undefined;
  readonly role: (typeof ASSIGNABLE_ROLES)[number] | undefined;
  readonly rateStatus: number | undefined;
  readonly limit: number | undefined;
  readonly removeAvatar: number | undefined;
  readonly rate: number | undefined;
}

const readChange = (call: WorkspaceCall): MemberChange => ({
  email: call.input.maybe('email', emailReader),
  firstname: call.input.maybe('firstname', textReader),
  lastname: call.input.maybe('lastname', textReader),
  timezone: call.input.maybe('timezone', zoneReader),
  role: call.input.maybe('role', choiceReader(ASSIGNABLE_ROLES)),
  rateStatus: call.input.maybe('rate_status', integerReader(0, 1)),
  limit: call.input.maybe('weekly_hours_limit', integerReader(0)),
  removeAvatar: call.input.maybe('remove_avatar', integerReader(0, 1)),
  rate: call.input.maybe('rate', amountReader),
});

const update = (call: WorkspaceCall): HandlerAnswer => {
  const membership = requireMember(call);
  const user = findRecord(call.world.users, membership.user_id);
  const change = readChange(call);
  people.requireUnarchivedMember(membership);
  if (change.email !== undefined) people.requireFreeAddress(call, change.email, membership.user_id);
  if (membership.role === 'Owner' && change.role !== undefined) {
    throw wrongState("The owner's role cannot be changed.");
  }
  if (user !== undefined) {
    user.email = change.email ?? user.email;
    user.firstname = change.firstname ?? user.firstname;
    user.lastname = change.lastname ?? user.lastname;
    user.timezone = change.timezone ?? user.timezone;
    if (change.removeAvatar === 1) delete user.avatar;
  }
  membership.role = change.role ?? membership.role;
  membership.rate_status = change.rateStatus ?? membership.rate_status;
  membership.weekly_hours_limit = change.limit ?? membership.weekly_hours_limit;
  if (change.rate !== undefined && seesRates(call.me)) membership.rate = change.rate;
  membership.updated_at = formatCallTime(call);
  call.emit(call.workspace, toMemberData(call.world, membership));
  return answerDone('The member has been updated.');
};

const archive = (call: WorkspaceCall): HandlerAnswer => {
  people.archivePerson(call, requireMember(call));
  return answerDone('The member has been archived.');
};

const restore = (call: WorkspaceCall): HandlerAnswer => {
  people.restorePerson(call, requireMember(call));
  return answerDone('The member has been restored.');
};

export const routes: readonly Route[] = [
  {
    route: 'GET /members',
    handle: list,
  },
  {
    route: 'POST /members',
    handle: invite,
    events: ['member.invited'],
  },
  {
    route: 'GET /members/{memberId}',
    handle: (call) => answerData(toMemberView(call, requireMember(call)), 'The member.'),
  },
  {
    route: 'PUT /members/{memberId}',
    handle: update,
    events: ['member.updated'],
  },
  {
    route: 'DELETE /members/{memberId}',
    handle: archive,
    events: ['member.archived', 'member.deleted'],
  },
  {
    route: 'POST /members/{memberId}/restore',
    handle: restore,
    events: ['member.activated'],
  },
];
