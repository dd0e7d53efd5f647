import { EXIT, Failure, UsageError } from '../outcome.ts';
import { checkLocalId } from '../parsing/id.ts';
import { createCommandTemplate } from '../parsing/shell-word.ts';
import { type Delivery, isSigned } from './delivery.ts';
import type { DeliveryStore, Unreadable } from './store.ts';

/** Finding what is kept. */

/** Every one, and what cannot be used, one after another. */
export function* iterateDeliveries(store: DeliveryStore): Generator<Delivery | Unreadable> {
  for (const key of store.keys()) {
    const entry = store.tryRead(key);
    if (entry !== undefined) yield entry;
  }
}

/** So much of a key is enough. */
const KEY = /^[0-9a-f]{8,32}$/;

type Folder = Pick<DeliveryStore, 'folder' | 'own'>;

const formatListHint = ({ folder, own }: Folder): string =>
  `List them: ${createCommandTemplate(own ? [] : ['--store', folder])`ttctl webhooks received`}`;

const createNotFound = (id: string, place: Folder): UsageError =>
  new UsageError(`no delivery ${id} is stored in ${place.folder}`, {
    code: 'no_delivery',
    hint: formatListHint(place),
  });

/** What tells a delivery apart, without its body. */
type DeliveryIdentity = Pick<Delivery, 'id' | 'key' | 'target' | 'signature'>;

/** By its id, or the beginning of its key. Of those with one id the signed one is meant: anybody can send an id. */
const chooseOne = (candidates: readonly DeliveryIdentity[], id: string, folder: Folder): DeliveryIdentity => {
  const matches = candidates.filter((mark) => mark.id === id || (KEY.test(id) && mark.key.startsWith(id)));
  const signed = matches.filter(({ signature }) => isSigned(signature));
  const [first, second] = signed.length > 0 ? signed : matches;
  if (first === undefined) throw createNotFound(id, folder);
  if (second === undefined) return first;
  const keys = matches.map(({ key, target }) => `${key.slice(0, 12)} (${target})`).join(', ');
  throw new UsageError(`${matches.length} deliveries have the id ${id}`, {
    code: 'ambiguous',
    hint: `Name one by its key: ${keys}`,
  });
};

/** What cannot be used has its key alone. */
const toIdentity = (entry: Delivery | Unreadable): DeliveryIdentity =>
  'problem' in entry
    ? { id: entry.key, key: entry.key, target: 'cannot be read', signature: { state: 'none' } }
    : { id: entry.id, key: entry.key, target: entry.target, signature: entry.signature };

/**
 * The keys of deliveries by their ids, or the beginnings of their keys.
 * @throws UsageError for an empty id, and when there is none, or several
 */
export const findDeliveryKeys = (store: DeliveryStore, ids: readonly string[]): readonly string[] => {
  for (const id of ids) checkLocalId('delivery', id, formatListHint(store));
  const candidates = Array.from(iterateDeliveries(store), toIdentity);
  return ids.map((id) => chooseOne(candidates, id, store).key);
};

/** @throws UsageError when there is none (any more), Failure (exit 1) where it cannot be used */
export const readStoredDelivery = (store: DeliveryStore, key: string): Delivery => {
  const entry = store.tryRead(key);
  if (entry === undefined) throw createNotFound(key, store);
  if (!('problem' in entry)) return entry;
  throw new Failure(`delivery ${key} cannot be read`, {
    code: 'unreadable_delivery',
    exit: EXIT.fault,
    reason: entry.problem,
    hint: entry.hint,
  });
};

/** @throws as `findDeliveryKeys` and `readStoredDelivery` */
export const findDelivery = (store: DeliveryStore, id: string): Delivery =>
  readStoredDelivery(store, findDeliveryKeys(store, [id])[0] ?? '');
