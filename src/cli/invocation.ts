import { UsageError } from '../errors.ts';
import { getOffsetMinutes } from '../parsing/calendar.ts';
import {
  type CommandRecord,
  type Flag,
  formatLongFlag,
  getOptionKey,
  isFlag,
  type Positional,
} from './flag.ts';

/** A command line that names a command, and what it gives. */
export interface Invocation {
  readonly command: CommandRecord;
  /** Of the command's own flags by their keys, defaults among them; answers of a person are added. */
  readonly options: Record<string, unknown>;
  /** The same of the flags that every command has. */
  readonly globals: Readonly<Record<string, unknown>>;
  /** What stands for each positional; answers of a person are added. */
  readonly operands: (string | readonly string[] | undefined)[];
  /** Flags of the command that the line has. */
  readonly typed: readonly Flag[];
  /** Flags of one value that the line has more than once: the last one counts. */
  readonly repeated: readonly Flag[];
  /** Positionals are missing, which is thrown unless a person can be asked for them. */
  readonly absent?: Error | undefined;
}

/** A blank text for what is needed is none: the service refuses it. */
const ignoreBlank = ({ binding }: Flag | Positional, raw: unknown): unknown =>
  binding?.parameter.required === true && typeof raw === 'string' && raw.trim() === '' ? undefined : raw;

/** What was given of positionals and flags, and how each is called. */
export const listGiven = ({ command, operands, options }: Invocation) => [
  ...command.positionals.map((source, index) => ({
    source,
    raw: ignoreBlank(source, operands[index]),
    where: `<${source.name}>`,
  })),
  ...command.flags.map((source) => ({
    source,
    raw: ignoreBlank(source, options[getOptionKey(source)]),
    where: formatLongFlag(source),
  })),
];

/** What stands for the positionals, without empty ones. */
export const listOperands = ({ operands }: Invocation): readonly string[] =>
  operands.flat().filter((value): value is string => typeof value === 'string');

/** Whether the command cannot do without it. */
export const isNeeded = (source: Flag | Positional, { options }: Invocation): boolean =>
  source.needed === undefined ? !isFlag(source) && source.required : (source.needed.when?.(options) ?? true);

const toKebabCase = (name: string): string => name.replaceAll('_', '-');

/** How a person gives a parameter of this command: `--reason`, `<email>`. */
export const createFlagNamer = ({ flags, positionals }: CommandRecord): ((parameter: string) => string) => {
  const names = new Map<string, string>();
  for (const { binding, name } of positionals)
    if (binding !== undefined) names.set(binding.name, `<${name}>`);
  for (const flag of flags)
    if (flag.binding !== undefined) names.set(flag.binding.name, formatLongFlag(flag));
  return (parameter) => names.get(parameter) ?? `--${toKebabCase(parameter)}`;
};

/** What is wrong with a flag of one value that is given more than once. */
export const createRepeatError = (flag: Flag): UsageError =>
  new UsageError(`${formatLongFlag(flag)} was given more than once`, { hint: 'It takes a single value.' });

/**
 * The zone that `--timezone` names; `undefined` without one.
 * @throws UsageError when there is no such zone
 */
export const getZoneFlag = ({ command, options }: Invocation): string | undefined => {
  const flag = command.flags.find(({ zone }) => zone === true);
  const zone = flag && options[getOptionKey(flag)];
  if (zone === undefined) return undefined;
  getOffsetMinutes(0, String(zone));
  return String(zone);
};
