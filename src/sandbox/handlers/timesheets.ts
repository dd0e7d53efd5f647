import { answerDone, type HandlerAnswer } from '../answer.ts';
import { formatCallTime, getPathValue, type Route, type WorkspaceCall } from '../call.ts';
import { toSheetData } from '../events.ts';
import { isOverlapping, matchesFilter, readIdFilter, readRange } from '../filters.ts';
import { toInwardId, toOutwardId } from '../ids.ts';
import { answerPage } from '../paging.ts';
import { choiceReader, textReader } from '../read.ts';
import type { Timesheet, TimesheetStatus } from '../records.ts';
import { notFound, wrongState } from '../refusal.ts';
import { findRecord, formatFullName } from '../state.ts';

/** The state's name for a status, or the newer generation's: `pending` in place of `open`. */
const formatStatus = (call: WorkspaceCall, status: TimesheetStatus): string =>
  call.dialect.timesheets === 'newer' && status === 'open' ? 'pending' : status;

const toSheetView = (call: WorkspaceCall, sheet: Timesheet) => {
  const isNewer = call.dialect.timesheets === 'newer';
  const time = isNewer
    ? {
        total_minutes: sheet.total_minutes,
        member: { id: sheet.user_id, name: formatFullName(findRecord(call.world.users, sheet.user_id)) },
      }
    : { total_hours: Math.round((sheet.total_minutes / 60) * 100) / 100 };
  return {
    id: toOutwardId(call.dialect, sheet.id),
    user_id: sheet.user_id,
    date_from: sheet.date_from,
    date_to: sheet.date_to,
    ...time,
    submitted_on: sheet.submitted_on,
    reject_reason: sheet.reject_reason,
    status: formatStatus(call, sheet.status),
  };
};

const list = (call: WorkspaceCall): HandlerAnswer => {
  const statuses = ['open', 'submitted', 'rejected', 'approved'] as const;
  const statusNames = statuses.map((name) => formatStatus(call, name));
  const status = call.input.filter('status', choiceReader(statusNames));
  const range = readRange(call);
  const id = readIdFilter(call);
  const rows = Object.values(call.workspace.timesheets).filter(
    (sheet) =>
      matchesFilter(id, sheet.id) &&
      matchesFilter(status, formatStatus(call, sheet.status)) &&
      isOverlapping(range, sheet.date_from, sheet.date_to),
  );
  return answerPage(call, rows, (sheet) => toSheetView(call, sheet));
};

/** @throws Refusal (404). */
const requireSheet = (call: WorkspaceCall): Timesheet => {
  const id = getPathValue(call, 'timesheetId');
  const sheet = findRecord(call.workspace.timesheets, toInwardId(call.dialect, id));
  if (sheet === undefined) throw notFound('timesheet', id);
  return sheet;
};

/** Moves a sheet of the state `from` to the state `to`. @throws Refusal (400) for any other state. */
const changeStatus = (
  call: WorkspaceCall,
  sheet: Timesheet,
  from: TimesheetStatus,
  to: TimesheetStatus,
  verb: string,
): void => {
  if (sheet.status !== from) {
    const [required, current] = [formatStatus(call, from), formatStatus(call, sheet.status)];
    throw wrongState(`Only timesheets that are ${required} can be ${verb}; this one is ${current}.`);
  }
  sheet.status = to;
};

const approve = (call: WorkspaceCall): HandlerAnswer => {
  const sheet = requireSheet(call);
  changeStatus(call, sheet, 'submitted', 'approved', 'approved');
  call.emit(call.workspace, toSheetData(call.dialect, sheet));
  return answerDone('The timesheet has been approved.');
};

const reject = (call: WorkspaceCall): HandlerAnswer => {
  const sheet = requireSheet(call);
  const reason = call.input.need('reason', textReader);
  changeStatus(call, sheet, 'submitted', 'rejected', 'rejected');
  sheet.reject_reason = reason;
  call.emit(call.workspace, toSheetData(call.dialect, sheet));
  return answerDone('The timesheet has been rejected.');
};

const submit = (call: WorkspaceCall): HandlerAnswer => {
  const sheet = requireSheet(call);
  changeStatus(call, sheet, 'open', 'submitted', 'submitted');
  sheet.submitted_on = formatCallTime(call);
  call.emit(call.workspace, toSheetData(call.dialect, sheet));
  return answerDone('The timesheet has been submitted.');
};

const unsubmit = (call: WorkspaceCall): HandlerAnswer => {
  const sheet = requireSheet(call);
  changeStatus(call, sheet, 'submitted', 'open', 'unsubmitted');
  sheet.submitted_on = null;
  call.emit(call.workspace, toSheetData(call.dialect, sheet));
  return answerDone('The timesheet has been unsubmitted.');
};

export const routes: readonly Route[] = [
  {
    route: 'GET /timesheets',
    handle: list,
  },
  {
    route: 'PUT /timesheets/{timesheetId}/approve',
    handle: approve,
    events: ['timesheet.approved'],
  },
  {
    route: 'PUT /timesheets/{timesheetId}/reject',
    handle: reject,
    events: ['timesheet.rejected'],
  },
  {
    route: 'PUT /timesheets/{timesheetId}/submit',
    handle: submit,
    events: ['timesheet.submitted'],
  },
  {
    route: 'PUT /timesheets/{timesheetId}/unsubmit',
    handle: unsubmit,
    events: ['timesheet.unsubmitted'],
  },
];
