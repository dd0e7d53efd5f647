import { listAssignments } from '../assignments.ts';
import { findRecord } from '../state.ts';
import * as deeds from './actions.ts';
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
const step = (at: number, deed: (at: number) => void): DayStep => ({
  at,
  take(now) {
    deed(now);
    return undefined;
  },
});

const MINUTE = 60_000;
const FRIDAY = 5;
const MONDAY = 1;

/** How often people do what they do not do every day. */
const OFTEN = { work: 0.93, leave: 0.03, time: 0.07, expense: 0.06, submit: 0.9, submitLate: 0.75 } as const;

interface Today {
  readonly stage: deeds.SimulationContext;
  readonly worker: Worker;
  readonly day: string;
  /** The moment so many minutes after midnight. */
  readonly at: (minute: number) => number;
}

/** A task of the contract's project that the person is assigned to, or none. */
const taskOf = ({ stage, worker }: Today, { space, contract }: Workplace): number | null => {
  const own = Object.values(space.tasks).filter(
    (task) =>
      task.project_id === contract.project_id &&
      task.deleted_at === null &&
      task.completed_at === null &&
      listAssignments(space, task.id).some(({ user_id }) => user_id === worker.user),
  );
  return stage.dice.pick(own)?.id ?? null;
};

/**
 * Minutes that the person may still track this week there; 0 where the sheet is closed. A sheet does not say which
 * contract its time is of: the contract's limit is held against all of it.
 */
const roomAt = ({ worker, day }: Today, { space, membership, contract }: Workplace): number => {
  const sheet = deeds.findSheet(space, worker.user, day);
  if (sheet !== undefined && sheet.status !== 'open') return 0;
  const hours = Math.min(membership.weekly_hours_limit, contract.weekly_hours_limit);
  return Math.max(0, hours * 60 - (sheet?.total_minutes ?? 0));
};

/** From and to, in minutes after midnight; shorter, or none at all, where the week has no room for it. */
const session = (today: Today, place: Workplace, from: number, to: number): DayStep => {
  const { stage, worker, at } = today;
  const task = taskOf(today, place);
  return {
    at: at(from),
    take(now) {
      const until = Math.min(to, from + roomAt(today, place));
      if (until <= from || !deeds.startTracker(stage, place, task, now)) return undefined;
      return step(at(until), (end) => deeds.stopTracker(stage, worker.user, end));
    },
  };
};

const workingHours = (today: Today): DayStep[] => {
  const { dice } = today.stage;
  const places = today.worker.places.filter((place) => !isAway(place, today.day));
  const [morning, afternoon] = [dice.pick(places), dice.pick(places)];
  const hours = [
    [dice.between(8 * 60, 9 * 60 + 30), dice.between(11 * 60 + 15, 12 * 60)],
    [dice.between(12 * 60 + 45, 13 * 60 + 30), dice.between(16 * 60, 17 * 60 + 15)],
  ] as const;
  const works = dice.often(OFTEN.work);
  if (!works || morning === undefined || afternoon === undefined) return [];
  return [session(today, morning, ...hours[0]), session(today, afternoon, ...hours[1])];
};

const requests = (today: Today): DayStep[] => {
  const { stage, worker, at } = today;
  const { dice } = stage;
  const place = dice.pick(worker.places);
  if (place === undefined) return [];
  const steps: DayStep[] = [];
  if (dice.often(OFTEN.leave)) {
    steps.push(step(at(dice.between(600, 660)), (now) => requestLeave(stage, place, now)));
  }
  if (dice.often(OFTEN.time) && roomAt(today, place) > 0) {
    const slot = [at(12 * 60), at(12 * 60 + 15 * dice.between(1, 3))] as const;
    const when = at(dice.between(17 * 60 + 20, 17 * 60 + 30));
    steps.push(step(when, (now) => deeds.requestTime(stage, place, slot, now)));
  }
  if (dice.often(OFTEN.expense)) {
    const when = at(dice.between(17 * 60 + 31, 17 * 60 + 40));
    steps.push(step(when, (now) => deeds.bookExpense(stage, place, now)));
  }
  return steps;
};

const submissions = (today: Today, weekday: number): DayStep[] => {
  const { stage, worker, day, at } = today;
  const { dice } = stage;
  return listWorkerSpaces(worker).flatMap(({ space }): DayStep[] => {
    if (weekday === MONDAY && dice.often(OFTEN.submitLate)) {
      const when = at(dice.between(7 * 60, 7 * 60 + 50));
      return [
        step(when, (now) => {
          const sheets = deeds.listOpenSheets(space, worker.user, day);
          for (const sheet of sheets) deeds.submitSheet(stage, space, sheet, now);
        }),
      ];
    }
    if (weekday !== FRIDAY || !dice.often(OFTEN.submit)) return [];
    const when = at(dice.between(17 * 60 + 45, 18 * 60 + 30));
    return [
      step(when, (now) => {
        const sheet = deeds.findSheet(space, worker.user, day);
        if (sheet !== undefined) deeds.submitSheet(stage, space, sheet, now);
      }),
    ];
  });
};

/** The steps of a day, in no order. Nothing on Saturdays and Sundays. */
export const planDay = (stage: deeds.SimulationContext, worker: Worker, day: string): DayStep[] => {
  const midnight = Date.parse(`${day}T00:00:00Z`);
  const weekday = new Date(midnight).getUTCDay();
  if (weekday === 0 || weekday === 6) return [];
  const today = { stage, worker, day, at: (minute: number) => midnight + minute * MINUTE };
  return [...workingHours(today), ...requests(today), ...submissions(today, weekday)];
};

/** A tracker that runs when the simulation begins is stopped soon; nothing else is known of it. */
export const planUnfinished = (stage: deeds.SimulationContext, from: number): DayStep[] =>
  Object.values(stage.world.trackers)
    .filter((tracker) => findRecord(stage.world.spaces, tracker.workspace_id) !== undefined)
    .map(({ user_id }) =>
      step(from + stage.dice.between(1, 45) * MINUTE, (at) => deeds.stopTracker(stage, user_id, at)),
    );
