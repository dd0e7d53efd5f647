import { isNumber, isRounded } from '../json/number.ts';
import { invalid } from './refusal.ts';

/**
 * Readers of one value: each returns the value or throws a refusal that names the field. `wire` is true for a
 * value from a query or a form, where everything is text; in JSON the type must be right.
 */
export type Reader<T> = (raw: unknown, name: string, wire: boolean) => T;

const DAY = /^(\d{4})-(\d{2})-(\d{2})$/;
const DATETIME = /^\d{4}-\d{2}-\d{2}[T ]\d{2}:\d{2}(:\d{2}(\.\d+)?)?(Z|[+-]\d{2}:?\d{2})?$/;
const ADDRESS = /^[^\s@<>,;]+@[^\s@<>,;]+\.[^\s@<>,;]+$/;

export const textReader: Reader<string> = (raw, name) => {
  if (typeof raw !== 'string') throw invalid(name, `The ${name} field must be a string.`);
  if (raw.trim() === '') throw invalid(name, `The ${name} field must not be empty.`);
  return raw;
};

/** Text that may be empty. */
export const anyTextReader: Reader<string> = (raw, name) => {
  if (typeof raw !== 'string') throw invalid(name, `The ${name} field must be a string.`);
  return raw;
};

export const emailReader: Reader<string> = (raw, name) => {
  if (typeof raw !== 'string' || !ADDRESS.test(raw)) {
    throw invalid(name, `The ${name} field must be a valid email address.`);
  }
  return raw;
};

const formatRange = (min: number, max: number): string => {
  if (max === Number.MAX_SAFE_INTEGER) return min === Number.MIN_SAFE_INTEGER ? '' : ` of at least ${min}`;
  return ` between ${min} and ${max}`;
};

/** The number that was sent; of one with more digits than the sandbox can keep nothing. */
const parseNumber = (raw: unknown, wire: boolean, pattern: RegExp): number | undefined => {
  if (isNumber(raw)) return isRounded(raw) ? undefined : raw;
  return wire && typeof raw === 'string' && pattern.test(raw) ? Number(raw) : undefined;
};

export const integerReader =
  (min: number = Number.MIN_SAFE_INTEGER, max: number = Number.MAX_SAFE_INTEGER): Reader<number> =>
  (raw, name, wire) => {
    const value = parseNumber(raw, wire, /^-?\d{1,15}$/);
    if (value === undefined || !Number.isSafeInteger(value) || value < min || value > max) {
      throw invalid(name, `The ${name} field must be an integer${formatRange(min, max)}.`);
    }
    return value;
  };

/** A number that is not negative. */
export const amountReader: Reader<number> = (raw, name, wire) => {
  const value = parseNumber(raw, wire, /^\d+(\.\d+)?$/);
  if (value === undefined || value < 0) {
    throw invalid(name, `The ${name} field must be a number of at least 0.`);
  }
  return value;
};

export const booleanReader: Reader<boolean> = (raw, name, wire) => {
  if (typeof raw === 'boolean') return raw;
  if (raw === 0 || raw === 1) return raw === 1;
  if (wire && (raw === '1' || raw === 'true')) return true;
  if (wire && (raw === '0' || raw === 'false')) return false;
  throw invalid(name, `The ${name} field must be true or false.`);
};

/** Whether the text is a day of the calendar, written YYYY-MM-DD. */
export const isCalendarDay = (raw: unknown): raw is string => {
  const parts = typeof raw === 'string' ? DAY.exec(raw) : null;
  if (parts === null) return false;
  const date = new Date(`${parts[0]}T00:00:00Z`);
  return !Number.isNaN(date.getTime()) && date.toISOString().startsWith(parts[0]);
};

export const dayReader: Reader<string> = (raw, name) => {
  if (!isCalendarDay(raw)) throw invalid(name, `The ${name} field must be a date in the format YYYY-MM-DD.`);
  return raw;
};

/** An ISO 8601 moment; without an offset it is UTC. Returns it in UTC. */
export const momentReader: Reader<string> = (raw, name) => {
  const parts = typeof raw === 'string' ? DATETIME.exec(raw) : null;
  const iso = parts === null ? '' : `${parts[0].replace(' ', 'T')}${parts[3] === undefined ? 'Z' : ''}`;
  const value = new Date(iso);
  if (Number.isNaN(value.getTime()) || !isCalendarDay(iso.slice(0, 10))) {
    throw invalid(name, `The ${name} field must be an ISO 8601 date and time.`);
  }
  return value.toISOString();
};

export const choiceReader =
  <const T extends string>(values: readonly T[]): Reader<T> =>
  (raw, name) => {
    const value = values.find((candidate) => candidate === raw);
    if (value === undefined) throw invalid(name, `The ${name} field must be one of: ${values.join(', ')}.`);
    return value;
  };

export const numberChoiceReader =
  (values: readonly number[]): Reader<number> =>
  (raw, name, wire) => {
    const value = integerReader()(raw, name, wire);
    if (!values.includes(value))
      throw invalid(name, `The ${name} field must be one of: ${values.join(', ')}.`);
    return value;
  };

export const listReader =
  <T>(reader: Reader<T>): Reader<T[]> =>
  (sent, name, wire) => {
    // In a form a list of one item may look like its item.
    const raw = wire && typeof sent === 'string' ? [sent] : sent;
    if (!Array.isArray(raw)) throw invalid(name, `The ${name} field must be an array.`);
    return raw.map((item, index) => reader(item, `${name}.${index}`, wire));
  };

export const zoneReader: Reader<string> = (raw, name) => {
  const value = textReader(raw, name, false);
  // An unknown zone must be refused, and the list of zones belongs to the platform.
  try {
    new Intl.DateTimeFormat('en', { timeZone: value });
  } catch {
    throw invalid(name, `The ${name} field must be a valid time zone.`);
  }
  return value;
};
