import type { Clock } from '../clock.ts';
import type { Admission, OnWait, Rate, RateBudget, RequestKind } from '../http/pacing.ts';
import { createTurnQueue } from '../http/queue.ts';
import { createMemoryLedger, type Ledger } from './ledger-file.ts';
import { createEndRecords, doneOnce, formatRecord, type LedgerRecord, parseRecord } from './ledger-record.ts';
import {
  type AdmissionRequest,
  createLedgerWindow,
  createMaxWaitCheck,
  type LedgerWindow,
} from './ledger-window.ts';
import type { ProcessLiveness } from './process-liveness.ts';
import { countSingleRequests, createRateWindows, type RemainingAllowance } from './windows.ts';

export interface SharedBudgetOptions {
  readonly rate: Rate;
  readonly clock: Clock;
  /** Name of this process. */
  readonly run: string;
  /** Requests that this process has sent before, by the fast path (windows.ts). */
  readonly sent?: number;
  /** Loaded when somebody waits, or when there are many requests. */
  readonly loadLiveness: () => Promise<ProcessLiveness>;
  /** Absent: the process is alone, or there is no place for a ledger. */
  readonly ledger?: Ledger | undefined;
  /** After how long a request that never ended belongs to a process that died: the longest that one may take. */
  readonly leaseMs: number;
  /** How long one request may be held back for what the service refused (`--max-wait`). Absent: as long as it asks. */
  readonly maxWaitMs?: number | undefined;
  readonly onWait?: OnWait | undefined;
  readonly interrupt?: AbortSignal | undefined;
  /** Told once when the ledger fails; the process goes on by itself with what it knows. */
  readonly onLedgerFailure?: (error: unknown) => void;
}

export interface SharedBudget extends RateBudget {
  getRemaining(): RemainingAllowance;
}

/** How soon to look again while requests of others are under way: their end is not known. */
const POLL_MS = 20;
/** A place in line is confirmed at least so often, so that a dead process holds up nobody for long. */
const MAX_SLEEP_MS = 2000;
/** How late a sleep may end before the place in line is lost. */
const LATE_WAKE_MS = 1500;
/** Whether other processes live is checked no more often. */
const LIVENESS_CHECK_MS = 250;

interface LedgerClient {
  readonly window: LedgerWindow;
  /** Whether other processes are seen. */
  isShared(): boolean;
  /** False: too late, see `Ledger.append`. */
  write(record: LedgerRecord): boolean;
  /** Takes in what others wrote, and gives the time before it did. */
  sync(): number;
  /** Goes on with a ledger in memory: the file does not give back what was written. */
  abandonLedger(error: unknown): void;
}

/** The ledger and its records. One that fails is replaced by one in memory: a limit is no reason to fail. */
const openLedgerClient = ({
  rate,
  clock,
  run,
  sent = 0,
  ledger: sharedLedger,
  onLedgerFailure,
}: SharedBudgetOptions): LedgerClient => {
  const window = createLedgerWindow(createRateWindows(rate), run, sent);
  let ledger = sharedLedger ?? createMemoryLedger();
  let shared = sharedLedger !== undefined;
  const abandonLedger = (error: unknown): void => {
    if (!shared) throw error;
    shared = false;
    ledger = createMemoryLedger();
    onLedgerFailure?.(error);
  };
  const withFallback = <T>(action: () => T): T => {
    try {
      return action();
    } catch (error) {
      abandonLedger(error);
      return action();
    }
  };
  return {
    window,
    abandonLedger,
    isShared: () => shared,
    write: (record) => withFallback(() => ledger.append(formatRecord(record))),
    sync() {
      const now = clock.now();
      for (const line of withFallback(() => ledger.read())) {
        const record = parseRecord(line);
        if (record !== undefined) window.apply(record, now);
      }
      return now;
    },
  };
};

