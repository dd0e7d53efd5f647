import { type Operation, resolveLocation } from '../api/operation.ts';
import type { Invocation } from '../cli/invocation.ts';
import { listGivenValues } from '../commands/values.ts';
import type { RawParameters } from '../context.ts';
import { isRecord } from '../json/number.ts';
import { UsageError } from '../outcome.ts';

/** Raw values that a flag gives too: sent twice, or one in silence over the other, they mean what nobody asked for. */

/** What a list sends on its own, and the flag that says it. */
const PAGING: Readonly<Record<Operation['paging'], readonly string[]>> = {
  none: [],
  page: ['page'],
  pages: ['page', 'per_page'],
};

/** The flag behind each query parameter that this line sends without `--param`. */
const mapSentByFlags = (invocation: Invocation, operation: Operation): ReadonlyMap<string, string> => {
  const paging = PAGING[operation.paging].map((name): [string, string] => [
    name,
    `--${name.replace('_', '-')}`,
  ]);
  const flags = listGivenValues(invocation)
    .filter(({ binding: { parameter } }) => resolveLocation(operation, parameter) !== 'body')
    .map(({ binding, where }): [string, string] => [binding.name, where]);
  const days =
    invocation.options.period === undefined
      ? []
      : ['date_from', 'date_to'].map((name): [string, string] => [name, '--period']);
  return new Map([...paging, ...flags, ...days]);
};

const createClashError = (raw: string, flag: string): UsageError =>
  new UsageError(`${raw} is already set by ${flag}`, { hint: `Omit ${raw}, and use ${flag} instead.` });

/**
 * The raw values without the `workspace_id` of an `--input` that `--workspace` lies over.
 * @param hasWorkspaceFlag whether `--workspace` is given
 * @throws UsageError for what a flag of this line gives too
 */
export const resolveRawClashes = (
  invocation: Invocation,
  raws: RawParameters,
  hasWorkspaceFlag: boolean,
): RawParameters => {
  const { operation } = invocation.command;
  if (operation === undefined) return raws;
  const flags = new Map(mapSentByFlags(invocation, operation));
  if (hasWorkspaceFlag && operation.workspace !== 'none') flags.set('workspace_id', '--workspace');
  for (const [name] of raws.query) {
    const flag = flags.get(name);
    if (flag !== undefined) throw createClashError(`--param ${name}`, flag);
  }
  if (!flags.has('workspace_id')) return raws;
  if (Object.hasOwn(raws.fields, 'workspace_id'))
    throw createClashError('--field workspace_id', '--workspace');
  const { input } = raws;
  if (!isRecord(input)) return raws;
  const { workspace_id: _laidOver, ...rest } = input;
  return { ...raws, input: rest };
};
