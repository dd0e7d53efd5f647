import { getMessage, UsageError } from '../errors.ts';
import { isSameJson } from '../json.ts';
import { shortenText } from '../parsing/text.ts';
import {
  callFunction,
  compareOrdered,
  getFunction,
  getQueryType,
  isQueryObject,
  toQueryNumber,
} from './functions.ts';

/** Applies an expression of JMESPath to a JSON value. A wrong type inside is a `UsageError`. */
export type CompiledQuery = (data: unknown) => unknown;

/** Throws what parsing or running an expression ends with, as wrong usage. @param hint how one is written */
export function createRefusal(message: string, code: 'bad_query' | 'bad_condition', hint: string) {
  return (cause: unknown): never => {
    // Both recurse: a stack that is full is an expression without an end, no fault of the program.
    const isEndless = cause instanceof RangeError && /call stack/.test(cause.message);
    const reason = isEndless ? 'the expression is nested too deeply' : getMessage(cause);
    throw new UsageError(message, { code, reason, hint, cause });
  };
}

const MAX_LENGTH = 10_000;

/** Parses an expression, and checks what its data do not tell. @throws Error where it is not JMESPath */
export async function parseExpression(expression: string): Promise<QueryNode> {
  if (expression.length > MAX_LENGTH)
    throw new Error(`it has more than ${MAX_LENGTH.toLocaleString('en')} characters`);
  const { compile } = await import('@jmespath-community/jmespath');
  // `Design` in backquotes is a text, as in the AWS command line.
  const tree: QueryNode = compile(expression, { enable_legacy_literals: true });
  checkTree(tree);
  return tree;
}

export async function compileQuery(expression: string): Promise<CompiledQuery> {
  const hint = "--query takes a JMESPath expression, for example: --query '[].email'";
  const fail = createRefusal(`the query cannot be used: ${shortenText(expression)}`, 'bad_query', hint);
  const tree = await parseExpression(expression).catch(fail);
  return (data) => {
    try {
      return new Evaluation(data, 1_000_000, false).run(tree, data);
    } catch (error) {
      return fail(error);
    }
  };
}

export interface QueryNode {
  readonly type: string;
  readonly name?: unknown;
  readonly value?: unknown;
  readonly operator?: unknown;
  readonly left?: QueryNode;
  readonly right?: QueryNode;
  readonly child?: QueryNode;
  readonly condition?: QueryNode;
  readonly operand?: QueryNode;
  readonly children?: readonly (QueryNode | null)[];
  readonly start?: number | null;
  readonly stop?: number | null;
  readonly step?: number | null;
}

/** What is evaluated for it, the first of all what the others see. */
export function listChildren(node: QueryNode): readonly QueryNode[] {
  const { left, right, child, condition, operand, children = [] } = node;
  const all = [left, right, child, condition, operand, ...children];
  return all.flatMap((one) => (one?.type === 'KeyValuePair' ? (one.value as QueryNode) : (one ?? [])));
}

/** The same node, with each of what is evaluated for it replaced. */
export function mapChildren(node: QueryNode, change: (child: QueryNode) => QueryNode): QueryNode {
  const replace = (part: unknown): unknown => {
    if (Array.isArray(part)) return part.map(replace);
    if (typeof part !== 'object' || part === null || !('type' in part)) return part;
    const child = part as QueryNode;
    return child.type === 'KeyValuePair' ? { ...child, value: replace(child.value) } : change(child);
  };
  const parts = Object.entries(node).map(([name, part]) => [name, replace(part)]);
  return node.type === 'Literal' ? node : { ...node, ...Object.fromEntries(parts) };
}

/** `member.email` of a node that only names a field, `''` of the record itself. */
export function getPath(node: QueryNode): string | undefined {
  if (node.type === 'Field') return String(node.name);
  if (node.type === 'Current') return '';
  if (node.type !== 'Subexpression') return undefined;
  const [head, rest] = listChildren(node).map(getPath);
  if (head === undefined || rest === undefined) return undefined;
  return head === '' ? rest : `${head}.${rest}`;
}

const NOT_KNOWN = ['LetExpression', 'Variable', 'Ternary', 'Root'];

/** Finds what the package takes for whole, or would find only in the answer. @throws Error */
function checkTree(node: QueryNode, inFunction = false): void {
  const { type, name } = node;
  if (type === 'Function') getFunction(String(name), listChildren(node).length);
  if (type === 'ExpressionReference' && !inFunction) throw new Error('&… is only valid in a function');
  if (NOT_KNOWN.includes(type)) throw new Error('let, $ and ? : are not supported');
  for (const inner of listChildren(node)) checkTree(inner, type === 'Function');
}

/** Stands for a value that could not be found out. To read it leaves a condition undecided. */
export class UnknownValue {
  /** Why: `leave balances could not be read`. */
  readonly why: string;

