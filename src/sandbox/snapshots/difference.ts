import { isDeepStrictEqual } from 'node:util';
import type { World } from '../world.ts';

/** What two states of a sandbox differ in, record by record. */

export interface Difference {
  /** The collection: `timesheets`, `members`, `tokens` … */
  readonly kind: string;
  readonly id: string;
  readonly workspace_id: number | null;
  readonly change: 'added' | 'changed' | 'removed';
  /** With null for what was not, or is no more, there; secrets are masked. */
  readonly fields: readonly { readonly field: string; readonly before: unknown; readonly after: unknown }[];
}

type Fields = Readonly<Record<string, unknown>>;

interface Entry extends Pick<Difference, 'kind' | 'id' | 'workspace_id'> {
  readonly fields: Fields;
}

const SECRETS = new Set(['token', 'client_secret', 'access_token', 'challenge']);

/** From `before` to `after`, in the order of the state. */
export function compareWorlds(before: World, after: World): Difference[] {
  const [previous, current] = [listEntries(before), listEntries(after)];
  return [...new Set([...previous.keys(), ...current.keys()])].flatMap((key): Difference[] => {
    const [old, now] = [previous.get(key), current.get(key)];
    const { kind, id, workspace_id } = (now ?? old) as Entry;
    const change = old === undefined ? 'added' : now === undefined ? 'removed' : 'changed';
    const fields = compareFields(old?.fields ?? {}, now?.fields ?? {});
    return change === 'changed' && fields.length === 0 ? [] : [{ kind, id, workspace_id, change, fields }];
  });
}

function compareFields(before: Fields, after: Fields): Difference['fields'] {
  const names = [...new Set([...Object.keys(before), ...Object.keys(after)])];
  const show = (name: string, value: unknown) => (SECRETS.has(name) && value ? '(secret)' : (value ?? null));
  return names
    .filter((name) => !isDeepStrictEqual(before[name] ?? null, after[name] ?? null))
    .map((field) => ({ field, before: show(field, before[field]), after: show(field, after[field]) }));
}

/** All that somebody could have changed, by kind and id. A clock that runs differs always, and is left out. */
function listEntries({ spaces, users, trackers, tokens, oauth, deliveries = [], time }: World) {
  const entries = new Map<string, Entry>();
  const add = (kind: string, records: object, workspace_id: number | null = null): void => {
    for (const [key, value] of Object.entries(records)) {
      const fields: Fields = { ...(value as object) };
      // The key of some is a secret.
      const id = String(
        fields['id'] ?? (kind.endsWith('tokens') || kind === 'codes' ? `…${key.slice(-4)}` : key),
      );
      entries.set(`${kind} ${workspace_id} ${id}`, { kind, id, workspace_id, fields });
    }
  };
  for (const { id, ...space } of Object.values(spaces)) {
    const collections = Object.entries(space).filter(
      ([, value]) => typeof value === 'object' && value !== null,
    );
    const own = Object.entries(space).filter(([, value]) => typeof value !== 'object');
    add('workspaces', { [id]: Object.fromEntries(own) });
    for (const [kind, records] of collections) add(kind, records as object, id);
  }
  add('users', users);
  add('trackers', trackers);
  // The embedded sandbox makes one for itself, with whatever command comes first.
  add(
    'tokens',
    Object.values(tokens).filter(({ name }) => name !== 'embedded'),
  );
  add('apps', oauth?.apps ?? {});
  add('codes', oauth?.codes ?? {});
  add('refresh_tokens', oauth?.refresh_tokens ?? {});
  add('deliveries', deliveries);
  add('clock', { clock: { stands_still_at: time.frozen_ms && new Date(time.frozen_ms).toISOString() } });
  return entries;
}
