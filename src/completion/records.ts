import { safeCell } from '../output/safe-text.ts';
import { isRecordId } from '../parsing/names.ts';
import { isNamedKind, type RecordKind } from '../resources/kinds.ts';
import { ARCHIVED, listStateWords } from '../resources/resource.ts';
import { timesheet } from '../resources/timesheet.ts';
import type { RecordEntry } from './entry.ts';
import type { Candidate, PlainValue } from './plain.ts';
import type { CompletionScope } from './scope.ts';

export interface RecordFilter {
  readonly project: string | undefined;
  readonly member: string | undefined;
}

const OWNED: ReadonlySet<RecordKind> = new Set(['timesheet', 'leave', 'time-request']);

const hasState = ({ state }: RecordEntry, expected: string | undefined): boolean => {
  if (expected === 'any') return true;
  if (expected === undefined) return state !== ARCHIVED;
  if (expected === ARCHIVED) return state === ARCHIVED;
  return state === undefined || listStateWords(timesheet, expected).includes(state);
};

/** Nothing that hides in the line, moves it about, or is a control. */
const isPlain = (text: string): boolean => safeCell(text) === text;

/** Whether the word, written in place of the id, means a record and stays one word. */
const isUsable = (kind: RecordKind, word: string, { list }: PlainValue): boolean => {
  if (!isPlain(word) || word.trim() === '' || word.startsWith('-') || (list === true && word.includes(',')))
    return false;
  return kind === 'workspace' ? !/^\d+$/.test(word) : isNamedKind(kind) && !isRecordId(kind, word);
};

/** The words that more than one record has; such a record is named by its id. */
const findSharedWords = (entries: readonly RecordEntry[]): ReadonlySet<string> => {
  const [seen, shared] = [new Set<string>(), new Set<string>()];
  for (const { word } of entries) {
    if (word === undefined) continue;
    const name = word.toLowerCase();
    (seen.has(name) ? shared : seen).add(name);
  }
  return shared;
};

const findId = (text: string | undefined, entries: () => readonly RecordEntry[]): string | undefined => {
  if (text === undefined || /^\d+$/.test(text)) return text;
  const name = text.toLowerCase();
  return entries().find(({ id, word }) => id === text || word?.toLowerCase() === name)?.id;
};

const isCompatible = (own: string | undefined, expected: string | undefined): boolean =>
  own === undefined || expected === undefined || own === expected;

const mapNames = (entries: readonly RecordEntry[]): ReadonlyMap<string, string> =>
  new Map(entries.flatMap(({ id, about, word }) => ((about ?? word) ? [[id, about ?? word ?? '']] : [])));

const joinAbout = (parts: readonly (string | undefined)[]): { readonly about?: string } => {
  const text = parts.filter((part) => part !== undefined && part.trim() !== '').join(', ');
  return text === '' ? {} : { about: text };
};

/** Words that tell whose it is, beside what the record says of itself. */
const createOwnerLookup = (
  kind: RecordKind,
  scope: CompletionScope,
): ((entry: RecordEntry) => string | undefined) => {
  if (OWNED.has(kind)) {
    const people = mapNames(scope.entries('member'));
    return ({ member }) => people.get(member ?? '');
  }
  if (kind !== 'task') return () => undefined;
  const projects = mapNames(scope.entries('project'));
  return ({ project }) => projects.get(project ?? '');
};

/** Every record that fits, by its word, or by its id where no word means it or the id is what is being typed. */
export const listRecordCandidates = (
  kind: RecordKind,
  scope: CompletionScope,
  value: PlainValue,
  { typed, project, member }: RecordFilter & { readonly typed: string },
): readonly Candidate[] => {
  const entries = scope.entries(kind);
  if (entries.length === 0) return [];
  const shared = findSharedWords(entries);
  const owner = createOwnerLookup(kind, scope);
  const inProject = findId(project, () => scope.entries('project'));
  const ofMember = findId(member, () => scope.entries('member'));
  const matching = entries.filter(
    (entry) =>
      hasState(entry, value.state) &&
      isCompatible(entry.project, inProject) &&
      isCompatible(entry.member, ofMember),
  );
  return matching.flatMap((entry): readonly Candidate[] => {
    const { id, word, about, state } = entry;
    const details = [
      ...(kind === 'task' ? [about, owner(entry)] : [owner(entry), about]),
      OWNED.has(kind) && value.state === undefined ? state : undefined,
    ];
    const usable = word !== undefined && !shared.has(word.toLowerCase()) && isUsable(kind, word, value);
    const byWord = usable ? [{ value: word, ...joinAbout([...details, `id ${id}`]) }] : [];
    const byId = (!usable || (typed !== '' && id.startsWith(typed))) && !id.startsWith('-');
    return [...byWord, ...(byId ? [{ value: id, ...joinAbout([...details, word]) }] : [])];
  });
};
