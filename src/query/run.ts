import { UsageError } from '../errors.ts';
import { isSameJson } from '../json.ts';
import {
  callFunction,
  checkFunction,
  compareOrdered,
  getOwnField,
  isFalse,
  isQueryObject,
} from './functions.ts';

/** `--query`: a JMESPath expression over the JSON result. */

/** Applies the expression to a JSON value. A wrong type inside is a `UsageError`. */
export type CompiledQuery = (data: unknown) => unknown;

/** Parsing and running recurse: a stack that is full is an expression without an end, no fault of the program. */
export function explainQueryError(error: unknown): string {
  if (error instanceof RangeError && /call stack/.test(error.message))
    return 'the expression is nested too deeply';
  return error instanceof Error ? error.message : String(error);
}

export function shortenExpression(text: string): string {
  return text.length > MAX_SHOWN ? `${text.slice(0, MAX_SHOWN)}…` : text;
}

const MAX_SHOWN = 200;

function createQueryError(expression: string, error: unknown): UsageError {
  return new UsageError(`the query cannot be used: ${shortenExpression(expression)}`, {
    code: 'bad_query',
    reason: explainQueryError(error),
    hint: "--query takes a JMESPath expression, for example: --query '[].email'",
    cause: error,
  });
}

/** A name, a text or a literal in its quotes; `@` where an argument begins that goes on; a carriage return. */
const REWRITTEN = /"(?:\\.|[^"\\])*"|'(?:\\.|[^'\\])*'|`(?:\\.|[^`\\])*`|(?<before>[(,]\s*)@(?!\s*[,)])|\r/gs;

/**
 * The same expression as the package's parser reads it: it takes `@` for a whole argument, so that it refuses
 * `length(@.a)` and makes two arguments of `length(@[0])`; and it does not know the end of a line of Windows.
 */
function adaptExpression(expression: string): string {
  return expression.replace(REWRITTEN, (token: string, before: string | undefined) => {
    if (token === '\r') return ' ';
    return before === undefined ? token : `${before}(@)`;
  });
}

const MAX_LENGTH = 10_000;

/** Parses an expression, and checks what its data do not tell. @throws Error where it is not JMESPath */
export async function parseExpression(expression: string): Promise<QueryNode> {
  if (expression.length > MAX_LENGTH)
    throw new Error(`it has more than ${MAX_LENGTH.toLocaleString('en')} characters`);
  const { default: jmespath } = await import('jmespath');
  const tree = jmespath.compile(adaptExpression(expression));
  checkTree(tree);
  return tree;
}

/** Checks the expression. @throws UsageError when it is not JMESPath. */
export async function compileQuery(expression: string): Promise<CompiledQuery> {
  const fail = (error: unknown): never => {
    throw createQueryError(expression, error);
  };
  const tree = await parseExpression(expression).catch(fail);
  return (data) => {
    try {
      return evaluate(tree, data);
    } catch (error) {
      return fail(error);
    }
  };
}

/**
 * Runs the tree that the package `jmespath` makes of an expression. The package's own run gives wrong answers
 * without a word: `starts_with` of a letter that comes again, `max_by` of texts, `sort` of numbers.
 */

export interface QueryNode {
  readonly type: string;
  readonly name?: unknown;
  readonly children?: unknown;
  readonly value?: unknown;
}

/** What an evaluation does where JMESPath itself goes on with `null`. */
export interface Leniency {
  /** The result of an order between what has none: `null < 50`. */
  unordered(node: QueryNode, values: readonly [unknown, unknown]): null;
  read(value: unknown): unknown;
  call(name: string, args: readonly unknown[]): unknown;
  /** Whether the second operand counts though the first has settled the result. */
  readonly evaluatesAll: boolean;
  /** Steps that an evaluation may take, besides `STEPS_PER_VALUE` for each value in its data. */
  readonly steps: number;
}

const STEPS_PER_VALUE = 10;

/**
 * Gives the value of an expression for a JSON value; it throws an Error for what has the wrong type, and for an
 * expression whose work or result is out of proportion to its data: nothing stops it while it runs.
 */
