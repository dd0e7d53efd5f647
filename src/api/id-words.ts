import { UsageError } from '../outcome.ts';
import type { CommandLine } from '../parsing/shell-word.ts';
import { nounOf, type Operation } from './operation.ts';

/**
 * Which words can be no id, as people write them: one home for all records. People, projects, contracts and tasks are
 * numbered; ids of other records are texts of any layout. An id that the service has sent is never judged.
 */

/** Path parameters that are whole numbers. */
export const WHOLE_IDS: ReadonlySet<string> = new Set([
  'memberId',
  'userId',
  'viewerId',
  'projectId',
  'contractId',
  'taskId',
]);

/** Random ids without a digit are rare, and longer than the words that people write. */
const LONGEST_WORD = 20;

/** Letters alone, with no capital after a small one: `samir`, `ID`, `Mei-Lin`. */
const isWord = (text: string): boolean =>
  text.length < LONGEST_WORD && /^[\p{L}\p{M} .'’-]+$/u.test(text) && !/\p{Ll}\p{Lu}/u.test(text);

/** What it is, where no record has this id; undefined where one may have it. */
const notAnId = (text: string, numbered: boolean): string | undefined => {
  if (/^\s*[#;]|\s#/.test(text)) return 'a comment';
  if (text.includes('@')) return 'an e-mail address';
  if (/^id$/i.test(text)) return 'the heading of a column';
  if (numbered) return /^\d+$/.test(text) ? undefined : 'not a whole number';
  if (/\s\s|[\t,"|]/.test(text)) return 'a row of a table';
  if (!/[\p{L}\p{N}]/u.test(text)) return 'neither letters nor digits';
  return isWord(text) ? 'a word' : undefined;
};

/** `timeRequestId` → `the id of a time request`. */
export const describeIdParameter = (name: string, operation: Operation): string => {
  const record =
    name === 'id' ? nounOf(operation).replace(/-/g, ' ').replace(/s$/, '') : name.replace(/Id$/, '');
  const words =
    record === 'user' ? 'member' : record.replace(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`);
  return `the id of ${/^[aeiou]/.test(words) ? 'an' : 'a'} ${words}`;
};

interface Place {
  /** Of the path parameter. */
  readonly name: string;
  readonly operation: Operation;
  readonly commandLine: CommandLine;
}

const listOf = ({ name, operation, commandLine }: Place): string => {
  const noun = name === 'userId' ? 'members' : nounOf(operation);
  return noun === 'tasks'
    ? commandLine`ttctl tasks list --project <project>`
    : commandLine`ttctl ${noun} list`;
};

/**
 * @throws UsageError for a word that no record of this kind has as its id
 */
export const checkIdParameter = (text: string, place: Place): void => {
  const { name, operation } = place;
  const what = notAnId(text, WHOLE_IDS.has(name));
  if (what === undefined) return;
  throw new UsageError(`"${text}" cannot be ${describeIdParameter(name, operation)}: it is ${what}`, {
    hint: `Find the id with: ${listOf(place)}; to pipe ids, add --output ids`,
  });
};
