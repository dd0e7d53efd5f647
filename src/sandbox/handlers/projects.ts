import { invalid, wrongState } from '../answer.ts';
import * as read from '../input.ts';
import { type Call, created, done, type Route, requireRecord, route } from '../input.ts';
import { addRecord } from '../records.ts';
import { findRecord, isLive, seesRates } from '../state.ts';
import * as W from '../world.ts';

const CONTRACT_STATUSES = ['active', 'paused'] as const;

export const projectRoutes: readonly Route[] = [
  route('GET /projects', {}, (call) => {
    const name = call.input.filter('name', read.anyText)?.toLowerCase() ?? '';
    const rows = Object.values(call.workspace.projects).filter(
      (project) => project.deleted_at === null && project.name.toLowerCase().includes(name),
    );
    return call.input.page(rows, (project) => toProjectView(call, project));
  }),
  route('POST /projects', 'project.created', (call) => {
    const name = call.input.need('name', read.filledText);
    const project = addRecord(call, 'projects', { name, owner_id: call.user.id, ...readProject(call) });
    const view = toProjectView(call, project);
    return created(view, view);
  }),
  route('GET /projects/{projectId}', {}, (call) => ({ data: toProjectView(call, requireProject(call)) })),
  route('PUT /projects/{projectId}', 'project.updated', (call) => {
    const project = requireProject(call);
    const body = { ...call.input.given({ name: read.filledText }), ...readProject(call, project) };
    requireUnarchived('project', project);
    Object.assign(project, body, { updated_at: call.time });
    return done(toProjectView(call, project));
  }),
  route('DELETE /projects/{projectId}', { workspace: 'body', events: ['project.deleted'] }, (call) => {
    return done(toProjectView(call, archive(call, 'project', requireProject(call))));
  }),
  route('GET /contracts', {}, (call) => {
    const ids = { project_id: read.wholeNumber(), user_id: read.wholeNumber() };
    const readers = { ...ids, status: read.choice(CONTRACT_STATUSES) };
    const found = call.input.select(call.workspace.contracts, readers);
    const rows = found.filter((row) => row.deleted_at === null);
    return call.input.page(rows, (row) => toContractView(call, row));
  }),
  route('POST /contracts', 'contract.created', (call) => {
    const { input, workspace } = call;
    const project_id = input.need('project_id', read.wholeNumber());
    const user_id = input.need('user_id', read.wholeNumber());
    const settings = readContract(call);
    if (!isLive(workspace.projects, project_id)) throw invalid('project_id');
    if (!isLive(workspace.members, user_id)) throw invalid('user_id');
    if (isInProject(workspace, user_id, project_id))
      throw invalid('user_id', 'This member already has a contract in this project.');
    const contract = addRecord(call, 'contracts', { project_id, user_id, ...settings });
    const view = toContractView(call, contract);
    return created(view, contract);
  }),
  route('GET /contracts/{contractId}', {}, (call) => ({ data: toContractView(call, requireContract(call)) })),
  route('PUT /contracts/{contractId}', 'contract.updated', (call) => {
    const contract = requireContract(call);
    const settings = readContract(call);
    Object.assign(contract, settings, call.input.given({ status: read.choice(CONTRACT_STATUSES) }));
    return done(contract);
  }),
  route('DELETE /contracts/{contractId}', 'contract.deleted', (call) => {
    const contract = requireContract(call);
    contract.deleted_at = call.time;
    return done(contract);
  }),
  route('GET /tasks', {}, (call) => {
    const project = readProjectId(call);
    const readers = { status: read.wholeNumber(), priority: read.wholeNumber() };
    const rows = call.input
      .select(call.workspace.tasks, readers)
      .filter((task) => task.project_id === project && task.deleted_at === null);
    return call.input.page(rows, (task) => toTaskView(call, task));
  }),
  route('POST /tasks', 'task.created', (call) => {
    const project_id = readProjectId(call);
    const title = call.input.need('title', read.filledText);
    const body = readTask(call);
    const users = readAssignees(call, project_id);
    const people = { owner_id: call.user.id, creator_id: call.user.id };
    const task = addRecord(call, 'tasks', { title, project_id, ...people, ...body });
    replaceAssignees(call, task, users ?? new Set());
    return created(toTaskView(call, task), task);
  }),
  route('GET /tasks/{taskId}', {}, (call) => ({ data: toTaskView(call, requireTask(call)) })),
  route('PUT /tasks/{taskId}', 'task.updated', (call) => {
    const task = requireTask(call);
    const body = { ...call.input.given({ title: read.filledText }), ...readTask(call, task) };
    const users = readAssignees(call, task.project_id);
    requireUnarchived('task', task);
    Object.assign(task, body, { updated_at: call.time });
    if (users !== undefined) replaceAssignees(call, task, users);
    return done(task);
  }),
  route('DELETE /tasks/{taskId}', 'task.deleted', (call) => {
    return done(archive(call, 'task', requireTask(call)));
  }),
  route('GET /tasks/{taskId}/assignees', {}, (call) => ({
    data: toTaskView(call, requireTask(call)).assignees,
  })),
  route('POST /tasks/{taskId}/assign/{userId}', { workspace: 'body', events: ['task.assigned'] }, (call) => {
    requireProjectId(call, call.input.maybe('project_id', read.wholeNumber()));
    const task = requireTask(call);
    const { user, assignment: existing } = findAssignment(call, task);
    requireWorker(call, user, task.project_id, 'userId');
    requireUnarchived('task', task);
    if (existing !== undefined) throw wrongState(`The user ${user} is already assigned to this task.`);
    const fields = { task_id: task.id, user_id: user, assigner_id: call.user.id };
    const assignment = addRecord(call, 'assignments', fields);
    return { ...done(assignment), data: toAssigneeView(call, assignment) };
  }),
  route('DELETE /tasks/{taskId}/unassign/{userId}', 'task.unassigned', (call) => {
    readProjectId(call);
    const { user, assignment } = findAssignment(call, requireTask(call));
    if (assignment === undefined) throw wrongState(`The user ${user} is not assigned to this task.`);
    delete call.workspace.assignments[assignment.id];
    return done(assignment);
  }),
];

