import { UsageError } from '../outcome.ts';
import { type Delivery, isSigned } from './delivery.ts';
import type { Store } from './store.ts';

/** Finding what is kept. */

/** Every one that is whole, one after another. */
export function* everyDelivery(store: Store): Generator<Delivery> {
  for (const key of store.keys()) {
    const delivery = store.read(key);
    if (delivery !== undefined) yield delivery;
  }
}

/** So much of a key is enough. */
const KEY = /^[0-9a-f]{8,32}$/;

const absent = (id: string, folder: string): UsageError =>
  new UsageError(`no delivery ${id} is kept in ${folder}`, {
    code: 'no_delivery',
    hint: 'See them: ttctl webhooks received',
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

/**
 * The keys of deliveries by their ids, or the beginnings of their keys.
 * @throws UsageError when there is none, or several
 */
export const findKeys = (store: Store, ids: readonly string[]): readonly string[] => {
  const marks = Array.from(
    everyDelivery(store),
    ({ id, key, target, signature }): Mark => ({
      id,
      key,
      target,
      signature,
    }),
  );
  return ids.map((id) => chosen(marks, id, store.folder).key);
};

/** @throws UsageError when there is none (any more) */
export const takeOut = (store: Store, key: string): Delivery => {
  const delivery = store.read(key);
  if (delivery === undefined) throw absent(key, store.folder);
  return delivery;
};

/** @throws UsageError when there is none, or several */
export const findDelivery = (store: Store, id: string): Delivery =>
  takeOut(store, findKeys(store, [id])[0] ?? '');
