import type { Row } from '../api/page.ts';
import type { InboxContext } from './inbox-context.ts';
import type { InboxItem } from './item.ts';
import { type InboxWarning, listWarnings } from './warnings.ts';

/** An item of the inbox with its warnings, its member and its age. */
export interface PendingItem {
  readonly item: InboxItem;
  readonly warnings: readonly InboxWarning[];
  /** Why the warnings may not be all, in words; undefined where they are. */
  readonly unchecked: string | undefined;
  /** The same, where the cause is something that was read and says nothing usable. */
  readonly unreadable: string | undefined;
  readonly member: Row | undefined;
  /** Seconds; null where the service does not tell since when. */
  readonly seconds: number | null;
}

/** Finds its warnings at the first look: of thousands of items a screen shows a few. */
class LazyPendingItem implements PendingItem {
  readonly item: InboxItem;
  readonly member: Row | undefined;
  readonly seconds: number | null;
  readonly #inboxContext: InboxContext;
  #warnings: readonly InboxWarning[] | undefined;

  constructor(item: InboxItem, inboxContext: InboxContext, now: number) {
    this.item = item;
    this.member = inboxContext.memberOf(item);
    this.seconds = item.since === null ? null : Math.max(0, Math.floor((now - item.since) / 1000));
    this.#inboxContext = inboxContext;
  }

  get warnings(): readonly InboxWarning[] {
    this.#warnings ??= listWarnings(this.item, this.#inboxContext.of(this.item));
    return this.#warnings;
  }

  get unchecked(): string | undefined {
    return this.#inboxContext.findUnchecked(this.item);
  }

  get unreadable(): string | undefined {
    return this.#inboxContext.findUnreadable(this.item);
  }
}

export const listPendingItems = (
  items: readonly InboxItem[],
  inboxContext: InboxContext,
  now: number,
): readonly PendingItem[] => items.map((item) => new LazyPendingItem(item, inboxContext, now));
