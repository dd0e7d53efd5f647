import { type Answer, created, done, shown } from '../answer.ts';
import { type Call, pathValue, type Route, stampOf } from '../call.ts';
import { projectData } from '../events.ts';
import { paged } from '../paging.ts';
import { amount, anyText, day, text } from '../read.ts';
import type { Project } from '../records.ts';
import { invalid, notFound, wrongState } from '../refusal.ts';
import { find, newNumber, seesRates } from '../state.ts';

const projectView = (call: Call, project: Project) => {
  const contracts = Object.values(call.space.contracts).filter(
    (contract) => contract.project_id === project.id && contract.deleted_at === null,
  );
  const { rate, budget_estimation, ...open } = project;
  if (call.me.role !== 'Owner') call.assume('rates-seen');
  return {
    ...open,
    ...(seesRates(call.me) ? { budget_estimation, rate } : {}),
    contracts_count: contracts.length,
    status: project.deleted_at === null ? 1 : 0,
  };
};

const list = (call: Call): Answer => {
  const name = call.input.filter('name', anyText)?.toLowerCase() ?? '';
  call.assume('archived-hidden');
  const rows = Object.values(call.space.projects).filter(
    (project) => project.deleted_at === null && project.name.toLowerCase().includes(name),
  );
  return paged(call, rows, (project) => projectView(call, project));
};

/** What a body may say of a project; the days are checked against those that it already has. */
const readBody = (call: Call, before?: Project) => {
  const start = call.input.maybe('start_date', day) ?? before?.start_date ?? null;
  const deadline = call.input.maybe('deadline', day) ?? before?.deadline ?? null;
  if (start !== null && deadline !== null && deadline < start) {
    throw invalid('deadline', 'The deadline must be a date after or equal to start_date.');
  }
  const budget = call.input.maybe('budget', amount);
  return {
    start_date: start,
    deadline,
    estimation: call.input.maybe('estimation', amount) ?? before?.estimation ?? null,
    // Financial values are saved only for those who may see them (docs/service.md, Rates).
    budget_estimation: (seesRates(call.me) ? budget : undefined) ?? before?.budget_estimation ?? null,
    notes: call.input.maybe('notes', anyText) ?? before?.notes ?? null,
    icon: call.input.maybe('icon', anyText) ?? before?.icon ?? null,
  };
};

const create = (call: Call): Answer => {
  const name = call.input.need('name', text);
  const body = readBody(call);
  const project: Project = {
    id: newNumber(call.world),
    name,
    owner_id: call.user.id,
    ...body,
    is_billable: false,
    rate: null,
    weekly_hours_limit: 168,
    screenshots: 'full',
    tags: [],
    created_at: stampOf(call),
    updated_at: stampOf(call),
    deleted_at: null,
  };
  call.space.projects[project.id] = project;
  call.emit('project.created', call.space, projectData(project));
  return created(201, projectView(call, project), 'The project has been created.');
};

const projectOf = (call: Call): Project => {
  const id = pathValue(call, 'projectId');
  const project = find(call.space.projects, id);
  if (project === undefined) throw notFound('project', id);
  return project;
};

const requireNotArchived = (project: Project): void => {
  if (project.deleted_at !== null)
    throw wrongState(`The project ${project.id} is archived.`, 'archived-locked');
};

const update = (call: Call): Answer => {
  const project = projectOf(call);
  const name = call.input.maybe('name', text) ?? project.name;
  const body = readBody(call, project);
  requireNotArchived(project);
  Object.assign(project, body, { name, updated_at: stampOf(call) });
  call.emit('project.updated', call.space, projectData(project));
  return done('The project has been updated.');
};

const archive = (call: Call): Answer => {
  const project = projectOf(call);
  requireNotArchived(project);
  project.deleted_at = stampOf(call);
  project.updated_at = stampOf(call);
  call.emit('project.deleted', call.space, projectData(project));
  return done('The project has been archived.');
};

const MANAGERS = 'Owners and Executive Managers only';

export const routes: readonly Route[] = [
  {
    route: 'GET /projects',
    handle: list,
    documented: ['list with filters'],
    beyond: [
      'record',
      'pagination',
      'list-paging',
      'last-page',
      'part-of-name',
      'archived-hidden',
      'rates-seen',
    ],
  },
  {
    route: 'POST /projects',
    handle: create,
    documented: [MANAGERS],
    beyond: ['record', 'body', 'date-order', 'created-201', 'rates-seen', 'event-known', 'event-emitted'],
  },
  {
    route: 'GET /projects/{projectId}',
    handle: (call) => shown(projectView(call, projectOf(call)), 'The project.'),
    documented: ['by id', 'hidden financial fields'],
    beyond: ['record', 'rates-seen'],
  },
  {
    route: 'PUT /projects/{projectId}',
    handle: update,
    documented: [MANAGERS],
    beyond: ['body', 'date-order', 'archived-locked', 'rates-seen', 'event-known', 'event-emitted'],
  },
  {
    route: 'DELETE /projects/{projectId}',
    workspace: 'body',
    handle: archive,
    documented: ['soft delete', 'workspace_id in the body', 'data null', MANAGERS],
    beyond: ['archived-locked', 'event-known', 'event-emitted'],
  },
];