export function createEvaluator(leniency: Leniency): (tree: QueryNode, data: unknown) => unknown {
  return (tree, data) => {
    const steps = leniency.steps + STEPS_PER_VALUE * countValues(data, Number.POSITIVE_INFINITY);
    const run = new Evaluation(leniency, steps);
    const result = run.evaluate(tree, data);
    run.spendOn(result);
    return result;
  };
}

/** As the specification of JMESPath has it. @throws Error for what has the wrong type */
export const evaluate = createEvaluator({
  unordered: () => null,
  read: (value) => value,
  call: callFunction,
  evaluatesAll: false,
  steps: 1_000_000,
});

/** One run of an expression, with the steps that are left to it. */
class Evaluation {
  readonly leniency: Leniency;
  #left: number;

  constructor(leniency: Leniency, steps: number) {
    this.leniency = leniency;
    this.#left = steps;
  }

  evaluate(node: QueryNode, value: unknown): unknown {
    const run = NODES[node.type];
    if (run === undefined) throw new Error(`not valid in JMESPath: ${node.type}`);
    this.spend(1);
    return run(this, node, value);
  }

  /** The value of one of the parts of a node. */
  part(node: QueryNode, index: number, value: unknown): unknown {
    const child = listChildren(node)[index];
    if (child === undefined) throw new Error('the expression is not complete');
    return this.evaluate(child, value);
  }

  /** Each of them through the right side; what is not there is left out. */
  project(items: unknown, node: QueryNode): unknown {
    if (!Array.isArray(items)) return null;
    return items.map((item) => this.part(node, 1, item)).filter((item) => item !== null);
  }

