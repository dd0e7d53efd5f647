import type { Fields } from '../api/fields.ts';
import type { Operation, Parameter } from '../api/operation.ts';
import type { NamedKind } from '../api/records.ts';
import { type ExitCode, UsageError } from '../errors.ts';
import { DEFAULT_FORMAT, FORMAT_NAMES } from '../output/formats/formats.ts';

/** What a command is but for what it does, as plain data: help, schema, completion, prompts and the parser read it. */

/** What `--output json` prints: a list is an array, a record an object, results an array of what became of targets. */
export interface CommandPrints {
  readonly shape: 'list' | 'record' | 'results' | 'text' | 'document';
  /** Members of the record, or of each in the list. */
  readonly fields?: readonly string[];
  /** By member: all words that it has, where no record of the service says it. */
  readonly words?: Readonly<Record<string, readonly string[]>>;
  /** Members of the record that is printed in place of the list where one is named. */
  readonly named?: readonly string[];
  /** Members of the record that is printed in place of the list with a flag. */
  readonly flagged?: { readonly flag: string; readonly fields: readonly string[] };
  /** What a text or document is: `the script`. */
  readonly about?: string;
}

/** What a noun, a group of commands and a command have in common. */
export interface CommandInfo {
  /** The words behind `ttctl`: `sandbox clock set`; empty for the program itself. */
  readonly path: string;
  /** The last of them. */
  readonly name: string;
  readonly aliases: readonly string[];
  readonly about: string;
}

export interface CommandRecord extends CommandInfo {
  readonly operation?: Operation;
  readonly positionals: readonly Positional[];
  readonly flags: readonly Flag[];
  /** Whole command lines with long flags; each parses (tested). */
  readonly examples: readonly string[];
  /** What `--where` knows of its rows, where they are no record of the service. */
  readonly rowFields?: Fields;
  /** The list that `--all` goes through: its parameters are the filters. */
  readonly list?: Operation;
  /**
   * Columns of `--from-file` that no flag's parameter stands behind, where that is not the positional alone: names of
   * the one that names the record, the usual one first, and those that are handed on as they are written.
   */
  readonly input?: { readonly target: readonly string[]; readonly plain: readonly string[] };
  /** Whether it may change something at the service. Default: what the operation says. */
  readonly writes?: boolean;
  /** The state that the records it is about have to be in: `submitted`. */
  readonly from?: string;
  /** Sections of its help that are its own: how a script is installed; what one has to know, in sentences. */
  readonly more?: readonly Readonly<{
    title: string;
    commands?: readonly string[];
    text?: string;
  }>[];
  /** Where no operation says it. */
  readonly prints?: CommandPrints;
  /** Exit codes beside those of every command; for one without an operation. */
  readonly exits?: readonly ExitCode[];
  /** False: it never asks a person, not even for what is missing. */
  readonly asks?: false;
  /** Whether `--profile` may name one that does not exist yet. */
  readonly newProfile?: boolean;
  /** Stored settings that are wrong do not keep it from its work: it mends their values, or examines the whole file. */
  readonly settings?: 'mended' | 'examined';
}

export function hasFlag({ flags }: Pick<CommandRecord, 'flags'>, name: string): boolean {
  return flags.some((flag) => flag.name === name);
}

/** What a flag is for: an operation, or a command that has filters of its own. */
export type ParameterOwner = Pick<Operation, 'id' | 'parameters'>;

/** The parameter of the API behind a flag or positional. */
export interface Binding {
  readonly operation: ParameterOwner;
  readonly name: string;
  readonly parameter: Parameter;
  readonly lookup?: NamedKind;
}

interface Taker {
  /** Without hyphens: `from-file`, `no-journal`, `member`. */
  readonly name: string;
  readonly about: string;
  readonly binding?: Binding;
  /**
   * The command cannot do without a value that no parameter stands behind: a person is asked for it, or picks a record
   * of that kind. `when`: default always.
   */
  readonly needed?: {
    readonly kind?: string;
    readonly when?: (options: Readonly<Record<string, unknown>>) => boolean;
  };
  /** Words that the shell offers for the value; others may be taken too. */
  readonly offers?: readonly string[];
}

