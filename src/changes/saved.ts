import type { Api, Call } from '../api/client.ts';
import type { Row } from '../api/page.ts';
import { isRecord } from '../json/number.ts';
import { Cancelled } from '../outcome.ts';
import { reconcilerOf } from '../resources/reconcile/of-operation.ts';
import { sameForm } from '../resources/reconcile/reconciler.ts';
import { differingFields, sentFields } from '../resources/reconcile/sent-fields.ts';
import { lookingFor } from './elsewhere.ts';

/** Whether a write that the service accepted was carried out as it was sent: fields may be dropped without a word. */

/** Saved only for those who may view rates (docs/service.md, Rates), so that an answer alone proves nothing. */
export const RATES: ReadonlySet<string> = new Set(['rate', 'rate_type', 'budget']);

export interface Unsaved {
  /** By the names of the write's parameters. */
  readonly fields: readonly string[];
  /** The record as it is now; absent: it could not be read. */
  readonly record?: Row;
  /** Why it could not. */
  readonly why?: 'interrupted' | 'unread' | 'unclear';
}

export const whyUnread = (error: unknown): 'interrupted' | 'unread' =>
  error instanceof Cancelled ? 'interrupted' : 'unread';

export const viewOf = (call: Call, record: Row): Row =>
  reconcilerOf(call)?.saved?.view?.(record, call.values) ?? record;

/** Whether a write was answered with another record than the one that its path names. */
export const isOfAnother = ({ operation, values }: Call, data: unknown): boolean => {
  const [name, second] = [...operation.path.matchAll(/\{(\w+)\}/g)].map(([, one = '']) => one);
  // What joins two records may be answered with a third, which joins them.
  if (name === undefined || second !== undefined || operation.id.endsWith('assign')) return false;
  const asked = values[name];
  return isRecord(data) && data.id != null && asked !== undefined && sameForm(data.id) !== sameForm(asked);
};

/** The record that a write was answered with; undefined for none, and for another than the one that was written. */
export const answerOf = (call: Call, data: unknown): Row | undefined =>
  isRecord(data) && Object.keys(data).length > 0 && !isOfAnother(call, data) ? data : undefined;

interface Doubts {
  /** Fields that the record has to show as they were sent: one that it hides counts as not saved. */
  readonly needed: readonly string[];
  /** All that was sent, where nothing of it was answered. */
  readonly unseen: readonly string[];
  /** Fields that no document knows: the service may ignore them, which only a record that has them shows. */
  readonly unknown: readonly string[];
}

/** What was sent, and is not proved to be saved by what the service answered. */
const doubtsOf = (call: Call, answer: Row | undefined): Doubts => {
  const { operation, values } = call;
  const names = sentFields(operation, values).map(([name]) => name);
  const differing = answer === undefined ? [] : differingFields(operation, viewOf(call, answer), values);
  return {
    needed: [...new Set([...differing, ...names.filter((name) => RATES.has(name))])],
    unseen: answer === undefined ? names : [],
    unknown: names.filter((name) => !Object.hasOwn(operation.parameters, name)),
  };
};

const unsavedFields = (call: Call, record: Row, { needed }: Doubts): readonly string[] => {
  const view = viewOf(call, record);
  const hidden = needed.filter((name) => view[name] === undefined);
  const state = reconcilerOf(call)?.contradicts?.(record, call.values) ?? [];
  return [...new Set([...differingFields(call.operation, view, call.values), ...hidden, ...[state].flat()])];
};

/** Whether a record that was read shows all as it was sent. */
export const showsAll = (call: Call, record: Row): boolean =>
  unsavedFields(call, record, doubtsOf(call, record)).length === 0;

/**
 * Reads the record again where the answer leaves open whether all of it was saved.
 * @param answer the record that the service answered with, or that its list shows; undefined for none
 * @param find the record of a creation whose answer does not say which it is
 * @returns undefined where all was saved, as far as the service shows it
 */
export const findUnsaved = async (
  api: Api,
  call: Call,
  answer: Row | undefined,
  find: () => Promise<Row | undefined> = async () => undefined,
): Promise<Unsaved | undefined> => {
  const { saved } = reconcilerOf(call) ?? {};
  if (saved === undefined) return undefined;
  const doubts = doubtsOf(call, answer);
  const open = [...new Set([...doubts.needed, ...doubts.unseen])];
  if (open.length + doubts.unknown.length === 0) return undefined;
  const read = async () =>
    (await saved.read(lookingFor(api, call), call.values, answer ?? {})) ?? (await find()) ?? 'unclear';
  const record = await read().catch(whyUnread);
  if (typeof record === 'string') return open.length === 0 ? undefined : { fields: open, why: record };
  const fields = unsavedFields(call, record, doubts);
  return fields.length === 0 ? undefined : { fields, record };
};
