import { invalid, wrongState } from '../answer.ts';
import * as read from '../input.ts';
import { type Call, created, done, type Route, requireRecord, route } from '../input.ts';
import { addRecord, getMonday } from '../records.ts';
import { findRecord, formatFullName, isLive } from '../state.ts';
import * as W from '../world.ts';

export const timeRoutes: readonly Route[] = [
  route('GET /timesheets', {}, ({ input, workspace }) => {
    const readers = { status: read.choice(W.TIMESHEET_STATUSES), id: read.anyText };
    const isInRange = input.rangeFilter();
    const rows = input.select(workspace.timesheets, readers);
    return input.page(
      rows.filter((sheet) => isInRange(sheet.date_from, sheet.date_to)),
      ({ total_minutes, ...sheet }) => ({
        ...sheet,
        total_hours: Math.round((total_minutes / 60) * 100) / 100,
      }),
    );
  }),
  moveSheet('approve', 'submitted', 'approved'),
  moveSheet('reject', 'submitted', 'rejected'),
  moveSheet('submit', 'open', 'submitted'),
  moveSheet('unsubmit', 'submitted', 'open'),
  route('GET /leaves', {}, (call) => {
    const { input, workspace } = call;
    const ids = { id: read.anyText, policy_id: read.wholeNumber(), user_id: read.wholeNumber() };
    const wanted = input.filter('is_paid', read.choice(['yes', 'no']));
    const isInRange = input.rangeFilter();
    const isPaid = ({ policy_id }: W.Leave) =>
      findRecord(workspace.leave_policies, policy_id)?.is_paid === true ? 'yes' : 'no';
    const rows = input
      .select(workspace.leaves, { ...ids, status: read.choice(W.DECISIONS) })
      .filter((leave) => wanted === undefined || wanted === isPaid(leave))
      .filter((leave) => isInRange(leave.start_date, leave.end_date));
    return input.page(rows, (leave) => ({ ...leave, is_paid: isPaid(leave) }));
  }),
  decideLeave('approve', 'approved'),
  decideLeave('reject', 'rejected'),
  route('GET /leaves/balances', {}, ({ input, workspace, world }) => {
    for (const name of ['date_from', 'date_to']) read.requirePresent(name, input.filter(name, read.day));
    const isInRange = input.rangeFilter();
    const taken = Object.values(workspace.leaves).filter(
      ({ status, start_date, end_date }) => status === 'approved' && isInRange(start_date, end_date),
    );
    const rows = input
      .select(workspace.members, { user_id: read.wholeNumber() })
      .filter((member) => member.deleted_at === null && member.role !== 'Project viewer');
    // What is left of each allowance: approved leave in the range is taken from it.
    const show = ({ user_id }: W.Membership) => {
      let days = 0;
      const leave_information = Object.values(workspace.leave_policies).map((policy) => {
        const { id, name, time_unit, duration, hours_per_day } = policy;
        const left = taken
          .filter((leave) => leave.user_id === user_id && leave.policy_id === id)
          .reduce((sum, leave) => sum - leave.total[time_unit], duration);
        days += time_unit === 'days' ? left : left / hours_per_day;
        return { leave_type: name, balance: `${left} ${time_unit}` };
      });
      const user_name = formatFullName(findRecord(world.users, user_id));
      return { user_id, user_name, leave_information, total_balance: `${Math.round(days * 100) / 100} days` };
    };
    return input.page(rows, show, { fixed: true });
  }),
  route('GET /leaves/policies', {}, ({ input, workspace }) => ({
    data: input.select(workspace.leave_policies, { id: read.wholeNumber() }),
  })),
  route('GET /time-requests', {}, ({ input, workspace }) => {
    const readers = { status: read.choice(W.DECISIONS), user_id: read.wholeNumber(), id: read.anyText };
    const isInRange = input.rangeFilter();
    const rows = input
      .select(workspace.time_requests, readers)
      .filter(({ start, end }) => isInRange(start.slice(0, 10), end.slice(0, 10)));
    return input.page(rows, (request) => request);
  }),
  route('POST /time-requests', 'time_request.created', (call) => {
    const { input, workspace } = call;
    const user_id = input.need('user_id', read.wholeNumber());
    if (!isLive(workspace.members, user_id)) throw invalid('user_id');
    const contract = findRecord(workspace.contracts, input.need('contract_id', read.wholeNumber()));
    if (contract?.user_id !== user_id || contract.deleted_at !== null || contract.status !== 'active')
      throw invalid('contract_id');
    const start = input.need('start', read.moment);
    const end = input.need('end', read.moment);
    if (end <= start) throw invalid('end', 'The end must be a date after start.');
    const { id: contract_id, project_id } = contract;
    const task_id = input.maybe('task_id', read.wholeNumber()) ?? null;
    const task = task_id === null ? undefined : findRecord(workspace.tasks, task_id);
    if (task_id !== null && (task?.project_id !== project_id || task.deleted_at !== null))
      throw invalid('task_id');
    const notes = input.maybe('notes', read.anyText) ?? null;
    const fields = { user_id, contract_id, project_id, task_id, start, end, notes };
    const request = addRecord(call, 'time_requests', fields);
    return created(request, request);
  }),
  route('GET /time-requests/{id}', {}, (call) => ({ data: requireTimeRequest(call) })),
  route('POST /time-requests/{id}/approve', 'time_request.approved', (call) => {
    const request = decideTimeRequest(call, 'approved', null);
    // The time goes to the user's sheet of the day on which it began (UTC); where there is none, to a new one of that week.
    const { user_id, start, end } = request;
    const day = start.slice(0, 10);
    const sheets = Object.values(call.workspace.timesheets).filter((sheet) => sheet.user_id === user_id);
    const sheet =
      sheets.find(({ date_from, date_to }) => date_from <= day && day <= date_to) ??
      addRecord(call, 'timesheets', { user_id, date_from: getMonday(day) });
    sheet.total_minutes += Math.round((Date.parse(end) - Date.parse(start)) / 60_000);
    return done(request);
  }),
  route('POST /time-requests/{id}/reject', 'time_request.rejected', (call) => {
    requireTimeRequest(call);
    return done(decideTimeRequest(call, 'rejected', call.input.need('comment', read.filledText)));
  }),
  // The tracker of the authenticated user, whatever the workspace.
  route('POST /time-tracking/stop', { workspace: 'none', events: ['tracker.stopped'] }, (call) => {
    const { world, user, time } = call;
    const tracker = findRecord(world.trackers, user.id);
    if (tracker === undefined) throw wrongState('There is no active tracker.');
    delete world.trackers[user.id];
    const event = { ...tracker, stopped_at: time };
    return { data: { stopped_at: time }, event, workspace_id: tracker.workspace_id };
  }),
];

