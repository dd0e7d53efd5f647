import { isNumber, isSameJson, type JsonNumber, parseNumber, toExactNumber } from '../json/number.ts';
import { stringifyJson } from '../json/stringify.ts';
import {
  compareOrdered,
  type ExpressionReference,
  getQueryType,
  isQueryObject,
  type QueryObject,
  type QueryType,
} from './query-values.ts';

/** The functions of JMESPath, as its specification has them. */

type Kind = QueryType | 'any' | 'number[]' | 'string[]';

interface Definition {
  /** What each argument may be. */
  readonly takes: readonly (readonly Kind[])[];
  /** More of the last one may follow. */
  readonly more?: true;
  readonly run: (...args: never[]) => unknown;
}

const isKind = (value: unknown, kind: Kind): boolean => {
  if (kind === 'any') return true;
  if (!kind.endsWith('[]')) return getQueryType(value) === kind;
  return Array.isArray(value) && value.every((item) => getQueryType(item) === kind.slice(0, -2));
};

const inOrder = (one: unknown, other: unknown): number => {
  const order = compareOrdered(one, other);
  if (order === undefined) {
    throw new Error(
      `only numbers or strings can be sorted, not ${getQueryType(one)} and ${getQueryType(other)}`,
    );
  }
  return order;
};

/** In order of what the reference gives of each. */
const sortedBy = (items: readonly unknown[], key: ExpressionReference): readonly unknown[] =>
  items
    .map((item) => ({ item, by: key(item) }))
    .sort((one, other) => inOrder(one.by, other.by))
    .map(({ item }) => item);

const itself: ExpressionReference = (value) => value;

/** The first of the greatest ones. */
const greatest = (items: readonly unknown[], key: ExpressionReference): unknown => {
  const keys = items.map(key);
  const at = keys.reduce<number>((best, one, i) => (i > 0 && inOrder(one, keys[best]) > 0 ? i : best), 0);
  return items[at] ?? null;
};

const least = (items: readonly unknown[], key: ExpressionReference): unknown =>
  sortedBy(items, key)[0] ?? null;

const sum = (numbers: readonly (number | JsonNumber)[]): number =>
  numbers.reduce<number>((all, one) => all + computable(one), 0);

const NUMBER = /^[+-]?\d+(\.\d+)?(e[+-]?\d+)?$/i;

const toNumber = (value: unknown): number | JsonNumber | null => {
  if (isNumber(value)) return value;
  if (typeof value !== 'string' || !NUMBER.test(value)) return null;
  const number = parseNumber(value.replace(/^([+-]?)0+(?=\d)/, '$1').replace(/^\+/, ''));
  return toExactNumber(number) ?? number;
};

/** The number to compute with. @throws Error where a computer would take another one */
const computable = (number: number | JsonNumber): number => {
  const exact = toExactNumber(number);
  if (exact === undefined) throw new Error(`${number} has too many digits`);
  return exact;
};

const contains = (subject: string | readonly unknown[], wanted: unknown): boolean =>
  typeof subject === 'string'
    ? typeof wanted === 'string' && subject.includes(wanted)
    : subject.some((item) => isSameJson(item, wanted));

const lengthOf = (value: string | readonly unknown[] | QueryObject): number => {
  if (typeof value === 'string') return [...value].length;
  return isQueryObject(value) ? Object.keys(value).length : value.length;
};

const ORDERED: readonly Kind[] = ['number[]', 'string[]'];

const DEFINITIONS: Readonly<{ [name: string]: Definition }> = {
  abs: { takes: [['number']], run: (value: number | JsonNumber) => Math.abs(computable(value)) },
  avg: {
    takes: [['number[]']],
    run: (items: (number | JsonNumber)[]) => (items.length === 0 ? null : sum(items) / items.length),
  },
  ceil: { takes: [['number']], run: (value: number | JsonNumber) => Math.ceil(computable(value)) },
  contains: { takes: [['string', 'array'], ['any']], run: contains },
  ends_with: { takes: [['string'], ['string']], run: (text: string, end: string) => text.endsWith(end) },
  floor: { takes: [['number']], run: (value: number | JsonNumber) => Math.floor(computable(value)) },
  join: { takes: [['string'], ['string[]']], run: (glue: string, items: string[]) => items.join(glue) },
  keys: { takes: [['object']], run: (record: QueryObject) => Object.keys(record) },
  length: { takes: [['string', 'array', 'object']], run: lengthOf },
  map: {
    takes: [['expref'], ['array']],
    run: (of: ExpressionReference, items: unknown[]) => items.map((it) => of(it)),
  },
  max: { takes: [ORDERED], run: (items: unknown[]) => greatest(items, itself) },
  max_by: { takes: [['array'], ['expref']], run: greatest },
  merge: {
    takes: [['object']],
    more: true,
    run: (...records: QueryObject[]) =>
      Object.fromEntries(records.flatMap((record) => Object.entries(record))),
  },
  min: { takes: [ORDERED], run: (items: unknown[]) => least(items, itself) },
  min_by: { takes: [['array'], ['expref']], run: least },
  not_null: {
    takes: [['any']],
    more: true,
    run: (...values: unknown[]) => values.find((value) => value !== null) ?? null,
  },
  reverse: {
    takes: [['string', 'array']],
    run: (value: string | unknown[]) =>
      typeof value === 'string' ? [...value].reverse().join('') : [...value].reverse(),
  },
  sort: { takes: [ORDERED], run: (items: unknown[]) => sortedBy(items, itself) },
  sort_by: { takes: [['array'], ['expref']], run: sortedBy },
  starts_with: {
    takes: [['string'], ['string']],
    run: (text: string, start: string) => text.startsWith(start),
  },
  sum: { takes: [['number[]']], run: sum },
  to_array: { takes: [['any']], run: (value: unknown) => (Array.isArray(value) ? value : [value]) },
  to_number: { takes: [['any']], run: toNumber },
  to_string: {
    takes: [['any']],
    run: (value: unknown) => (typeof value === 'string' ? value : stringifyJson(value)),
  },
  type: { takes: [['any']], run: getQueryType },
  values: { takes: [['object']], run: (record: QueryObject) => Object.values(record) },
};

const definitionOf = (name: string): Definition => {
  const definition = Object.hasOwn(DEFINITIONS, name) ? DEFINITIONS[name] : undefined;
  if (definition === undefined) throw new Error(`unknown function: ${name}`);
  return definition;
};

/** @throws Error for a name that is none, and for too few or too many arguments */
export const checkFunction = (name: string, count: number): void => {
  const { takes, more } = definitionOf(name);
  if (more === true ? count >= takes.length : count === takes.length) return;
  const wanted = `${takes.length}${more === true ? ' or more' : ''}`;
  throw new Error(`${name}() takes ${wanted} argument${wanted === '1' ? '' : 's'}, not ${count}`);
};

/** @throws Error for an argument of a type that the function does not take */
export const callFunction = (name: string, args: readonly unknown[]): unknown => {
  const { takes, run } = definitionOf(name);
  args.forEach((arg, i) => {
    const kinds = takes[Math.min(i, takes.length - 1)] ?? [];
    if (kinds.some((kind) => isKind(arg, kind))) return;
    const words = kinds.join(' or ').replaceAll(/(\w+)\[\]/g, 'array of $1s');
    throw new Error(`argument ${i + 1} of ${name}() must be ${words}, not ${getQueryType(arg)}`);
  });
  return run(...(args as never[]));
};
