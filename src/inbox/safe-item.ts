import { safeLines, safeName } from '../output/safe-text.ts';
import type { ReviewItem } from '../review.ts';
import type { Style } from './style.ts';

/** What comes from the service, as it may be shown. Each text is sanitised when it is looked at. */
export class SafeItem implements ReviewItem {
  readonly key: string;
  readonly kind: string;
  readonly #item: ReviewItem;
  readonly #style: Style;
  // What a frame or a key may look at of thousands of items.
  #who: string | undefined;
  #when: string | undefined;
  #amount: string | undefined;
  #warnings: readonly string[] | undefined;

  constructor(item: ReviewItem, style: Style) {
    this.#item = item;
    this.#style = style;
    this.key = item.key;
    this.kind = this.#cell(item.kind);
  }

  #plain(text: string): string {
    return this.#style.unicode ? text : text.replaceAll('–', '-');
  }
  #cell(text: string): string {
    return this.#plain(safeName(text));
  }

  get kindBrief() {
    return this.#cell(this.#item.kindBrief);
  }
  get who() {
    this.#who ??= this.#cell(this.#item.who);
    return this.#who;
  }
  get when() {
    this.#when ??= this.#cell(this.#item.when);
    return this.#when;
  }
  get amount() {
    this.#amount ??= this.#cell(this.#item.amount);
    return this.#amount;
  }
  get waits() {
    return this.#cell(this.#item.waits);
  }
  get about() {
    const { about } = this.#item;
    return about === undefined ? undefined : this.#cell(about);
  }
  get note() {
    const { note } = this.#item;
    return note === undefined ? undefined : this.#cell(note);
  }
  get warnings() {
    this.#warnings ??= this.#item.warnings.map((text) => this.#cell(text));
    return this.#warnings;
  }
  get facts() {
    return this.#item.facts.map(
      ([label, text]) => [this.#cell(label), this.#plain(safeLines(text))] as const,
    );
  }
  get version() {
    return this.#item.version;
  }
}
