import { UsageError } from '../../outcome.ts';
import { findNearestWord } from '../dialect.ts';
import type { Reader } from '../read.ts';
import { Refusal } from '../refusal.ts';
import type { Located } from './located.ts';

/** One object of a seed file; every field that it has must be known. */
export interface SeedEntry {
  readonly line: number;
  need<T>(name: string, reader: Reader<T>): T;
  maybe<T>(name: string, reader: Reader<T>): T | undefined;
  /** The objects of a list; none where the field is absent. */
  entries(name: string): SeedEntry[];
  /** @throws UsageError for a field that was not asked for. */
  close(): void;
}

export const createSeedError = (file: string, line: number, message: string, hint?: string): UsageError =>
  new UsageError(`${file}, line ${line}: ${message}`, hint === undefined ? {} : { hint });

/** The value without its lines. */
const toPlainValue = (located: Located): unknown => {
  const { value } = located;
  if (value instanceof Map)
    return Object.fromEntries([...value].map(([name, part]) => [name, toPlainValue(part)]));
  return Array.isArray(value) ? value.map(toPlainValue) : value;
};

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

export const readSeedEntry = (file: string, located: Located): SeedEntry => {
  const { value, line } = located;
  if (!(value instanceof Map)) throw createSeedError(file, line, 'expected an object in braces');
  const fields: ReadonlyMap<string, Located> = value;
  const known = new Set<string>();
  const maybe = <T>(name: string, reader: Reader<T>): T | undefined => {
    known.add(name);
    const field = fields.get(name);
    if (field === undefined || field.value === null) return undefined;
    try {
      return reader(toPlainValue(field), name, false);
    } catch (error) {
      if (error instanceof UsageError) throw createSeedError(file, field.line, error.message, error.hint);
      if (error instanceof Refusal) throw createSeedError(file, field.line, error.message);
      throw error;
    }
  };
  return {
    line,
    maybe,
    need: (name, reader) => {
      const value = maybe(name, reader);
      if (value === undefined) throw createSeedError(file, line, `${name} is missing`);
      return value;
    },
    entries: (name) => {
      known.add(name);
      const field = fields.get(name);
      if (field === undefined) return [];
      if (!Array.isArray(field.value)) throw createSeedError(file, field.line, `${name} must be a list`);
      return field.value.map((part: Located) => readSeedEntry(file, part));
    },
    close: () => {
      for (const [name, field] of fields) {
        if (known.has(name)) continue;
        throw createSeedError(file, field.line, `unknown field: ${name}`, suggest(name, [...known]));
      }
    },
  };
};
