import type { Row } from '../api/page.ts';
import type { InboxContext } from './inbox-context.ts';
import type { InboxItem } from './item.ts';
import { type InboxWarning, listWarnings } from './warnings.ts';

/** An item of the inbox with its warnings, its member and its age. */
export interface PendingItem {
  readonly item: InboxItem;
  readonly warnings: readonly InboxWarning[];
  readonly member: Row | undefined;
  /** Seconds; null where the service does not tell since when. */
  readonly seconds: number | null;
}

export const listPendingItems = (
  items: readonly InboxItem[],
  inboxContext: InboxContext,
  now: number,
): readonly PendingItem[] =>
  items.map((item) => {
    const context = inboxContext.of(item);
    const seconds = item.since === null ? null : Math.max(0, Math.floor((now - item.since) / 1000));
    return { item, warnings: listWarnings(item, context), member: context.member, seconds };
  });
