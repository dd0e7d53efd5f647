import { isSameJson, toNumber as readNumber, stringifyJson } from '../json.ts';

/** What the values of a JMESPath expression are: JSON values, and references to expressions. */

export type QueryObject = Readonly<{ [name: string]: unknown }>;

/** `&field`: what it gives of one value. */
type ExpressionReference = (value: unknown) => unknown;

/** The type of a value, as the specification of JMESPath names it. */
export function getQueryType(value: unknown) {
  if (value === null || value === undefined) return 'null';
  if (Array.isArray(value)) return 'array';
  if (typeof value === 'function') return 'expref';
  return typeof value as 'number' | 'string' | 'boolean' | 'object';
}

export function isQueryObject(value: unknown): value is QueryObject {
  return getQueryType(value) === 'object';
}

/** Of two numbers, or two strings; anything else has no order. */
export function compareOrdered(one: unknown, other: unknown): number | undefined {
  if (typeof one === 'number' && typeof other === 'number') return one - other;
  if (typeof one !== 'string' || typeof other !== 'string') return undefined;
  return one < other ? -1 : Number(one > other);
}

/** What a filter leaves out. */
export function isFalse(value: unknown): boolean {
  if (value === null || value === undefined || value === '' || value === false) return true;
  if (Array.isArray(value)) return value.length === 0;
  return isQueryObject(value) && Object.keys(value).length === 0;
}

/** In order of what the reference gives of each. */
function sortBy(items: readonly unknown[], key: ExpressionReference = (value) => value): readonly unknown[] {
  const keyed = items.map((item) => ({ item, by: key(item) }));
  keyed.sort(({ by: one }, { by: other }) => {
    const order = compareOrdered(one, other);
    if (order !== undefined) return order;
    const [type, otherType] = [getQueryType(one), getQueryType(other)];
    throw new Error(`only numbers or strings can be sorted, not ${type} and ${otherType}`);
  });
  return keyed.map(({ item }) => item);
}

function findLeast(items: readonly unknown[], key?: ExpressionReference): unknown {
  return sortBy(items, key)[0] ?? null;
}

/** The first of the greatest ones. */
function findGreatest(items: readonly unknown[], key: ExpressionReference = (value) => value): unknown {
  const greatest = sortBy(items, key).at(-1) ?? null;
  return items.find((item) => compareOrdered(key(item), key(greatest)) === 0) ?? greatest;
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce<number>((all, one) => all + one, 0);
}

function toNumber(value: unknown): number | null {
  if (typeof value === 'number') return value;
  if (typeof value !== 'string' || value.trim() !== value) return null;
  const number = readNumber(value.replace(/^\+(?=\d)/, ''));
  return Number.isNaN(number) ? null : number;
}

function contains(subject: string | readonly unknown[], element: unknown): boolean {
  if (typeof subject !== 'string') return subject.some((item) => isSameJson(item, element));
  return typeof element === 'string' && subject.includes(element);
}

function getLength(value: string | readonly unknown[] | QueryObject): number {
  return typeof value === 'string' ? [...value].length : Object.keys(value).length;
}

/** By name: the types of the parameters, as the specification writes them, and what it gives. */
const FUNCTIONS: Readonly<Record<string, readonly [parameters: string, run: (...args: never[]) => unknown]>> =
  {
    abs: ['number', (value: number) => Math.abs(value)],
    avg: ['number[]', (items: number[]) => (items.length === 0 ? null : sum(items) / items.length)],
    ceil: ['number', (value: number) => Math.ceil(value)],
    contains: ['string|array any', contains],
    ends_with: ['string string', (text: string, end: string) => text.endsWith(end)],
    floor: ['number', (value: number) => Math.floor(value)],
    join: ['string string[]', (glue: string, items: string[]) => items.join(glue)],
    keys: ['object', (record: QueryObject) => Object.keys(record)],
    length: ['string|array|object', getLength],
    map: ['expref array', (of: ExpressionReference, items: unknown[]) => items.map((item) => of(item))],
    max: ['number[]|string[]', findGreatest],
    max_by: ['array expref', findGreatest],
    merge: ['object...', (...all: QueryObject[]) => Object.fromEntries(all.flatMap(Object.entries))],
    min: ['number[]|string[]', findLeast],
    min_by: ['array expref', findLeast],
    not_null: ['any...', (...values: unknown[]) => values.find((value) => value !== null) ?? null],
    reverse: [
      'string|array',
      (value: string | unknown[]) =>
        typeof value === 'string' ? [...value].reverse().join('') : [...value].reverse(),
    ],
    sort: ['number[]|string[]', sortBy],
    sort_by: ['array expref', sortBy],
    starts_with: ['string string', (text: string, start: string) => text.startsWith(start)],
    sum: ['number[]', sum],
    to_array: ['any', (value: unknown) => (Array.isArray(value) ? value : [value])],
    to_number: ['any', toNumber],
    to_string: ['any', (value: unknown) => (typeof value === 'string' ? value : stringifyJson(value))],
    type: ['any', getQueryType],
    values: ['object', (record: QueryObject) => Object.values(record)],
  };

/** @throws Error for a name that is none, and for too few or too many arguments */
export function getFunction(name: string, count: number) {
  const found = Object.hasOwn(FUNCTIONS, name) ? FUNCTIONS[name] : undefined;
  if (found === undefined) throw new Error(`unknown function: ${name}`);
  const [parameters, run] = found;
  const types = parameters.split(' ');
  const hasMore = parameters.endsWith('...');
  if (hasMore ? count < types.length : count !== types.length)
    throw new Error(
      `${name}() takes ${types.length}${hasMore ? ' or more' : ''} argument${types.length > 1 || hasMore ? 's' : ''}, not ${count}`,
    );
  return { types: types.map((type) => type.replace('...', '').split('|')), run };
}

/** @throws Error for an argument of a type that the function does not take */
export function callFunction(name: string, args: readonly unknown[]): unknown {
  const { types, run } = getFunction(name, args.length);
  for (const [i, arg] of args.entries()) {
    const kinds = types[Math.min(i, types.length - 1)] ?? [];
    if (kinds.some((kind) => isOfType(arg, kind))) continue;
    const words = kinds.join(' or ').replaceAll(/(\w+)\[\]/g, 'array of $1s');
    throw new Error(`argument ${i + 1} of ${name}() must be ${words}, not ${getQueryType(arg)}`);
  }
  return run(...(args as never[]));
}

function isOfType(value: unknown, kind: string): boolean {
  if (kind === 'any') return true;
  if (!kind.endsWith('[]')) return getQueryType(value) === kind;
  return Array.isArray(value) && value.every((item) => getQueryType(item) === kind.slice(0, -2));
}
