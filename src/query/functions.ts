import { isNumber, isSameJson, toNumber as readNumber, stringifyJson } from '../json.ts';

type ArgumentType = QueryType | 'any' | 'number[]' | 'string[]';

interface Definition {
  readonly parameters: readonly (readonly ArgumentType[])[];
  /** More of the last one may follow. */
  readonly variadic?: true;
  readonly run: (...args: never[]) => unknown;
}

function compareStrictly(one: unknown, other: unknown): number {
  const order = compareOrdered(one, other);
  if (order === undefined) {
    throw new Error(
      `only numbers or strings can be sorted, not ${getQueryType(one)} and ${getQueryType(other)}`,
    );
  }
  return order;
}

/** In order of what the reference gives of each. */
function sortBy(items: readonly unknown[], key: ExpressionReference): readonly unknown[] {
  return items
    .map((item) => ({ item, by: key(item) }))
    .sort((one, other) => compareStrictly(one.by, other.by))
    .map(({ item }) => item);
}

const identity: ExpressionReference = (value) => value;

/** The first of the greatest ones. */
function findGreatest(items: readonly unknown[], key: ExpressionReference): unknown {
  const keys = items.map(key);
  const at = keys.reduce<number>(
    (best, one, i) => (i > 0 && compareStrictly(one, keys[best]) > 0 ? i : best),
    0,
  );
  return items[at] ?? null;
}

function findLeast(items: readonly unknown[], key: ExpressionReference): unknown {
  return sortBy(items, key)[0] ?? null;
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce<number>((all, one) => all + one, 0);
}

function toNumber(value: unknown): number | null {
  if (isNumber(value)) return value;
  if (typeof value !== 'string' || value.trim() !== value) return null;
  const number = readNumber(value.replace(/^\+(?=\d)/, ''));
  return Number.isNaN(number) ? null : number;
}

function contains(subject: string | readonly unknown[], element: unknown): boolean {
  return typeof subject === 'string'
    ? typeof element === 'string' && subject.includes(element)
    : subject.some((item) => isSameJson(item, element));
}

function getLength(value: string | readonly unknown[] | QueryObject): number {
  if (typeof value === 'string') return [...value].length;
  return isQueryObject(value) ? Object.keys(value).length : value.length;
}

const ORDERED: readonly ArgumentType[] = ['number[]', 'string[]'];

const DEFINITIONS: Readonly<{ [name: string]: Definition }> = {
  abs: { parameters: [['number']], run: (value: number) => Math.abs(value) },
  avg: {
    parameters: [['number[]']],
    run: (items: number[]) => (items.length === 0 ? null : sum(items) / items.length),
  },
  ceil: { parameters: [['number']], run: (value: number) => Math.ceil(value) },
  contains: { parameters: [['string', 'array'], ['any']], run: contains },
  ends_with: { parameters: [['string'], ['string']], run: (text: string, end: string) => text.endsWith(end) },
  floor: { parameters: [['number']], run: (value: number) => Math.floor(value) },
  join: { parameters: [['string'], ['string[]']], run: (glue: string, items: string[]) => items.join(glue) },
  keys: { parameters: [['object']], run: (record: QueryObject) => Object.keys(record) },
  length: { parameters: [['string', 'array', 'object']], run: getLength },
  map: {
    parameters: [['expref'], ['array']],
    run: (of: ExpressionReference, items: unknown[]) => items.map((it) => of(it)),
  },
  max: { parameters: [ORDERED], run: (items: unknown[]) => findGreatest(items, identity) },
  max_by: { parameters: [['array'], ['expref']], run: findGreatest },
  merge: {
    parameters: [['object']],
    variadic: true,
    run: (...records: QueryObject[]) =>
      Object.fromEntries(records.flatMap((record) => Object.entries(record))),
  },
  min: { parameters: [ORDERED], run: (items: unknown[]) => findLeast(items, identity) },
  min_by: { parameters: [['array'], ['expref']], run: findLeast },
  not_null: {
    parameters: [['any']],
    variadic: true,
    run: (...values: unknown[]) => values.find((value) => value !== null) ?? null,
  },
  reverse: {
    parameters: [['string', 'array']],
    run: (value: string | unknown[]) =>
      typeof value === 'string' ? [...value].reverse().join('') : [...value].reverse(),
  },
  sort: { parameters: [ORDERED], run: (items: unknown[]) => sortBy(items, identity) },
  sort_by: { parameters: [['array'], ['expref']], run: sortBy },
  starts_with: {
    parameters: [['string'], ['string']],
    run: (text: string, start: string) => text.startsWith(start),
  },
  sum: { parameters: [['number[]']], run: sum },
  to_array: { parameters: [['any']], run: (value: unknown) => (Array.isArray(value) ? value : [value]) },
  to_number: { parameters: [['any']], run: toNumber },
  to_string: {
    parameters: [['any']],
    run: (value: unknown) => (typeof value === 'string' ? value : stringifyJson(value)),
  },
  type: { parameters: [['any']], run: getQueryType },
  values: { parameters: [['object']], run: (record: QueryObject) => Object.values(record) },
};

