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
  const lookupHint =
    lookup === undefined ? '' : PEOPLE.has(lookup) ? ' (id, e-mail or name)' : ' (id or name)';
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

const INPUT = 'Input';
export const TARGETS = 'Targets';

const SHARED = {
  zoneFlag: { name: 'timezone', value: 'name', about: 'time zone of dates', zone: true },
  secretsFlag: { name: 'show-secrets', about: 'show tokens, links and addresses in full', unsafe: true },
  exitCodeFlag: { name: 'exit-code', about: 'with --dry-run, exit with 10 if anything would change' },
  planFlag: {
    name: 'plan',
    value: 'file',
    about: 'write a plan instead of sending (- for stdout)',
    group: INPUT,
  },
  atFlag: {
    name: 'at',
    value: 'day',
    about: 'with --plan, the day from which it can be applied',
    group: INPUT,
  },
  historyFlag: { name: 'no-history', about: 'do not record the write or read old values', unsafe: true },
  journalFlag: { name: 'no-journal', about: 'same as --no-history', unsafe: true },
  whereFlag: { name: 'where', value: 'expression', about: 'only rows for which a condition is true' },
  periodFlag: { name: 'period', value: 'period', about: 'both dates: last-week, 2026-W32, 2026-08, 2026-Q3' },
  maxChangesFlag: { name: 'max-changes', value: 'n', about: 'fail if more would change', unsafe: true },
  cleanFlag: { name: 'clean', about: 'only records without a warning in the inbox', group: TARGETS },
  olderThanFlag: {
    name: 'older-than',
    value: 'duration',
    about: 'age such as 180d or 26w; required',
    needed: {},
  },
} as const satisfies Readonly<Record<string, Flag>>;

export const { zoneFlag, secretsFlag, exitCodeFlag, historyFlag } = SHARED;
const { journalFlag } = SHARED;
export const planFlags = [SHARED.planFlag, SHARED.atFlag] as const;
export const { whereFlag, periodFlag, maxChangesFlag, cleanFlag, olderThanFlag } = SHARED;

export const planFile = { name: 'file', about: 'the plan, or - for stdin', required: true } as const;

export function inGroup<const Flags extends readonly Flag[]>(group: string, flags: Flags): Flags {
  return flags.map((flag): Flag => ({ ...flag, group })) as readonly Flag[] as Flags;
}

const queryFlags = inGroup(RAW, [
  { name: 'param', value: 'name=value', about: 'add a raw query parameter', repeatable: true },
]);
const bodyFlags = inGroup(RAW, [
  { name: 'field', value: 'name=value', about: 'add a raw body field; name:=json', repeatable: true },
  { name: 'input', value: 'file', about: 'read the JSON body from a file, or - for stdin' },
]);
const fileFlags = [
  { name: 'template', about: 'print the heading for such a file' },
  { name: 'map', value: 'name=column', about: 'read the column <name> as <column>', repeatable: true },
  { name: 'ignore-columns', about: 'ignore unknown columns', unsafe: true },
] as const;
const rowFlags = [
  { name: 'skip-missing', about: 'skip rows whose record does not exist', unsafe: true },
  { name: 'base', value: 'file', about: 'the file before it was edited: send only the edits' },
] as const;

/** Flags that many commands have, by what they are for: `ttctl help flags` says what each means. */
export const COMMON_FLAGS: Readonly<Record<string, readonly Flag[]>> = {
  'Files (--from-file)': [...fileFlags, ...rowFlags],
  [RAW]: [...queryFlags, ...bodyFlags],
  'Runs and dates': [exitCodeFlag, historyFlag, journalFlag, zoneFlag],
};

function listZoneFlags({ parameters }: Operation): readonly (typeof zoneFlag)[] {
  return Object.values(parameters).some(({ type }) => type.startsWith('date')) ? [zoneFlag] : [];
}

export function readFlags(operation: Operation) {
  return [...listZoneFlags(operation), ...queryFlags] as const;
}

/** The flags of a write: raw values are never out of reach. */
export function writeFlags(operation: Operation) {
  return [...listZoneFlags(operation), ...bodyFlags, exitCodeFlag, ...planFlags, historyFlag] as const;
}

export const groupFlags = [
  whereFlag,
  ...inGroup('Groups', [
    { name: 'group-by', value: 'field', about: 'count the rows per value of a field', repeatable: true },
    { name: 'sum', value: 'field', about: 'with --group-by, add up a field per group', repeatable: true },
  ]),
] as const;

export function listFlags(operation: Operation) {
  const paging = inGroup('Paging', [
    { name: 'limit', value: 'n', about: 'at most <n> rows or groups' },
    { name: 'page', value: 'n', about: 'print only this page' },
    { name: 'per-page', value: 'n', about: 'rows per request, 1 to 100' },
  ]);
  const isSized = operation.paging === 'pages';
  return [...readFlags(operation), ...groupFlags, ...(isSized ? paging : paging.slice(0, 2))] as const;
}

/** `--member` of a list. The service can be asked for one at most, and not in every list: others are left out here. */
export function memberFilter({ id, parameters: { user_id: own } }: Operation): Flag & WithBinding {
  const about = own?.about ?? 'only records of this member';
  const parameter = { ...own, about, type: 'integer[]' } as const;
  return flag({ id, parameters: { user_id: parameter } }, 'user_id', { as: 'member', lookup: 'member' });
}

/** `--status` of a list, also several: the service can be asked for one, and others are left out here. */
export function statusFilter({ id, parameters: { status: own } }: Operation): Flag & WithBinding {
  const parameter = { ...(own as Parameter), type: 'string[]' } as const;
  const found = flag({ id, parameters: { status: parameter } }, 'status');
  return { ...found, about: `${found.about}; several with commas` };
}

/**
 * The flags of a write over many: targets, or rows of a file.
 * @param alike of a creation: in what a record is the like of another, as its reconciler looks for it
 */
export function targetFlags(operation: Operation, alike?: string) {
  const about = `do nothing if there is already one with ${alike}`;
  return [
    ...writeFlags(operation),
    ...inGroup(INPUT, [
      { name: 'from-file', value: 'file', about: 'a record per row of CSV, JSON or NDJSON (- for stdin)' },
      maxChangesFlag,
    ]),
    ...fileFlags,
    ...(alike === undefined ? [] : [{ name: 'if-missing', about } as const]),
    ...(operation.path.includes('{') ? rowFlags.slice(0, 1) : []),
    ...(operation.undo?.kind === 'values' ? rowFlags.slice(1) : []),
    journalFlag,
  ] as const;
}
