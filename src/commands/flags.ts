import { PEOPLE } from '../api/fields.ts';
import type { Operation, Parameter } from '../api/operation.ts';
import type { NamedKind } from '../api/records.ts';
import { type Binding, type Flag, isFlag, type ParameterOwner, type Positional, RAW } from '../cli/flag.ts';

/** The flags that commands share, and those that come from the operation table: type, choices, help and range. */

export interface WithBinding {
  readonly binding: Binding;
}

/**
 * A positional for one parameter of an operation: the address of an invitation. Rows of a file bring their own,
 * so the parser does not insist on it; that it is missing is told like a missing flag.
 */
export function positional<O extends Operation>(
  operation: O,
  name: keyof O['parameters'] & string,
  about: string,
): Positional & WithBinding {
  const parameter = operation.parameters[name] as Parameter;
  return { name, about, required: false, binding: { operation, name, parameter } };
}

/** Words of any number: a command that goes without them takes rows of a file, or asks. */
export function variadic(name: string, about: string): Positional {
  return { name, about, required: false, variadic: true };
}

const VALUE_NAMES: Readonly<Record<string, string>> = { date: 'day', datetime: 'time' };

interface FlagWords {
  readonly as?: string;
  readonly lookup?: NamedKind;
  readonly about?: string;
}

/** What people call parameters that are called otherwise, and what their values are looked up in. */
const SPOKEN: Readonly<Record<string, FlagWords>> = {
  project_id: { as: 'project', lookup: 'project' },
  user_id: { as: 'member', lookup: 'member' },
  category_id: { as: 'category', lookup: 'category' },
  policy_id: { as: 'policy', lookup: 'policy' },
  contract_id: { as: 'contract' },
  task_id: { as: 'task' },
  expense_name: { as: 'name' },
  is_paid: { as: 'paid' },
  is_billable: { as: 'billable' },
  assignees: { as: 'assignee', lookup: 'member' },
};

/** A flag for one parameter of an operation. @param as its name where it is not the parameter's: `project` */
export function flag<O extends ParameterOwner>(
  operation: O,
  name: keyof O['parameters'] & string,
  more: FlagWords = {},
): Flag & WithBinding {
  const { as, lookup, about } = { ...SPOKEN[name], ...more };
  const parameter = operation.parameters[name] as Parameter;
  const { type, on, words, required } = parameter;
  const flagName = as ?? name.replaceAll('_', '-');
  const choices = listChoices(parameter);
  const choiceHint = choices.length > 0 ? ` (${choices.join(', ')})` : '';
  const lookupHint = lookup === undefined ? '' : PEOPLE.has(lookup) ? ' (id or e-mail)' : ' (id or name)';
  const isCount = type === 'integer' && words === undefined;
  const value = lookup ?? VALUE_NAMES[type] ?? (isCount ? 'n' : flagName);
  return {
    name: flagName,
    ...(type !== 'boolean' && on === undefined && { value }),
    about: `${about ?? parameter.about}${choiceHint}${lookupHint}${required ? '; required' : ''}`,
    ...(type.endsWith('[]') && { repeatable: true }),
    binding: { operation, name, parameter, ...(lookup && { lookup }) },
  };
}

/** Several at once. */
export function flagsOf<O extends ParameterOwner>(
  operation: O,
  names: readonly (keyof O['parameters'] & string)[],
): readonly (Flag & WithBinding)[] {
  return names.map((name) => flag(operation, name));
}

/** The words that a parameter takes, as people write them; none where it takes others too. */
export function listChoices(parameter: Parameter): readonly string[] {
  return parameter.choices?.map(toKebabCase) ?? Object.keys(parameter.words ?? {});
}

export function listChoiceWords(source: Flag | Positional): readonly string[] {
  if (source.binding !== undefined) return listChoices(source.binding.parameter);
  return (isFlag(source) && source.choices) || [];
}

/** `Regular User` → `regular-user`. */
export function toKebabCase(choice: string): string {
  return choice.toLowerCase().replaceAll(' ', '-');
}

