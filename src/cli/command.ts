import type { Operation, ValuesOf } from '../api/operation.ts';
import type { Context } from '../context.ts';
import type { ExitCode } from '../errors.ts';
import type { Flag, OptionValues, Positional } from './flag.ts';

/** What a command is, as plain data: help, schema, completion, prompts and the parser read these records. */

/** Columns of `--from-file` that no flag's parameter stands behind. */
export interface InputColumns {
  /** Names of the column that names the record, the usual one first. */
  readonly target: readonly string[];
  /** Handed to the command as it is written. */
  readonly plain: readonly string[];
}

/** What `--output json` prints: a list is an array, a record an object, results an array of what became of targets. */
export interface CommandPrints {
  readonly shape: 'list' | 'record' | 'results' | 'text' | 'document';
  /** Members of the record, or of each in the list. */
  readonly fields?: readonly string[];
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
  /** A lower-case phrase. */
  readonly about: string;
}

/** What is known of a noun before its commands are loaded. */
export interface Noun extends CommandInfo {
  /** Of the help of the program. */
  readonly heading: string;
}

/** What is handed to a command that is run, beside its context. */
interface CommandInput<
  Values = Readonly<Record<string, unknown>>,
  Options = Readonly<Record<string, unknown>>,
> {
  /** Of flags and positionals that a parameter stands behind, by the API's names: checked and looked up. */
  readonly values: Values;
  /** What stands for the positionals, in order. */
  readonly targets: readonly string[];
  /** The flags as they were written, by their names in camel case. */
  readonly options: Options;
  /** The program with every command. */
  readonly program: () => Promise<Program>;
}

interface CommandDetails {
  /** Whole command lines with long flags; each parses (tested). */
  readonly examples: readonly string[];
  /** The list that `--all` goes through: its parameters are the filters. */
  readonly list?: Operation;
  /** What an input file says beside the flags, where that is not the positional alone. */
  readonly input?: InputColumns;
  /** Whether it may change something at the service. Default: what the operation says. */
  readonly writes?: boolean;
  /** The state that the records it is about have to be in: `submitted`. */
  readonly from?: string;
  /** Sections of its help that are its own: how a script is installed; what one has to know, in sentences. */
  readonly more?: readonly Readonly<{
    title: string;
    commands?: readonly string[];
    /** Terms and what they mean. */
    entries?: readonly (readonly [term: string, about: string])[];
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

export interface Command extends CommandInfo, CommandDetails {
  /** Commands below this one, which runs by itself too: `inbox decide`. */
  readonly verbs?: readonly Command[];
  readonly operation?: Operation;
  readonly positionals: readonly Positional[];
  readonly flags: readonly Flag[];
  run(context: Context, input: CommandInput): Promise<void>;
}

/** A noun with verbs, or a verb with verbs of its own. */
export interface Group extends CommandInfo {
  readonly commands: readonly CommandNode[];
}

export type CommandNode = Command | Group;

export interface Program extends Group {
  /** The flags that every command has. */
  readonly flags: readonly Flag[];
}

export const isGroup = (node: CommandNode): node is Group => 'commands' in node;

type PartialValues<O> = [O] extends [Operation] ? Partial<ValuesOf<O>> : unknown;

/** The values of the command's operation, and of the list whose filters it has. */
type Values<O, L> = [O, L] extends [undefined, undefined]
  ? Readonly<Record<string, unknown>>
  : PartialValues<O> & PartialValues<L>;

interface Definition<
  Flags extends readonly Flag[],
  O extends Operation | undefined,
  L extends Operation | undefined,
> extends Omit<CommandDetails, 'list'> {
  readonly path: string;
  readonly aliases?: readonly string[];
  /** Default: what the operation says. */
  readonly about?: string;
  readonly verbs?: readonly Command[];
  readonly operation?: O;
  readonly list?: L;
  readonly positionals?: readonly Positional[];
  readonly flags?: Flags;
  run(context: Context, input: CommandInput<Values<O, L>, OptionValues<Flags>>): Promise<void>;
}

/** The last word of a path. */
export const getLastWord = (path: string): string => path.slice(path.lastIndexOf(' ') + 1);

/** A command; what `run` gets follows from its operation and its flags. */
export const defineCommand = <
  const Flags extends readonly Flag[] = readonly [],
  O extends Operation | undefined = undefined,
  L extends Operation | undefined = undefined,
>(
  definition: Definition<Flags, O, L>,
): Command => {
  const { operation, path } = definition;
  return {
    aliases: [],
    about: operation?.summary ?? '',
    positionals: [],
    flags: [],
    name: getLastWord(path),
    ...(definition as Partial<Command> & Definition<Flags, O, L>),
  } as Command;
};

export const defineGroup = (path: string, about: string, commands: readonly CommandNode[]): Group => ({
  path,
  name: getLastWord(path),
  aliases: [],
  about,
  commands,
});

/** What stands directly below a node. */
export const listSubcommands = (node: CommandNode): readonly CommandNode[] =>
  isGroup(node) ? node.commands : (node.verbs ?? []);

/** Every command below a node, and the node where it is one. */
export const listCommands = (node: CommandNode): readonly Command[] => [
  ...(isGroup(node) ? [] : [node]),
  ...listSubcommands(node).flatMap(listCommands),
];

/** Whether a word of the command line names it. */
export const matchesName = ({ name, aliases }: CommandInfo, word: string): boolean =>
  name === word || aliases.includes(word);

/** The noun that a command belongs to, or the group: `clock` of `sandbox clock set`; empty for a noun itself. */
export const getParentName = ({ path }: CommandInfo): string => path.split(' ').at(-2) ?? '';

export const hasFlag = ({ flags }: Command, name: string): boolean =>
  flags.some((flag) => flag.name === name);
