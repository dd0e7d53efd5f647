import type { Lookup } from './context.ts';

/** Which texts are ids already, and which are looked up (contract, section 4). */

export const PEOPLE: ReadonlySet<Lookup> = new Set(['member', 'viewer']);
const OPAQUE_ID = /^(\d+|[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12})$/i;

/** Whether the text is an id already. People: what has no `@`. Things: digits, or a UUID. */
export const isId = (kind: Lookup, text: string): boolean =>
  PEOPLE.has(kind) ? !text.includes('@') : OPAQUE_ID.test(text);
