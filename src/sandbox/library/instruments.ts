import { type ClockMove, moveClock, readClock } from '../clock.ts';
import { findStoredDelivery } from '../deliveries/operations.ts';
import { listDeliveryRows, toDeliveryDetails } from '../deliveries/rows.ts';
import { addFault, clearFaults, type FaultRequest, listFaultRows } from '../fault-request.ts';
import { parseFaultRoute } from '../fault-target.ts';
import { explainErrors, explainErrorsLater } from './errors.ts';
import { getSandboxTime, type SandboxInternals } from './internals.ts';
import { toDurationMs, toMomentMs } from './moments.ts';
import { requireKnown } from './options.ts';
import type {
  ClockState,
  Duration,
  FaultOptions,
  SandboxClock,
  SandboxFaults,
  SandboxWebhooks,
} from './types.ts';

/** The clock and the faults of a sandbox, at once. */

export const createSandboxClock = (internals: SandboxInternals): SandboxClock => {
  const { hosted, clock, dispatcher } = internals;
  const state = (): ClockState => readClock(hosted.world(), clock.now());
  /** Several moves are one: all of them are read before the first is made. */
  const move = (listMoves: () => readonly ClockMove[]): ClockState =>
    explainErrors(() => {
      for (const next of listMoves()) moveClock(hosted.world(), next, clock.now());
      dispatcher.wake();
      return state();
    });
  return {
    now: () => new Date(getSandboxTime(internals).now),
    state,
    set: (to) => move(() => [{ action: 'set', to_ms: toMomentMs(to) }]),
    advance: (by) => move(() => [{ action: 'advance', by_ms: toDurationMs(by) }]),
    freeze: (at) =>
      move(() => [
        { action: 'freeze' },
        ...(at === undefined ? [] : [{ action: 'set', to_ms: toMomentMs(at) } as const]),
      ]),
    resume: () => move(() => [{ action: 'resume' }]),
  };
};

const toLatency = (latency: Duration | undefined): { latency_ms?: number } =>
  latency === undefined ? {} : { latency_ms: toDurationMs(latency) };

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

const toFaultRequest = (
  operation: string,
  { retryAfter, afterCommit, latency, ...rest }: FaultOptions,
): FaultRequest => ({
  operation,
  ...rest,
  ...(retryAfter === undefined ? {} : { retry_after: retryAfter }),
  ...(afterCommit === undefined ? {} : { after_commit: afterCommit }),
  ...toLatency(latency),
});

export const createSandboxFaults = ({ hosted }: SandboxInternals): SandboxFaults => ({
  add: (operation, fault) =>
    explainErrors(() => {
      requireKnown('part of a fault', fault, Object.keys(FAULT_OPTIONS));
      return addFault(hosted.world(), parseFaultRoute(operation), toFaultRequest(operation, fault));
    }),
  list: () => listFaultRows(hosted.world()),
  clear: (...ids) => explainErrors(() => clearFaults(hosted.world(), ids)),
});

export const createSandboxWebhooks = ({ hosted, chosen, dispatcher }: SandboxInternals): SandboxWebhooks => ({
  deliveries: (filter = {}) => listDeliveryRows(hosted.world(), chosen.dialect, filter),
  delivery: (id) =>
    explainErrors(() =>
      structuredClone(toDeliveryDetails(chosen.dialect, findStoredDelivery(hosted.world(), id))),
    ),
  trigger: (event, options = {}) =>
    explainErrorsLater(async () => (await hosted.control.trigger({ event, ...options })).deliveries),
  redeliver: (...ids) => explainErrorsLater(() => hosted.control.redeliver({ ids })),
  deliver: () => explainErrorsLater(() => hosted.control.deliver({ all: true })),
  settled: () => dispatcher.idle(),
});
