import { answerCreated, answerData, answerDone, type HandlerAnswer } from '../answer.ts';
import { formatCallTime, getPathValue, type Route, type WorkspaceCall } from '../call.ts';
import { toRequestData } from '../events.ts';
import {
  assumeOverlap,
  isOverlapping,
  matchesFilter,
  readIdFilter,
  readRange,
  readUserFilter,
} from '../filters.ts';
import { toInwardId, toOutwardId } from '../ids.ts';
import { answerPage } from '../paging.ts';
import { anyTextReader, choiceReader, integerReader, momentReader, textReader } from '../read.ts';
import type { Contract, TimeRequest } from '../records.ts';
import { invalid, notFound, wrongState } from '../refusal.ts';
import { addTime } from '../sheets.ts';
import { createUuid, findRecord, isLive } from '../state.ts';

const requestView = (call: WorkspaceCall, row: TimeRequest) => ({
  ...row,
  id: toOutwardId(call.dialect, row.id),
});

const list = (call: WorkspaceCall): HandlerAnswer => {
  const status = call.input.filter('status', choiceReader(['pending', 'approved', 'rejected']));
  const user = readUserFilter(call);
  const range = readRange(call);
  const id = readIdFilter(call);
  assumeOverlap(call, range);
  const rows = Object.values(call.space.time_requests).filter(
    (row) =>
      matchesFilter(status, row.status) &&
      matchesFilter(user, row.user_id) &&
      matchesFilter(id, row.id) &&
      isOverlapping(range, row.start.slice(0, 10), row.end.slice(0, 10)),
  );
  return answerPage(call, rows, (row) => requestView(call, row));
};

/** @throws Refused (400) unless it is an active contract of this user. */
const contractFor = (call: WorkspaceCall, user: number): Contract => {
  const contract = findRecord(call.space.contracts, call.input.need('contract_id', integerReader()));
  const usable =
    contract !== undefined &&
    contract.user_id === user &&
    contract.deleted_at === null &&
    contract.status === 'active';
  if (!usable) throw invalid('contract_id', 'The selected contract_id is invalid.', 'own-contract');
  return contract;
};

const readTask = (call: WorkspaceCall, project: number): number | null => {
  const task = call.input.maybe('task_id', integerReader());
  if (task === undefined) return null;
  const known = findRecord(call.space.tasks, task);
  if (known === undefined || known.project_id !== project || known.deleted_at !== null) {
    throw invalid('task_id', 'The selected task_id is invalid.', 'existing-ids');
  }
  return task;
};

const create = (call: WorkspaceCall): HandlerAnswer => {
  const user = call.input.need('user_id', integerReader());
  if (!isLive(call.space.members, user)) {
    throw invalid('user_id', 'The selected user_id is invalid.', 'existing-ids');
  }
  const contract = contractFor(call, user);
  const start = call.input.need('start', momentReader);
  const end = call.input.need('end', momentReader);
  if (end <= start) throw invalid('end', 'The end must be a date after start.');
  const task = readTask(call, contract.project_id);
  const row: TimeRequest = {
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
  call.space.time_requests[row.id] = row;
  call.emit('time_request.created', call.space, toRequestData(call.dialect, row));
  return answerCreated(201, requestView(call, row), 'The time request has been created.');
};

/** @throws Refused (404). */
const requestOf = (call: WorkspaceCall): TimeRequest => {
  const given = getPathValue(call, 'id');
  const row = findRecord(call.space.time_requests, toInwardId(call.dialect, given));
  if (row === undefined) throw notFound('time request', given);
  return row;
};

/** Decides a pending request. @throws Refused (400) for any other state. */
const decide = (call: WorkspaceCall, row: TimeRequest, status: 'approved' | 'rejected'): void => {
  if (row.status !== 'pending') {
    throw wrongState(`Only pending time requests can be ${status}; this one is ${row.status}.`);
  }
  row.status = status;
  row.updated_by = call.user.id;
  row.updated_at = formatCallTime(call);
};

const approve = (call: WorkspaceCall): HandlerAnswer => {
  const row = requestOf(call);
  decide(call, row, 'approved');
  addTime(call.world, call.space, { user: row.user_id, start: row.start, end: row.end });
  call.assume('sheet-for-request');
  call.emit('time_request.approved', call.space, toRequestData(call.dialect, row));
  return answerDone('The time request has been approved.');
};

const reject = (call: WorkspaceCall): HandlerAnswer => {
  const row = requestOf(call);
  const comment = call.input.need('comment', textReader);
  decide(call, row, 'rejected');
  row.comment = comment;
  call.emit('time_request.rejected', call.space, toRequestData(call.dialect, row));
  return answerDone('The time request has been rejected.');
};

export const routes: readonly Route[] = [
  {
    route: 'GET /time-requests',
    handle: list,
    documented: ['paginated', 'filters status (all when omitted), user_id, date range, id'],
    beyond: ['record', 'pagination', 'list-paging', 'last-page', 'period-overlap', 'range-order'],
  },
  {
    route: 'POST /time-requests',
    handle: create,
    documented: ['for a member', 'starts pending'],
    beyond: ['record', 'body', 'date-order', 'created-201', 'existing-ids', 'own-contract', 'event-others'],
  },
  {
    route: 'GET /time-requests/{id}',
    handle: (call) => answerData(requestView(call, requestOf(call)), 'The time request.'),
    documented: ['by id'],
    beyond: ['record'],
  },
  {
    route: 'POST /time-requests/{id}/approve',
    handle: approve,
    documented: ['only pending', 'becomes approved', "the time is added to the user's timesheet"],
    beyond: ['state-400', 'sheet-for-request', 'event-others'],
  },
  {
    route: 'POST /time-requests/{id}/reject',
    handle: reject,
    documented: ['only pending', 'becomes rejected', 'a comment is required'],
    beyond: ['state-400', 'body', 'event-others'],
  },
];
