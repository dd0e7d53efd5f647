import { type HandlerAnswer, invalid, requireRecord, wrongState } from '../answer.ts';
import { type Call, created, done, type Route, route, show, type UserCall } from '../call.ts';
import * as read from '../input.ts';
import { getMonday, newTimeRequest, newTimesheet } from '../records.ts';
import { findRecord, formatFullName, isLive } from '../state.ts';
import * as W from '../world.ts';

/** What is worked and what is asked for: timesheets, leave and its balances, time requests, the tracker. */

export const timeRoutes: readonly Route[] = [
  route('GET /timesheets', listTimesheets),
  route('PUT /timesheets/{timesheetId}/approve', move('submitted', 'approved'), 'timesheet.approved'),
  route('PUT /timesheets/{timesheetId}/reject', move('submitted', 'rejected'), 'timesheet.rejected'),
  route('PUT /timesheets/{timesheetId}/submit', move('open', 'submitted'), 'timesheet.submitted'),
  route('PUT /timesheets/{timesheetId}/unsubmit', move('submitted', 'open'), 'timesheet.unsubmitted'),
  route('GET /leaves', listLeaves),
  route('PUT /leaves/{leaveRequestId}/approve', decideLeave('approved'), 'leave.approved'),
  route('PUT /leaves/{leaveRequestId}/reject', decideLeave('rejected'), 'leave.rejected'),
  route('GET /leaves/balances', listBalances),
  route('GET /leaves/policies', listPolicies),
  route('GET /time-requests', listTimeRequests),
  route('POST /time-requests', createTimeRequest, 'time_request.created'),
  route('GET /time-requests/{id}', show('The time request.', requireTimeRequest)),
  route('POST /time-requests/{id}/approve', decideTimeRequest('approved'), 'time_request.approved'),
  route('POST /time-requests/{id}/reject', decideTimeRequest('rejected'), 'time_request.rejected'),
  { route: 'POST /time-tracking/stop', of: 'user', handle: stopTracker, events: ['tracker.stopped'] },
];

export function toTimesheetEvent({ total_minutes, ...sheet }: W.Timesheet) {
  return { ...sheet, total_hours: total_minutes / 60 };
}

function listTimesheets({ input, workspace }: Call): HandlerAnswer {
  const readers = { status: read.choice(W.TIMESHEET_STATUSES), id: read.anyText };
  const isInRange = input.rangeFilter();
  const rows = input.select(workspace.timesheets, readers);
  return input.page(
    rows.filter((sheet) => isInRange(sheet.date_from, sheet.date_to)),
    toTimesheetView,
  );
}

function toTimesheetView({ total_minutes, ...sheet }: W.Timesheet) {
  return { ...sheet, total_hours: Math.round((total_minutes / 60) * 100) / 100 };
}

/** Moves a sheet of the state `from` to the state `to`. @throws Refusal (400) for any other state */
function move(from: W.TimesheetStatus, to: W.TimesheetStatus) {
  const verb = to === 'open' ? 'unsubmitted' : to;
  return (call: Call): HandlerAnswer => {
    const sheet = requireRecord(call.workspace.timesheets, 'timesheet', call.path['timesheetId']);
    const reason = to === 'rejected' ? call.input.need('reason', read.filledText) : sheet.reject_reason;
    if (sheet.status !== from)
      throw wrongState(`Only timesheets that are ${from} can be ${verb}; this one is ${sheet.status}.`);
    Object.assign(sheet, { status: to, reject_reason: reason });
    if (to === 'submitted') sheet.submitted_on = call.time;
    if (to === 'open') sheet.submitted_on = null;
    return done(call, `The timesheet has been ${verb}.`, toTimesheetEvent(sheet));
  };
}

function formatPaid({ workspace }: Call, leave: W.Leave): 'yes' | 'no' {
  return findRecord(workspace.leave_policies, leave.policy_id)?.is_paid === true ? 'yes' : 'no';
}

function listLeaves(call: Call): HandlerAnswer {
  const { input, workspace } = call;
  const readers = {
    id: read.anyText,
    policy_id: read.wholeNumber(),
    status: read.choice(W.DECISIONS),
    user_id: read.wholeNumber(),
  };
  const paid = input.filter('is_paid', read.choice(['yes', 'no']));
  const isInRange = input.rangeFilter();
  const rows = input
    .select(workspace.leaves, readers)
    .filter((leave) => paid === undefined || paid === formatPaid(call, leave))
    .filter((leave) => isInRange(leave.start_date, leave.end_date));
  return input.page(rows, (leave) => ({ ...leave, is_paid: formatPaid(call, leave) }));
}

function decideLeave(status: 'approved' | 'rejected') {
  return (call: Call): HandlerAnswer => {
    const leave = requireRecord(call.workspace.leaves, 'leave request', call.path['leaveRequestId']);
    const reason = status === 'rejected' ? call.input.need('reason', read.filledText) : null;
    if (leave.status !== 'pending')
      throw wrongState(`Only pending leave requests can be decided; this one is ${leave.status}.`);
    Object.assign(leave, { status, reject_reason: reason, [`${status}_by`]: call.user.id });
    return done(call, `The leave request has been ${status}.`, { ...leave });
  };
}