export const zoneFlag = {
  name: 'timezone',
  value: 'name',
  about: 'time zone for dates in input and output',
  group: 'Dates',
  zone: true,
} as const satisfies Flag;

export const secretsFlag = {
  name: 'show-secrets',
  about:
    'show tokens, invitation links and addresses in full (machine-readable formats of lists and single records always do)',
  unsafe: true,
} as const satisfies Flag;

const paramFlag = {
  name: 'param',
  value: 'name=value',
  about: 'add a raw query parameter',
  repeatable: true,
  group: RAW,
} as const satisfies Flag;

function listZoneFlags({ parameters }: Operation): readonly (typeof zoneFlag)[] {
  return Object.values(parameters).some(({ type }) => type.startsWith('date')) ? [zoneFlag] : [];
}

export function readFlags(operation: Operation) {
  return [...listZoneFlags(operation), paramFlag] as const satisfies readonly Flag[];
}

export const exitCodeFlag = {
  name: 'exit-code',
  about: 'with --dry-run, exit with 10 if anything would change',
} as const satisfies Flag;

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
export function writeFlags(operation: Operation) {
  return [
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
}

export const whereFlag = {
  name: 'where',
  value: 'expression',
  about: 'only rows for which a JMESPath condition is true; see ttctl help output',
} as const satisfies Flag;

export const groupFlags = [
  whereFlag,
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

export function listFlags(operation: Operation) {
  const paging = [
    { name: 'limit', value: 'n', about: 'at most <n> rows or groups', group: 'Paging' },
    { name: 'page', value: 'n', about: 'print only this page', group: 'Paging' },
    { name: 'per-page', value: 'n', about: 'rows per request, 1 to 100', group: 'Paging' },
  ] as const satisfies readonly Flag[];
  const isSized = operation.paging === 'pages';
  return [...readFlags(operation), ...groupFlags, ...(isSized ? paging : paging.slice(0, 2))] as const;
}

export const periodFlag = {
  name: 'period',
  value: 'period',
  about: 'a period instead of two dates: last-week, next-month, 2026-W32, 2026-08, 2026-Q3',
} as const satisfies Flag;

/** `--member` of a list. The service can be asked for one at most, and not in every list: others are left out here. */
export function memberFilter({ id, parameters: { user_id: own } }: Operation): Flag & WithBinding {
  const isLocal = own === undefined ? ', which ttctl picks from the whole list' : '';
  const about = `${own?.about ?? 'only records of this member'}${isLocal}`;
  const parameter = { ...own, about, type: 'integer[]' } as const;
  return flag({ id, parameters: { user_id: parameter } }, 'user_id', { as: 'member', lookup: 'member' });
}

const INPUT = 'Input';

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
} as const;

const baseFlag = {
  name: 'base',
  value: 'file',
  about: 'the file before it was edited: send only the edits, and keep what others changed since',
  group: INPUT,
} as const;

/**
 * The flags of a write over many: targets, or rows of a file.
 * @param alike of a creation: in what a record is the like of another, as its reconciler looks for it
 */
export function targetFlags(operation: Operation, alike?: string) {
  const about = `do nothing if there is already one with ${alike}`;
  return [
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
      about: 'read the column <name> of the file as <column>',
      repeatable: true,
      group: INPUT,
    },
    { name: 'ignore-columns', about: 'ignore unknown columns', group: INPUT, unsafe: true },
    ...(alike === undefined ? [] : [{ name: 'if-missing', about } as const]),
    ...(operation.path.includes('{') ? [skipMissingFlag] : []),
    ...(operation.undo?.kind === 'values' ? [baseFlag] : []),
    { ...maxChangesFlag, group: INPUT },
    { name: 'no-journal', about: 'same as --no-history', group: INPUT, unsafe: true },
  ] as const satisfies readonly Flag[];
}

export const TARGETS = 'Targets';

export const cleanFlag = {
  name: 'clean',
  about: 'with --all, only records without a warning in the inbox',
  group: TARGETS,
} as const satisfies Flag;

export const olderThanFlag = {
  name: 'older-than',
  value: 'duration',
  about: 'only what is older than this, such as 180d or 26w; required',
  needed: {},
} as const;
