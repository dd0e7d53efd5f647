import { UsageError } from '../outcome.ts';

/** `--query`: a JMESPath expression over the JSON result. */

/** Applies the expression to a JSON value. A wrong type inside is a `UsageError`. */
export type Query = (data: unknown) => unknown;

const wrong = (expression: string, error: unknown): UsageError =>
  new UsageError(`the query cannot be used: ${expression}`, {
    code: 'bad_query',
    reason: error instanceof Error ? error.message : String(error),
    hint: "--query takes a JMESPath expression, for example: --query '[].email'",
    cause: error,
  });

/** A name, a text or a literal in its quotes; `@` where an argument begins that goes on; a carriage return. */
const SPOTS = /"(?:\\.|[^"\\])*"|'(?:\\.|[^'\\])*'|`(?:\\.|[^`\\])*`|(?<before>[(,]\s*)@(?!\s*[,)])|\r/gs;

/**
 * The same expression as the package's parser reads it: it takes `@` for a whole argument, so that it refuses
 * `length(@.a)` and makes two arguments of `length(@[0])`; and it does not know the end of a line of Windows.
 */
const readable = (expression: string): string =>
  expression.replace(SPOTS, (spot: string, before: string | undefined) => {
    if (spot === '\r') return ' ';
    return before === undefined ? spot : `${before}(@)`;
  });

/** Checks the expression. @throws UsageError when it is not JMESPath. */
export const compileQuery = async (expression: string): Promise<Query> => {
  const [{ default: jmespath }, { checkTree, evaluate }] = await Promise.all([
    import('jmespath'),
    import('./query-run.ts'),
  ]);
  const parse = () => {
    try {
      const tree = jmespath.compile(readable(expression));
      checkTree(tree);
      return tree;
    } catch (error) {
      throw wrong(expression, error);
    }
  };
  const tree = parse();
  return (data) => {
    try {
      return evaluate(tree, data);
    } catch (error) {
      throw wrong(expression, error);
    }
  };
};