  /** @throws Error where no steps are left */
  spend(steps: number): void {
    this.#left -= steps;
    if (this.#left < 0) throw new Error('it takes too many steps, or its result is too large');
  }

  spendOn(value: unknown, times = 1): void {
    this.spend(times * countValues(value, this.#left / times));
  }
}

type Run = (run: Evaluation, node: QueryNode, value: unknown) => unknown;

/** What each kind of node gives of a value. */
const NODES: Readonly<Record<string, Run>> = {
  Field: ({ leniency }, { name }, value) => leniency.read(getOwnField(value, String(name))),
  Subexpression: chain,
  IndexExpression: chain,
  Pipe: chain,
  Identity: (_run, _node, value) => value,
  Current: (_run, _node, value) => value,
  Literal: (_run, { value }) => value,
  Index: (_run, { value: at }, value) => (Array.isArray(value) ? (value.at(Number(at)) ?? null) : null),
  Slice: (run, { children }, value) => {
    if (!Array.isArray(value)) return null;
    run.spend(value.length);
    return slice(value, children as (number | null)[]);
  },
  Projection: (run, node, value) => run.project(run.part(node, 0, value), node),
  ValueProjection: (run, node, value) => {
    const record = run.part(node, 0, value);
    return isQueryObject(record) ? run.project(Object.values(record).map(run.leniency.read), node) : null;
  },
  FilterProjection: (run, node, value) => {
    const items = run.part(node, 0, value);
    if (!Array.isArray(items)) return null;
    const matching = items.filter((item) => !isFalse(run.part(node, 2, item)));
    return run.project(matching, node);
  },
  Flatten: (run, node, value) => {
    const items = run.part(node, 0, value);
    if (!Array.isArray(items)) return null;
    run.spend(items.reduce((sum: number, item) => sum + (Array.isArray(item) ? item.length : 1), 0));
    return items.flat();
  },
  Comparator: (run, node, value) => compare(run, node, [run.part(node, 0, value), run.part(node, 1, value)]),
  MultiSelectList: (run, node, value) =>
    value === null ? null : listChildren(node).map((one) => run.evaluate(one, value)),
  MultiSelectHash: (run, node, value) => {
    if (value === null) return null;
    const pairs = listChildren(node).map((pair) => [pair.name, run.evaluate(pair.value as QueryNode, value)]);
    return Object.fromEntries(pairs);
  },
  OrExpression: (run, node, value) => {
    const first = run.part(node, 0, value);
    if (!isFalse(first) && !run.leniency.evaluatesAll) return first;
    const second = run.part(node, 1, value);
    return isFalse(first) ? second : first;
  },
  AndExpression: (run, node, value) => {
    const first = run.part(node, 0, value);
    if (isFalse(first) && !run.leniency.evaluatesAll) return first;
    const second = run.part(node, 1, value);
    return isFalse(first) ? first : second;
  },
  NotExpression: (run, node, value) => isFalse(run.part(node, 0, value)),
  ExpressionReference: (run, node) => (item: unknown) => run.part(node, 0, item),
  Function: (run, node, value) => {
    const name = String(node.name);
    const args = listChildren(node).map((one) => run.evaluate(one, value));
    spendOnArguments(run, name, args);
    return run.leniency.call(name, args);
  },
};

function chain(run: Evaluation, node: QueryNode, value: unknown): unknown {
  return run.part(node, 1, run.part(node, 0, value));
}

/** Characters of a text that count as one value. */
const CHARACTERS_PER_STEP = 16;

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

/** A function works through its arguments: most of them look at their members alone. */
function spendOnArguments(run: Evaluation, name: string, args: readonly unknown[]): void {
  if (name === 'to_string' || name === 'join') run.spendOn(args);
  const [list, wanted] = args;
  for (const arg of args) {
    if (typeof arg === 'string') run.spend(arg.length / CHARACTERS_PER_STEP);
    else if (typeof arg === 'object' && arg !== null) run.spend(Object.keys(arg).length);
  }
  // Each item is compared with the whole of the other.
  if (name === 'contains' && Array.isArray(list) && list.length > 0) run.spendOn(wanted, list.length);
}

export function listChildren({ children }: QueryNode): readonly QueryNode[] {
  return Array.isArray(children) ? children : [];
}

const COMPARISONS: Readonly<Record<string, (order: number) => boolean>> = {
  LT: (order) => order < 0,
  LTE: (order) => order <= 0,
  GT: (order) => order > 0,
  GTE: (order) => order >= 0,
};

/** The specification orders numbers alone; texts are ordered too, for the sake of dates. */
function compare(run: Evaluation, node: QueryNode, values: readonly [unknown, unknown]): boolean | null {
  const [one, other] = values;
  if (typeof one === 'object' && typeof other === 'object') run.spendOn(one);
  if (node.name === 'EQ') return isSameJson(one, other);
  if (node.name === 'NE') return !isSameJson(one, other);
  const order = compareOrdered(one, other);
  if (order === undefined) return run.leniency.unordered(node, values);
  return COMPARISONS[String(node.name)]?.(order) ?? null;
}

/** As Python slices: a place before the beginning or after the end is the nearest one that is there. */
function slice(items: readonly unknown[], [from, to, by]: readonly (number | null | undefined)[]): unknown {
  const step = by ?? 1;
  if (step === 0) throw new Error('the step of a slice cannot be 0');
  const [lowest, highest] = step > 0 ? [0, items.length] : [-1, items.length - 1];
  const clamp = (index: number | null | undefined, fallback: number): number => {
    if (index == null) return fallback;
    return Math.min(Math.max(index < 0 ? index + items.length : index, lowest), highest);
  };
  const start = clamp(from, step > 0 ? lowest : highest);
  const end = clamp(to, step > 0 ? highest : lowest);
  const result: unknown[] = [];
  for (let i = start; step > 0 ? i < end : i > end; i += step) result.push(items[i]);
  return result;
}

/** Finds what the package takes for whole, or would find only in the answer. @throws Error */
export function checkTree(node: unknown, inFunction = false): void {
  if (Array.isArray(node) && node.includes(undefined)) throw new Error('the expression is not complete');
  if (typeof node !== 'object' || node === null) return;
  const { type, name } = node as QueryNode;
  // A literal holds data, not nodes.
  if (type === 'Literal') return;
  if (type === 'Function') checkFunction(String(name), listChildren(node as QueryNode).length);
  if (type === 'ExpressionReference' && !inFunction) throw new Error('&… is only valid in a function');
  const inside = type === 'Function' || (Array.isArray(node) && inFunction);
  for (const inner of Object.values(node)) checkTree(inner, inside);
}
