import { EXIT, Failure, UsageError } from '../outcome.ts';
import { commandLine } from '../parsing/shell-word.ts';
import { type Delivery, isSigned } from './delivery.ts';
import type { DeliveryStore, Unreadable } from './store.ts';

/** Finding what is kept. */

/** Every one, and what cannot be used, one after another. */
export function* iterateDeliveries(store: DeliveryStore): Generator<Delivery | Unreadable> {
  for (const key of store.keys()) {
    const found = store.look(key);
    if (found !== undefined) yield found;
  }
}

/** So much of a key is enough. */
const KEY = /^[0-9a-f]{8,32}$/;

const absent = (id: string, folder: string): UsageError =>
  new UsageError(`no delivery ${id} is stored in ${folder}`, {
    code: 'no_delivery',
    hint: 'List them: ttctl webhooks received',
  });

/** What tells a delivery apart, without its body. */
type Mark = Pick<Delivery, 'id' | 'key' | 'target' | 'signature'>;

/** By its id, or the beginning of its key. Of those with one id the signed one is meant: anybody can send an id. */
const chosen = (marks: readonly Mark[], id: string, folder: string): Mark => {
  const found = marks.filter((mark) => mark.id === id || (KEY.test(id) && mark.key.startsWith(id)));
  const signed = found.filter(({ signature }) => isSigned(signature));
  const [first, second] = signed.length > 0 ? signed : found;
  if (first === undefined) throw absent(id, folder);
  if (second === undefined) return first;
  const keys = found.map(({ key, target }) => `${key.slice(0, 12)} (${target})`).join(', ');
  throw new UsageError(`${found.length} deliveries have the id ${id}`, {
    code: 'ambiguous',
    hint: `Name one by its key: ${keys}`,
  });
};

/** What cannot be used has its key alone. */
const markOf = (found: Delivery | Unreadable): Mark =>
  'problem' in found
    ? { id: found.key, key: found.key, target: 'cannot be read', signature: { state: 'none' } }
    : { id: found.id, key: found.key, target: found.target, signature: found.signature };

/**
 * The keys of deliveries by their ids, or the beginnings of their keys.
 * @throws UsageError when there is none, or several
 */
export const findDeliveryKeys = (store: DeliveryStore, ids: readonly string[]): readonly string[] => {
  const marks = Array.from(iterateDeliveries(store), markOf);
  return ids.map((id) => chosen(marks, id, store.folder).key);
};

/** @throws UsageError when there is none (any more), Failure (exit 1) where it cannot be used */
export const readStoredDelivery = (store: DeliveryStore, key: string): Delivery => {
  const found = store.look(key);
  if (found === undefined) throw absent(key, store.folder);
  if (!('problem' in found)) return found;
  throw new Failure(`delivery ${key} cannot be read`, {
    code: 'unreadable_delivery',
    exit: EXIT.fault,
    reason: found.problem,
    hint: `Remove it: ${commandLine`rm -r ${found.path}`}`,
  });
};

/** @throws as `findDeliveryKeys` and `readStoredDelivery` */
export const findDelivery = (store: DeliveryStore, id: string): Delivery =>
  readStoredDelivery(store, findDeliveryKeys(store, [id])[0] ?? '');
