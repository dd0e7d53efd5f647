import type { Operation, Parameter } from '../api/operation.ts';
import type { NamedKind } from '../context.ts';

/** What a command takes, as plain data: flags and positionals. */

/** What a flag is for: an operation, or a command that has filters of its own. */
export type ParameterOwner = Pick<Operation, 'id' | 'parameters'>;

/** The parameter of the API behind a flag or positional. */
export interface Binding {
  readonly operation: ParameterOwner;
  readonly name: string;
  readonly parameter: Parameter;
  readonly lookup?: NamedKind;
}

/** The command cannot do without a value that no parameter stands behind: a person is asked for it. */
interface Requirement {
  /** Kind of record that a person picks for it; absent: a text. */
  readonly kind?: string;
  /** Default: always. */
  readonly when?: (options: Readonly<Record<string, unknown>>) => boolean;
}

interface Taker {
  /** Without hyphens: `from-file`, `no-journal`, `member`. */
  readonly name: string;
  /** A lower-case phrase. */
  readonly about: string;
  readonly binding?: Binding;
  readonly needed?: Requirement;
  /** Words that the shell offers for the value; others may be taken too. */
  readonly offers?: readonly string[];
}

/** A flag. Its value stays text until the command is run, so that all bad values are told at once. */
export interface Flag extends Taker {
  /** One letter. */
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
export const alignOperands = <T>(
  positionals: readonly Positional[],
  words: readonly (T | undefined)[],
): (T | undefined)[] => {
  const given = words.filter((word) => word !== undefined).length;
  const optional = positionals.findIndex(({ required }) => required);
  const omitted = Math.min(optional, positionals.length - given);
  return omitted > 0
    ? [...Array.from({ length: omitted }, () => undefined), ...words.slice(0, given)]
    : [...words];
};

export const isFlag = (source: Flag | Positional): source is Flag => !('required' in source);

/** Headings of groups of flags that the help puts in order. */
export const FILTERS = 'Filters of --all';
export const RAW = 'Raw values';

/** `--from-file` */
export const formatLongFlag = ({ name }: Flag): string => `--${name}`;

/** Whether the command can never do without it, so far as one flag says it. */
export const isRequired = ({ binding, needed }: Flag): boolean =>
  binding?.parameter.required === true || (needed !== undefined && needed.when === undefined);

/** Whether the flag turns something off: `--no-journal`. */
export const isNegated = ({ name }: Flag): boolean => name.startsWith('no-');

/** `fromFile`; `journal` of `--no-journal`. */
export const getOptionKey = ({ name }: Flag): string =>
  name.replace(/^no-/, '').replace(/-(\w)/g, (_all, letter: string) => letter.toUpperCase());

/** What a flag is without being given, as a person would write it. */
export const formatDefault = (flag: Flag): string | undefined =>
  isNegated(flag) ? undefined : (flag.usual ?? flag.default);

/** `-f, --follow`, `--port <n>` */
export const formatFlagTerm = (flag: Flag): string => {
  const { short, value } = flag;
  return `${short === undefined ? '' : `-${short}, `}${formatLongFlag(flag)}${value === undefined ? '' : ` <${value}>`}`;
};

/** `<member>`, `[id...]` */
export const formatPositionalTerm = ({ name, required, variadic }: Positional): string => {
  const term = `${name}${variadic === true ? '...' : ''}`;
  return required ? `<${term}>` : `[${term}]`;
};

type Camel<Name extends string> = Name extends `${infer Head}-${infer Tail}`
  ? `${Head}${Capitalize<Camel<Tail>>}`
  : Name;

type Key<Name extends string> = Camel<Name extends `no-${infer Positive}` ? Positive : Name>;

type Option<F extends Flag> = F extends { readonly value: string }
  ? F extends { readonly repeatable: true }
    ? readonly string[] | undefined
    : F extends { readonly default: string }
      ? string
      : string | undefined
  : boolean | undefined;

/** What is given for flags that no parameter stands behind. */
export type OptionValues<Flags extends readonly Flag[]> = {
  readonly [F in Flags[number] as F extends { readonly binding: Binding }
    ? never
    : Key<F['name']>]: Option<F>;
};
