import { UsageError } from '../errors.ts';
import { isSameJson, stringifyJson, toNumber } from '../json.ts';
import { shortenText } from '../parsing/text.ts';

/** Applies an expression of JMESPath to a JSON value. A wrong type inside is a `UsageError`. */
export type CompiledQuery = (data: unknown) => unknown;

/** Parsing and running recurse: a stack that is full is an expression without an end, no fault of the program. */
export function explainQueryError(error: unknown): string {
  if (error instanceof RangeError && /call stack/.test(error.message))
    return 'the expression is nested too deeply';
  return error instanceof Error ? error.message : String(error);
}

/** A name, a text or a literal in its quotes; `@` where an argument begins that goes on; a carriage return. */
const REWRITTEN = /"(?:\\.|[^"\\])*"|'(?:\\.|[^'\\])*'|`(?:\\.|[^`\\])*`|(?<before>[(,]\s*)@(?!\s*[,)])|\r/gs;

const MAX_LENGTH = 10_000;

/** Parses an expression, and checks what its data do not tell. @throws Error where it is not JMESPath */
export async function parseExpression(expression: string): Promise<QueryNode> {
  if (expression.length > MAX_LENGTH)
    throw new Error(`it has more than ${MAX_LENGTH.toLocaleString('en')} characters`);
  const { default: jmespath } = await import('jmespath');
  // The package's parser takes `@` for a whole argument, so that it refuses `length(@.a)` and makes two arguments of
  // `length(@[0])`; and it does not know the end of a line of Windows.
  const adapted = expression.replace(REWRITTEN, (token: string, before: string | undefined) =>
    before === undefined ? token.replace(/^\r$/, ' ') : `${before}(@)`,
  );
  const tree = jmespath.compile(adapted);
  checkTree(tree);
  return tree;
}

export async function compileQuery(expression: string): Promise<CompiledQuery> {
  const fail = (error: unknown): never => {
    throw new UsageError(`the query cannot be used: ${shortenText(expression)}`, {
      code: 'bad_query',
      reason: explainQueryError(error),
      hint: "--query takes a JMESPath expression, for example: --query '[].email'",
      cause: error,
    });
  };
  const tree = await parseExpression(expression).catch(fail);
  return (data) => {
    try {
      return new Evaluation(data, 1_000_000).run(tree, data);
    } catch (error) {
      return fail(error);
    }
  };
}

/** A part of the tree that the package `jmespath` makes of an expression. */
export interface QueryNode {
  readonly type: string;
  readonly name?: unknown;
  readonly children?: unknown;
  readonly value?: unknown;
}

export function listChildren({ children }: QueryNode): readonly QueryNode[] {
  return Array.isArray(children) ? children : [];
}

/** Finds what the package takes for whole, or would find only in the answer. @throws Error */
function checkTree(node: unknown, inFunction = false): void {
  if (Array.isArray(node) && node.includes(undefined)) throw new Error(INCOMPLETE);
  if (typeof node !== 'object' || node === null) return;
  const { type, name } = node as QueryNode;
  // A literal holds data, not nodes.
  if (type === 'Literal') return;
  if (type === 'Function') getFunction(String(name), listChildren(node as QueryNode).length);
  if (type === 'ExpressionReference' && !inFunction) throw new Error('&… is only valid in a function');
  const inside = type === 'Function' || (Array.isArray(node) && inFunction);
  for (const inner of Object.values(node)) checkTree(inner, inside);
}

const INCOMPLETE = 'the expression is not complete';

/** Steps for each value in the data, besides those that an evaluation may take anyway. */
const STEPS_PER_VALUE = 10;

/** Characters of a text that count as one value. */
const CHARACTERS_PER_STEP = 16;

/**
 * One run of an expression, as the specification of JMESPath has it. The package's own run gives wrong answers without a
 * word: `starts_with` of a letter that comes again, `max_by` of texts, `sort` of numbers. It throws an Error for what has
 * the wrong type, and for an expression whose work or result is out of proportion to its data: nothing stops it while it
 * runs.
 */
