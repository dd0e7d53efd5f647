import type { ApiCall } from '../api/client.ts';
import { userOf } from '../api/fields.ts';
import type { Operation } from '../api/operation.ts';
import type { Values } from '../api/plan.ts';
import { findRecordFacts } from '../api/records.ts';
import { createFlagNamer } from '../cli/flag.ts';
import { EXIT, Failure, UsageError } from '../errors.ts';
import { toNumber, toText } from '../json.ts';
import { toIsoDay } from '../parsing/names.ts';
import { findReconciler } from '../resources/registry.ts';
import type { Run } from '../run.ts';
import type { Observation } from './change.ts';
import { createLook } from './look.ts';

/** Values that a request carries as a record has them: what an update must keep, what an undo sets back. */

/**
 * What an update has to carry and nobody gave, as its record has it. @param found absent: the record is looked at
 * @throws UsageError for what the record does not have; Failure where it could not be read, and for a name of nothing
 */
export async function keepValues(run: Run, call: ApiCall, found?: Observation): Promise<Values> {
  const { operation, values } = call;
  const absent = operation.keeps?.filter((name) => values[name] === undefined) ?? [];
  if (absent.length === 0) return {};
  const { words: [one] = ['record'], shownAs = {} } = findRecordFacts(operation.noun) ?? {};
  const { record, problem, cause } = found ?? (await (await createLook(run, [call]))(call)) ?? {};
  if (record === undefined) {
    const message = `${one} ${toText(values[operation.idName])}: ${problem}`;
    throw cause ?? new Failure(message, { code: 'not_found', exit: EXIT.notFound });
  }
  const shown = (await findReconciler(operation))?.view?.(record, {}) ?? {};
  const old = Object.fromEntries(absent.map((name) => [name, shown[name] ?? record[shownAs[name] ?? name]]));
  const lacking = absent.filter((name) => (old[name] ?? '') === '');
  if (lacking.length === 0) return toSendable(run, operation, old);
  throw new UsageError(`missing ${lacking.map(createFlagNamer(run.invocation.command)).join(', ')}`, {
    code: 'missing_value',
    reason: `The service needs it, and the ${one} has none.`,
  });
}

/**
 * Old values as a request can carry them: a record may show them otherwise. `Nov 14, 2026` is sent as a day, `1,240.50`
 * as a number, people and names as ids.
 * @throws Failure for a name that no record has any more
 */
export async function toSendable({ lookUps }: Run, { parameters }: Operation, old: Values): Promise<Values> {
  const values: Record<string, unknown> = { ...old };
  for (const kind of ['category', 'project'] as const) {
    const name = values[`${kind}_id`];
    if (name !== undefined) values[`${kind}_id`] = await lookUps.find(kind, toText(name));
  }
  for (const [name, value] of Object.entries(values)) {
    const { type } = parameters[name] ?? {};
    if (Array.isArray(value)) values[name] = value.map(userOf);
    else if (type === 'date') values[name] = toIsoDay(value);
    else if (typeof value === 'string' && (type === 'integer' || type === 'number')) {
      const number = toNumber(value.replace(/,(?=\d{3})/g, ''));
      if (!Number.isNaN(Number(number))) values[name] = number;
    }
  }
  return values;
}
