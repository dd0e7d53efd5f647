import { toText } from '../json.ts';
import { addDays, isDay } from '../parsing/calendar.ts';
import { foldWord, isSameValue } from '../parsing/names.ts';
import { findState } from './fields.ts';
import type { ListCall } from './lists.ts';
import { nounOf } from './operation.ts';
import type { ListPage, Row } from './page.ts';
import { findRecordFacts } from './records.ts';

interface FilterRule {
  /** Default: the field of this name. */
  readonly reads?: (row: Row) => unknown;
  /** Default: it equals what was sent, or one of it. */
  readonly fits?: (shown: unknown, sent: unknown) => boolean;
}

const RULES: Readonly<Record<string, FilterRule>> = {
  role: { reads: (row) => row.current_role ?? row.role },
  // Newer generations of the service give the person as an object (docs/service.md, Timesheets).
  user_id: { reads: ({ user_id: id, member }) => id ?? (member as { readonly id?: unknown } | null)?.id },
  name: { fits: (shown, sent) => foldWord(shown).includes(foldWord(sent)) },
  // The day of a moment depends on the time zone: it may be one more.
  date_from: {
    reads: (row) =>
      toDay(row.date_to ?? row.end_date ?? row.start_date ?? row.date) ?? toDay(row.end ?? row.start, 1),
    fits: (day, sent) => toText(day) >= toText(sent),
  },
  date_to: {
    reads: (row) => toDay(row.date_from ?? row.start_date ?? row.date) ?? toDay(row.start, -1),
    fits: (day, sent) => toText(day) <= toText(sent),
  },
};

/** So many days on. Undefined: the value shows no day. */
function toDay(value: unknown, days = 0): string | undefined {
  const day = toText(value).slice(0, 10);
  return isDay(day) ? addDays(day, days) : undefined;
}

/**
 * The rows that are ready and that the filters of the list mean.
 * @param warn told at the end what was left out
 */
export async function* listMeant(
  call: ListCall,
  isReady: (row: Row) => boolean,
  warn: (text: string) => void,
): AsyncGenerator<ListPage> {
  const check = new RowCheck(call);
  const isMeant = (row: Row): boolean => check.hasStatus(row) && isReady(row) && check.fits(row);
  for await (const page of call.pages()) yield { ...page, rows: page.rows.filter(isMeant) };
  for (const text of check.describe()) warn(text);
}

/**
 * The rows of a list, held against the states that are known and the filters that it was asked for with: a server or a
 * proxy may ignore one, and what is written is chosen by them. A row that does not show what a filter is about is taken as
 * the service gives it.
 */
export class RowCheck {
  readonly #resource;
  readonly #filters: Row;
  /** By what is wrong, in words. */
  readonly #odd = new Map<string, number>();
  readonly #ignored = new Set<string>();
  #leftOut = 0;

  /** @param list and what it is asked for with */
  constructor({ operation, values }: Pick<ListCall, 'operation' | 'values'>) {
    // Balances and policies are lists of a noun too, but not of its records.
    const resource = findRecordFacts(nounOf(operation));
    this.#resource = operation.id === `${resource?.noun}.list` ? resource : undefined;
    const names = Object.keys(operation.parameters).filter((name) => values[name] != null);
    this.#filters = Object.fromEntries(names.map((name) => [name, values[name]]));
  }

  /** Whether its status is known, and one of those that were asked for; one that decides has to be there. */
  hasStatus({ status }: Row): boolean {
    const resource = this.#resource;
    if (resource?.states === undefined) return true;
    if (status == null && !resource.decisive?.includes('status')) return true;
    const state = findState(resource, { status });
    const asked = [this.#filters.status ?? []].flat();
    if (state !== undefined && asked.length === 0) return true;
    if (state !== undefined && asked.some((one) => findState(resource, { status: one }) === state))
      return true;
    const why = state === undefined ? 'is not known' : 'was not asked for';
    const shown = JSON.stringify(toText(status).toLowerCase().slice(0, 40));
    const words = status == null ? 'no status' : `the status ${shown}, which ${why}`;
    this.#odd.set(words, (this.#odd.get(words) ?? 0) + 1);
    return false;
  }

  /** Whether it shows nothing but what the filters asked for. */
  fits(row: Row): boolean {
    const ignored = Object.entries(this.#filters).find(([name, sent]) => {
      const { reads, fits } = RULES[name] ?? {};
      const shown = reads === undefined ? row[name] : reads(row);
      if (shown == null) return false;
      return !(fits?.(shown, sent) ?? [sent].flat().some((one) => isSameValue(one, shown, { choices: [] })));
    });
    if (ignored === undefined) return true;
    this.#ignored.add(ignored[0]);
    this.#leftOut += 1;
    return false;
  }

  /** What was left out: `7 timesheets have the status "pending_review", which is not known` */
  describe(): readonly string[] {
    const [one = '', many = ''] = this.#resource?.words ?? [];
    const texts = [...this.#odd].map(
      ([words, count]) => `${count} ${count === 1 ? `${one} has` : `${many} have`} ${words}`,
    );
    const rows =
      this.#leftOut === 1 ? '1 row that did not match was' : `${this.#leftOut} rows that did not match were`;
    if (this.#leftOut > 0)
      texts.push(`the service ignored ${[...this.#ignored].join(' and ')}: ${rows} left out`);
    return texts;
  }
}
