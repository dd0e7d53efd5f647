import type { SandboxEvent } from '../app.ts';
import { DEFAULT_DIALECT, type ServiceDialect } from '../dialect.ts';
import { type EventName, toExpenseData, toRequestData, toSheetData, toTrackerData } from '../events.ts';
import type * as R from '../records.ts';
import { addTime, getMonday } from '../sheets.ts';
import { createUuid, findRecord } from '../state.ts';
import type { Space, World } from '../world.ts';
import type { RandomSource } from './random-source.ts';
import type { SimulationSummary } from './summary.ts';
import type { Workplace } from './workers.ts';

/** What people do in a simulation. Each deed keeps the rules of the API, and does nothing where they forbid it. */

export interface SimulationContext {
  readonly world: World;
  readonly dice: RandomSource;
  readonly tally: SimulationSummary;
  readonly dialect?: ServiceDialect;
  readonly onEvent: (event: SandboxEvent) => void;
}

const stamp = (at: number): string => new Date(at).toISOString();
const dayOf = (at: number): string => stamp(at).slice(0, 10);

const tell = (
  stage: SimulationContext,
  event: EventName,
  space: Space,
  data: unknown,
  at_ms: number,
): void => {
  stage.tally.events += 1;
  stage.onEvent({ event, workspace_id: space.id, data, at_ms });
};

/** The person's sheet of the day; undefined: there is none yet. */
export const findSheet = (space: Space, user: number, day: string): R.Timesheet | undefined =>
  Object.values(space.timesheets).find(
    (sheet) => sheet.user_id === user && sheet.date_from <= day && day <= sheet.date_to,
  );

/** False: the person's tracker runs already. */
export const startTracker = (
  stage: SimulationContext,
  { space, contract }: Workplace,
  task: number | null,
  at: number,
): boolean => {
  const { world, tally: summary } = stage;
  if (findRecord(world.trackers, contract.user_id) !== undefined) return false;
  const tracker = {
    user_id: contract.user_id,
    workspace_id: space.id,
    contract_id: contract.id,
    task_id: task,
    started_at: stamp(at),
  };
  world.trackers[contract.user_id] = tracker;
  summary.trackers_started += 1;
  tell(stage, 'tracker.started', space, toTrackerData(tracker, null), at);
  return true;
};

/** A tracker that was forgotten counts for so long: the rest was idle. */
const LONGEST_MS = 12 * 3_600_000;

/** Stops the person's tracker, if one runs; its time goes onto the sheet while that is open. */
export const stopTracker = (stage: SimulationContext, user: number, at: number): void => {
  const { world, tally: summary } = stage;
  const tracker = findRecord(world.trackers, user);
  const space = tracker && findRecord(world.spaces, tracker.workspace_id);
  if (tracker === undefined || space === undefined) return;
  delete world.trackers[user];
  const began = Date.parse(tracker.started_at);
  const end = stamp(Math.min(at, began + LONGEST_MS));
  const sheet = findSheet(space, user, tracker.started_at.slice(0, 10));
  if (sheet === undefined || sheet.status === 'open') {
    addTime(world, space, { user, start: tracker.started_at, end });
    summary.tracked_minutes += Math.round((Date.parse(end) - began) / 60_000);
  }
  summary.trackers_stopped += 1;
  tell(stage, 'tracker.stopped', space, toTrackerData(tracker, stamp(at)), at);
};

export const submitSheet = (stage: SimulationContext, space: Space, sheet: R.Timesheet, at: number): void => {
  if (sheet.status !== 'open' || sheet.total_minutes === 0) return;
  sheet.status = 'submitted';
  sheet.submitted_on = stamp(at);
  stage.tally.timesheets_submitted += 1;
  tell(stage, 'timesheet.submitted', space, toSheetData(stage.dialect ?? DEFAULT_DIALECT, sheet), at);
};

/** The person's sheets of the weeks before the one of this day that were never submitted. */
export const listOpenSheets = (space: Space, user: number, day: string): R.Timesheet[] =>
  Object.values(space.timesheets).filter(
    (sheet) => sheet.user_id === user && sheet.status === 'open' && sheet.date_to < getMonday(day),
  );

const NOTES = ['Forgot to start the tracker', 'Call with the client', 'Workshop on site', null];

/** Time without a tracker, earlier on the day; none where the person has asked for some of it already. */
export const requestTime = (
  stage: SimulationContext,
  { space, contract }: Workplace,
  [start, end]: readonly [start: number, end: number],
  at: number,
): void => {
  const { world, dice, tally: summary } = stage;
  const taken = Object.values(space.time_requests).some(
    (row) =>
      row.user_id === contract.user_id &&
      row.status !== 'rejected' &&
      row.start < stamp(end) &&
      stamp(start) < row.end,
  );
  if (taken) return;
  const row: R.TimeRequest = {
    id: createUuid(world),
    user_id: contract.user_id,
    contract_id: contract.id,
    project_id: contract.project_id,
    task_id: null,
    start: stamp(start),
    end: stamp(end),
    status: 'pending',
    notes: dice.pick(NOTES) ?? null,
    comment: null,
    updated_by: null,
    created_at: stamp(at),
    updated_at: stamp(at),
  };
  space.time_requests[row.id] = row;
  summary.time_requests_made += 1;
  tell(stage, 'time_request.created', space, toRequestData(stage.dialect ?? DEFAULT_DIALECT, row), at);
};

const COSTS: readonly (readonly [name: string, least: number, most: number])[] = [
  ['Train ticket', 1200, 8900],
  ['Taxi', 900, 4500],
  ['Lunch with a client', 2500, 9800],
  ['Printing', 300, 2400],
  ['Software licence', 1900, 24000],
];

/** None where the workspace has no categories. */
export const bookExpense = (stage: SimulationContext, { space, contract }: Workplace, at: number): void => {
  const { world, dice, tally: summary } = stage;
  const category = dice.pick(Object.values(space.categories));
  const [name, least, most] = dice.pick(COSTS) ?? ['Taxi', 900, 4500];
  const amount = dice.between(least, most) / 100;
  if (category === undefined) return;
  const project = dice.often(0.6) ? findRecord(space.projects, contract.project_id) : undefined;
  const expense: R.Expense = {
    id: createUuid(world),
    user_id: contract.user_id,
    expense_name: name,
    date: dayOf(at),
    project_id: project?.id ?? null,
    category_id: category.id,
    amount,
    note: null,
    is_billable: project?.is_billable ?? false,
    added_on: dayOf(at),
  };
  space.expenses[expense.id] = expense;
  summary.expenses_booked += 1;
  tell(stage, 'expense.created', space, toExpenseData(stage.dialect ?? DEFAULT_DIALECT, expense), at);
};
