import { answerCreated, answerData, answerDone, type HandlerAnswer } from '../answer.ts';
import { formatCallTime, getPathValue, type Route, type WorkspaceCall } from '../call.ts';
import { answerPage } from '../paging.ts';
import * as people from '../people.ts';
import { emailReader, integerReader, textReader } from '../read.ts';
import type { Project } from '../records.ts';
import { invalid, notFound, wrongState } from '../refusal.ts';
import { findRecord } from '../state.ts';
import type { Membership } from '../world.ts';

const toViewerView = (call: WorkspaceCall, viewer: Membership) => {
  const user = findRecord(call.world.users, viewer.user_id);
  const projects = viewer.viewer_projects.flatMap((id) => findRecord(call.workspace.projects, id) ?? []);
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

const list = (call: WorkspaceCall): HandlerAnswer => {
  const email = call.input.filter('email', emailReader)?.toLowerCase();
  const rows = Object.values(call.workspace.members).filter(
    (row) =>
      row.role === 'Project viewer' &&
      (email === undefined || findRecord(call.world.users, row.user_id)?.email.toLowerCase() === email),
  );
  return answerPage(call, rows, (row) => toViewerView(call, row));
};

const invite = (call: WorkspaceCall): HandlerAnswer => {
  const person = {
    email: call.input.need('email', emailReader),
    firstname: call.input.need('firstname', textReader),
    lastname: call.input.need('lastname', textReader),
  };
  people.requireFreeAddress(call, person.email);
  const viewer = people.invitePerson(call, person, 'Project viewer');
  return answerCreated(201, toViewerView(call, viewer), 'The invitation has been sent.');
};

/** @throws Refusal (404), also for a member who is no viewer. */
const requireViewer = (call: WorkspaceCall): Membership => {
  const id = getPathValue(call, 'viewerId');
  const viewer = findRecord(call.workspace.members, id);
  if (viewer?.role !== 'Project viewer') throw notFound('project viewer', id);
  return viewer;
};

const archive = (call: WorkspaceCall): HandlerAnswer => {
  people.archivePerson(call, requireViewer(call));
  return answerDone('The project viewer has been archived.');
};

const restore = (call: WorkspaceCall): HandlerAnswer => {
  people.restorePerson(call, requireViewer(call));
  return answerDone('The project viewer has been restored.');
};

const requireProject = (call: WorkspaceCall): Project => {
  const id = call.input.either('project_id', integerReader());
  if (id === undefined) throw invalid('project_id', 'The project_id field is required.');
  const project = findRecord(call.workspace.projects, id);
  if (project === undefined || project.deleted_at !== null) throw notFound('project', String(id));
  return project;
};

const assign = (call: WorkspaceCall): HandlerAnswer => {
  const viewer = requireViewer(call);
  const project = requireProject(call);
  people.requireUnarchivedMember(viewer);
  if (!viewer.viewer_projects.includes(project.id)) viewer.viewer_projects.push(project.id);
  viewer.updated_at = formatCallTime(call);
  call.emit(call.workspace, { id: viewer.user_id, project_id: project.id });
  return answerDone('The project has been assigned.');
};

const unassign = (call: WorkspaceCall): HandlerAnswer => {
  const viewer = requireViewer(call);
  const project = requireProject(call);
  if (!viewer.viewer_projects.includes(project.id)) {
    throw wrongState(`The project ${project.id} is not assigned to this viewer.`);
  }
  viewer.viewer_projects = viewer.viewer_projects.filter((id) => id !== project.id);
  viewer.updated_at = formatCallTime(call);
  call.emit(call.workspace, { id: viewer.user_id, project_id: project.id });
  return answerDone('The project has been unassigned.');
};

export const routes: readonly Route[] = [
  {
    route: 'GET /project-viewers',
    handle: list,
  },
  {
    route: 'POST /project-viewers',
    workspace: 'body',
    handle: invite,
    events: ['member.invited'],
  },
  {
    route: 'GET /project-viewers/{viewerId}',
    handle: (call) => answerData(toViewerView(call, requireViewer(call)), 'The project viewer.'),
  },
  {
    route: 'DELETE /project-viewers/{viewerId}',
    handle: archive,
    events: ['member.archived', 'member.deleted'],
  },
  {
    route: 'POST /project-viewers/{viewerId}/restore',
    handle: restore,
    events: ['member.activated'],
  },
  {
    route: 'POST /project-viewers/{viewerId}/assign-project',
    handle: assign,
    events: ['viewer.assigned'],
  },
  {
    route: 'DELETE /project-viewers/{viewerId}/unassign-project',
    handle: unassign,
    events: ['viewer.unassigned'],
  },
];
