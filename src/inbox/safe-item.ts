import { safeCell, safeLines } from '../output/safe-text.ts';
import type { ReviewItem } from '../review.ts';
import type { Style } from './style.ts';

/** What comes from the service, as it may be shown. Each text is sanitised when it is looked at. */
export class SafeItem implements ReviewItem {
  readonly key: string;
  readonly kind: string;
  readonly #item: ReviewItem;
  readonly #style: Style;

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
    return this.#plain(safeCell(text));
  }

  get kindBrief() {
    return this.#cell(this.#item.kindBrief);
  }
  get who() {
    return this.#cell(this.#item.who);
  }
  get when() {
    return this.#cell(this.#item.when);
  }
  get amount() {
    return this.#cell(this.#item.amount);
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
    return this.#item.warnings.map((text) => this.#cell(text));
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