/** @throws Error for a name that is none, and for too few or too many arguments */
export function checkFunction(name: string, count: number): void {
  const { parameters, variadic } = getDefinition(name);
  if (variadic === true ? count >= parameters.length : count === parameters.length) return;
  const expected = `${parameters.length}${variadic === true ? ' or more' : ''}`;
  throw new Error(`${name}() takes ${expected} argument${expected === '1' ? '' : 's'}, not ${count}`);
}

function getDefinition(name: string): Definition {
  const definition = Object.hasOwn(DEFINITIONS, name) ? DEFINITIONS[name] : undefined;
  if (definition === undefined) throw new Error(`unknown function: ${name}`);
  return definition;
}

/** @throws Error for an argument of a type that the function does not take */
export function callFunction(name: string, args: readonly unknown[]): unknown {
  const { parameters, run } = getDefinition(name);
  args.forEach((arg, i) => {
    const kinds = parameters[Math.min(i, parameters.length - 1)] ?? [];
    if (kinds.some((kind) => isOfType(arg, kind))) return;
    const words = kinds.join(' or ').replaceAll(/(\w+)\[\]/g, 'array of $1s');
    throw new Error(`argument ${i + 1} of ${name}() must be ${words}, not ${getQueryType(arg)}`);
  });
  return run(...(args as never[]));
}

function isOfType(value: unknown, kind: ArgumentType): boolean {
  if (kind === 'any') return true;
  if (!kind.endsWith('[]')) return getQueryType(value) === kind;
  return Array.isArray(value) && value.every((item) => getQueryType(item) === kind.slice(0, -2));
}

/** What the values of a JMESPath expression are: JSON values, and references to expressions. */

export type QueryObject = Readonly<{ [name: string]: unknown }>;

/** `&field`: what it gives of one value. */
export type ExpressionReference = (value: unknown) => unknown;

/** As the specification of JMESPath names them. */
export type QueryType = 'number' | 'string' | 'boolean' | 'array' | 'object' | 'null' | 'expref';

export function getQueryType(value: unknown): QueryType {
  if (value === null || value === undefined) return 'null';
  if (Array.isArray(value)) return 'array';
  if (typeof value === 'function') return 'expref';
  if (isNumber(value)) return 'number';
  return typeof value as 'number' | 'string' | 'boolean' | 'object';
}

export function isQueryObject(value: unknown): value is QueryObject {
  return getQueryType(value) === 'object';
}

/** The record's own field: `constructor` is none. */
export function getOwnField(value: unknown, name: string): unknown {
  return isQueryObject(value) && Object.hasOwn(value, name) ? (value[name] ?? null) : null;
}

/** Of two numbers, or two strings; anything else has no order. */
export function compareOrdered(one: unknown, other: unknown): number | undefined {
  const [type, otherType] = [getQueryType(one), getQueryType(other)];
  if (type !== otherType || (type !== 'number' && type !== 'string')) return undefined;
  if (isNumber(one) && isNumber(other)) return one - other;
  const [a, b] = [one as string, other as string];
  return a < b ? -1 : Number(a > b);
}

/** What a filter leaves out. */
export function isFalse(value: unknown): boolean {
  if (value === null || value === undefined || value === '' || value === false) return true;
  if (Array.isArray(value)) return value.length === 0;
  return isQueryObject(value) && Object.keys(value).length === 0;
}
