import type { Operation } from '../api/operation.ts';
import { type Extra, isEmptyUpdate, listMissing, type Values } from '../api/plan.ts';
import {
  type Binding,
  type Flag,
  hasFlag,
  type Invocation,
  isFlag,
  isNeeded,
  listGiven,
  type Positional,
} from '../cli/flag.ts';

/** What a command line leaves out that its command cannot do without: what a person is asked for. */

export interface MissingInput {
  readonly what: 'value';
  readonly source: Flag | Positional;
  /** Absent: no parameter of the table stands behind it, as behind a positional that names records. */
  readonly binding: Binding | undefined;
}

/** `changes`: any of the fields of an update. */
export type Need = MissingInput | { readonly what: 'changes' };

/**
 * What is missing, in the order in which it is asked for.
 * @param extra what `--param`, `--field` and `--input` give
 */
export function listNeeds(invocation: Invocation, extra: Extra): readonly Need[] {
  const { command, options } = invocation;
  const { operation, asks } = command;
  const { all, fromFile, template } = options;
  if (asks === false || fromFile !== undefined || template === true) return [];
  const takesRows = hasFlag(command, 'from-file');
  const values = collectValues(invocation);
  if (operation === undefined) {
    return [...listTargetNeeds(invocation, takesRows), ...listValueNeeds(invocation, new Set())];
  }
  if (hasFlag(command, 'all') && all !== true && hasFilters(invocation, operation)) return [];
  const list = all === true ? command.list : undefined;
  const names = new Set([
    ...listMissing(operation, values, extra),
    ...(list === undefined ? [] : listMissing(list, values, extra)),
  ]);
  return [
    ...(all === true ? [] : listTargetNeeds(invocation, takesRows)),
    ...listValueNeeds(invocation, names),
    ...(isEmptyUpdate(operation, values, extra) ? [{ what: 'changes' } as const] : []),
  ];
}

function collectValues(invocation: Invocation): Values {
  const period = invocation.options.period === undefined ? {} : { date_from: true, date_to: true };
  const flags = listGiven(invocation).flatMap(({ source: { binding }, raw }) =>
    binding === undefined || raw === undefined ? [] : [[binding.name, raw] as const],
  );
  return { ...period, ...Object.fromEntries(flags) };
}

function listTargetNeeds(invocation: Invocation, takesRows: boolean): Need[] {
  return invocation.command.positionals.flatMap((source, index) => {
    const required = takesRows || isNeeded(source, invocation);
    if (source.binding !== undefined || !required || !isEmpty(invocation.operands[index])) return [];
    return [{ what: 'value', source, binding: undefined } as const];
  });
}

function isEmpty(raw: unknown): boolean {
  return raw === undefined || (Array.isArray(raw) && raw.length === 0);
}

function listValueNeeds(invocation: Invocation, names: ReadonlySet<string>): Need[] {
  return listGiven(invocation).flatMap(({ source, raw }) => {
    const { binding } = source;
    const isNeededFlag = isFlag(source) && isNeeded(source, invocation);
    const required = binding === undefined ? isNeededFlag : names.has(binding.name);
    return required && raw === undefined ? [{ what: 'value', source, binding } as const] : [];
  });
}

/** Filters beside named targets are refused in any case: nobody is asked for targets then. */
function hasFilters(invocation: Invocation, operation: Operation): boolean {
  return (
    invocation.options.period !== undefined ||
    listGiven(invocation).some(({ source: { binding }, raw }) => {
      const owner = binding?.operation;
      return raw !== undefined && owner !== undefined && owner.id !== operation.id;
    })
  );
}
