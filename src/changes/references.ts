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

/** What the changes of one run need of each other. */
export class References {
  readonly #api: Api;
  readonly #made: MadeIds;
  readonly #needed = new Set<string>();
  readonly #sent = new Map<string, Promise<SendResult>>();

  /** @param made in earlier runs of the same job */
  constructor(api: Api, made: MadeIds = new Map()) {
    this.#api = api;
    this.#made = made;
  }

  /** Whether a call needs what another change makes. To be asked of each before the first begins. */
  needs({ values }: ApiCall): boolean {
    const references = listReferences(values);
    for (const { key } of references) this.#needed.add(key);
    return references.length > 0;
  }

  /** To be told of each change as it begins. */
  add({ target, call }: ChangeOfRun, sending: Promise<SendResult>): void {
    const key = formatKey(nounOf(call.operation), target);
    if (call.operation.path.includes('{') || !this.#needed.has(key)) return;
    const ended = sending.then((one) => ({ ...one, created: findMadeId(call, one) }));
    // Whoever sends it hears of a fault; here it is only waited for.
    ended.catch(() => {});
    this.#sent.set(key, ended);
  }

  /** The change with ids, once they are known; or what becomes of it in their place. */
  async resolve(change: ChangeOfRun): Promise<ChangeOfRun | SendResult> {
    const references = this.#needed.size === 0 ? [] : listReferences(change.call.values);
    if (references.length === 0) return change;
    const ids = new Map<string, string>();
    for (const reference of references) {
      const made = await this.#sent.get(reference.key);
      const id = this.#made.get(reference.key) ?? made?.created;
      if (id === undefined) return createNeedsResult(change, reference, made);
      ids.set(reference.key, id);
    }
    const values = replaceReferences(change.call.values, (key) => ids.get(key) ?? '');
    const call = buildCall(this.#api, change.call.operation.id, values) ?? change.call;
    return { ...change, before: undefined, after: values, call, resolved: true };
  }
}
