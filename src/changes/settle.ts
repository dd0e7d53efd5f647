import type { Api, Call } from '../api/client.ts';
import type { Row } from '../api/page.ts';
import { mayHaveHappened } from '../api/reply.ts';
import { ApiError, Cancelled, EXIT, Failure, NetworkError } from '../outcome.ts';
import { reconcilerOf } from '../resources/reconcile/of-operation.ts';
import type { Reconciler, Shown, Snapshot, Verdict } from '../resources/reconcile/reconciler.ts';
import { lookingFor } from './elsewhere.ts';
import { answerOf, findUnsaved, isOfAnother, showsAll, type Unsaved, whyUnread } from './saved.ts';

/**
 * After a write whose answer was lost: what the service's own records say. Nothing is ever sent again here
 * (docs/requirements.md, E2).
 */

const lateCreate = ({ operation }: Call, error: unknown): boolean =>
  error instanceof NetworkError &&
  error.code === 'timeout' &&
  operation.method === 'POST' &&
  operation.answer === 'record';

/** `unread`: the records could not be read. */
const find = async (api: Api, call: Call, before: unknown): Promise<Verdict | Shown | 'unread'> => {
  try {
    return (await reconcilerOf(call)?.after(lookingFor(api, call), call.values, before)) ?? 'unknown';
  } catch (error) {
    if (error instanceof Cancelled || isSignedOut(error)) throw error;
    return 'unread'; // the look-up met the same fault
  }
};

/** Where the record cannot be read, it is not known what of it was saved. */
const settledOf = (unsaved: Unsaved): Settled => ({
  ...unsaved,
  became: unsaved.record === undefined ? 'unknown' : 'not-saved',
});

/** A record that was made, held against what was sent. */
const madeAs = async (api: Api, call: Call, record: Row): Promise<Settled> => {
  // A list may leave out what the record has.
  const unsaved = showsAll(call, record) ? undefined : await findUnsaved(api, call, record);
  return unsaved === undefined ? { became: 'done', record } : { record, ...settledOf(unsaved) };
};

/**
 * What the records say of a write that was sent. `unknown` too when they cannot be read.
 * @param before what `readBefore` gave before it was sent
 * @throws Cancelled when interrupted, ApiError when the login has ended
 */
export const lookUp = async (api: Api, call: Call, before: unknown): Promise<Settled> => {
  const finding = await find(api, call, before);
  if (finding === 'unread') return { became: 'unknown' };
  if (typeof finding === 'string') return { became: finding };
  return madeAs(api, call, finding.record);
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
  unlessRefused(reconcilerOf(call)?.before?.(lookingFor(api, call), call.values));

/** A list that was read so long ago is read again. A write may wait as long for its turn after its own reading. */
const SNAPSHOT_MS = 60_000;

/** `readBefore` for the calls of one operation. */
const readBeforeAll = (api: Api, calls: readonly Call[], now: () => number) => {
  const reconciler = calls[0] && reconcilerOf(calls[0]);
  let taken: { readonly at: number; readonly snapshot: Promise<Snapshot | undefined> } | undefined;
  const read = (beforeRun: NonNullable<Reconciler['beforeRun']>): Promise<Snapshot | undefined> => {
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
    const { beforeRun } = reconciler ?? {};
    if (alone || calls.length < 2 || beforeRun === undefined) return readBefore(api, call);
    return unlessRefused(
      read(beforeRun).then((snapshot) =>
        snapshot === undefined ? readBefore(api, call) : snapshot(call.values),
      ),
    );
  };
};

/**
 * `readBefore` for the writes of one run: where the reconciler can, one reading stands for all of an operation, for a
 * minute. Rows that could be mistaken for one another must not rest on it (`twinOf`): the first alone may.
 */
export const readBeforeRun = (api: Api, calls: Iterable<Call>, now: () => number) => {
  const groups = new Map<string, Call[]>();
  for (const call of calls) {
    if (reconcilerOf(call)?.beforeRun === undefined) continue;
    const { id } = call.operation;
    const group = groups.get(id) ?? [];
    group.push(call);
    groups.set(id, group);
  }
  const readers = new Map([...groups].map(([id, group]) => [id, readBeforeAll(api, group, now)]));
  return async (call: Call, alone: boolean): Promise<unknown> =>
    readers.get(call.operation.id)?.(call, alone) ?? readBefore(api, call);
};

/** Writes with the same text make records that look alike: they are sent one after another. */
export const twinOf = (call: Call): string | undefined => reconcilerOf(call)?.duplicateKey?.(call.values);

/** The new record as the service would have answered with it; where it cannot be read, as the list has it. */
const wholeOf = async (api: Api, call: Call, record: Row): Promise<Row> =>
  (await reconcilerOf(call)
    ?.whole?.(lookingFor(api, call), record, call.values)
    .catch(() => null)) ?? record;

export interface Settled {
  /** `not-saved`: it was carried out, but for some fields. */
  readonly became: 'failed' | 'not-saved' | Verdict;
  /** The record that was made or changed, where the records show which one it is. */
  readonly record?: Row;
  /** What was not saved, or of which it is not known. */
  readonly fields?: readonly string[];
  /** Of what is unknown: the records were not read, could not be, do not tell, or may show it later. */
  readonly why?: 'interrupted' | 'unread' | 'unclear' | 'late';
}

/** After an error: `failed` when the service refused the write or it never left; else what the records say. */
export const settle = async (api: Api, call: Call, before: unknown, error: unknown): Promise<Settled> => {
  if (!mayHaveHappened(error)) return { became: 'failed' };
  const finding = await find(api, call, before).catch(whyUnread);
  if (typeof finding !== 'string') {
    const whole = await wholeOf(api, call, finding.record);
    return madeAs(api, call, whole);
  }
  if (finding === 'unread' || finding === 'interrupted') return { became: 'unknown', why: finding };
  // The service may still be at work on it, and a second one would be a duplicate.
  if (finding === 'not-done' && lateCreate(call, error)) return { became: 'unknown', why: 'late' };
  return { became: finding };
};

/** After the service said that it was done: whether its records bear that out, where there is reason to doubt it. */
export const confirm = async (api: Api, call: Call, before: unknown, data: unknown): Promise<Settled> => {
  const { contradicts, saved, state: field = 'status' } = reconcilerOf(call) ?? {};
  const answer = answerOf(call, data);
  const unread = saved === undefined && isOfAnother(call, data) ? field : undefined;
  const state = answer === undefined ? unread : contradicts?.(answer, call.values);
  if (state !== undefined) {
    const finding = await find(api, call, before).catch(whyUnread);
    const became = finding === 'not-done' ? 'not-saved' : 'unknown';
    if (finding !== 'done') return { became, fields: [state], ...(answer && { record: answer }) };
  }
  const unsaved = await findUnsaved(api, call, answer, async () => {
    const finding = before === undefined ? undefined : await find(api, call, before);
    return typeof finding === 'object' ? finding.record : undefined;
  });
  return unsaved === undefined ? { became: 'done' } : settledOf(unsaved);
};
