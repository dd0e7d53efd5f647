import { answerCreated, answerData, answerDone, type HandlerAnswer } from '../answer.ts';
import { formatCallTime, getPathValue, type Route, type WorkspaceCall } from '../call.ts';
import { toProjectData } from '../events.ts';
import { answerPage } from '../paging.ts';
import { amountReader, anyTextReader, booleanReader, dayReader, textReader } from '../read.ts';
import type { Project } from '../records.ts';
import { invalid, notFound, wrongState } from '../refusal.ts';
import { createNumber, findRecord, seesRates } from '../state.ts';

const toProjectView = (call: WorkspaceCall, project: Project) => {
  const contracts = Object.values(call.workspace.contracts).filter(
    (contract) => contract.project_id === project.id && contract.deleted_at === null,
  );
  const { rate, budget_estimation, ...publicFields } = project;
  return {
    ...publicFields,
    ...(seesRates(call.me) ? { budget_estimation, rate } : {}),
    contracts_count: contracts.length,
    status: project.deleted_at === null ? 1 : 0,
  };
};

const list = (call: WorkspaceCall): HandlerAnswer => {
  const name = call.input.filter('name', anyTextReader)?.toLowerCase() ?? '';
  const rows = Object.values(call.workspace.projects).filter(
    (project) => project.deleted_at === null && project.name.toLowerCase().includes(name),
  );
  return answerPage(call, rows, (project) => toProjectView(call, project));
};

const readBillable = (call: WorkspaceCall): boolean | undefined => {
  const billable = call.input.maybe('is_billable', booleanReader);
  return billable;
};

/** What a body may say of a project; the days are checked against those that it already has. */
const readBody = (call: WorkspaceCall, existing?: Project) => {
  const start = call.input.maybe('start_date', dayReader) ?? existing?.start_date ?? null;
  const deadline = call.input.maybe('deadline', dayReader) ?? existing?.deadline ?? null;
  if (start !== null && deadline !== null && deadline < start) {
    throw invalid('deadline', 'The deadline must be a date after or equal to start_date.');
  }
  const budget = call.input.maybe('budget', amountReader);
  return {
    start_date: start,
    deadline,
    estimation: call.input.maybe('estimation', amountReader) ?? existing?.estimation ?? null,
    // Financial values are saved only for those who may see them (docs/service.md, Rates).
    budget_estimation: (seesRates(call.me) ? budget : undefined) ?? existing?.budget_estimation ?? null,
    notes: call.input.maybe('notes', anyTextReader) ?? existing?.notes ?? null,
    icon: call.input.maybe('icon', anyTextReader) ?? existing?.icon ?? null,
    is_billable: readBillable(call) ?? existing?.is_billable ?? false,
  };
};

const create = (call: WorkspaceCall): HandlerAnswer => {
  const name = call.input.need('name', textReader);
  const body = readBody(call);
  const project: Project = {
    id: createNumber(call.world),
    name,
    owner_id: call.user.id,
    ...body,
    rate: null,
    weekly_hours_limit: 168,
    screenshots: 'full',
    tags: [],
    created_at: formatCallTime(call),
    updated_at: formatCallTime(call),
    deleted_at: null,
  };
  call.workspace.projects[project.id] = project;
  call.emit(call.workspace, toProjectData(project));
  return answerCreated(201, toProjectView(call, project), 'The project has been created.');
};

const requireProject = (call: WorkspaceCall): Project => {
  const id = getPathValue(call, 'projectId');
  const project = findRecord(call.workspace.projects, id);
  if (project === undefined) throw notFound('project', id);
  return project;
};

const requireNotArchived = (project: Project): void => {
  if (project.deleted_at !== null) throw wrongState(`The project ${project.id} is archived.`);
};

const update = (call: WorkspaceCall): HandlerAnswer => {
  const project = requireProject(call);
  const name = call.input.maybe('name', textReader) ?? project.name;
  const body = readBody(call, project);
  requireNotArchived(project);
  Object.assign(project, body, { name, updated_at: formatCallTime(call) });
  call.emit(call.workspace, toProjectData(project));
  return answerDone('The project has been updated.');
};

const archive = (call: WorkspaceCall): HandlerAnswer => {
  const project = requireProject(call);
  requireNotArchived(project);
  project.deleted_at = formatCallTime(call);
  project.updated_at = formatCallTime(call);
  call.emit(call.workspace, toProjectData(project));
  return answerDone('The project has been archived.');
};

export const routes: readonly Route[] = [
  {
    route: 'GET /projects',
    handle: list,
  },
  {
    route: 'POST /projects',
    handle: create,
    events: ['project.created'],
  },
  {
    route: 'GET /projects/{projectId}',
    handle: (call) => answerData(toProjectView(call, requireProject(call)), 'The project.'),
  },
  {
    route: 'PUT /projects/{projectId}',
    handle: update,
    events: ['project.updated'],
  },
  {
    route: 'DELETE /projects/{projectId}',
    workspace: 'body',
    handle: archive,
    events: ['project.deleted'],
  },
];
