import { type NamedKind, PEOPLE } from '../api/kinds.ts';
import { EXIT, Failure, quoteText, UsageError } from '../errors.ts';
import type { CommandLine } from './shell-word.ts';

/** How many letters have to change; two that have changed places are one. */
const computeDistance = (one: string, other: string): number => {
  let row = Array.from({ length: other.length + 1 }, (_, index) => index);
  let before: readonly number[] = [];
  for (let i = 1; i <= one.length; i += 1) {
    const next = [i];
    for (let j = 1; j <= other.length; j += 1) {
      const change = (row[j - 1] ?? 0) + (one[i - 1] === other[j - 1] ? 0 : 1);
      const swapped = one[i - 1] === other[j - 2] && one[i - 2] === other[j - 1] && i > 1 && j > 1;
      const swap = swapped ? (before[j - 2] ?? 0) + 1 : change;
      next.push(Math.min(change, swap, (row[j] ?? 0) + 1, (next[j - 1] ?? 0) + 1));
    }
    before = row;
    row = next;
  }
  return row[other.length] ?? 0;
};

/** The word that was most likely meant, if one is near. */
export const findNearest = (word: string, words: readonly string[]): string | undefined => {
  const maxDistance = Math.max(2, Math.floor(word.length / 3));
  const [best] = words
    .map((candidate) => ({ candidate, distance: computeDistance(word.slice(0, 50), candidate) }))
    .sort((one, other) => one.distance - other.distance);
  if (best === undefined || best.distance > maxDistance || best.distance >= best.candidate.length)
    return undefined;
  // Half of a short word says little: "ls" is "list", but "nope" is not "open".
  const isSimilar = best.distance < 2 || word.length > 4 || word[0] === best.candidate[0];
  return isSimilar ? best.candidate : undefined;
};

/**
 * For people: a run of blanks is one space. In a row of a table or a label it would look like the gap before the next
 * column, so that a name could say what hours there are.
 */
export const collapseBlanks = (text: string): string => text.replace(/[\p{Zs}\u2800]{2,}/gu, ' ');

/** Which texts are ids already, and which are looked up. */

/** Ids of people are whole numbers; a list tells what else a word with letters in it is. What no address may have is left to be refused. */
const mayBeName = (text: string): boolean => /\p{L}/u.test(text) && !/[/\\]/.test(text);
const OPAQUE_ID = /^(\d+|[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12})$/i;

/**
 * Whether the text is an id already. People: what has neither `@` nor letters.
 * Things: digits, or a UUID.
 */
export const isRecordId = (kind: NamedKind, text: string): boolean =>
  PEOPLE.has(kind) ? !text.includes('@') && !mayBeName(text) : OPAQUE_ID.test(text);

const createNotAnAddressError = (text: string): UsageError =>
  new UsageError(`${quoteText(text)} is not an e-mail address`, { code: 'not_an_address' });

/** Whether a text can be an e-mail address at all; the service judges the rest. @throws UsageError */
export const checkEmail = (text: string): void => {
  if (!/^[^\s@]+@[^\s@]+$/.test(text)) throw createNotAnAddressError(text);
};

/** What comes along where a whole table is piped, or a file with remarks. */
const isHeading = (text: string): boolean => /^(id|e-?mail)$/i.test(text.trim());
const isComment = (text: string): boolean => /^\s*(\d+\s+)?#(\s|$)/.test(text);

/**
 * Whether a text can stand for a record of this kind: for a person an id, an address or a name, for a thing an id or any
 * name. Whether there is such a record the look-up tells. @throws UsageError
 */
export const checkRecordName = (kind: string, text: string): void => {
  if (isComment(text)) throw new UsageError(`${quoteText(text)} is a comment, not a ${kind}`);
  if (isHeading(text)) throw new UsageError(`${quoteText(text)} is the heading of a column, not a ${kind}`);
  // Of a person's name it is one where an @ stands in it.
  if (PEOPLE.has(kind) && text.includes('@')) checkEmail(text.trim());
};

/** Lists of scopes, as people write them: `read,write`, or with spaces. */

export const SCOPES = ['read', 'write', 'admin'];

/** In the order given, each once. */
export const parseScopes = (text: string): readonly string[] => [
  ...new Set(text.split(/[\s,]+/).filter((scope) => scope !== '')),
];

/** Why a text is no list of scopes, as the end of a sentence; `undefined` where it is one. */
export const findScopeProblem = (text: string): string | undefined => {
  const scopes = parseScopes(text);
  const unknownScope = scopes.find((scope) => !SCOPES.includes(scope));
  if (unknownScope !== undefined)
    return `contains ${quoteText(unknownScope)}; the scopes are ${SCOPES.join(', ')}`;
  return scopes.length === 0 ? 'contains no scope' : undefined;
};

/** Ids of `--member` that no member has, where the members are read anyway. @throws Failure (exit 5) */
export const requireMembers = (
  ids: Iterable<string>,
  isKnown: (id: string) => boolean,
  commandLine: CommandLine,
): void => {
  for (const id of ids) {
    if (isKnown(id)) continue;
    throw new Failure(`no member ${quoteText(id)}`, {
      code: 'not_found',
      exit: EXIT.notFound,
      hint: `List the members: ${commandLine`ttctl members list`}`,
    });
  }
};

/** An id that is not of the service, which judges its own. An unset variable of a script is none. @throws UsageError */
export const checkLocalId = (noun: string, id: string, hint: string): void => {
  if (id.trim() === '') throw new UsageError(`${quoteText(id)} cannot be the id of a ${noun}`, { hint });
};