/** A flag. Its value stays text until the command is run, so that all bad values are told at once. */
export interface Flag extends Taker {
  readonly short?: string;
  /** What its value is called; absent: a switch. */
  readonly value?: string;
  readonly repeatable?: true;
  /** The only words that are taken. */
  readonly choices?: readonly string[];
  readonly default?: string;
  /** Shown as the default, which is applied elsewhere: with the settings. */
  readonly usual?: string;
  /** Heading in help; absent: `Flags`. */
  readonly group?: string;
  /** Skips a question, widens what is done or shown, or takes a safeguard away: never suggested for a mistyped word. */
  readonly unsafe?: true;
  /** `--timezone` of a command that takes days or times, or shows them: checked before anything else is done. */
  readonly zone?: true;
}

export interface Positional extends Taker {
  readonly required: boolean;
  /** Takes all words that are left. */
  readonly variadic?: true;
}

/**
 * Words as the positionals take them: where there are too few, those that may be missing are the first ones
 * (`api [method] <path>`).
 */
export function alignOperands<T>(
  positionals: readonly Positional[],
  words: readonly (T | undefined)[],
): (T | undefined)[] {
  const given = words.filter((word) => word !== undefined).length;
  const optional = positionals.findIndex(({ required }) => required);
  const omitted = Math.min(optional, positionals.length - given);
  return omitted > 0
    ? [...Array.from({ length: omitted }, () => undefined), ...words.slice(0, given)]
    : [...words];
}

export function isFlag(source: Flag | Positional): source is Flag {
  return !('required' in source);
}

/** Headings of groups of flags that the help puts in order. */
export const FILTERS = 'Filters of --all';
export const RAW = 'Raw values';

/** `--from-file` */
export function formatLongFlag({ name }: Flag): string {
  return `--${name}`;
}

/** Whether the command can never do without it, so far as one flag says it. */
export function isRequired({ binding, needed }: Flag): boolean {
  return binding?.parameter.required === true || (needed !== undefined && needed.when === undefined);
}

/** Whether the flag turns something off: `--no-journal`. */
export function isNegated({ name }: Flag): boolean {
  return name.startsWith('no-');
}

/** `fromFile`; `journal` of `--no-journal`. */
export function getOptionKey({ name }: Pick<Flag, 'name'>): string {
  return name.replace(/^no-/, '').replace(/-(\w)/g, (_all, letter: string) => letter.toUpperCase());
}

/** What a flag is without being given, as a person would write it. */
export function formatDefault(flag: Flag): string | undefined {
  return isNegated(flag) ? undefined : (flag.usual ?? flag.default);
}

/** `-f, --follow`, `--port <n>` */
export function formatFlagTerm(flag: Flag): string {
  const { short, value } = flag;
  return `${short === undefined ? '' : `-${short}, `}${formatLongFlag(flag)}${value === undefined ? '' : ` <${value}>`}`;
}

/** `<member>`, `[id...]` */
export function formatPositionalTerm({ name, required, variadic }: Positional): string {
  const term = `${name}${variadic === true ? '...' : ''}`;
  return required ? `<${term}>` : `[${term}]`;
}

export interface Invocation {
  readonly command: CommandRecord;
  /** Of the command's own flags by their keys, defaults among them; answers of a person are added. */
  readonly options: Record<string, unknown>;
  /** The same of the flags that every command has. */
  readonly globals: Readonly<Record<string, unknown>>;
  /** What stands for each positional; answers of a person are added. */
  readonly operands: (string | readonly string[] | undefined)[];
  readonly typed: readonly Flag[];
  /** Flags of one value that the line has more than once: the last one counts. */
  readonly repeated: readonly Flag[];
  /** Positionals are missing, which is thrown unless a person can be asked for them. */
  readonly absent?: Error | undefined;
}

/** What was given of positionals and flags, and how each is called. */
export function listGiven({ command, operands, options }: Invocation) {
  const given = [
    ...command.positionals.map((source, index) => ({
      source,
      raw: operands[index] as unknown,
      where: `<${source.name}>`,
    })),
    ...command.flags.map((source) => ({
      source,
      raw: options[getOptionKey(source)],
      where: formatLongFlag(source),
    })),
  ];
  // A blank text for what is needed is none: the service refuses it.
  return given.map(({ source, raw, where }) => {
    const isBlank = typeof raw === 'string' && raw.trim() === '';
    return { source, raw: isBlank && source.binding?.parameter.required ? undefined : raw, where };
  });
}

