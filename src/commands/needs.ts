import { type Extra, isEmptyUpdate, listMissing } from '../api/plan.ts';
import {
  type Flag,
  hasFlag,
  type Invocation,
  isFlag,
  isNeeded,
  listGiven,
  type Positional,
} from '../cli/flag.ts';

/** What a person is asked for. `changes`: any of the fields of an update. */
export type Need = Flag | Positional | 'changes';

/**
 * What a command line leaves out that its command cannot do without, in the order in which it is asked for.
 * @param extra what `--param`, `--field` and `--input` give
 */
export function listNeeds(invocation: Invocation, extra: Extra): readonly Need[] {
  const { command, options } = invocation;
  const { operation, asks, list } = command;
  const { all, fromFile, template, period } = options;
  if (asks === false || fromFile !== undefined || template === true) return [];
  const given = listGiven(invocation).map(({ source, raw }) => {
    const isMissing = raw === undefined || (Array.isArray(raw) && raw.length === 0);
    return { source, binding: source.binding, raw, isMissing };
  });
  // Filters beside named targets are refused in any case: nobody is asked for targets then.
  const isFilter = (owner: string | undefined) => owner !== undefined && owner !== operation?.id;
  const isFiltered =
    period !== undefined ||
    given.some(({ binding, raw }) => raw !== undefined && isFilter(binding?.operation.id));
  if (operation !== undefined && hasFlag(command, 'all') && all !== true && isFiltered) return [];
  const values: Record<string, unknown> = period === undefined ? {} : { date_from: true, date_to: true };
  for (const { binding, raw } of given)
    if (binding !== undefined && raw !== undefined) values[binding.name] = raw;
  const required = [operation, all === true ? list : undefined].flatMap((one) =>
    one === undefined ? [] : listMissing(one, values, extra),
  );
  const takesRows = hasFlag(command, 'from-file');
  const needs = given.filter(({ source, binding, isMissing }) => {
    if (!isMissing) return false;
    if (binding !== undefined) return required.includes(binding.name);
    if (isFlag(source)) return isNeeded(source, invocation);
    return all !== true && (takesRows || isNeeded(source, invocation));
  });
  const isEmpty = operation !== undefined && isEmptyUpdate(operation, values, extra);
  return [...needs.map(({ source }) => source), ...(isEmpty ? (['changes'] as const) : [])];
}
