import type { Operation } from '../../api/operation.ts';
import type { Row } from '../../api/page.ts';
import type { Values } from '../../api/plan.ts';
import { isSameValue, showsValue } from '../../parsing/names.ts';

/** The values of a write beside those of a record. */

/** The values that a write carries, by the names of its parameters; not those that only say where it goes. */
export const listSentFields = (
  { path }: Pick<Operation, 'path'>,
  values: Values,
): readonly (readonly [name: string, value: unknown])[] =>
  Object.entries(values).filter(
    ([name, value]) => value !== undefined && name !== 'workspace_id' && !path.includes(`{${name}}`),
  );

/** Whether a record, in the words of the write, shows another value of a field than was sent. */
const differs =
  ({ parameters }: Pick<Operation, 'parameters'>, record: Row) =>
  ([name, value]: readonly [string, unknown]): boolean =>
    Object.hasOwn(record, name) &&
    record[name] !== undefined &&
    !isSameValue(value, record[name], parameters[name]);

/** The fields of which a record, in the words of the write, shows another value than was sent. */
export const listDifferingFields = (operation: Operation, record: Row, values: Values): readonly string[] =>
  listSentFields(operation, values)
    .filter(differs(operation, record))
    .map(([name]) => name);

/**
 * Whether a record, in the words of the write, shows what was sent.
 * `unknown` when it hides some of it: fields that the role may not see, or that are not documented.
 */
export const compareSent = (
  operation: Operation,
  record: Row,
  values: Values,
): 'done' | 'not-done' | 'unknown' => {
  const fields = listSentFields(operation, values);
  if (fields.some(differs(operation, record))) return 'not-done';
  const isSeen = fields.every(
    ([name, value]) =>
      record[name] !== undefined && showsValue(value, record[name], operation.parameters[name]),
  );
  return fields.length > 0 && isSeen ? 'done' : 'unknown';
};