function toProjectView(call: Call, { rate, budget_estimation, ...project }: W.Project) {
  const contracts = Object.values(call.workspace.contracts).filter(
    (contract) => contract.project_id === project.id && contract.deleted_at === null,
  );
  return {
    ...project,
    ...(seesRates(call.me) ? { budget_estimation, rate } : {}),
    contracts_count: contracts.length,
    status: project.deleted_at === null ? 1 : 0,
  };
}

function readProject({ input, me }: Call, existing?: W.Project) {
  const texts = { notes: read.anyText, icon: read.anyText };
  const numbers = { estimation: read.amount, budget: read.amount };
  const days = { start_date: read.day, deadline: read.day };
  const { budget, ...given } = input.given({ ...days, ...numbers, ...texts, is_billable: read.flag });
  const { start_date, deadline } = { ...existing, ...given };
  requireOrder('deadline', start_date, deadline);
  // Financial values are saved only for those who may see them (docs/service.md, Rates).
  return { ...given, ...(budget !== undefined && seesRates(me) ? { budget_estimation: budget } : {}) };
}

/** The day in `field` must not be before the start, which a record may have already. */
function requireOrder(field: string, start: string | null = null, end: string | null = null): void {
  if (start !== null && end !== null && end < start)
    throw invalid(field, `The ${field} must be a date after or equal to start_date.`);
}

function requireProject(call: Call): W.Project {
  return requireRecord(call.workspace.projects, 'project', call.path.projectId);
}

function isUnarchived({ deleted_at }: { readonly deleted_at: string | null }): boolean {
  return deleted_at === null;
}

function requireUnarchived(kind: string, record: W.Project | W.Task): void {
  if (!isUnarchived(record)) throw wrongState(`The ${kind} ${record.id} is archived.`);
}

function archive<T extends W.Project | W.Task>(call: Call, kind: string, record: T): T {
  requireUnarchived(kind, record);
  return Object.assign(record, { deleted_at: call.time, updated_at: call.time });
}

const SCREENSHOTS: Readonly<Record<string, string>> = {
  ...{ full: 'Full', blurred: 'Blurred', no_preview: 'No preview', no_screenshot: 'No screenshot' },
  ...{ background_blurred: 'Background blurred', video_full: 'Video, full' },
  ...{ video_blurred: 'Video, blurred', video_full_silent: 'Video, full, silent' },
  video_blurred_silent: 'Video, blurred, silent',
};

