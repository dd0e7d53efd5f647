import type { Settings } from '../config/settings-types.ts';
import type { RunEvents } from '../context.ts';
import { RequestNumbers, withProgress } from '../http/decorators.ts';
import { type Decide, REQUEST_ID, type Transport } from '../http/transport.ts';
import { lazy } from '../lazy.ts';
import type { ProgressIndicator } from '../output/progress.ts';
import { safeCell } from '../output/safe-text.ts';
import { createRunId } from '../parsing/run-id.ts';
import type { Machine } from '../platform/machine.ts';
import type { EventLog } from './event-log.ts';

/** What is seen of the requests of one run: their numbers, `--debug`, `--log`, and which one a person waits for. */

export interface RunRequests {
  readonly numbers: RequestNumbers;
  readonly decide: Decide;
  readonly events: RunEvents;
  readonly log: EventLog | undefined;
  /** The last link before the wire. @param timeoutMs after so long a request is given up */
  observe(next: Transport, timeoutMs: number): Transport;
}

export interface RunRequestsOptions {
  readonly machine: Machine;
  readonly settings: Settings;
  readonly watch: ProgressIndicator;
  readonly args: readonly string[];
}

/** @throws UsageError for a log that cannot be written to */
export const openRequests = async (options: RunRequestsOptions): Promise<RunRequests> => {
  const { machine, settings, watch } = options;
  const { clock, redactor, stderr } = machine;
  const getRun = lazy(() => createRunId(clock));
  const numbers = new RequestNumbers(getRun, clock);
  const openLog = async (file: string): Promise<EventLog> => {
    const { openEventLog } = await import('./event-log.ts');
    return openEventLog({ ...options, run: getRun(), countRequests: () => numbers.count }, file);
  };
  const log = settings.log === undefined ? undefined : await openLog(settings.log.value);
  const seen = settings.debug.value || log !== undefined ? await import('../http/observe.ts') : undefined;
  const write = (line: string): void => void stderr.write(`${line}\n`).catch(() => {});
  const observers = [
    ...(log === undefined ? [] : [seen?.createRequestLog(log)]),
    ...(settings.debug.value ? [seen?.createTrace({ write, safe: safeCell, redactor })] : []),
  ].filter((observer) => observer !== undefined);
  const decide: Decide = (decision, subject = {}) => {
    for (const observer of observers) observer.decision(decision, subject, clock.now());
  };
  return {
    numbers,
    decide,
    log,
    events: {
      reconciled: ({ operation, target }, reason, requestId = '') => {
        const about = { operation, target };
        decide({ decision: 'reconcile', reason }, { about, headers: { [REQUEST_ID]: requestId } });
      },
      result: (result, requestId) => log?.result(result, requestId),
    },
    observe(next, timeoutMs) {
      const shown = settings.debug.value
        ? next
        : withProgress(next, { show: watch.request, timeoutMs, redactor, clock });
      return seen === undefined ? shown : seen.withObservers(shown, observers, clock);
    },
  };
};
