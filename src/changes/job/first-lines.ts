import type { Row } from '../../api/page.ts';
import type { Context } from '../../context.ts';
import { stringifyJson } from '../../json/stringify.ts';
import type { ChangeOfRun, Changes } from '../change.ts';
import { readDestination } from './destination.ts';
import type { JobHeader, JobRow } from './record.ts';
import type { JobStore } from './store.ts';

/** What is written down of a run before anything is sent: its head, and its rows. */

type Run = Pick<Changes, 'verb' | 'noun' | 'input' | 'account' | 'plan' | 'undoes' | 'ifMissing'>;

/** The account of a stored sign-in: nothing is asked of the service for it. */
const readAccount = async ({ credentials, identity }: Context): Promise<string | null> => {
  const { kind, profile } = await identity();
  if (kind === 'environment' || kind === 'sandbox') return null;
  return (await credentials()).read(profile)?.account ?? null;
};

/** @returns the head of a run by its id */
export const createJobHeader = async (
  context: Context,
  { verb, noun, input, plan, undoes, ifMissing, ...run }: Run,
  rows: number,
): Promise<(id: string) => JobHeader> => {
  const { command } = await context.jobs();
  const destination = await readDestination(context);
  const account = run.account ?? (await readAccount(context));
  const started_at = new Date(context.clock.now()).toISOString();
  return (id) => ({
    type: 'job',
    version: 1,
    id,
    started_at,
    command,
    verb,
    noun,
    account,
    ...destination,
    input: input ?? null,
    ...(ifMissing === true && { if_missing: true }),
    ...(plan === undefined ? {} : { plan }),
    ...(undoes === undefined ? {} : { undoes }),
    rows,
  });
};

/** Values that a secret stands in are not stored: they could not be sent again with it masked. */
const toStorableValues = (values: JobRow['values'], redact: JobStore['redact']): JobRow['values'] =>
  stringifyJson(redact(values)) === stringifyJson(values) ? values : null;

export type WrittenChange = Pick<ChangeOfRun, 'target' | 'call'> & Partial<ChangeOfRun>;

/** A change as its row, without secrets. */
export const toJobRow = (
  { n = 0, target, key = target, call, columns = {}, label, seen, unset }: WrittenChange,
  redact: JobStore['redact'],
): JobRow => ({
  type: 'row',
  n,
  target: String(redact(target)),
  key: String(redact(key)),
  operation: call.operation.id,
  values: toStorableValues(call.values, redact),
  columns: redact(columns) as JobRow['columns'],
  ...(label === undefined ? {} : { words: String(redact(label)) }),
  ...(seen === undefined ? {} : { seen: redact(seen) as Row }),
  ...(unset === undefined ? {} : { unset }),
});
