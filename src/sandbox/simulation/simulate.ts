import { UsageError } from '../../outcome.ts';
import type { SandboxEvent } from '../app.ts';
import type { ServiceDialect } from '../dialect.ts';
import { addDaysTo } from '../sheets.ts';
import type { World } from '../world.ts';
import { type DayStep, planDay, planUnfinished } from './day.ts';
import { createRandomSource } from './random-source.ts';
import { createSimulationSummary, type SimulationSummary } from './summary.ts';
import { listWorkers } from './workers.ts';

/**
 * Time that passes with people in it: they work, submit their sheets on Fridays, ask for leave and for time that they
 * did not track, book expenses. Nothing is decided: that is left to whoever uses the sandbox.
 */

export interface SimulationResult extends Omit<SimulationSummary, 'tracked_minutes'> {
  /** The sandbox's time, ISO 8601. */
  readonly from: string;
  readonly to: string;
  /** How many people worked or could have. */
  readonly people: number;
  readonly tracked_hours: number;
  readonly trackers_running: number;
}

export interface SimulationOptions {
  /** The sandbox's time, ms. */
  readonly from: number;
  readonly to: number;
  readonly dialect?: ServiceDialect;
  readonly onEvent?: (event: SandboxEvent) => void;
}

const MAX_SPAN_MS = 366 * 86_400_000;

/** @throws UsageError for no time, and for more than a year */
export const checkSpan = (ms: number): number => {
  if (ms > 0 && ms <= MAX_SPAN_MS) return ms;
  throw new UsageError('a simulation must be longer than 0 and at most a year', { hint: 'For example: 2w' });
};

const formatDay = (ms: number): string => new Date(ms).toISOString().slice(0, 10);

/** Takes the steps in the order of time, with what follows from them. */
const takeSteps = (steps: DayStep[], from: number, to: number): void => {
  steps.sort((a, b) => a.at - b.at);
  for (let index = 0; index < steps.length; index += 1) {
    const step = steps[index];
    if (step === undefined || step.at < from || step.at >= to) continue;
    const next = step.take(step.at);
    if (next === undefined) continue;
    const laterIndex = steps.findIndex(({ at }, position) => position > index && at > next.at);
    steps.splice(laterIndex < 0 ? steps.length : laterIndex, 0, next);
  }
};

/** Lets the time from `from` to `to` pass in the world. The clock is not moved. The same world does the same. */
export const simulate = (
  world: World,
  { from, to, dialect, onEvent = () => {} }: SimulationOptions,
): SimulationResult => {
  checkSpan(to - from);
  const workers = listWorkers(world);
  const [random, summary] = [createRandomSource(world), createSimulationSummary()];
  const context = { world, random, summary, onEvent, ...(dialect === undefined ? {} : { dialect }) };
  let steps = planUnfinished(context, from);
  for (let day = formatDay(from); day <= formatDay(to); day = addDaysTo(day, 1)) {
    takeSteps([...steps, ...workers.flatMap((worker) => planDay(context, worker, day))], from, to);
    steps = [];
  }
  const { tracked_minutes, ...counts } = summary;
  return {
    from: new Date(from).toISOString(),
    to: new Date(to).toISOString(),
    people: workers.length,
    ...counts,
    tracked_hours: Math.round(tracked_minutes / 6) / 10,
    trackers_running: Object.keys(world.trackers).length,
  };
};
