import type { Clock } from '../clock.ts';
import type { Admission, OnWait, Rate, RateBudget, RequestKind } from '../http/pacing.ts';
import { createTurnQueue } from '../http/queue.ts';
import { createMemoryLedger, type Tape } from './ledger-file.ts';
import { createEndRecords, doneOnce, formatRecord, type LedgerRecord, parseRecord } from './ledger-record.ts';
import {
  type AdmissionRequest,
  createLedgerWindow,
  createMaxWait,
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
  readonly rollCall: () => Promise<ProcessLiveness>;
  /** Absent: the process is alone, or there is no place for a ledger. */
  readonly tape?: Tape | undefined;
  /** After how long a request that never ended belongs to a process that died: the longest that one may take. */
  readonly leaseMs: number;
  /** How long one request may be held back for what the service refused (`--max-wait`). Absent: as long as it asks. */
  readonly patienceMs?: number | undefined;
  readonly onWait?: OnWait | undefined;
  readonly interrupt?: AbortSignal | undefined;
  /** Told once when the ledger fails; the process goes on by itself with what it knows. */
  readonly onLoss?: (error: unknown) => void;
}

export interface SharedBudget extends RateBudget {
  left(): RemainingAllowance;
}

/** How soon to look again while requests of others are under way: their end is not known. */
const LOOK_AGAIN_MS = 20;
/** A place in line is confirmed at least so often, so that a dead process holds up nobody for long. */
const LONGEST_NAP_MS = 2000;
/** How late a nap may end before the place in line is lost. */
const OVERSLEEP_MS = 1500;
/** Whether others live is asked no more often. */
const ROLL_CALL_MS = 250;

interface Desk {
  readonly book: LedgerWindow;
  /** Whether other processes are seen. */
  shared(): boolean;
  /** False: too late, see Tape. */
  write(record: LedgerRecord): boolean;
  /** Takes in what others wrote, and gives the time before it did. */
  sync(): number;
  /** The tape does not give back what was written. */
  lose(error: unknown): void;
}

/** The tape and what it says. A tape that fails is left for one in memory: a limit is no reason to fail. */
const openDesk = ({ rate, clock, run, sent = 0, tape: given, onLoss }: SharedBudgetOptions): Desk => {
  const book = createLedgerWindow(createRateWindows(rate), run, sent);
  let ledger = given ?? createMemoryLedger();
  let shared = given !== undefined;
  const lose = (error: unknown): void => {
    if (!shared) throw error;
    shared = false;
    ledger = createMemoryLedger();
    onLoss?.(error);
  };
  const orAlone = <T>(action: () => T): T => {
    try {
      return action();
    } catch (error) {
      lose(error);
      return action();
    }
  };
  return {
    book,
    lose,
    shared: () => shared,
    write: (record) => orAlone(() => ledger.append(formatRecord(record))),
    sync() {
      const now = clock.now();
      for (const line of orAlone(() => ledger.read())) {
        const record = parseRecord(line);
        if (record !== undefined) book.apply(record, now);
      }
      return now;
    },
  };
};

