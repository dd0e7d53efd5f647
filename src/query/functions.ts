import { isSameJson, stringifyJson, toNumber } from '../json.ts';

type QueryObject = Readonly<{ [name: string]: unknown }>;

type ExpressionReference = (value: unknown) => unknown;

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

function findGreatest(items: readonly unknown[], key: ExpressionReference = (value) => value): unknown {
  const greatest = sortBy(items, key).at(-1) ?? null;
  return items.find((item) => compareOrdered(key(item), key(greatest)) === 0) ?? greatest;
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce<number>((all, one) => all + one, 0);
}

export function toQueryNumber(value: unknown): number | null {
  const number = typeof value === 'string' && value.trim() !== value ? Number.NaN : toNumber(value);
  return Number.isNaN(number) ? null : number;
}

/** By name: the types of the parameters, as the specification writes them, and what it gives. */
const FUNCTIONS: Readonly<Record<string, readonly [parameters: string, run: (...args: never[]) => unknown]>> =
  {
    abs: ['number', (value: number) => Math.abs(value)],
    avg: ['number[]', (items: number[]) => (items.length === 0 ? null : sum(items) / items.length)],
    ceil: ['number', (value: number) => Math.ceil(value)],
    contains: [
      'string|array any',
      (subject: string | unknown[], element: unknown) =>
        typeof subject === 'string'
          ? typeof element === 'string' && subject.includes(element)
          : subject.some((item) => isSameJson(item, element)),
    ],
    ends_with: ['string string', (text: string, end: string) => text.endsWith(end)],
    floor: ['number', (value: number) => Math.floor(value)],
    join: ['string string[]', (glue: string, items: string[]) => items.join(glue)],
    keys: ['object', (record: QueryObject) => Object.keys(record)],
    length: [
      'string|array|object',
      (value: string | object) => (typeof value === 'string' ? [...value] : Object.keys(value)).length,
    ],
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
    to_number: ['any', toQueryNumber],
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
    const type = getQueryType(arg);
    const isOfType = (kind: string) =>
      kind === 'any' ||
      kind === type ||
      (kind.endsWith('[]') && Array.isArray(arg) && arg.every((item) => kind === `${getQueryType(item)}[]`));
    if (kinds.some(isOfType)) continue;
    const words = kinds.join(' or ').replaceAll(/(\w+)\[\]/g, 'array of $1s');
    throw new Error(`argument ${i + 1} of ${name}() must be ${words}, not ${type}`);
  }
  return run(...(args as never[]));
}
