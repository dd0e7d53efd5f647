import type { Api, ApiCall } from './client.ts';
import type { Operation } from './operation.ts';
import { operations } from './operations.ts';
import type { Row } from './page.ts';
import { type Extra, hasParameter, type Values } from './plan.ts';

/** The calls of operations that are known by their rows, or their ids, alone. */

interface FoundOperation {
  readonly operation: Operation;
  readonly call: (values: Values, extra?: Extra) => ApiCall<Row>;
}

/** An operation by its id. Undefined for an id that is not in the table. */
export const findOperationCall = (api: Api, id: string): FoundOperation | undefined => {
  const [noun = '', verb = ''] = id.replace(/-(\w)/g, (_, letter: string) => letter.toUpperCase()).split('.');
  if (!Object.hasOwn(operations, noun)) return undefined;
  const verbs: Readonly<Record<string, Operation>> = operations[noun as keyof typeof operations];
  const operation = verbs[verb];
  // `timeRequests.create` is how the table is written, and no id.
  if (operation?.id !== id) return undefined;
  const calls = (api as unknown as Record<string, Record<string, FoundOperation['call']>>)[noun];
  return { operation, call: calls?.[verb] as FoundOperation['call'] };
};

/** The same of a row of the table. */
export const callOperation = (api: Api, { id }: Operation): FoundOperation['call'] =>
  (findOperationCall(api, id) as FoundOperation).call;

/**
 * Builds a call again from its `operation.id` and `values`. Values that the table does not know,
 * from `--field` or `--input`, go into the body, as they did. Undefined for an id that is not in the table.
 */
export const buildCall = (api: Api, id: string, values: Values): ApiCall | undefined => {
  const found = findOperationCall(api, id);
  if (found === undefined) return undefined;
  const isKnown = ([name]: [string, unknown]) => hasParameter(found.operation, name);
  const pairs = Object.entries(values);
  const input = Object.fromEntries(pairs.filter((pair) => !isKnown(pair)));
  return found.call(Object.fromEntries(pairs.filter(isKnown)), { query: [], body: {}, input });
};