  constructor(why: string) {
    this.why = why;
  }
}

/** Why a condition says nothing of a record. */
export class Undecided extends Error {}

/** Values that exist and cannot be compared, or are no numbers: a mistake in the expression, where the types are those documented. */
export class UnorderedTypes extends Undecided {}

/** Steps for each value in the data, besides those that an evaluation may take anyway. */
const STEPS_PER_VALUE = 10;

const CHARACTERS_PER_STEP = 16;

/**
 * One run of an expression, as the specification of JMESPath has it. The package's own run gives wrong answers without a
 * word: `starts_with` of a letter that comes again, `max_by` of texts, `sort` of numbers. It throws an Error for what has
 * the wrong type, and for an expression whose work or result is out of proportion to its data: nothing stops it while it
 * runs.
 */
export class Evaluation {
  readonly #isStrict: boolean;
  #left: number;

  /**
   * @param steps that it may take, besides those for its data
   * @param isStrict what is missing throws `Undecided`, also in what no longer counts: JMESPath itself goes on with null
   */
  constructor(data: unknown, steps: number, isStrict: boolean) {
    this.#isStrict = isStrict;
    this.#left = steps + STEPS_PER_VALUE * countValues(data, Number.POSITIVE_INFINITY);
  }

  run(tree: QueryNode, data: unknown): unknown {
    const result = this.#evaluate(tree, data);
    this.#spendOn(result);
    return result;
  }