/** Keeps the own place in line, and lets go of the requests of processes that died. */
const createWaitLine = (
  { window, isShared, write }: LedgerClient,
  { run, clock, loadLiveness, ledger }: SharedBudgetOptions,
) => {
  let liveness: ProcessLiveness | undefined;
  let loading: Promise<void> | undefined;
  let lastCheck = Number.NEGATIVE_INFINITY;
  const loadOnce = (): Promise<void> => {
    loading ??= loadLiveness().then((loaded) => {
      liveness = loaded;
    });
    return loading;
  };
  const endDeadRequests = (now: number): void => {
    if (liveness === undefined) return void loadOnce();
    if (Math.abs(now - lastCheck) < LIVENESS_CHECK_MS) return;
    lastCheck = now;
    for (const { id, kind, run: owner, home } of window.listOthersUnderWay(now))
      if (liveness.isDead(owner, home)) write({ type: 'end', id, kind, at: now });
  };
  return {
    load: loadOnce,
    home: () => liveness?.home ?? '-',
    keepPlace(request: AdmissionRequest, now: number, ms: number): number {
      // Requests of others that were under way when the ledger was lost end by their leases; no record says so.
      if (!isShared()) return ledger === undefined ? ms : Math.min(ms, MAX_SLEEP_MS);
      endDeadRequests(now);
      const wait = ms === Number.POSITIVE_INFINITY ? POLL_MS * (0.5 + clock.random()) : ms;
      const wakes = now + Math.min(wait, MAX_SLEEP_MS);
      if (window.getPlaceExpiry() < wakes + LATE_WAKE_MS / 2)
        write({ type: 'line', run, until: wakes + LATE_WAKE_MS, bulk: request.bulk });
      return wait;
    },
  };
};

/** The claims of this process. */
const createClaims = (
  client: LedgerClient,
  home: () => string,
  { run, sent = 0, leaseMs }: SharedBudgetOptions,
) => {
  let count = sent;
  return {
    getLastId: () => `${run}.${count}`,
    /** False: it is not admitted, and is dropped. */
    create(request: AdmissionRequest, at: number): boolean {
      count += 1;
      const id = `${run}.${count}`;
      const timely = client.write({ type: 'claim', id, at, ...request, leaseMs, home: home() });
      const now = client.sync();
      if (timely && client.window.isAdmitted(id, now)) return true;
      if (timely && !client.window.has(id)) client.abandonLedger(new Error('the ledger loses data'));
      client.write({ type: 'drop', id });
      return false;
    },
  };
};

/**
 * The allowance of one credential over all processes of a user. Exact without a lock:
 * a request writes its claim at the end of the ledger, then reads what stands before it, and goes out only if fewer
 * than the allowance count there. Of all requests that count at one moment take the one whose claim stands last:
 * it saw all others, so they were fewer than the allowance. A claim that is not admitted is dropped.
 *
 * A request counts from its claim until the window's length after the *end* of its answer, because the service may
 * have counted it at any moment between. Whoever waits has a place in line, which makes it
 * fair; the limits do not depend on the line. Bulk runs let single commands pass and leave them a reserve.
 */
export const createSharedBudget = (options: SharedBudgetOptions): SharedBudget => {
  const { clock, sent = 0, onWait, interrupt } = options;
  const checkMaxWait = createMaxWaitCheck(options.maxWaitMs);
  const client = openLedgerClient(options);
  const { window } = client;
  const waitLine = createWaitLine(client, options);
  const singleLimit = countSingleRequests(options.rate);
  const claims = createClaims(client, waitLine.home, options);
  const getWaitMs = (request: AdmissionRequest): number => {
    const now = client.sync();
    checkMaxWait(request, window.getHoldMs(now), now);
    const ms = window.getWaitMs(request, now);
    if (ms > 0) return waitLine.keepPlace(request, now, ms);
    return claims.create(request, now) ? 0 : 1 + clock.random() * POLL_MS;
  };
  const getMaxSleepMs = (): number => (client.isShared() ? MAX_SLEEP_MS : Number.POSITIVE_INFINITY);
  const queueOptions = { getWaitMs, clock, onWait, interrupt, getMaxSleepMs };
  const queue = createTurnQueue<AdmissionRequest, Admission>(queueOptions);
  const createAdmission = (kind: RequestKind): Admission => {
    const id = claims.getLastId();
    return doneOnce((refusal) => {
      for (const record of createEndRecords(id, kind, clock.now(), refusal)) client.write(record);
      queue.serve();
    });
  };
  let requestCount = sent;
  return {
    admit(kind, bulk = false) {
      requestCount += 1;
      const joinQueue = (asBulk: boolean) => queue.join({ kind, bulk: asBulk }, () => createAdmission(kind));
      if (!client.isShared() || (!bulk && requestCount <= singleLimit)) return joinQueue(false);
      return waitLine.load().then(() => joinQueue(true));
    },
    getRemaining: () => window.getRemaining(client.sync()),
  };
};
