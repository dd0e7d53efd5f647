import { stringifyJson } from './stringify.ts';

/** A JSON value as text: a text as it is, nothing for null, JSON for what is nested. Never throws. */
export const toText = (value: unknown): string => {
  if (typeof value === 'string') return value;
  return value === null || value === undefined ? '' : stringifyJson(value);
};