function toTimesheetEvent({ total_minutes, ...sheet }: W.Timesheet) {
  return { ...sheet, total_hours: total_minutes / 60 };
}

function moveSheet(action: string, from: W.TimesheetStatus, to: W.TimesheetStatus): Route {
  const verb = to === 'open' ? 'unsubmitted' : to;
  return route(`PUT /timesheets/{timesheetId}/${action}`, `timesheet.${verb}`, (call) => {
    const sheet = requireRecord(call.workspace.timesheets, 'timesheet', call.path.timesheetId);
    const reject_reason =
      to === 'rejected' ? call.input.need('reason', read.filledText) : sheet.reject_reason;
    if (sheet.status !== from)
      throw wrongState(`Only timesheets that are ${from} can be ${verb}; this one is ${sheet.status}.`);
    const submitted_on = { submitted: call.time, open: null }[to as string];
    Object.assign(sheet, { status: to, reject_reason }, submitted_on !== undefined && { submitted_on });
    return done(toTimesheetEvent(sheet));
  });
}

function decideLeave(action: string, status: 'approved' | 'rejected'): Route {
  return route(`PUT /leaves/{leaveRequestId}/${action}`, `leave.${status}`, (call) => {
    const leave = requireRecord(call.workspace.leaves, 'leave request', call.path.leaveRequestId);
    const reject_reason = status === 'rejected' ? call.input.need('reason', read.filledText) : null;
    if (leave.status !== 'pending')
      throw wrongState(`Only pending leave requests can be decided; this one is ${leave.status}.`);
    return done(Object.assign(leave, { status, reject_reason, [`${status}_by`]: call.user.id }));
  });
}

function requireTimeRequest({ workspace, path }: Call): W.TimeRequest {
  return requireRecord(workspace.time_requests, 'time request', path.id);
}

function decideTimeRequest(call: Call, status: 'approved' | 'rejected', comment: string | null) {
  const request = requireTimeRequest(call);
  if (request.status !== 'pending')
    throw wrongState(`Only pending time requests can be ${status}; this one is ${request.status}.`);
  return Object.assign(request, { status, comment, updated_by: call.user.id, updated_at: call.time });
}
