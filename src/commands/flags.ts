import type { Operation, Parameter } from '../api/operation.ts';
import type { Binding, Flag, ParameterOwner, Positional } from '../cli/flag.ts';
import type { NamedKind } from '../context.ts';
import { PEOPLE } from '../resources/kinds.ts';
import { listChoices } from './convert.ts';

/** The flags that commands share, and those that come from the operation table: type, choices, help and range. */

const toFlagName = (name: string): string => name.replaceAll('_', '-');
const getValueName = (parameter: Parameter, lookup: NamedKind | undefined, name: string): string => {
  if (lookup !== undefined) return lookup;
  if (parameter.type === 'date') return 'day';
  if (parameter.type === 'datetime') return 'time';
  if (parameter.type === 'integer' && parameter.words === undefined) return 'n';
  return name;
};

interface WithBinding {
  readonly binding: Binding;
}

/**
 * A positional for one parameter of an operation: the address of an invitation. Rows of a file bring their own,
 * so the parser does not insist on it; that it is missing is told like a missing flag.
 */
export const positional = <O extends Operation>(
  operation: O,
  name: keyof O['parameters'] & string,
  about: string,
): Positional & WithBinding => ({
  name: toFlagName(name),
  about,
  required: false,
  binding: { operation, name, parameter: operation.parameters[name] as Parameter },
});

/** Words of any number: a command that goes without them takes rows of a file, or asks. */
export const variadic = (name: string, about: string): Positional => ({
  name,
  about,
  required: false,
  variadic: true,
});

export interface FlagOptions {
  /** The flag's name where it is not the parameter's: `project` for `project_id`. */
  readonly as?: string;
  readonly lookup?: NamedKind;
  readonly about?: string;
}

/** A flag for one parameter of an operation. */
export const flag = <O extends ParameterOwner>(
  operation: O,
  name: keyof O['parameters'] & string,
  { as, lookup, about }: FlagOptions = {},
): Flag & WithBinding => {
  const parameter = operation.parameters[name] as Parameter;
  const flagName = as ?? toFlagName(name);
  const isSwitch = parameter.type === 'boolean' || parameter.on !== undefined;
  const choices = listChoices(parameter);
  const choiceHint = choices.length > 0 ? ` (${choices.join(', ')})` : '';
  const lookupHint = lookup === undefined ? '' : PEOPLE.has(lookup) ? ' (id or e-mail)' : ' (id or name)';
  const requiredHint = parameter.required ? '; required' : '';
  return {
    name: flagName,
    ...(isSwitch ? {} : { value: getValueName(parameter, lookup, flagName) }),
    about: `${about ?? parameter.about}${choiceHint}${lookupHint}${requiredHint}`,
    ...(parameter.type.endsWith('[]') ? { repeatable: true } : {}),
    binding: { operation, name, parameter, ...(lookup === undefined ? {} : { lookup }) },
  };
};

/** Heading of the flags that no document stands behind. */
export const RAW = 'Raw values';

/** Heading of the filters of a write that takes `--all`. */
export const FILTERS = 'Filters of --all';

const hasDates = (operation: Operation): boolean =>
  Object.values(operation.parameters).some(({ type }) => type === 'date' || type === 'datetime');

export const zoneFlag = {
  name: 'timezone',
  value: 'name',
  about: 'time zone for dates in input and output',
  group: 'Dates',
  zone: true,
} as const satisfies Flag;

/** For a command whose records hold secrets. */
export const secretsFlag = {
  name: 'show-secrets',
  about: 'show tokens and invitation links in full (machine-readable formats always do)',
  unsafe: true,
} as const satisfies Flag;

const listZoneFlags = (operation: Operation): readonly (typeof zoneFlag)[] =>
  hasDates(operation) ? [zoneFlag] : [];

const paramFlag = {
  name: 'param',
  value: 'name=value',
  about: 'add a raw query parameter',
  repeatable: true,
  group: RAW,
} as const satisfies Flag;

/** The flags of a read of one record. */
export const readFlags = (operation: Operation) => [...listZoneFlags(operation), paramFlag] as const;

export const exitCodeFlag = {
  name: 'exit-code',
  about: 'with --dry-run, exit with 10 if anything would change',
} as const satisfies Flag;

/** For whatever can be planned. */
export const planFlag = {
  name: 'plan',
  value: 'file',
  about: 'write the changes to a plan instead of sending them (- for stdout)',
} as const satisfies Flag;

