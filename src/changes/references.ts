import { buildCall } from '../api/calls.ts';
import type { Api, ApiCall } from '../api/client.ts';
import { nounOf } from '../api/operation.ts';
import type { Row } from '../api/page.ts';
import type { Values } from '../api/plan.ts';
import { isNumber } from '../json/number.ts';
import { toText } from '../json/stringify.ts';
import { EXIT, Failure, toFailureJson } from '../outcome.ts';
import { normalizeText } from '../resources/reconcile/reconciler.ts';
import type { ChangeOfRun } from './change.ts';
import type { SendResult } from './send-result.ts';

/**
 * Records that an earlier change of the same run makes: `new:Harbour website` stands where the id will be, in the
 * journal and in a plan too, until it is known.
 */

const PREFIX = 'new:';

/** The nouns of the records behind parameters that may have one. */
const NOUNS: Readonly<Record<string, string>> = {
  project_id: 'projects',
  user_id: 'members',
  userId: 'members',
  memberId: 'members',
  assignees: 'members',
  viewerId: 'viewers',
  contractId: 'contracts',
};

/** @param target of the change that makes it */
export const toReference = (target: string): string => `${PREFIX}${target}`;

const isReference = (value: unknown): value is string =>
  typeof value === 'string' && value.startsWith(PREFIX);

const formatKey = (noun: string, target: string): string => `${noun} ${normalizeText(target)}`;

interface Reference {
  readonly key: string;
  /** `project Harbour website` */
  readonly words: string;
}

const listReferences = (values: Values): readonly Reference[] =>
  Object.entries(NOUNS).flatMap(([name, noun]) =>
    [values[name]]
      .flat()
      .filter(isReference)
      .map((reference) => {
        const target = reference.slice(PREFIX.length);
        return { key: formatKey(noun, target), words: `${noun.slice(0, -1)} ${target}` };
      }),
  );

export const hasReference = ({ values }: Pick<ApiCall, 'values'>): boolean =>
  listReferences(values).length > 0;

/** Ids of records that were made, by what they are referred to. */
export type MadeIds = ReadonlyMap<string, string>;

/** @param id of what the change has made */
export const toMadeId = (
  operation: string,
  target: string,
  id: string,
): readonly [key: string, id: string] => [formatKey(nounOf({ id: operation }), target), id];

/** A change that cannot be sent, for what it needs was not made. */
const createNeedsResult = (
  { target, call }: ChangeOfRun,
  { words }: Reference,
  made: SendResult | undefined,
): SendResult => {
  const failure = new Failure(`not sent: it needs ${words}, which was not created`, {
    code: 'needs_other',
    exit: EXIT.partial,
  });
  const { message } = failure;
  const base = { target, operation: call.operation.id, message };
  // What was not begun, or is not known, can still be made.
  if (made?.unbegun === true || made?.result.status === 'unknown')
    return { result: { ...base, status: 'skipped' }, failure, unbegun: true };
  return { result: { ...base, status: 'failed', error: toFailureJson(failure) }, failure };
};

export interface References {
  /** Whether a call needs what another change makes. To be asked of each before the first begins. */
  needs(call: ApiCall): boolean;
  /** To be told of each change as it begins. */
  add(change: ChangeOfRun, sending: Promise<SendResult>): void;
  /** The change with ids, once they are known; or what becomes of it in their place. */
  resolve(change: ChangeOfRun): Promise<ChangeOfRun | SendResult>;
}

const replaceReferences = (values: Values, getId: (key: string) => string): Values => {
  const replace = (noun: string, value: unknown): unknown => {
    if (Array.isArray(value)) return value.map((item) => replace(noun, item));
    if (!isReference(value)) return value;
    const id = getId(formatKey(noun, value.slice(PREFIX.length)));
    return /^\d+$/.test(id) && Number.isSafeInteger(Number(id)) ? Number(id) : id;
  };
  const replaced = Object.entries(NOUNS).filter(([name]) => values[name] !== undefined);
  return {
    ...values,
    ...Object.fromEntries(replaced.map(([name, noun]) => [name, replace(noun, values[name])])),
  };
};

/** The id of the record that a write made; undefined where it changed one. */
export function findCreatedId(
  { operation }: ApiCall,
  records: readonly (Row | null | undefined)[],
): string | undefined {
  if (operation.method !== 'POST' || operation.path.includes('{')) return undefined;
  const { createdId = 'id' } = operation;
  const id = records
    .flatMap((record) => [record?.[createdId], record?.id])
    .find((one) => isNumber(one) || (typeof one === 'string' && one !== ''));
  return id === undefined ? undefined : toText(id);
}

/** The id of what a change has made; undefined where it made nothing, or nobody knows. */
export const findMadeId = (call: ApiCall | undefined, { created, result }: SendResult): string | undefined =>
  created ?? (call && findCreatedId(call, [result.data as Row | null | undefined]));

const withIds = (api: Api, change: ChangeOfRun, values: Values): ChangeOfRun => {
  const { n, target, key, columns, label, labelColumns, seen, unset } = change;
  const call = buildCall(api, change.call.operation.id, values) ?? change.call;
  const base = { n, target, key, columns, label, labelColumns, seen, unset };
  return { ...base, after: values, call, resolved: true };
};

/** @param made in earlier runs of the same job */
export const createReferences = (api: Api, made: MadeIds = new Map()): References => {
  const needed = new Set<string>();
  const sent = new Map<string, Promise<SendResult>>();
  const findId = async (change: ChangeOfRun, reference: Reference): Promise<string | SendResult> => {
    const known = made.get(reference.key);
    if (known !== undefined) return known;
    const result = await sent.get(reference.key);
    return result?.created ?? createNeedsResult(change, reference, result);
  };
  return {
    needs({ values }) {
      const references = listReferences(values);
      for (const { key } of references) needed.add(key);
      return references.length > 0;
    },
    add({ target, call }, sending) {
      const key = formatKey(nounOf(call.operation), target);
      if (needed.size === 0 || call.operation.path.includes('{') || !needed.has(key)) return;
      const ended = sending.then((one) => ({ ...one, created: findMadeId(call, one) }));
      // Whoever sends it hears of a fault; here it is only waited for.
      ended.catch(() => {});
      sent.set(key, ended);
    },
    async resolve(change) {
      const references = needed.size === 0 ? [] : listReferences(change.call.values);
      const ids = new Map<string, string>();
      for (const reference of references) {
        const id = await findId(change, reference);
        if (typeof id !== 'string') return id;
        ids.set(reference.key, id);
      }
      if (references.length === 0) return change;
      const values = replaceReferences(change.call.values, (key) => ids.get(key) ?? '');
      return withIds(api, change, values);
    },
  };
};