export class Evaluation {
  /** Whether the second operand counts though the first has settled the result. */
  readonly evaluatesAll: boolean = false;
  #left: number;

  /** @param steps that it may take, besides those for its data */
  constructor(data: unknown, steps: number) {
    this.#left = steps + STEPS_PER_VALUE * countValues(data, Number.POSITIVE_INFINITY);
  }

  run(tree: QueryNode, data: unknown): unknown {
    const result = this.#evaluate(tree, data);
    this.#spendOn(result);
    return result;
  }

  /** The result of an order between what has none: `null < 50`. */
  unordered(_node: QueryNode, _values: readonly [unknown, unknown]): null {
    return null;
  }

  read(value: unknown): unknown {
    return value;
  }

  call(name: string, args: readonly unknown[]): unknown {
    return callFunction(name, args);
  }

  #evaluate(node: QueryNode, value: unknown): unknown {
    this.#spend(1);
    const { name, value: own, children } = node;
    switch (node.type) {
      case 'Field':
        return this.read(getOwnField(value, String(name)));
      case 'Subexpression':
      case 'IndexExpression':
      case 'Pipe':
        return this.#part(node, 1, this.#part(node, 0, value));
      case 'Identity':
      case 'Current':
        return value;
      case 'Literal':
        return own;
      case 'Index':
        return Array.isArray(value) ? (value.at(Number(own)) ?? null) : null;
      case 'Slice':
        return this.#slice(value, children as (number | null)[]);
      case 'Projection':
        return this.#project(this.#part(node, 0, value), node);
      case 'ValueProjection': {
        const record = this.#part(node, 0, value);
        return this.#project(
          isQueryObject(record) && Object.values(record).map((one) => this.read(one)),
          node,
        );
      }
      case 'FilterProjection': {
        const items = this.#part(node, 0, value);
        const fits = (item: unknown): boolean => !isFalse(this.#part(node, 2, item));
        return this.#project(Array.isArray(items) && items.filter(fits), node);
      }
      case 'Flatten': {
        const items = this.#part(node, 0, value);
        if (!Array.isArray(items)) return null;
        this.#spend(items.reduce((sum: number, item) => sum + (Array.isArray(item) ? item.length : 1), 0));
        return items.flat();
      }
      case 'Comparator':
        return this.#compare(node, [this.#part(node, 0, value), this.#part(node, 1, value)]);
      case 'MultiSelectList':
        return value === null ? null : listChildren(node).map((one) => this.#evaluate(one, value));
      case 'MultiSelectHash': {
        if (value === null) return null;
        const pairs = listChildren(node).map((pair) => [
          pair.name,
          this.#evaluate(pair.value as QueryNode, value),
        ]);
        return Object.fromEntries(pairs);
      }
      case 'OrExpression':
      case 'AndExpression': {
        const first = this.#part(node, 0, value);
        const isSettled = isFalse(first) === (node.type === 'AndExpression');
        const second = isSettled && !this.evaluatesAll ? null : this.#part(node, 1, value);
        return isSettled ? first : second;
      }
      case 'NotExpression':
        return isFalse(this.#part(node, 0, value));
      case 'ExpressionReference':
        return (item: unknown) => this.#part(node, 0, item);
      case 'Function': {
        const args = listChildren(node).map((one) => this.#evaluate(one, value));
        this.#spendOn(args);
        return this.call(String(name), args);
      }
      default:
        throw new Error(`not valid in JMESPath: ${node.type}`);
    }
  }

  #part(node: QueryNode, index: number, value: unknown): unknown {
    const child = listChildren(node)[index];
    if (child === undefined) throw new Error(INCOMPLETE);
    return this.#evaluate(child, value);
  }

  /** Each of them through the right side; what is not there is left out. */
  #project(items: unknown, node: QueryNode): unknown {
    if (!Array.isArray(items)) return null;
    return items.map((item) => this.#part(node, 1, item)).filter((item) => item !== null);
  }

  /** The specification orders numbers alone; texts are ordered too, for the sake of dates. */
  #compare(node: QueryNode, values: readonly [unknown, unknown]): boolean | null {
    const [one, other] = values;
    if (typeof one === 'object' && typeof other === 'object') this.#spendOn(one);
    if (node.name === 'EQ') return isSameJson(one, other);
    if (node.name === 'NE') return !isSameJson(one, other);
    const order = compareOrdered(one, other);
    if (order === undefined) return this.unordered(node, values);
    const isEqual = order === 0 && String(node.name).endsWith('E');
    return isEqual || (String(node.name).startsWith('L') ? order < 0 : order > 0);
  }

