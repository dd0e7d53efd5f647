import { type Answer, created, done, shown } from '../answer.ts';
import { type Call, pathValue, type Route, stampOf } from '../call.ts';
import { paged } from '../paging.ts';
import * as people from '../people.ts';
import { email, integer, text } from '../read.ts';
import type { Project } from '../records.ts';
import { invalid, notFound, wrongState } from '../refusal.ts';
import { find } from '../state.ts';
import type { Membership } from '../world.ts';

const viewerView = (call: Call, viewer: Membership) => {
  const user = find(call.world.users, viewer.user_id);
  const projects = viewer.viewer_projects.flatMap((id) => find(call.space.projects, id) ?? []);
  return {
    id: viewer.user_id,
    email: user?.email,
    firstname: user?.firstname,
    lastname: user?.lastname,
    status: viewer.status,
    member_since: viewer.created_at,
    projects: projects.map((project) => ({ project_id: project.id, project_name: project.name })),
  };
};

const list = (call: Call): Answer => {
  const address = call.input.filter('email', email)?.toLowerCase();
  const rows = Object.values(call.space.members).filter(
    (row) =>
      row.role === 'Project viewer' &&
      (address === undefined || find(call.world.users, row.user_id)?.email.toLowerCase() === address),
  );
  return paged(call, people.withArchived(call, rows), (row) => viewerView(call, row));
};

const invite = (call: Call): Answer => {
  const person = {
    email: call.input.need('email', email),
    firstname: call.input.need('firstname', text),
    lastname: call.input.need('lastname', text),
  };
  people.requireFreeAddress(call, person.email);
  const viewer = people.invitePerson(call, person, 'Project viewer');
  return created(201, viewerView(call, viewer), 'The invitation has been sent.');
};

/** @throws Refused (404), also for a member who is no viewer. */
const viewerOf = (call: Call): Membership => {
  const id = pathValue(call, 'viewerId');
  const viewer = find(call.space.members, id);
  if (viewer?.role !== 'Project viewer') throw notFound('project viewer', id);
  return viewer;
};

const archive = (call: Call): Answer => {
  people.archivePerson(call, viewerOf(call));
  return done('The project viewer has been archived.');
};

const restore = (call: Call): Answer => {
  people.restorePerson(call, viewerOf(call));
  return done('The project viewer has been restored.');
};

const projectOf = (call: Call): Project => {
  const id = call.input.either('project_id', integer());
  if (id === undefined) throw invalid('project_id', 'The project_id field is required.');
  const project = find(call.space.projects, id);
  if (project === undefined || project.deleted_at !== null) throw notFound('project', String(id));
  return project;
};

const assign = (call: Call): Answer => {
  const viewer = viewerOf(call);
  const project = projectOf(call);
  people.requireNotArchived(viewer);
  if (!viewer.viewer_projects.includes(project.id)) viewer.viewer_projects.push(project.id);
  viewer.updated_at = stampOf(call);
  call.emit('viewer.assigned', call.space, { id: viewer.user_id, project_id: project.id });
  return done('The project has been assigned.');
};

const unassign = (call: Call): Answer => {
  const viewer = viewerOf(call);
  const project = projectOf(call);
  if (!viewer.viewer_projects.includes(project.id)) {
    throw wrongState(`The project ${project.id} is not assigned to this viewer.`);
  }
  viewer.viewer_projects = viewer.viewer_projects.filter((id) => id !== project.id);
  viewer.updated_at = stampOf(call);
  call.emit('viewer.unassigned', call.space, { id: viewer.user_id, project_id: project.id });
  return done('The project has been unassigned.');
};

export const routes: readonly Route[] = [
  {
    route: 'GET /project-viewers',
    handle: list,
    documented: ['filter by e-mail'],
    beyond: ['record', 'pagination', 'list-paging', 'last-page', 'archived-left'],
  },
  {
    route: 'POST /project-viewers',
    workspace: 'body',
    handle: invite,
    documented: ['workspace_id, email, firstname, lastname required', 'Owners and Executive Managers only'],
    beyond: ['record', 'created-201', 'address-taken', 'event-known', 'event-emitted'],
  },
  {
    route: 'GET /project-viewers/{viewerId}',
    handle: (call) => shown(viewerView(call, viewerOf(call)), 'The project viewer.'),
    documented: ['by the id of the user'],
    beyond: ['record'],
  },
  {
    route: 'DELETE /project-viewers/{viewerId}',
    handle: archive,
    documented: ['soft delete from any state', 'data null'],
    beyond: ['archived-left', 'event-known', 'event-emitted', 'event-both'],
  },
  {
    route: 'POST /project-viewers/{viewerId}/restore',
    handle: restore,
    documented: ['archived becomes restored', 'data null'],
    beyond: ['state-400', 'event-known', 'event-emitted'],
  },
  {
    route: 'POST /project-viewers/{viewerId}/assign-project',
    handle: assign,
    documented: ['grants read-only access', 'data null'],
    beyond: ['archived-locked', 'event-others'],
  },
  {
    route: 'DELETE /project-viewers/{viewerId}/unassign-project',
    handle: unassign,
    documented: ['revokes access', 'data null'],
    beyond: ['state-400', 'event-others'],
  },
];
