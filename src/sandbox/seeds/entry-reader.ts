import { isRecord } from '../../json/number.ts';
import { UsageError } from '../../outcome.ts';
import { findNearestWord } from '../dialect.ts';
import type { Reader } from '../read.ts';
import { Refusal } from '../refusal.ts';

/** One object of a seed file; every field that it has must be known. */
export interface SeedEntry {
  /** `members[1]`; empty: the whole file. */
  readonly place: string;
  need<T>(name: string, reader: Reader<T>): T;
  maybe<T>(name: string, reader: Reader<T>): T | undefined;
  /** The objects of a list; none where the field is absent. */
  entries(name: string): SeedEntry[];
  /** @throws UsageError for a field that was not asked for. */
  close(): void;
}

export const createSeedError = (file: string, place: string, message: string, hint?: string): UsageError =>
  new UsageError([file, place, message].filter(Boolean).join(': '), hint === undefined ? {} : { hint });

const suggest = (word: string, words: readonly string[]): string => {
  const suggestion = findNearestWord(word, words);
  return `${suggestion === undefined ? '' : `Did you mean ${suggestion}? `}Known: ${words.join(', ')}.`;
};

/**
 * The one of `known` that a value names; a Reader for references.
 * @param kind for the message: `member`.
 */
export const createNamedReader =
  <T>(kind: string, known: ReadonlyMap<string, T>): Reader<T> =>
  (raw, name) => {
    const value = typeof raw === 'string' ? known.get(raw) : undefined;
    if (value !== undefined) return value;
    const words = [...known.keys()];
    const hint =
      words.length > 20 ? (findNearestWord(String(raw), words) ?? '') : suggest(String(raw), words);
    throw new UsageError(`${name}: no ${kind} ${String(raw)} in this file`, hint === '' ? {} : { hint });
  };

export const readSeedEntry = (file: string, value: unknown, place = ''): SeedEntry => {
  if (!isRecord(value)) throw createSeedError(file, place, 'expected an object in braces');
  const known = new Set<string>();
  const maybe = <T>(name: string, reader: Reader<T>): T | undefined => {
    known.add(name);
    const field = value[name] ?? undefined;
    if (field === undefined) return undefined;
    try {
      return reader(field, name, false);
    } catch (error) {
      if (error instanceof UsageError) throw createSeedError(file, place, error.message, error.hint);
      if (error instanceof Refusal) throw createSeedError(file, place, error.message);
      throw error;
    }
  };
  return {
    place,
    maybe,
    need: (name, reader) => {
      const found = maybe(name, reader);
      if (found === undefined) throw createSeedError(file, place, `${name} is missing`);
      return found;
    },
    entries: (name) => {
      known.add(name);
      const list = value[name] ?? [];
      if (!Array.isArray(list)) throw createSeedError(file, place, `${name} must be a list`);
      return list.map((part, index) => readSeedEntry(file, part, `${name}[${index}]`));
    },
    close: () => {
      const name = Object.keys(value).find((field) => !known.has(field));
      if (name !== undefined)
        throw createSeedError(file, place, `unknown field: ${name}`, suggest(name, [...known]));
    },
  };
};