export function createRepeatError(flag: Flag): UsageError {
  return new UsageError(`${formatLongFlag(flag)} was given more than once`, {
    hint: 'It takes a single value.',
  });
}

export function isNeeded(source: Flag | Positional, { options }: Invocation): boolean {
  return source.needed === undefined
    ? !isFlag(source) && source.required
    : (source.needed.when?.(options) ?? true);
}

/** How a person gives a parameter of this command: `--reason`, `<email>`. */
export function createFlagNamer({ flags, positionals }: CommandRecord): (parameter: string) => string {
  const names = new Map<string, string>();
  for (const { binding, name } of positionals)
    if (binding !== undefined) names.set(binding.name, `<${name}>`);
  for (const flag of flags)
    if (flag.binding !== undefined) names.set(flag.binding.name, formatLongFlag(flag));
  return (parameter) => names.get(parameter) ?? `--${parameter.replaceAll('_', '-')}`;
}

/** `--version` stands for a command of its own. */
export const VERSION_FLAG: Flag = { name: 'version', short: 'V', about: 'print the version' };

/** What `--columns` without a value stands for: which are there? */
export const LIST_COLUMNS = '?';

/** The flags that every command has. What is usual is the settings' to say, and shown here (tested against them). */
export const GLOBAL_FLAGS: readonly Flag[] = [
  VERSION_FLAG,
  { name: 'profile', short: 'p', value: 'name', about: 'profile to use' },
  { name: 'workspace', short: 'w', value: 'id or name', about: 'workspace to use' },
  {
    name: 'output',
    short: 'o',
    value: 'format',
    about: 'output format',
    choices: FORMAT_NAMES,
    offers: FORMAT_NAMES,
    usual: DEFAULT_FORMAT.name,
  },
  { name: 'json', about: 'same as --output json' },
  { name: 'excel', about: 'CSV for spreadsheets where the comma is decimal' },
  {
    name: 'columns',
    value: 'a,b',
    about:
      'fields to print, in order, by their API names; +a,-b changes the default ones; no value lists them',
    repeatable: true,
  },
  { name: 'sort', value: 'field[:desc]', about: 'sort a list by a field' },
  { name: 'no-header', about: 'omit the heading' },
  { name: 'query', value: 'expression', about: 'filter the JSON result with a JMESPath expression' },
  { name: 'yes', short: 'y', about: 'skip confirmation prompts; never selects a target', unsafe: true },
  { name: 'no-input', about: 'never prompt; a missing value is an error' },
  { name: 'dry-run', short: 'n', about: 'show what would change without changing anything' },
  { name: 'quiet', short: 'q', about: 'print data and errors only' },
  { name: 'debug', about: 'log every request and response to stderr, secrets redacted' },
  {
    name: 'log',
    value: 'file',
    about: 'append every request, response and result to a file, one JSON line each; - is stderr',
  },
  { name: 'timeout', value: 'seconds', about: 'time limit of one request', usual: '30' },
  {
    name: 'max-wait',
    value: 'seconds',
    about: 'how long a request may wait when it is rate limited',
    usual: '120',
  },
  { name: 'no-color', about: 'disable colour' },
];

type Camel<Name extends string> = Name extends `${infer Head}-${infer Tail}`
  ? `${Head}${Capitalize<Camel<Tail>>}`
  : Name;

type Key<Name extends string> = Camel<Name extends `no-${infer Positive}` ? Positive : Name>;

type Option<F extends Flag> = F extends { readonly value: string }
  ? F extends { readonly repeatable: true }
    ? readonly string[] | undefined
    : F extends { readonly default: string } | { readonly needed: Readonly<Record<string, never>> }
      ? string
      : string | undefined
  : boolean | undefined;

export type OptionValues<Flags extends readonly Flag[]> = {
  readonly [F in Flags[number] as F extends { readonly binding: Binding }
    ? never
    : Key<F['name']>]: Option<F>;
};
