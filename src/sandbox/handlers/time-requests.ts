import { answerCreated, answerData, answerDone, type HandlerAnswer } from '../answer.ts';
import { formatCallTime, getPathValue, type Route, type WorkspaceCall } from '../call.ts';
import { toRequestData } from '../events.ts';
import { isOverlapping, matchesFilter, readIdFilter, readRange, readUserFilter } from '../filters.ts';
import { toInwardId, toOutwardId } from '../ids.ts';
import { answerPage } from '../paging.ts';
import { anyTextReader, choiceReader, integerReader, momentReader, textReader } from '../read.ts';
import type { Contract, TimeRequest } from '../records.ts';
import { invalid, notFound, wrongState } from '../refusal.ts';
import { addTime } from '../sheets.ts';
import { createUuid, findRecord, isLive } from '../state.ts';

const toRequestView = (call: WorkspaceCall, request: TimeRequest) => ({
  ...request,
  id: toOutwardId(call.dialect, request.id),
});

const list = (call: WorkspaceCall): HandlerAnswer => {
  const status = call.input.filter('status', choiceReader(['pending', 'approved', 'rejected']));
  const user = readUserFilter(call);
  const range = readRange(call);
  const id = readIdFilter(call);
  const rows = Object.values(call.workspace.time_requests).filter(
    (request) =>
      matchesFilter(status, request.status) &&
      matchesFilter(user, request.user_id) &&
      matchesFilter(id, request.id) &&
      isOverlapping(range, request.start.slice(0, 10), request.end.slice(0, 10)),
  );
  return answerPage(call, rows, (request) => toRequestView(call, request));
};

/** @throws Refusal (400) unless it is an active contract of this user. */
const requireContract = (call: WorkspaceCall, user: number): Contract => {
  const contract = findRecord(call.workspace.contracts, call.input.need('contract_id', integerReader()));
  const isUsable =
    contract !== undefined &&
    contract.user_id === user &&
    contract.deleted_at === null &&
    contract.status === 'active';
  if (!isUsable) throw invalid('contract_id', 'The selected contract_id is invalid.');
  return contract;
};

const readTask = (call: WorkspaceCall, project: number): number | null => {
  const id = call.input.maybe('task_id', integerReader());
  if (id === undefined) return null;
  const task = findRecord(call.workspace.tasks, id);
  if (task === undefined || task.project_id !== project || task.deleted_at !== null) {
    throw invalid('task_id', 'The selected task_id is invalid.');
  }
  return id;
};

const create = (call: WorkspaceCall): HandlerAnswer => {
  const user = call.input.need('user_id', integerReader());
  if (!isLive(call.workspace.members, user)) {
    throw invalid('user_id', 'The selected user_id is invalid.');
  }
  const contract = requireContract(call, user);
  const start = call.input.need('start', momentReader);
  const end = call.input.need('end', momentReader);
  if (end <= start) throw invalid('end', 'The end must be a date after start.');
  const task = readTask(call, contract.project_id);
  const request: TimeRequest = {
    id: createUuid(call.world),
    user_id: user,
    contract_id: contract.id,
    project_id: contract.project_id,
    task_id: task,
    start,
    end,
    status: 'pending',
    notes: call.input.maybe('notes', anyTextReader) ?? null,
    comment: null,
    updated_by: null,
    created_at: formatCallTime(call),
    updated_at: formatCallTime(call),
  };
  call.workspace.time_requests[request.id] = request;
  call.emit(call.workspace, toRequestData(call.dialect, request));
  return answerCreated(201, toRequestView(call, request), 'The time request has been created.');
};

/** @throws Refusal (404). */
const requireRequest = (call: WorkspaceCall): TimeRequest => {
  const id = getPathValue(call, 'id');
  const request = findRecord(call.workspace.time_requests, toInwardId(call.dialect, id));
  if (request === undefined) throw notFound('time request', id);
  return request;
};

/** Decides a pending request. @throws Refusal (400) for any other state. */
const decide = (call: WorkspaceCall, request: TimeRequest, status: 'approved' | 'rejected'): void => {
  if (request.status !== 'pending') {
    throw wrongState(`Only pending time requests can be ${status}; this one is ${request.status}.`);
  }
  request.status = status;
  request.updated_by = call.user.id;
  request.updated_at = formatCallTime(call);
};

const approve = (call: WorkspaceCall): HandlerAnswer => {
  const request = requireRequest(call);
  decide(call, request, 'approved');
  addTime(call.world, call.workspace, { user: request.user_id, start: request.start, end: request.end });
  call.emit(call.workspace, toRequestData(call.dialect, request));
  return answerDone('The time request has been approved.');
};

const reject = (call: WorkspaceCall): HandlerAnswer => {
  const request = requireRequest(call);
  const comment = call.input.need('comment', textReader);
  decide(call, request, 'rejected');
  request.comment = comment;
  call.emit(call.workspace, toRequestData(call.dialect, request));
  return answerDone('The time request has been rejected.');
};

export const routes: readonly Route[] = [
  {
    route: 'GET /time-requests',
    handle: list,
  },
  {
    route: 'POST /time-requests',
    handle: create,
    events: ['time_request.created'],
  },
  {
    route: 'GET /time-requests/{id}',
    handle: (call) => answerData(toRequestView(call, requireRequest(call)), 'The time request.'),
  },
  {
    route: 'POST /time-requests/{id}/approve',
    handle: approve,
    events: ['time_request.approved'],
  },
  {
    route: 'POST /time-requests/{id}/reject',
    handle: reject,
    events: ['time_request.rejected'],
  },
];