  /** As Python slices: a place before the beginning or after the end is the nearest one that is there. */
  #slice(items: unknown, [from, to, by]: readonly (number | null)[]): unknown {
    if (!Array.isArray(items)) return null;
    this.#spend(items.length);
    const step = by ?? 1;
    if (step === 0) throw new Error('the step of a slice cannot be 0');
    const [lowest, highest] = step > 0 ? [0, items.length] : [-1, items.length - 1];
    const clamp = (index: number): number =>
      Math.min(Math.max(index < 0 ? index + items.length : index, lowest), highest);
    const start = from == null ? (step > 0 ? lowest : highest) : clamp(from);
    const end = to == null ? (step > 0 ? highest : lowest) : clamp(to);
    const result: unknown[] = [];
    for (let i = start; step > 0 ? i < end : i > end; i += step) result.push(items[i]);
    return result;
  }

  #spend(steps: number): void {
    this.#left -= steps;
    if (this.#left < 0) throw new Error('it takes too many steps, or its result is too large');
  }

  #spendOn(value: unknown): void {
    this.#spend(countValues(value, this.#left));
  }
}

/** The record's own field: `constructor` is none. */
function getOwnField(value: unknown, name: string): unknown {
  return isQueryObject(value) && Object.hasOwn(value, name) ? (value[name] ?? null) : null;
}

/**
 * How many values there are in a value, long texts counted as several. What is in it twice counts twice.
 * @param most what is more than this is not counted to its end
 */
function countValues(value: unknown, most: number): number {
  let count = typeof value === 'string' ? 1 + value.length / CHARACTERS_PER_STEP : 1;
  if (typeof value !== 'object' || value === null) return count;
  for (const inner of Object.values(value)) {
    if (count > most) return count;
    count += countValues(inner, most - count);
  }
  return count;
}

type QueryObject = Readonly<{ [name: string]: unknown }>;

type ExpressionReference = (value: unknown) => unknown;

export function getQueryType(value: unknown) {
  if (value === null || value === undefined) return 'null';
  if (Array.isArray(value)) return 'array';
  if (typeof value === 'function') return 'expref';
  return typeof value as 'number' | 'string' | 'boolean' | 'object';
}

function isQueryObject(value: unknown): value is QueryObject {
  return getQueryType(value) === 'object';
}

/** Of two numbers, or two strings; anything else has no order. */
function compareOrdered(one: unknown, other: unknown): number | undefined {
  if (typeof one === 'number' && typeof other === 'number') return one - other;
  if (typeof one !== 'string' || typeof other !== 'string') return undefined;
  return one < other ? -1 : Number(one > other);
}

function isFalse(value: unknown): boolean {
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

function findGreatest(items: readonly unknown[], key: ExpressionReference = (value) => value): unknown {
  const greatest = sortBy(items, key).at(-1) ?? null;
  return items.find((item) => compareOrdered(key(item), key(greatest)) === 0) ?? greatest;
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce<number>((all, one) => all + one, 0);
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
    to_number: [
      'any',
      (value: unknown) => {
        const number = typeof value === 'string' && value.trim() !== value ? Number.NaN : toNumber(value);
        return Number.isNaN(number) ? null : number;
      },
    ],
    to_string: ['any', (value: unknown) => (typeof value === 'string' ? value : stringifyJson(value))],
    type: ['any', getQueryType],
    values: ['object', (record: QueryObject) => Object.values(record)],
  };

/** @throws Error for a name that is none, and for too few or too many arguments */
function getFunction(name: string, count: number) {
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
