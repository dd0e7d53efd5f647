import type { SandboxEvent } from '../app.ts';
import { DEFAULT_DIALECT, type ServiceDialect } from '../dialect.ts';
import { toExpenseData, toRequestData, toSheetData, toTrackerData } from '../events.ts';
import type * as R from '../records.ts';
import { addTime, getMonday } from '../sheets.ts';
import { createUuid, findRecord } from '../state.ts';
import type { Workspace, World } from '../world.ts';
import type { RandomSource } from './random-source.ts';
import type { SimulationSummary } from './summary.ts';
import type { Workplace } from './workers.ts';

/** What people do in a simulation. Each action keeps the rules of the API, and does nothing where they forbid it. */

export interface SimulationContext {
  readonly world: World;
  readonly random: RandomSource;
  readonly summary: SimulationSummary;
  readonly dialect?: ServiceDialect;
  readonly onEvent: (event: SandboxEvent) => void;
}

const formatTime = (at: number): string => new Date(at).toISOString();
const formatDay = (at: number): string => formatTime(at).slice(0, 10);

const emit = (
  context: SimulationContext,
  event: string,
  workspace: Workspace,
  data: unknown,
  at_ms: number,
): void => {
  context.summary.events += 1;
  context.onEvent({ event, workspace_id: workspace.id, data, at_ms });
};

/** The person's sheet of the day; undefined: there is none yet. */
export const findSheet = (workspace: Workspace, user: number, day: string): R.Timesheet | undefined =>
  Object.values(workspace.timesheets).find(
    (sheet) => sheet.user_id === user && sheet.date_from <= day && day <= sheet.date_to,
  );

/** False: the person's tracker runs already. */
export const startTracker = (
  context: SimulationContext,
  { workspace, contract }: Workplace,
  task: number | null,
  at: number,
): boolean => {
  const { world, summary } = context;
  if (findRecord(world.trackers, contract.user_id) !== undefined) return false;
  const tracker = {
    user_id: contract.user_id,
    workspace_id: workspace.id,
    contract_id: contract.id,
    task_id: task,
    started_at: formatTime(at),
  };
  world.trackers[contract.user_id] = tracker;
  summary.trackers_started += 1;
  emit(context, 'tracker.started', workspace, toTrackerData(tracker, null), at);
  return true;
};

/** A tracker that was forgotten counts for so long: the rest was idle. */
const MAX_TRACKER_MS = 12 * 3_600_000;

/** Stops the person's tracker, if one runs; its time goes onto the sheet while that is open. */
export const stopTracker = (context: SimulationContext, user: number, at: number): void => {
  const { world, summary } = context;
  const tracker = findRecord(world.trackers, user);
  const workspace = tracker && findRecord(world.spaces, tracker.workspace_id);
  if (tracker === undefined || workspace === undefined) return;
  delete world.trackers[user];
  const startedMs = Date.parse(tracker.started_at);
  const end = formatTime(Math.min(at, startedMs + MAX_TRACKER_MS));
  const sheet = findSheet(workspace, user, tracker.started_at.slice(0, 10));
  if (sheet === undefined || sheet.status === 'open') {
    addTime(world, workspace, { user, start: tracker.started_at, end });
    summary.tracked_minutes += Math.round((Date.parse(end) - startedMs) / 60_000);
  }
  summary.trackers_stopped += 1;
  emit(context, 'tracker.stopped', workspace, toTrackerData(tracker, formatTime(at)), at);
};

export const submitSheet = (
  context: SimulationContext,
  workspace: Workspace,
  sheet: R.Timesheet,
  at: number,
): void => {
  if (sheet.status !== 'open' || sheet.total_minutes === 0) return;
  sheet.status = 'submitted';
  sheet.submitted_on = formatTime(at);
  context.summary.timesheets_submitted += 1;
  emit(context, 'timesheet.submitted', workspace, toSheetData(context.dialect ?? DEFAULT_DIALECT, sheet), at);
};

/** The person's sheets of the weeks before the one of this day that were never submitted. */
export const listOpenSheets = (workspace: Workspace, user: number, day: string): R.Timesheet[] =>
  Object.values(workspace.timesheets).filter(
    (sheet) => sheet.user_id === user && sheet.status === 'open' && sheet.date_to < getMonday(day),
  );

const NOTES = ['Forgot to start the tracker', 'Call with the client', 'Workshop on site', null];

/** Time without a tracker, earlier on the day; none where the person has asked for some of it already. */
export const requestTime = (
  context: SimulationContext,
  { workspace, contract }: Workplace,
  [start, end]: readonly [start: number, end: number],
  at: number,
): void => {
  const { world, random, summary } = context;
  const isTaken = Object.values(workspace.time_requests).some(
    (request) =>
      request.user_id === contract.user_id &&
      request.status !== 'rejected' &&
      request.start < formatTime(end) &&
      formatTime(start) < request.end,
  );
  if (isTaken) return;
  const request: R.TimeRequest = {
    id: createUuid(world),
    user_id: contract.user_id,
    contract_id: contract.id,
    project_id: contract.project_id,
    task_id: null,
    start: formatTime(start),
    end: formatTime(end),
    status: 'pending',
    notes: random.pick(NOTES) ?? null,
    comment: null,
    updated_by: null,
    created_at: formatTime(at),
    updated_at: formatTime(at),
  };
  workspace.time_requests[request.id] = request;
  summary.time_requests_made += 1;
  emit(
    context,
    'time_request.created',
    workspace,
    toRequestData(context.dialect ?? DEFAULT_DIALECT, request),
    at,
  );
};

const COSTS: readonly (readonly [name: string, min: number, max: number])[] = [
  ['Train ticket', 1200, 8900],
  ['Taxi', 900, 4500],
  ['Lunch with a client', 2500, 9800],
  ['Printing', 300, 2400],
  ['Software licence', 1900, 24000],
];

/** None where the workspace has no categories. */
export const bookExpense = (
  context: SimulationContext,
  { workspace, contract }: Workplace,
  at: number,
): void => {
  const { world, random, summary } = context;
  const category = random.pick(Object.values(workspace.categories));
  const [name, min, max] = random.pick(COSTS) ?? ['Taxi', 900, 4500];
  const amount = random.between(min, max) / 100;
  if (category === undefined) return;
  const project = random.often(0.6) ? findRecord(workspace.projects, contract.project_id) : undefined;
  const expense: R.Expense = {
    id: createUuid(world),
    user_id: contract.user_id,
    expense_name: name,
    date: formatDay(at),
    project_id: project?.id ?? null,
    category_id: category.id,
    amount,
    note: null,
    is_billable: project?.is_billable ?? false,
    added_on: formatDay(at),
  };
  workspace.expenses[expense.id] = expense;
  summary.expenses_booked += 1;
  emit(context, 'expense.created', workspace, toExpenseData(context.dialect ?? DEFAULT_DIALECT, expense), at);
};
