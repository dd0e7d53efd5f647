import type { WorkspaceCall } from './call.ts';
import { toInwardId } from './ids.ts';
import { anyTextReader, dayReader, integerReader } from './read.ts';
import { invalid } from './refusal.ts';

/** What the lists have in common: a date range, an id, a user. */

export interface DayRange {
  readonly from: string | undefined;
  readonly to: string | undefined;
}

/** Days are text of one form, so that their order is the order of the text. */
export const readRange = (call: WorkspaceCall): DayRange => {
  const from = call.input.filter('date_from', dayReader);
  const to = call.input.filter('date_to', dayReader);
  if (from !== undefined && to !== undefined && to < from) {
    throw invalid('date_to', 'The date_to field must not be before date_from.');
  }
  return { from, to };
};

/** Whether the days from `first` to `last`, both inclusive, have a day of the range. */
export const isOverlapping = (range: DayRange, first: string, last: string): boolean =>
  (range.from === undefined || last >= range.from) && (range.to === undefined || first <= range.to);

/** The `id` filter of records whose ids are text. */
export const readIdFilter = (call: WorkspaceCall): string | undefined => {
  const id = call.input.filter('id', anyTextReader);
  return id === undefined || id === '' ? undefined : toInwardId(call.dialect, id);
};

export const readUserFilter = (call: WorkspaceCall): number | undefined =>
  call.input.filter('user_id', integerReader());

/** True where there is nothing to compare with, or it is the same. */
export const matchesFilter = <T>(expected: T | undefined, value: T): boolean =>
  expected === undefined || expected === value;
