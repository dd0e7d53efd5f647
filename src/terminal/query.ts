import { UsageError } from '../outcome.ts';

/** `--query`: a JMESPath expression over the JSON result. */

/** Applies the expression to a JSON value. A wrong type inside is a `UsageError`. */
export type Query = (data: unknown) => unknown;

const FUNCTIONS = new Set(
  (
    'abs avg ceil contains ends_with floor join keys length map max max_by merge min min_by not_null reverse ' +
    'sort sort_by starts_with sum to_array to_number to_string type values'
  ).split(' '),
);

const wrong = (expression: string, error: unknown): UsageError =>
  new UsageError(`the query cannot be used: ${expression}`, {
    code: 'bad_query',
    reason: error instanceof Error ? error.message : String(error),
    hint: "--query takes a JMESPath expression, for example: --query '[].email'",
    cause: error,
  });

/**
 * The package finds an unknown function only when it runs, and takes `a.` for whole; this finds both before
 * the first request.
 */
const checkTree = (node: unknown): void => {
  if (Array.isArray(node) && node.includes(undefined)) throw new Error('the expression is not complete');
  if (typeof node !== 'object' || node === null) return;
  if ('type' in node && node.type === 'Function' && 'name' in node && !FUNCTIONS.has(String(node.name)))
    throw new Error(`unknown function: ${String(node.name)}`);
  // A literal holds data, not nodes.
  if ('type' in node && node.type === 'Literal') return;
  Object.values(node).forEach(checkTree);
};

/** Checks the expression. @throws UsageError when it is not JMESPath. */
export const compileQuery = async (expression: string): Promise<Query> => {
  const { default: jmespath } = await import('jmespath');
  try {
    checkTree(jmespath.compile(expression));
  } catch (error) {
    throw wrong(expression, error);
  }
  return (data) => {
    try {
      return jmespath.search(data, expression);
    } catch (error) {
      throw wrong(expression, error);
    }
  };
};