/** What is left of each allowance for one person: approved leave in the range is taken from it. */
function toBalanceView(
  { workspace, world }: Call,
  { user_id }: W.Membership,
  isInRange: (first: string, last: string) => boolean,
) {
  const taken = Object.values(workspace.leaves).filter(
    (leave) =>
      leave.user_id === user_id && leave.status === 'approved' && isInRange(leave.start_date, leave.end_date),
  );
  let days = 0;
  const leave_information = Object.values(workspace.leave_policies).map((policy) => {
    const { id, name, time_unit, duration, hours_per_day } = policy;
    const left = taken
      .filter((leave) => leave.policy_id === id)
      .reduce((sum, leave) => sum - leave.total[time_unit], duration);
    days += time_unit === 'days' ? left : left / hours_per_day;
    return { leave_type: name, balance: `${left} ${time_unit}` };
  });
  return {
    user_id,
    user_name: formatFullName(findRecord(world.users, user_id)),
    leave_information,
    total_balance: `${Math.round(days * 100) / 100} days`,
  };
}

function listBalances(call: Call): HandlerAnswer {
  const { input, workspace } = call;
  for (const name of ['date_from', 'date_to']) read.requirePresent(name, input.filter(name, read.day));
  const isInRange = input.rangeFilter();
  const rows = input
    .select(workspace.members, { user_id: read.wholeNumber() })
    .filter((member) => member.deleted_at === null && member.role !== 'Project viewer');
  return input.page(rows, (member) => toBalanceView(call, member, isInRange), { fixed: true });
}

function listPolicies({ input, workspace }: Call): HandlerAnswer {
  return { data: input.select(workspace.leave_policies, { id: read.wholeNumber() }) };
}

function listTimeRequests({ input, workspace }: Call): HandlerAnswer {
  const readers = { status: read.choice(W.DECISIONS), user_id: read.wholeNumber(), id: read.anyText };
  const isInRange = input.rangeFilter();
  const rows = input
    .select(workspace.time_requests, readers)
    .filter(({ start, end }) => isInRange(start.slice(0, 10), end.slice(0, 10)));
  return input.page(rows, (request) => request);
}

/** @throws Refusal (400) unless it is an active contract of this user. */
function readContract({ input, workspace }: Call, user: number): W.Contract {
  const contract = findRecord(workspace.contracts, input.need('contract_id', read.wholeNumber()));
  if (contract?.user_id !== user || contract.deleted_at !== null || contract.status !== 'active')
    throw invalid('contract_id');
  return contract;
}

function createTimeRequest(call: Call): HandlerAnswer {
  const { input, workspace } = call;
  const user_id = input.need('user_id', read.wholeNumber());
  if (!isLive(workspace.members, user_id)) throw invalid('user_id');
  const { id: contract_id, project_id } = readContract(call, user_id);
  const start = input.need('start', read.moment);
  const end = input.need('end', read.moment);
  if (end <= start) throw invalid('end', 'The end must be a date after start.');
  const task_id = input.maybe('task_id', read.wholeNumber()) ?? null;
  const task = task_id === null ? undefined : findRecord(workspace.tasks, task_id);
  if (task_id !== null && (task?.project_id !== project_id || task.deleted_at !== null))
    throw invalid('task_id');
  const notes = input.maybe('notes', read.anyText) ?? null;
  const request = newTimeRequest(call, { user_id, contract_id, project_id, task_id, start, end, notes });
  return created(call, 'The time request has been created.', request, { ...request });
}

function requireTimeRequest({ workspace, path }: Call): W.TimeRequest {
  return requireRecord(workspace.time_requests, 'time request', path['id']);
}

/** Decides a pending request. @throws Refusal (400) for any other state */
function decideTimeRequest(status: 'approved' | 'rejected') {
  return (call: Call): HandlerAnswer => {
    const request = requireTimeRequest(call);
    const comment = status === 'rejected' ? call.input.need('comment', read.filledText) : null;
    if (request.status !== 'pending')
      throw wrongState(`Only pending time requests can be ${status}; this one is ${request.status}.`);
    Object.assign(request, { status, comment, updated_by: call.user.id, updated_at: call.time });
    if (status === 'approved') addTime(call, request);
    return done(call, `The time request has been ${status}.`, { ...request });
  };
}

/**
 * Adds tracked time to the user's sheet of the day on which it began (UTC); where there is none, an open sheet
 * of that week, Monday to Sunday, is made.
 */
function addTime(call: Call, { user_id, start, end }: W.TimeRequest): void {
  const day = start.slice(0, 10);
  const sheets = Object.values(call.workspace.timesheets).filter((sheet) => sheet.user_id === user_id);
  const sheet =
    sheets.find(({ date_from, date_to }) => date_from <= day && day <= date_to) ??
    newTimesheet(call, { user_id, date_from: getMonday(day) });
  sheet.total_minutes += Math.round((Date.parse(end) - Date.parse(start)) / 60_000);
}

export function toTrackerEvent(tracker: W.Tracker, stopped_at: string | null) {
  return { ...tracker, stopped_at };
}

/** The tracker of the authenticated user, whatever the workspace. */
function stopTracker({ world, user, time }: UserCall): HandlerAnswer {
  const tracker = findRecord(world.trackers, user.id);
  if (tracker === undefined) throw wrongState('There is no active tracker.');
  const workspace = requireRecord(world.spaces, 'workspace', tracker.workspace_id);
  delete world.trackers[user.id];
  const event = { workspace, data: toTrackerEvent(tracker, time) };
  return { data: { stopped_at: time }, message: 'The tracker has been stopped.', event };
}
