/**
 * As `JSON.stringify`, where `undefined` becomes `null`.
 * @param indent spaces; 0 for one line
 */
export function stringifyJson(value: unknown, indent = 0): string {
  return JSON.stringify(value, undefined, indent) ?? 'null';
}

/** A JSON value as text: a text as it is, nothing for null, JSON for what is nested. Never throws. */
export function toText(value: unknown): string {
  if (typeof value === 'string') return value;
  return value === null || value === undefined ? '' : stringifyJson(value);
}
