import type { Change } from '../changes/change.ts';
import type { Run } from '../run.ts';
import { type ChangeWarnings, type InboxKind, isWaiting, toInboxItem } from './item.ts';
import { asFailure } from './lists.ts';
import { loadInbox, loadPending } from './load.ts';
import { type InboxWarning, summarizeWarnings } from './warnings.ts';

/** What a person should know before many decisions are sent: the warnings of the inbox. Loaded only then. */

const NOT_WAITING: readonly InboxWarning[] = [
  { code: 'not_checked', text: 'not checked: it is not waiting' },
];

/** What may not be read costs the warnings, not the decision. */
export async function findWarnings(
  run: Run,
  kind: InboxKind,
  changes: readonly Change[],
): Promise<ChangeWarnings> {
  // The records as `--all` has read them, else those of all that wait.
  const read = async () => {
    const rows = changes.map(({ before }) => before).filter((row) => row !== undefined);
    if (rows.length === changes.length) {
      const items = rows.filter((row) => isWaiting(kind, row)).map((row) => toInboxItem(kind, row));
      return loadPending(run, items, { complete: [] });
    }
    const { items, complete } = await loadInbox(run, { kinds: [kind] });
    const ids = new Set(changes.map(({ key }) => key));
    const meant = items.filter(({ id }) => ids.has(id));
    return loadPending(run, meant, { complete, waiting: items });
  };
  try {
    const pending = await run.watch.during(() => 'reading the warnings', read);
    const byId = new Map(pending.map((one) => [one.item.id, one]));
    const warnings = changes.map(({ key }) => byId.get(key)?.warnings ?? NOT_WAITING);
    const rows = changes.map(({ key }) => byId.get(key)?.item.record);
    return { warnings, rows, summary: summarizeWarnings(warnings) };
  } catch (error) {
    const { message } = asFailure(error);
    return { warnings: [], rows: [], summary: `The warnings could not be read: ${message}` };
  }
}
