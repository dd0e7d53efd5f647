import { listAssignments } from '../assignments.ts';
import { findRecord } from '../state.ts';
import * as actions from './actions.ts';
import { isAway, requestLeave } from './leave.ts';
import { listWorkerSpaces, type Worker, type Workplace } from './workers.ts';

/** A working day of one person, as steps in time. Days and hours are UTC, like those of timesheets. */

export interface DayStep {
  /** The sandbox's time, ms. */
  readonly at: number;
  /** Returns what follows from it later that day. */
  readonly take: (at: number) => DayStep | undefined;
}

/** A step that nothing follows from. */
const createStep = (at: number, action: (at: number) => void): DayStep => ({
  at,
  take(now) {
    action(now);
    return undefined;
  },
});

const MINUTE = 60_000;
const FRIDAY = 5;
const MONDAY = 1;

/** How often people do what they do not do every day. */
const PROBABILITIES = {
  work: 0.93,
  leave: 0.03,
  time: 0.07,
  expense: 0.06,
  submit: 0.9,
  submitLate: 0.75,
} as const;

interface WorkDay {
  readonly context: actions.SimulationContext;
  readonly worker: Worker;
  readonly day: string;
  /** The moment so many minutes after midnight. */
  readonly at: (minute: number) => number;
}

/** A task of the contract's project that the person is assigned to, or none. */
const pickTask = ({ context, worker }: WorkDay, { workspace, contract }: Workplace): number | null => {
  const tasks = Object.values(workspace.tasks).filter(
    (task) =>
      task.project_id === contract.project_id &&
      task.deleted_at === null &&
      task.completed_at === null &&
      listAssignments(workspace, task.id).some(({ user_id }) => user_id === worker.user),
  );
  return context.random.pick(tasks)?.id ?? null;
};

/**
 * Minutes that the person may still track this week there; 0 where the sheet is closed. A sheet does not say which
 * contract its time is of: the contract's limit is held against all of it.
 */
const getRemainingMinutes = (
  { worker, day }: WorkDay,
  { workspace, membership, contract }: Workplace,
): number => {
  const sheet = actions.findSheet(workspace, worker.user, day);
  if (sheet !== undefined && sheet.status !== 'open') return 0;
  const hours = Math.min(membership.weekly_hours_limit, contract.weekly_hours_limit);
  return Math.max(0, hours * 60 - (sheet?.total_minutes ?? 0));
};

/** From and to, in minutes after midnight; shorter, or none at all, where the week has no room for it. */
const planSession = (
  workDay: WorkDay,
  workplace: Workplace,
  startMinute: number,
  maxMinute: number,
): DayStep => {
  const { context, worker, at } = workDay;
  const task = pickTask(workDay, workplace);
  return {
    at: at(startMinute),
    take(now) {
      const endMinute = Math.min(maxMinute, startMinute + getRemainingMinutes(workDay, workplace));
      if (endMinute <= startMinute || !actions.startTracker(context, workplace, task, now)) return undefined;
      return createStep(at(endMinute), (end) => actions.stopTracker(context, worker.user, end));
    },
  };
};

const planWorkingHours = (workDay: WorkDay): DayStep[] => {
  const { random } = workDay.context;
  const workplaces = workDay.worker.workplaces.filter((workplace) => !isAway(workplace, workDay.day));
  const [morning, afternoon] = [random.pick(workplaces), random.pick(workplaces)];
  const hours = [
    [random.between(8 * 60, 9 * 60 + 30), random.between(11 * 60 + 15, 12 * 60)],
    [random.between(12 * 60 + 45, 13 * 60 + 30), random.between(16 * 60, 17 * 60 + 15)],
  ] as const;
  const isWorking = random.often(PROBABILITIES.work);
  if (!isWorking || morning === undefined || afternoon === undefined) return [];
  return [planSession(workDay, morning, ...hours[0]), planSession(workDay, afternoon, ...hours[1])];
};

const planRequests = (workDay: WorkDay): DayStep[] => {
  const { context, worker, at } = workDay;
  const { random } = context;
  const workplace = random.pick(worker.workplaces);
  if (workplace === undefined) return [];
  const steps: DayStep[] = [];
  if (random.often(PROBABILITIES.leave)) {
    steps.push(createStep(at(random.between(600, 660)), (now) => requestLeave(context, workplace, now)));
  }
  if (random.often(PROBABILITIES.time) && getRemainingMinutes(workDay, workplace) > 0) {
    const slot = [at(12 * 60), at(12 * 60 + 15 * random.between(1, 3))] as const;
    const timeMs = at(random.between(17 * 60 + 20, 17 * 60 + 30));
    steps.push(createStep(timeMs, (now) => actions.requestTime(context, workplace, slot, now)));
  }
  if (random.often(PROBABILITIES.expense)) {
    const timeMs = at(random.between(17 * 60 + 31, 17 * 60 + 40));
    steps.push(createStep(timeMs, (now) => actions.bookExpense(context, workplace, now)));
  }
  return steps;
};

const planSubmissions = (workDay: WorkDay, weekday: number): DayStep[] => {
  const { context, worker, day, at } = workDay;
  const { random } = context;
  return listWorkerSpaces(worker).flatMap(({ workspace }): DayStep[] => {
    if (weekday === MONDAY && random.often(PROBABILITIES.submitLate)) {
      const timeMs = at(random.between(7 * 60, 7 * 60 + 50));
      return [
        createStep(timeMs, (now) => {
          const sheets = actions.listOpenSheets(workspace, worker.user, day);
          for (const sheet of sheets) actions.submitSheet(context, workspace, sheet, now);
        }),
      ];
    }
    if (weekday !== FRIDAY || !random.often(PROBABILITIES.submit)) return [];
    const timeMs = at(random.between(17 * 60 + 45, 18 * 60 + 30));
    return [
      createStep(timeMs, (now) => {
        const sheet = actions.findSheet(workspace, worker.user, day);
        if (sheet !== undefined) actions.submitSheet(context, workspace, sheet, now);
      }),
    ];
  });
};

/** The steps of a day, in no order. Nothing on Saturdays and Sundays. */
export const planDay = (context: actions.SimulationContext, worker: Worker, day: string): DayStep[] => {
  const midnight = Date.parse(`${day}T00:00:00Z`);
  const weekday = new Date(midnight).getUTCDay();
  if (weekday === 0 || weekday === 6) return [];
  const workDay = { context, worker, day, at: (minute: number) => midnight + minute * MINUTE };
  return [...planWorkingHours(workDay), ...planRequests(workDay), ...planSubmissions(workDay, weekday)];
};

/** A tracker that runs when the simulation begins is stopped soon; nothing else is known of it. */
export const planUnfinished = (context: actions.SimulationContext, fromMs: number): DayStep[] =>
  Object.values(context.world.trackers)
    .filter((tracker) => findRecord(context.world.spaces, tracker.workspace_id) !== undefined)
    .map(({ user_id }) =>
      createStep(fromMs + context.random.between(1, 45) * MINUTE, (at) =>
        actions.stopTracker(context, user_id, at),
      ),
    );
