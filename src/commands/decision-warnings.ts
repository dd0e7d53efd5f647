import type { ChangeOfRun, ChangeWarnings } from '../changes/change.ts';
import type { Context } from '../context.ts';
import { Cancelled, Failure } from '../outcome.ts';
import { type InboxScope, loadInboxContext } from '../pending/inbox-context.ts';
import { type InboxItem, type InboxKind, toInboxItem } from '../pending/item.ts';
import { isWaiting, loadInbox } from '../pending/load-inbox.ts';
import { listWarnings, summarizeWarnings } from '../pending/warnings.ts';

/** What a person should know before many decisions are sent: the warnings of the inbox. Loaded only then. */

interface Items {
  readonly items: readonly InboxItem[];
  readonly scope: InboxScope;
}

/** The records themselves: as `--all` has read them, else those of all that wait. */
const readItems = async (
  context: Context,
  kind: InboxKind,
  changes: readonly ChangeOfRun[],
): Promise<Items> => {
  const rows = changes.map(({ before }) => before).filter((row) => row !== undefined);
  if (rows.length === changes.length) {
    const items = rows.filter((row) => isWaiting(kind, row)).map((row) => toInboxItem(kind, row));
    return { items, scope: { complete: [] } };
  }
  const { items, complete } = await loadInbox(context, { kinds: [kind] });
  const ids = new Set(changes.map(({ key }) => key));
  return { items: items.filter(({ id }) => ids.has(id)), scope: { complete, waiting: items } };
};

const readWarnings = async (
  context: Context,
  kind: InboxKind,
  changes: readonly ChangeOfRun[],
): Promise<ChangeWarnings> => {
  const { items, scope } = await readItems(context, kind, changes);
  const inboxContext = await loadInboxContext(context, items, scope);
  const itemsById = new Map(items.map((item) => [item.id, item]));
  const found = changes.map(({ key }) => {
    const item = itemsById.get(key);
    if (item === undefined) return { row: undefined, warnings: [], problem: 'not waiting' };
    const warnings = listWarnings(item, inboxContext.of(item));
    const problem = warnings.length > 0 ? undefined : inboxContext.findUnchecked(item);
    return { row: item.record, warnings, problem };
  });
  const problems = found.map(({ problem }) => problem).filter((problem) => problem !== undefined);
  const checked = found.filter(({ problem }) => problem === undefined);
  const summary = summarizeWarnings(checked.map(({ warnings }) => warnings));
  const reasons = [...new Set(problems)].join('; ');
  return {
    warnings: found.map(({ warnings, problem }) => (problem === undefined ? warnings : null)),
    rows: found.map(({ row }) => row),
    summary: problems.length === 0 ? summary : `${summary}, ${problems.length} not checked (${reasons})`,
  };
};

/** What may not be read costs the warnings, not the decision. */
export const findWarnings = async (
  context: Context,
  kind: InboxKind,
  changes: readonly ChangeOfRun[],
): Promise<ChangeWarnings> => {
  try {
    return await context.watch.during(
      () => 'reading the warnings',
      () => readWarnings(context, kind, changes),
    );
  } catch (error) {
    if (!(error instanceof Failure) || error instanceof Cancelled) throw error;
    return { warnings: [], rows: [], summary: `The warnings could not be read: ${error.message}` };
  }
};
