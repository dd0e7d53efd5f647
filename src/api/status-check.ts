import { toText } from '../json.ts';
import { findState } from './fields.ts';
import type { Row } from './page.ts';
import { findRecordFacts } from './records.ts';

/**
 * The status of each row of a list, held against those that are known and that were asked for: what is in a state that
 * nobody knows, or asked for, is chosen by nothing.
 */
export class StatusCheck {
  readonly #resource;
  /** The states that were asked for; empty: any. */
  readonly #asked: readonly unknown[];
  /** By what is wrong, in words. */
  readonly #counts = new Map<string, number>();

  /** @param list and what it is asked for with */
  constructor({ operation, values }: { readonly operation: { readonly id: string }; readonly values: Row }) {
    // Balances and policies are lists of a noun too, but not of its records.
    const resource = findRecordFacts(operation.id.split('.')[0] ?? '');
    this.#resource = operation.id === `${resource?.noun}.list` ? resource : undefined;
    this.#asked = [values.status ?? []].flat();
  }

  /** Counts a row whose status is none that is known, or that has none where its status is what is decided. */
  isKnown(row: Row): boolean {
    if (this.#resource?.states === undefined || this.#findState(row) !== undefined) return true;
    if (row.status != null) return this.#count(toWords(row, 'is not known'));
    return !this.#resource.decisive?.includes('status') || this.#count('no status');
  }

  /** Counts a row whose status is another than was asked for. */
  isAsked(row: Row): boolean {
    const state = this.#findState(row);
    if (state === undefined || this.#asked.length === 0) return true;
    return (
      this.#asked.some((status) => this.#findState({ status }) === state) ||
      this.#count(toWords(row, 'was not asked for'))
    );
  }

  /** `7 timesheets have the status "pending_review", which is not known` */
  describe(): readonly string[] {
    const [one = '', many = ''] = this.#resource?.words ?? [];
    return [...this.#counts].map(
      ([words, count]) => `${count} ${count === 1 ? `${one} has` : `${many} have`} ${words}`,
    );
  }

  #findState(row: Row): string | undefined {
    return this.#resource && findState(this.#resource, row);
  }

  #count(words: string): false {
    this.#counts.set(words, (this.#counts.get(words) ?? 0) + 1);
    return false;
  }
}

const toWords = ({ status }: Row, what: string): string =>
  `the status ${JSON.stringify(toText(status).toLowerCase().slice(0, 40))}, which ${what}`;