  #evaluate(node: QueryNode, value: unknown): unknown {
    this.#spend(1);
    switch (node.type) {
      case 'Field':
        return readKnown(getOwnField(value, String(node.name)));
      case 'Subexpression':
      case 'IndexExpression':
      case 'Pipe':
        return this.#part(node, 1, this.#part(node, 0, value));
      case 'Identity':
      case 'Current':
        return value;
      case 'Literal':
        return node.value;
      case 'Index':
        return Array.isArray(value) ? (value.at(Number(node.value)) ?? null) : null;
      case 'Slice':
        return this.#slice(value, node);
      case 'Projection':
      case 'ValueProjection':
      case 'FilterProjection':
        return this.#project(node, this.#part(node, 0, value));
      case 'Flatten': {
        const items = this.#part(node, 0, value);
        if (!Array.isArray(items)) return null;
        this.#spend(items.reduce((sum: number, item) => sum + (Array.isArray(item) ? item.length : 1), 0));
        return items.flat();
      }
      case 'Comparator':
        return this.#compare(node, this.#part(node, 0, value), this.#part(node, 1, value));
      case 'Arithmetic':
        return this.#calculate(node, this.#part(node, 0, value), this.#part(node, 1, value));
      case 'Unary':
        return this.#calculate(node, 0, this.#part(node, 0, value));
      case 'MultiSelectList':
        return value === null ? null : listChildren(node).map((one) => this.#evaluate(one, value));
      case 'MultiSelectHash': {
        const names = (node.children ?? []).map((pair) => pair?.name);
        const toPair = (one: QueryNode, at: number) => [names[at], this.#evaluate(one, value)];
        return value === null ? null : Object.fromEntries(listChildren(node).map(toPair));
      }
      case 'OrExpression':
      case 'AndExpression': {
        const first = this.#part(node, 0, value);
        const isSettled = isFalse(first) === (node.type === 'AndExpression');
        const second = isSettled && !this.#isStrict ? null : this.#part(node, 1, value);
        return isSettled ? first : second;
      }
      case 'NotExpression':
        return isFalse(this.#part(node, 0, value));
      case 'ExpressionReference':
        return (item: unknown) => this.#part(node, 0, item);
      case 'Function':
        return this.#call(
          String(node.name),
          listChildren(node).map((one) => this.#evaluate(one, value)),
        );
      default:
        throw new Error(`not valid in JMESPath: ${node.type}`);
    }
  }

  #part(node: QueryNode, index: number, value: unknown): unknown {
    return this.#evaluate(listChildren(node)[index] as QueryNode, value);
  }

  /** Each of them through the right side; what is not there is left out. */
  #project(node: QueryNode, given: unknown): unknown {
    const ofValues = node.type === 'ValueProjection';
    const items = ofValues && isQueryObject(given) ? Object.values(given).map(readKnown) : given;
    if (!Array.isArray(items) || (ofValues && items === given)) return null;
    const fits = (item: unknown): boolean =>
      node.type !== 'FilterProjection' || !isFalse(this.#part(node, 2, item));
    const results = items.filter(fits).map((item) => this.#part(node, 1, item));
    return results.filter((item) => item !== null);
  }

  /** The specification orders numbers alone; texts are ordered too, for the sake of dates. */
  #compare(node: QueryNode, one: unknown, other: unknown): boolean | null {
    if (typeof one === 'object' && typeof other === 'object') this.#spendOn(one);
    if (node.name === 'EQ' || node.name === 'NE') {
      const isMissing = one == null || other == null;
      // Values of two types are never the same: `!=` would choose all.
      if (this.#isStrict && !isMissing && getQueryType(one) !== getQueryType(other)) {
        const [first, second] = [describeOperand(node, 0, one), describeOperand(node, 1, other)];
        // An id may be a text where a number is documented: of those the rows tell.
        const isMistake = typeof one === 'object' || typeof other === 'object';
        throw new (isMistake ? UnorderedTypes : Undecided)(`${first} and ${second} cannot be compared`);
      }
      return isSameJson(one, other) === (node.name === 'EQ');
    }
    const order = compareOrdered(one, other);
    if (order !== undefined)
      return (
        (order === 0 && String(node.name).endsWith('E')) ||
        (String(node.name).startsWith('L') ? order < 0 : order > 0)
      );
    if (!this.#isStrict) return null;
    const [first, second] = [describeOperand(node, 0, one), describeOperand(node, 1, other)];
    const problem = `${first} and ${second} cannot be ordered`;
    throw one == null || other == null ? new Undecided(problem) : new UnorderedTypes(problem);
  }

  /** @param one 0 for a sign alone */
  #calculate(node: QueryNode, one: unknown, other: unknown): number {
    // The service writes amounts as text.
    const [left, right] = [one, other].map((value) =>
      typeof value === 'string' ? toQueryNumber(value) : value,
    );
    const wrong = [left, right].findIndex((value) => typeof value !== 'number');
    if (wrong !== -1) {
      const at = node.type === 'Unary' ? 0 : wrong;
      const given = wrong === 0 ? one : other;
      const problem = `${describeOperand(node, at, given)} is not a number`;
      if (!this.#isStrict) throw new Error(problem);
      throw given === null ? new Undecided(problem) : new UnorderedTypes(problem);
    }
    const result = OPERATORS[String(node.operator)]?.(Number(left), Number(right)) ?? Number.NaN;
    // Twelve digits are more than any hours or money has, and 0.1 + 0.2 is 0.3.
    if (Number.isFinite(result)) return Number(result.toPrecision(12));
    throw this.#isStrict ? new Undecided('division by 0') : new Error('division by 0');
  }

  /** As Python slices: a place before the beginning or after the end is the nearest one that is there. */
  #slice(items: unknown, { start: from, stop: to, step: by }: QueryNode): unknown {
    if (!Array.isArray(items)) return null;
    this.#spend(items.length);
    const step = by ?? 1;
    if (step === 0) throw new Error('the step of a slice cannot be 0');
    const last = items.length - 1;
    if (step > 0) return items.slice(from ?? 0, to ?? items.length).filter((_, i) => i % step === 0);
    const clamp = (index: number): number =>
      Math.min(Math.max(index < 0 ? index + last + 1 : index, -1), last);
    const end = to == null ? -1 : clamp(to);
    const result: unknown[] = [];
    for (let i = from == null ? last : clamp(from); i > end; i += step) result.push(items[i]);
    return result;
  }

  #call(name: string, args: readonly unknown[]): unknown {
    this.#spendOn(args);
    try {
      return callFunction(name, args);
    } catch (error) {
      const isMissing = args.some((arg) => arg == null || (Array.isArray(arg) && arg.includes(null)));
      throw this.#isStrict && isMissing ? new Undecided(`${name}() was given no value`) : error;
    }
  }

  #spend(steps: number): void {
    this.#left -= steps;
    if (this.#left < 0) throw new Error('it takes too many steps, or its result is too large');
  }

  #spendOn(value: unknown): void {
    this.#spend(countValues(value, this.#left));
  }
}

const OPERATORS: Readonly<Record<string, (one: number, other: number) => number>> = {
  Plus: (one, other) => one + other,
  Minus: (one, other) => one - other,
  Star: (one, other) => one * other,
  Multiply: (one, other) => one * other,
  Divide: (one, other) => one / other,
  Div: (one, other) => Math.floor(one / other),
  Modulo: (one, other) => one % other,
};

function describeOperand(node: QueryNode, at: number, value: unknown): string {
  const [path, type] = [getPath(listChildren(node)[at] as QueryNode), getQueryType(value)];
  const shown = type === 'null' ? type : `${/^[ao]/.test(type) ? 'an' : 'a'} ${type}`;
  return path ? `${path} (${shown})` : shown;
}

function readKnown(value: unknown): unknown {
  if (value instanceof UnknownValue) throw new Undecided(value.why);
  return value;
}

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

function isFalse(value: unknown): boolean {
  if (value === null || value === undefined || value === '' || value === false) return true;
  if (Array.isArray(value)) return value.length === 0;
  return isQueryObject(value) && Object.keys(value).length === 0;
}