/** Keeps the own place in line, and lets go of the requests of processes that died. */
const createWaiting = (
  { book, shared, write }: Desk,
  { run, clock, rollCall: liveness, tape: ledger }: SharedBudgetOptions,
) => {
  let roll: ProcessLiveness | undefined;
  let loading: Promise<void> | undefined;
  let lastCall = Number.NEGATIVE_INFINITY;
  const attend = (): Promise<void> => {
    loading ??= liveness().then((loaded) => {
      roll = loaded;
    });
    return loading;
  };
  const callRoll = (now: number): void => {
    if (roll === undefined) return void attend();
    if (Math.abs(now - lastCall) < ROLL_CALL_MS) return;
    lastCall = now;
    for (const { id, kind, run: owner, home } of book.othersUnderWay(now))
      if (roll.isDead(owner, home)) write({ type: 'end', id, kind, at: now });
  };
  return {
    attend,
    home: () => roll?.home ?? '-',
    stay(ask: AdmissionRequest, now: number, ms: number): number {
      // What others had under way when the ledger was lost ends by its lease, and nobody tells.
      if (!shared()) return ledger === undefined ? ms : Math.min(ms, LONGEST_NAP_MS);
      callRoll(now);
      const wait = ms === Number.POSITIVE_INFINITY ? LOOK_AGAIN_MS * (0.5 + clock.random()) : ms;
      const wakes = now + Math.min(wait, LONGEST_NAP_MS);
      if (book.inLineUntil() < wakes + OVERSLEEP_MS / 2)
        write({ type: 'line', run, until: wakes + OVERSLEEP_MS, bulk: ask.bulk });
      return wait;
    },
  };
};

/** The claims of this process. */
const createClaims = (service: Desk, home: () => string, { run, sent = 0, leaseMs }: SharedBudgetOptions) => {
  let count = sent;
  return {
    last: () => `${run}.${count}`,
    /** False: it does not stand, and is dropped. */
    make(ask: AdmissionRequest, at: number): boolean {
      count += 1;
      const id = `${run}.${count}`;
      const timely = service.write({ type: 'claim', id, at, ...ask, leaseMs, home: home() });
      const now = service.sync();
      if (timely && service.book.stands(id, now)) return true;
      if (timely && !service.book.has(id)) service.lose(new Error('the ledger loses data'));
      service.write({ type: 'drop', id });
      return false;
    },
  };
};

/**
 * The allowance of one credential over all processes of a user (docs/requirements.md, CLI-6). Exact without a lock:
 * a request writes its claim at the end of the tape, then reads what stands before it, and goes out only if fewer
 * than the allowance count there. Of all requests that count at one moment take the one whose claim stands last:
 * it saw all others, so they were fewer than the allowance. A claim that does not stand is dropped.
 *
 * A request counts from its claim until the window's length after the *end* of its answer, because the service may
 * have counted it at any moment between (docs/requirements.md, D1). Who waits stands in a line, which makes it fair;
 * the line is a courtesy and nothing hangs on it. Bulk runs let single commands pass and leave them a reserve.
 */
export const createSharedBudget = (options: SharedBudgetOptions): SharedBudget => {
  const { clock, sent = 0, onWait, interrupt } = options;
  const checkPatience = createMaxWait(options.patienceMs);
  const service = openDesk(options);
  const { book } = service;
  const waiting = createWaiting(service, options);
  const single = countSingleRequests(options.rate);
  const claims = createClaims(service, waiting.home, options);
  const waitOf = (ask: AdmissionRequest): number => {
    const now = service.sync();
    checkPatience(ask, book.held(now), now);
    const ms = book.wait(ask, now);
    if (ms > 0) return waiting.stay(ask, now, ms);
    return claims.make(ask, now) ? 0 : 1 + clock.random() * LOOK_AGAIN_MS;
  };
  const longestNap = (): number => (service.shared() ? LONGEST_NAP_MS : Number.POSITIVE_INFINITY);
  const turns = { waitOf, clock, onWait, interrupt, longestNap };
  const queue = createTurnQueue<AdmissionRequest, Admission>(turns);
  const admission = (kind: RequestKind): Admission => {
    const id = claims.last();
    return doneOnce((refusal) => {
      for (const record of createEndRecords(id, kind, clock.now(), refusal)) service.write(record);
      queue.serve();
    });
  };
  let asked = sent;
  return {
    admit(kind, bulk = false) {
      asked += 1;
      const join = (many: boolean) => queue.join({ kind, bulk: many }, () => admission(kind));
      if (!service.shared() || (!bulk && asked <= single)) return join(false);
      return waiting.attend().then(() => join(true));
    },
    left: () => book.left(service.sync()),
  };
};
