import type { Api, Call } from '../api/client.ts';
import type { Row } from '../api/page.ts';
import { mayHaveHappened } from '../api/reply.ts';
import { ApiError, Cancelled, EXIT, Failure, NetworkError } from '../outcome.ts';
import { lookingFor } from './elsewhere.ts';
import { contractProofs } from './proofs/contracts.ts';
import { expenseProofs } from './proofs/expenses.ts';
import { leaveProofs } from './proofs/leaves.ts';
import { memberProofs } from './proofs/members.ts';
import { projectProofs } from './proofs/projects.ts';
import type { Proof, Proofs, Shown, Snapshot, Verdict } from './proofs/proof.ts';
import { taskProofs } from './proofs/tasks.ts';
import { timeRequestProofs } from './proofs/time-requests.ts';
import { timeTrackingProofs } from './proofs/time-tracking.ts';
import { timesheetProofs } from './proofs/timesheets.ts';
import { viewerProofs } from './proofs/viewers.ts';
import { webhookProofs } from './proofs/webhooks.ts';

/**
 * After a write whose answer was lost: what the service's own records say. Nothing is ever sent again here
 * (contract, section 5; requirement E2).
 */

const PROOFS: Proofs = {
  ...memberProofs,
  ...viewerProofs,
  ...projectProofs,
  ...contractProofs,
  ...taskProofs,
  ...timesheetProofs,
  ...leaveProofs,
  ...timeRequestProofs,
  ...expenseProofs,
  ...timeTrackingProofs,
  ...webhookProofs,
};

const proofOf = ({ operation }: Call): Proof | undefined => PROOFS[operation.id];

const lateCreate = ({ operation }: Call, error: unknown): boolean =>
  error instanceof NetworkError &&
  error.code === 'timeout' &&
  operation.method === 'POST' &&
  operation.answer === 'record';

/** `unread`: the records could not be read. */
const find = async (api: Api, call: Call, before: unknown): Promise<Verdict | Shown | 'unread'> => {
  try {
    return (await proofOf(call)?.after(lookingFor(api, call), call.values, before)) ?? 'unknown';
  } catch (error) {
    if (error instanceof Cancelled || isSignedOut(error)) throw error;
    return 'unread'; // the look-up met the same fault
  }
};

/**
 * What the records say of a write that was sent. `unknown` too when they cannot be read.
 * @param before what `readBefore` gave before it was sent
 * @throws Cancelled when interrupted, ApiError when the login has ended
 */
export const lookUp = async (api: Api, call: Call, before: unknown): Promise<Verdict> => {
  const finding = await find(api, call, before);
  if (finding === 'unread') return 'unknown';
  return typeof finding === 'string' ? finding : 'done';
};

const isSignedOut = (error: unknown): boolean => error instanceof Failure && error.exit === EXIT.signedOut;

/** Who may write but not list is not kept from writing; only a lost answer stays unknown then. */
const unlessRefused = async <T>(reading: Promise<T> | undefined): Promise<T | undefined> => {
  try {
    return await reading;
  } catch (error) {
    if (error instanceof ApiError && !isSignedOut(error)) return undefined;
    throw error;
  }
};

/** What must be known before the write is sent. A JSON value, so that it can be stored. */
export const readBefore = async (api: Api, call: Call): Promise<unknown> =>
  unlessRefused(proofOf(call)?.before?.(lookingFor(api, call), call.values));

/** A list that was read so long ago is read again. A write may wait as long for its turn after its own reading. */
const SNAPSHOT_MS = 60_000;

/** `readBefore` for the calls of one operation. */
const readBeforeAll = (api: Api, calls: readonly Call[], now: () => number) => {
  const proof = calls[0] && proofOf(calls[0]);
  let taken: { readonly at: number; readonly snapshot: Promise<Snapshot | undefined> } | undefined;
  const read = (beforeRun: NonNullable<Proof['beforeRun']>): Promise<Snapshot | undefined> => {
    if (taken !== undefined && now() - taken.at < SNAPSHOT_MS) return taken.snapshot;
    const snapshot = beforeRun(
      calls[0] === undefined ? api : lookingFor(api, calls[0]),
      calls.map(({ values }) => values),
    );
    taken = { at: now(), snapshot };
    snapshot.catch(() => {
      taken = undefined;
    });
    return snapshot;
  };
  return async (call: Call, alone: boolean): Promise<unknown> => {
    const { beforeRun } = proof ?? {};
    if (alone || calls.length < 2 || beforeRun === undefined) return readBefore(api, call);
    return unlessRefused(
      read(beforeRun).then((snapshot) =>
        snapshot === undefined ? readBefore(api, call) : snapshot(call.values),
      ),
    );
  };
};

/**
 * `readBefore` for the writes of one run: where the proof can, one reading stands for all of an operation, for a
 * minute. Rows that could be mistaken for one another must not rest on it (`twinOf`): the first alone may.
 */
export const readBeforeRun = (api: Api, calls: readonly Call[], now: () => number) => {
  const ids = new Set(calls.map(({ operation }) => operation.id));
  const readers = new Map(
    [...ids].map((id) => [
      id,
      readBeforeAll(
        api,
        calls.filter(({ operation }) => operation.id === id),
        now,
      ),
    ]),
  );
  return async (call: Call, alone: boolean): Promise<unknown> =>
    readers.get(call.operation.id)?.(call, alone) ?? readBefore(api, call);
};

/** Writes with the same text make records that look alike: they are sent one after another. */
export const twinOf = (call: Call): string | undefined => proofOf(call)?.twin?.(call.values);

/** The new record as the service would have answered with it; where it cannot be read, as the list has it. */
const wholeOf = async (api: Api, call: Call, record: Row): Promise<Row> =>
  (await proofOf(call)
    ?.whole?.(lookingFor(api, call), record, call.values)
    .catch(() => null)) ?? record;

export interface Settled {
  readonly became: 'failed' | Verdict;
  /** The record that was made, where the records show which one it is. */
  readonly record?: Row;
  /** Of what is unknown: the records were not read, could not be, do not tell, or may show it later. */
  readonly why?: 'interrupted' | 'unread' | 'unclear' | 'late';
}

/** After an error: `failed` when the service refused the write or it never left; else what the records say. */
export const settle = async (api: Api, call: Call, before: unknown, error: unknown): Promise<Settled> => {
  if (!mayHaveHappened(error)) return { became: 'failed' };
  const finding = await find(api, call, before).catch((ended: unknown) =>
    ended instanceof Cancelled ? ('interrupted' as const) : ('unread' as const),
  );
  if (typeof finding !== 'string')
    return { became: 'done', record: await wholeOf(api, call, finding.record) };
  if (finding === 'unread' || finding === 'interrupted') return { became: 'unknown', why: finding };
  // The service may still be at work on it, and a second one would be a duplicate.
  if (finding === 'not-done' && lateCreate(call, error)) return { became: 'unknown', why: 'late' };
  return { became: finding };
};