export const planFile = { name: 'file', about: 'the plan, or - for stdin', required: true } as const;

export const historyFlag = {
  name: 'no-history',
  about: 'do not record the write or read old values (it cannot be undone or resumed)',
  unsafe: true,
} as const satisfies Flag;

/** The flags of a write: raw values are never out of reach. */
export const writeFlags = (operation: Operation) =>
  [
    ...listZoneFlags(operation),
    {
      name: 'field',
      value: 'name=value',
      about: 'add a raw body field; name:=json for values other than text',
      repeatable: true,
      group: RAW,
    },
    { name: 'input', value: 'file', about: 'read the JSON body from a file, or - for stdin', group: RAW },
    exitCodeFlag,
    planFlag,
    historyFlag,
  ] as const satisfies readonly Flag[];

/** The flags that count and sum what a list has. */
export const groupFlags = [
  {
    name: 'group-by',
    value: 'field',
    about: 'count the rows per value of a field',
    repeatable: true,
    group: 'Groups',
  },
  {
    name: 'sum',
    value: 'field',
    about: 'with --group-by, add up a field per group',
    repeatable: true,
    group: 'Groups',
  },
] as const satisfies readonly Flag[];

const perPageFlag = {
  name: 'per-page',
  value: 'n',
  about: 'rows per request, 1 to 100',
  group: 'Paging',
} as const satisfies Flag;

/** The flags of a list of the service. */
export const listFlags = (operation: Operation) =>
  [
    ...readFlags(operation),
    ...groupFlags,
    { name: 'limit', value: 'n', about: 'at most <n> rows or groups', group: 'Paging' },
    { name: 'page', value: 'n', about: 'print only this page', group: 'Paging' },
    ...(operation.paging === 'pages' ? [perPageFlag] : []),
  ] as const satisfies readonly Flag[];

/** `--period` beside `--date-from` and `--date-to`. */
export const periodFlag = {
  name: 'period',
  value: 'period',
  about: 'a period instead of two dates: last-week, next-month, 2026-W32, 2026-08, 2026-Q3',
} as const satisfies Flag;

const INPUT = 'Input';
const NO_JOURNAL = 'same as --no-history';

export const maxChangesFlag = {
  name: 'max-changes',
  value: 'n',
  about: 'fail if more than <n> records would change',
  unsafe: true,
} as const satisfies Flag;

const skipMissingFlag = {
  name: 'skip-missing',
  about: 'skip rows whose record does not exist',
  group: INPUT,
  unsafe: true,
} as const satisfies Flag;

const baseFlag = {
  name: 'base',
  value: 'file',
  about: 'the file before it was edited: send only the edits, and keep what others changed since',
  group: INPUT,
} as const satisfies Flag;

/** The flags of a write over many: targets, or rows of a file. */
export const targetFlags = (operation: Operation) =>
  [
    ...writeFlags(operation),
    {
      name: 'from-file',
      value: 'file',
      about:
        'read one record per row of a CSV, JSON or NDJSON file (- for stdin); columns are named like the flags, and flags fill in empty cells',
      group: INPUT,
    },
    { name: 'template', about: 'print the heading for such a file', group: INPUT },
    {
      name: 'map',
      value: 'name=column',
      about: 'read a column that has another name in the file',
      repeatable: true,
      group: INPUT,
    },
    { name: 'ignore-columns', about: 'ignore unknown columns', group: INPUT, unsafe: true },
    ...(operation.path.includes('{') ? [skipMissingFlag] : []),
    ...(operation.id.endsWith('.update') ? [baseFlag] : []),
    { ...maxChangesFlag, group: INPUT },
    { name: 'no-journal', about: NO_JOURNAL, group: INPUT, unsafe: true },
  ] as const satisfies readonly Flag[];

/** `--all`: act on every record that the list's filters match and that is in the right state. */
export const allFlag = (about: string) =>
  ({ name: 'all', about, group: 'Targets', unsafe: true }) as const satisfies Flag;

/** The filters of a list, for a write that takes `--all`. */
export const filterFlags = <O extends Operation>(
  list: O,
  names: readonly (keyof O['parameters'] & string)[],
): readonly (Flag & WithBinding)[] => names.map((name) => ({ ...flag(list, name), group: FILTERS }));
