import { UsageError } from '../outcome.ts';
import { type NamedKind, PEOPLE } from '../resources/kinds.ts';

/** Which texts are ids already, and which are looked up (docs/requirements.md, CLI-4). */

/** Ids of people are whole numbers; a list tells what else a word with letters in it is. What no address may have is left to be refused. */
const mayBeName = (text: string): boolean => /\p{L}/u.test(text) && !/[/\\]/.test(text);
const OPAQUE_ID = /^(\d+|[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12})$/i;

/**
 * Whether the text is an id already. People: what has neither `@` nor letters.
 * Things: digits, or a UUID.
 */
export const isRecordId = (kind: NamedKind, text: string): boolean =>
  PEOPLE.has(kind) ? !text.includes('@') && !mayBeName(text) : OPAQUE_ID.test(text);

const notAnAddress = (text: string): UsageError =>
  new UsageError(`"${text}" is not an e-mail address`, { code: 'not_an_address' });

/** Whether a text can be an e-mail address at all; the service judges the rest. @throws UsageError */
export const checkEmail = (text: string): void => {
  if (!/^[^\s@]+@[^\s@]+$/.test(text)) throw notAnAddress(text);
};

/** What comes along where a whole table is piped, or a file with remarks. */
const isHeading = (text: string): boolean => /^(id|e-?mail)$/i.test(text.trim());
const isComment = (text: string): boolean => /^\s*(\d+\s+)?#(\s|$)/.test(text);

/**
 * Whether a text can stand for a record of this kind: for a person an id, an address or a name, for a thing an id or any
 * name. Whether there is such a record the look-up tells. @throws UsageError
 */
export const checkRecordName = (kind: string, text: string): void => {
  if (isComment(text)) throw new UsageError(`"${text}" is a comment, not a ${kind}`);
  if (isHeading(text)) throw new UsageError(`"${text}" is the heading of a column, not a ${kind}`);
  // Of a person's name it is one where an @ stands in it.
  if (PEOPLE.has(kind) && text.includes('@')) checkEmail(text.trim());
};