function toContractView(call: Call, contract: W.Contract) {
  const { id, project_id, user_id, weekly_hours_limit, screenshots, rate_type, status } = contract;
  const { projects, members } = call.workspace;
  const user = findRecord(call.world.users, user_id);
  const member = findRecord(members, user_id);
  const project = findRecord(projects, project_id);
  let rate = member?.rate ?? null;
  if (rate_type === 1) rate = contract.rate;
  else if (rate_type === 3) rate = project?.rate ?? null;
  return {
    ...{ id, project_id, project_name: project?.name ?? null, project_icon: project?.icon ?? null, user_id },
    user_firstname: user?.firstname ?? null,
    user_lastname: user?.lastname ?? null,
    user_email: user?.email ?? null,
    user_role: member?.role ?? null,
    ...{ weekly_hours_limit, screenshots, screenshots_label: SCREENSHOTS[screenshots] ?? screenshots },
    ...(seesRates(call.me) && project?.is_billable === true ? { rate, rate_type } : {}),
    status,
  };
}

/** Rates are saved only for those who may view them (docs/service.md, Rates). */
function readContract({ input, me }: Call) {
  const { rate, ...given } = input.given({
    weekly_hours_limit: read.wholeNumber(0),
    screenshots: read.choice(Object.keys(SCREENSHOTS)),
    rate: read.amount,
  });
  return { ...given, ...(rate !== undefined && seesRates(me) ? { rate, rate_type: 1 } : {}) };
}

function isInProject(workspace: W.Workspace, user: number, project: number): boolean {
  return Object.values(workspace.contracts).some(
    (contract) =>
      contract.user_id === user && contract.project_id === project && contract.deleted_at === null,
  );
}

function requireContract({ workspace, path }: Call): W.Contract {
  return requireRecord(workspace.contracts, 'contract', path.contractId, isUnarchived);
}

function toTaskView(call: Call, task: W.Task) {
  const assignees = listAssignments(call, task).map((assignment) => toAssigneeView(call, assignment));
  return { ...task, assignees };
}

function toAssigneeView({ world }: Call, { id, user_id, task_id, assigner_id }: W.Assignment) {
  const { firstname = null, lastname = null, email = null } = findRecord(world.users, user_id) ?? {};
  return { id, firstname, lastname, email, user_id, task_id, assigner_id };
}

function listAssignments({ workspace }: Call, task: W.Task): W.Assignment[] {
  return Object.values(workspace.assignments).filter((assignment) => assignment.task_id === task.id);
}

function requireProjectId({ workspace }: Call, id: number | undefined): number {
  const project = read.requirePresent('project_id', id);
  return requireRecord(workspace.projects, 'project', project, isUnarchived).id;
}

export function readProjectId(call: Call): number {
  return requireProjectId(call, call.input.either('project_id', read.wholeNumber()));
}

/** @throws Refusal (404), also where the request names a project that is not the task's. */
function requireTask({ workspace, input, path }: Call): W.Task {
  const project = input.either('project_id', read.wholeNumber());
  const isOfProject = (task: W.Task) => project === undefined || project === task.project_id;
  return requireRecord(workspace.tasks, 'task', path.taskId, isOfProject);
}

function readTask({ input, time }: Call, existing?: W.Task) {
  const choices = { status: read.choice(W.TASK_STATUSES), priority: read.choice(W.PRIORITIES) };
  const days = { start_date: read.day, end_date: read.day };
  const given = input.given({ description: read.anyText, ...choices, ...days });
  const { start_date, end_date, status = 0, completed_at = null } = { ...existing, ...given };
  requireOrder('end_date', start_date, end_date);
  return { ...given, completed_at: status >= 20 ? (completed_at ?? time) : null };
}

function requireWorker({ workspace }: Call, user: number, project: number, field: string): void {
  if (!isLive(workspace.members, user) || !isInProject(workspace, user, project))
    throw invalid(field, `The user ${user} is not a member of the project ${project}.`);
}

function readAssignees(call: Call, project: number): Set<number> | undefined {
  const users = call.input.maybe('assignees', read.list(read.wholeNumber()));
  for (const user of users ?? []) requireWorker(call, user, project, 'assignees');
  return users === undefined ? undefined : new Set(users);
}

function replaceAssignees(call: Call, task: W.Task, users: ReadonlySet<number>): void {
  const assignments = listAssignments(call, task);
  for (const { id, user_id } of assignments) if (!users.has(user_id)) delete call.workspace.assignments[id];
  for (const user_id of users)
    if (!assignments.some((assignment) => assignment.user_id === user_id))
      addRecord(call, 'assignments', { task_id: task.id, user_id, assigner_id: call.user.id });
}

function findAssignment(call: Call, task: W.Task) {
  const { user_id: user } = requireRecord(call.workspace.members, 'member', call.path.userId);
  const assignment = listAssignments(call, task).find(({ user_id }) => user_id === user);
  return { user, assignment };
}
