import type { Call } from '../deliveries/controls.ts';
import type { SandboxRequest } from '../exchange.ts';
import type { SnapshotControl } from './control.ts';

/** `/_sandbox/snapshots…` on a server, between JSON and the control; both ends are here. */

/** What anybody on this machine may see; undefined: another path. */
export const lookAtSnapshots = async (
  snapshots: SnapshotControl,
  { path, query }: SandboxRequest,
): Promise<unknown> => {
  const asked = new Map(query);
  if (path === '/_sandbox/snapshots') return snapshots.list();
  if (path === '/_sandbox/snapshots/diff') return snapshots.diff(asked.get('name') ?? '', asked.get('other'));
  return undefined;
};

/** What the holder of the secret may do; undefined: another path. */
export const actOnSnapshots = async (
  snapshots: SnapshotControl,
  path: string,
  body: Readonly<Record<string, unknown>>,
): Promise<unknown> => {
  const name = String(body['name'] ?? '');
  const plan = body['plan'] === true;
  switch (path) {
    case '/_sandbox/snapshots/save':
      return snapshots.save(name, { replace: body['replace'] === true, plan });
    case '/_sandbox/snapshots/restore':
      return snapshots.restore(name, plan);
    case '/_sandbox/snapshots/remove':
      return snapshots.remove(name, plan);
    default:
      return undefined;
  }
};

/** The other end: the answers are those of the two above. */
export const remoteSnapshots = (call: Call): SnapshotControl => {
  const typed = async <T>(answer: Promise<unknown>): Promise<T> => (await answer) as T;
  return {
    list: () => typed(call('GET', 'snapshots', undefined)),
    save: (name, how) => typed(call('POST', 'snapshots/save', { name, ...how })),
    restore: (name, plan) => typed(call('POST', 'snapshots/restore', { name, plan })),
    diff: (name, other) => {
      const asked = new URLSearchParams({ name, ...(other === undefined ? {} : { other }) });
      return typed(call('GET', `snapshots/diff?${asked}`, undefined));
    },
    remove: (name, plan) => typed(call('POST', 'snapshots/remove', { name, plan })),
  };
};
