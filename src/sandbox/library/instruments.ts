import { type ClockMove, clockState, moveClock } from '../clock.ts';
import { deliveryById } from '../deliveries/operations.ts';
import { detailsOf, rowsOf } from '../deliveries/rows.ts';
import { routeFor } from '../fault-target.ts';
import { addFault, clearFaults, type FaultWish, faultRows } from '../fault-wish.ts';
import { explaining, explainingLater } from './errors.ts';
import { durationMs, momentMs } from './moments.ts';
import { requireKnown } from './options.ts';
import { momentOf, type Rig } from './rig.ts';
import type {
  ClockState,
  Duration,
  FaultOptions,
  SandboxClock,
  SandboxFaults,
  SandboxWebhooks,
} from './types.ts';

/** The clock and the faults of a sandbox, at once. */

export const clockOf = (rig: Rig): SandboxClock => {
  const { hosted, clock, dispatcher } = rig;
  const state = (): ClockState => clockState(hosted.world(), clock.now());
  /** Several moves are one: all of them are read before the first is made. */
  const move = (wanted: () => readonly ClockMove[]): ClockState =>
    explaining(() => {
      for (const step of wanted()) moveClock(hosted.world(), step, clock.now());
      dispatcher.wake();
      return state();
    });
  return {
    now: () => new Date(momentOf(rig).now),
    state,
    set: (to) => move(() => [{ action: 'set', to_ms: momentMs(to) }]),
    advance: (by) => move(() => [{ action: 'advance', by_ms: durationMs(by) }]),
    freeze: (at) =>
      move(() => [
        { action: 'freeze' },
        ...(at === undefined ? [] : [{ action: 'set', to_ms: momentMs(at) } as const]),
      ]),
    resume: () => move(() => [{ action: 'resume' }]),
  };
};

const latencyOf = (latency: Duration | undefined): { latency_ms?: number } =>
  latency === undefined ? {} : { latency_ms: durationMs(latency) };

/** Every option of a fault, so that one that is forgotten here does not compile. */
const FAULT_OPTIONS: Readonly<Record<keyof FaultOptions, true>> = {
  times: true,
  status: true,
  retryAfter: true,
  afterCommit: true,
  latency: true,
  drop: true,
  body: true,
};

const wishOf = (
  operation: string,
  { retryAfter, afterCommit, latency, ...rest }: FaultOptions,
): FaultWish => ({
  operation,
  ...rest,
  ...(retryAfter === undefined ? {} : { retry_after: retryAfter }),
  ...(afterCommit === undefined ? {} : { after_commit: afterCommit }),
  ...latencyOf(latency),
});

export const faultsOf = ({ hosted }: Rig): SandboxFaults => ({
  add: (operation, fault) =>
    explaining(() => {
      requireKnown('part of a fault', fault, Object.keys(FAULT_OPTIONS));
      return addFault(hosted.world(), routeFor(operation), wishOf(operation, fault));
    }),
  list: () => faultRows(hosted.world()),
  clear: (...ids) => explaining(() => clearFaults(hosted.world(), ids)),
});

export const webhooksOf = ({ hosted, chosen, dispatcher }: Rig): SandboxWebhooks => ({
  deliveries: (filter = {}) => rowsOf(hosted.world(), chosen.dialect, filter),
  delivery: (id) =>
    explaining(() => structuredClone(detailsOf(chosen.dialect, deliveryById(hosted.world(), id)))),
  trigger: (event, wish = {}) =>
    explainingLater(async () => (await hosted.control.trigger({ event, ...wish })).deliveries),
  redeliver: (...ids) => explainingLater(() => hosted.control.redeliver({ ids })),
  deliver: () => explainingLater(() => hosted.control.deliver({ all: true })),
  settled: () => dispatcher.idle(),
});
