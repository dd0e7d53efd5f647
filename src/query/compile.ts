import { UsageError } from '../errors.ts';
import type { QueryNode } from './run.ts';

/** `--query`: a JMESPath expression over the JSON result. */

/** Applies the expression to a JSON value. A wrong type inside is a `UsageError`. */
export type CompiledQuery = (data: unknown) => unknown;

/** Parsing and running recurse: a stack that is full is an expression without an end, no fault of the program. */
export const explainQueryError = (error: unknown): string => {
  if (error instanceof RangeError && /call stack/.test(error.message))
    return 'the expression is nested too deeply';
  return error instanceof Error ? error.message : String(error);
};

export const shortenExpression = (text: string): string =>
  text.length > MAX_SHOWN ? `${text.slice(0, MAX_SHOWN)}…` : text;

const MAX_SHOWN = 200;

const createQueryError = (expression: string, error: unknown): UsageError =>
  new UsageError(`the query cannot be used: ${shortenExpression(expression)}`, {
    code: 'bad_query',
    reason: explainQueryError(error),
    hint: "--query takes a JMESPath expression, for example: --query '[].email'",
    cause: error,
  });

/** A name, a text or a literal in its quotes; `@` where an argument begins that goes on; a carriage return. */
const REWRITTEN = /"(?:\\.|[^"\\])*"|'(?:\\.|[^'\\])*'|`(?:\\.|[^`\\])*`|(?<before>[(,]\s*)@(?!\s*[,)])|\r/gs;

/**
 * The same expression as the package's parser reads it: it takes `@` for a whole argument, so that it refuses
 * `length(@.a)` and makes two arguments of `length(@[0])`; and it does not know the end of a line of Windows.
 */
const adaptExpression = (expression: string): string =>
  expression.replace(REWRITTEN, (token: string, before: string | undefined) => {
    if (token === '\r') return ' ';
    return before === undefined ? token : `${before}(@)`;
  });

const MAX_LENGTH = 10_000;

/** Parses an expression, and checks what its data do not tell. @throws Error where it is not JMESPath */
export const parseExpression = async (expression: string): Promise<QueryNode> => {
  if (expression.length > MAX_LENGTH)
    throw new Error(`it has more than ${MAX_LENGTH.toLocaleString('en')} characters`);
  const [{ default: jmespath }, { checkTree }] = await Promise.all([import('jmespath'), import('./run.ts')]);
  const tree = jmespath.compile(adaptExpression(expression));
  checkTree(tree);
  return tree;
};

/** Checks the expression. @throws UsageError when it is not JMESPath. */
export const compileQuery = async (expression: string): Promise<CompiledQuery> => {
  const fail = (error: unknown): never => {
    throw createQueryError(expression, error);
  };
  const tree = await parseExpression(expression).catch(fail);
  const { evaluate } = await import('./run.ts');
  return (data) => {
    try {
      return evaluate(tree, data);
    } catch (error) {
      return fail(error);
    }
  };
};
