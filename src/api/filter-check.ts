import { toText } from '../json.ts';
import { addDays, isDay } from '../parsing/calendar.ts';
import { foldWord, isSameValue } from '../parsing/names.ts';
import { findState } from './fields.ts';
import type { ListCall } from './lists.ts';
import type { ListPage, Row } from './page.ts';
import { findRecordFacts } from './records.ts';

/**
 * The filters of a list, held against the rows that came: a server or a proxy may ignore one, and what is written is
 * chosen by them. A row that does not show what a filter is about is taken as the service gives it.
 */

/** So many days on. Undefined: the value shows no day. */
function toDay(value: unknown, days = 0): string | undefined {
  const day = toText(value).slice(0, 10);
  return isDay(day) ? addDays(day, days) : undefined;
}

interface FilterRule {
  /** Default: the field of this name. */
  readonly reads?: (row: Row) => unknown;
  /** Default: it equals what was sent, or one of it. */
  readonly fits?: (shown: unknown, sent: unknown) => boolean;
  /** What people call it. Default: the flag of this name. */
  readonly words?: string;
}

const PERIOD = 'the period';

const RULES: Readonly<Record<string, FilterRule>> = {
  role: { reads: (row) => row.current_role ?? row.role },
  user_id: {
    // Newer generations of the service give the person as an object (docs/service.md, Timesheets).
    reads: ({ user_id: id, member }) => id ?? (member as { readonly id?: unknown } | null)?.id,
    words: '--member',
  },
  project_id: { words: '--project' },
  policy_id: { words: '--policy' },
  is_paid: { words: '--paid' },
  name: { fits: (shown, sent) => foldWord(shown).includes(foldWord(sent)) },
  // The day of a moment depends on the time zone: it may be one more.
  date_from: {
    reads: (row) =>
      toDay(row.date_to ?? row.end_date ?? row.start_date ?? row.date) ?? toDay(row.end ?? row.start, 1),
    fits: (day, sent) => toText(day) >= toText(sent),
    words: PERIOD,
  },
  date_to: {
    reads: (row) => toDay(row.date_from ?? row.start_date ?? row.date) ?? toDay(row.start, -1),
    fits: (day, sent) => toText(day) <= toText(sent),
    words: PERIOD,
  },
};

/** @returns finds the filter, in words, that a row of the list shows to be ignored */
export function createFilterCheck({
  operation,
  values,
}: Omit<ListCall, 'pages'>): (row: Row) => string | undefined {
  const names = Object.keys(operation.parameters).filter((name) => values[name] != null);
  return (row) => {
    for (const name of names) {
      const { reads, fits, words = `--${name.replaceAll('_', '-')}` } = RULES[name] ?? {};
      const shown = reads === undefined ? row[name] : reads(row);
      const isOneOf = [values[name]].flat().some((sent) => isSameValue(sent, shown, { choices: [] }));
      if (shown != null && !(fits?.(shown, values[name]) ?? isOneOf)) return words;
    }
    return undefined;
  };
}

/**
 * The rows that are ready and that the filters of the list mean.
 * @param warn told at the end which filters were ignored, how many rows were left out, and which have another status
 */
export async function* listMeant(
  call: ListCall,
  isReady: (row: Row) => boolean,
  warn: (text: string) => void,
): AsyncGenerator<ListPage> {
  const findIgnored = createFilterCheck(call);
  const ignored = new Set<string>();
  let count = 0;
  const statuses = new StatusCheck(call);
  const isMeant = (row: Row): boolean => {
    if (!statuses.isKnown(row)) return false;
    const isOther = !isReady(row);
    if (isOther) statuses.isAsked(row);
    const words = isOther ? undefined : findIgnored(row);
    if (words !== undefined) {
      ignored.add(words);
      count += 1;
    }
    return !isOther && words === undefined;
  };
  for await (const page of call.pages()) yield { ...page, rows: page.rows.filter(isMeant) };
  for (const text of statuses.describe()) warn(text);
  const rows = count === 1 ? '1 row that did not match was' : `${count} rows that did not match were`;
  if (count > 0) warn(`the service ignored ${[...ignored].join(' and ')}: ${rows} left out`);
}

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
    const resource = this.#resource;
    if (resource?.states === undefined || findState(resource, row) !== undefined) return true;
    if (row.status != null) return this.#count(row, 'is not known');
    return !resource.decisive?.includes('status') || this.#count(row, '');
  }

  /** Counts a row whose status is another than was asked for. */
  isAsked(row: Row): boolean {
    const resource = this.#resource;
    const state = resource && findState(resource, row);
    if (resource === undefined || state === undefined || this.#asked.length === 0) return true;
    return (
      this.#asked.some((status) => findState(resource, { status }) === state) ||
      this.#count(row, 'was not asked for')
    );
  }

  /** `7 timesheets have the status "pending_review", which is not known` */
  describe(): readonly string[] {
    const [one = '', many = ''] = this.#resource?.words ?? [];
    return [...this.#counts].map(
      ([words, count]) => `${count} ${count === 1 ? `${one} has` : `${many} have`} ${words}`,
    );
  }

  #count({ status }: Row, what: string): false {
    const shown = JSON.stringify(toText(status).toLowerCase().slice(0, 40));
    const words = what === '' ? 'no status' : `the status ${shown}, which ${what}`;
    this.#counts.set(words, (this.#counts.get(words) ?? 0) + 1);
    return false;
  }
}
