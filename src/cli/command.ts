import type { Operation, ValuesOf } from '../api/operation.ts';
import type { Context } from '../context.ts';
import type { CommandDetails, CommandInfo, CommandRecord, Flag, OptionValues, Positional } from './flag.ts';

/** What a command is, as plain data: help, schema, completion, prompts and the parser read these records. */

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

export interface Command extends CommandRecord {
  /** Commands below this one, which runs by itself too: `inbox decide`. */
  readonly verbs?: readonly Command[];
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
