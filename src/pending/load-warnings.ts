import type { Row } from '../api/page.ts';
import type { Context } from '../context.ts';
import { UnknownValue } from '../query/condition.ts';
import { loadInboxContext } from './inbox-context.ts';
import { getItemKey, type InboxItem, type InboxKind, toInboxItem } from './item.ts';
import { isWaiting } from './load-inbox.ts';
import { type InboxWarning, listWarnings, withUnchecked } from './warnings.ts';

/** The warnings of the inbox for the rows of one list. */

/** Null for a row that does not wait; unknown where something that they rest on could not be read. */
export type RowWarnings = readonly InboxWarning[] | UnknownValue | null;

interface WarningsOptions {
  /** Whether the rows are all of their kind that wait. */
  readonly isComplete: boolean;
  /** Whether all that the warnings rest on is read, whatever it takes: somebody chooses by them. */
  readonly thorough: boolean;
}

export type FindWarnings = (row: Row) => RowWarnings;

/** Reads what the warnings of these rows rest on. */
export const loadWarnings = async (
  sources: Pick<Context, 'api' | 'lists' | 'names' | 'clock' | 'timeZone'>,
  kind: InboxKind,
  rows: readonly Row[],
  { isComplete, thorough }: WarningsOptions,
): Promise<FindWarnings> => {
  const items = rows.filter((row) => isWaiting(kind, row)).map((row) => toInboxItem(kind, row));
  if (items.length === 0) return () => null;
  const context = await loadInboxContext(sources, items, {
    complete: isComplete ? [kind] : [],
    thorough,
  });
  const find = (item: InboxItem): RowWarnings => {
    const unchecked = context.findUnchecked(item);
    return unchecked === undefined
      ? listWarnings(item, context.of(item))
      : new UnknownValue(`its warnings could not be determined: ${unchecked}`);
  };
  const warnings = new Map(items.map((item) => [getItemKey(item), find(item)]));
  return (row) => warnings.get(getItemKey(toInboxItem(kind, row))) ?? null;
};

/** The same as columns: codes, and their words; null for a row that does not wait. */
export const toWarningFields = (found: RowWarnings): Row => {
  const warnings = found instanceof UnknownValue ? withUnchecked([], found.why) : found;
  return {
    warnings: warnings?.map(({ code }) => code) ?? null,
    warning_messages: warnings?.map(({ text }) => text) ?? null,
  };
};
