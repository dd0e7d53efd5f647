import type { Lookup } from '../context.ts';
import { UsageError } from '../outcome.ts';

/** Which texts are ids already, and which are looked up (contract, section 4). */

export const PEOPLE: ReadonlySet<string> = new Set<Lookup>(['member', 'viewer']);
/** Letters, and what stands between them. The pattern is made when it is needed: all letters of the world take a while. */
const isName = (text: string): boolean => /^\p{L}[\p{L}\p{M} .'’-]*$/u.test(text);
const OPAQUE_ID = /^(\d+|[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12})$/i;

/**
 * Whether the text is an id already. People: what has no `@` and is no word that could be a name; of that a list has to tell.
 * Things: digits, or a UUID.
 */
export const isId = (kind: Lookup, text: string): boolean =>
  PEOPLE.has(kind) ? !text.includes('@') && !isName(text) : OPAQUE_ID.test(text);

const notAnAddress = (text: string): UsageError =>
  new UsageError(`"${text}" is not an e-mail address`, { code: 'not_an_address' });

/** Whether a text can be an e-mail address at all; the service judges the rest. @throws UsageError */
export const checkAddress = (text: string): void => {
  if (!/^[^\s@]+@[^\s@]+$/.test(text)) throw notAnAddress(text);
};

/** Of a person's name it is one where an `@` stands in it. @throws UsageError */
export const checkName = (kind: string, text: string): void => {
  if (PEOPLE.has(kind) && text.includes('@')) checkAddress(text.trim());
};
