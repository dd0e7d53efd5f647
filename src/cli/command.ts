import type { Operation, ValuesOf } from '../api/operation.ts';
import type { Run } from '../run.ts';
import type { CommandInfo, CommandRecord, Flag, OptionValues } from './flag.ts';

/** What a command is, as plain data: help, schema, completion, prompts and the parser read these records. */

export interface Noun extends CommandInfo {
  readonly heading: string;
}

/** What is handed to a command that is run, beside its context. */
interface CommandInput<
  Values = Readonly<Record<string, unknown>>,
  Options = Readonly<Record<string, unknown>>,
> {
  /** Of flags and positionals that a parameter stands behind, by the API's names: checked and looked up. */
  readonly values: Values;
  readonly targets: readonly string[];
  /** The flags as they were written, by their names in camel case. */
  readonly options: Options;
  readonly program: () => Promise<Program>;
}

export interface Command extends CommandRecord {
  /** Commands below this one, which runs by itself too: `inbox decide`. */
  readonly commands?: readonly Command[];
  run(run: Run, input: CommandInput): Promise<void>;
}

/** A noun with verbs, or a verb with verbs of its own. */
export interface Group extends CommandInfo {
  readonly commands: readonly CommandNode[];
  readonly flags?: readonly Flag[];
}

export type CommandNode = Command | Group;

export interface Program extends Group {
  readonly flags: readonly Flag[];
}

export function isGroup(node: CommandNode): node is Group {
  return !('run' in node);
}

type PartialValues<O> = [O] extends [Operation] ? Partial<ValuesOf<O>> : unknown;

/** The values of the command's operation, and of the list whose filters it has. */
type Values<O, L> = [O, L] extends [undefined, undefined]
  ? Readonly<Record<string, unknown>>
  : PartialValues<O> & PartialValues<L>;

/** By default the path alone is its example, and what the operation says its `about`. */
interface Definition<
  Flags extends readonly Flag[],
  O extends Operation | undefined,
  L extends Operation | undefined,
> extends Partial<Omit<Command, 'path' | 'operation' | 'list' | 'flags' | 'run'>> {
  readonly path: string;
  readonly operation?: O;
  readonly list?: L;
  readonly flags?: Flags;
  run(run: Run, input: CommandInput<Values<O, L>, OptionValues<Flags>>): Promise<void>;
}

/** A command; what `run` gets follows from its operation and its flags. */
export function defineCommand<
  const Flags extends readonly Flag[] = readonly [],
  O extends Operation | undefined = undefined,
  L extends Operation | undefined = undefined,
>(definition: Definition<Flags, O, L>): Command {
  const { operation, path } = definition;
  return {
    aliases: [],
    examples: [`ttctl ${path}`],
    about: operation?.summary ?? '',
    positionals: [],
    flags: [],
    name: path.split(' ').at(-1) ?? '',
    ...definition,
  } as Command;
}

export function defineGroup(path: string, about: string, commands: readonly CommandNode[]): Group {
  return { path, name: path.split(' ').at(-1) ?? '', aliases: [], about, commands };
}

/** Every command below a node, and the node where it is one. */
export function listCommands(node: CommandNode): readonly Command[] {
  return [...(isGroup(node) ? [] : [node]), ...(node.commands ?? []).flatMap(listCommands)];
}

export function matchesName({ name, aliases }: CommandInfo, word: string): boolean {
  return name === word || aliases.includes(word);
}

/** A flag, and a node of the tree: of the commands themselves, or as the completion has them. */
type LineFlag = Pick<Flag, 'name' | 'short'> & { readonly value?: unknown };

interface LineNode<F, N> extends Pick<CommandInfo, 'name'> {
  readonly aliases?: readonly string[];
  readonly flags?: readonly F[];
  readonly commands?: readonly N[];
  /** Absent in a group, which takes no words but its commands. */
  readonly positionals?: readonly unknown[];
}

const HELP = /^(?:-h|--help)$/;

/**
 * A command line, or the beginning of one, read word by word by the tree of commands: what was asked for, and all that
 * is wrong with it. Commander ends at the first mistake, and takes `-h` for the value of a flag that lacks one.
 */
export class Line<F extends LineFlag, N extends LineNode<F, N>> {
  /** The program, and what the words name below it. */
  readonly path: [N, ...N[]];
  /** A word where a command has to stand; what comes after it is not read. */
  unknownCommand: string | undefined;
  readonly operands: string[] = [];
  flags: { readonly flag: F; readonly raw: string | boolean }[] = [];
  readonly unknownFlags: string[] = [];
  /** Flags that need a value and have none. */
  readonly bare: F[] = [];
  /** The last of them, where the line ends with it: its value is to come. */
  open: F | undefined;
  /** After `--`: no flags any more, and no verbs of a command. */
  ended = false;
  /** Help is asked for, by a flag or by the word in place of a command. */
  help = false;

  constructor(root: N, words: readonly string[]) {
    this.path = [root];
    const end = words.indexOf('--');
    // Help wins over all that is wrong.
    this.help = (end < 0 ? words : words.slice(0, end)).some((word) => HELP.test(word));
    // The word after an unknown flag may be its value.
    let isDoubtful = false;
    for (let i = 0; i < words.length && this.unknownCommand === undefined; i += 1) {
      const word = words[i] ?? '';
      if (this.ended || word === '-' || !/^-(?![\d.])/.test(word)) {
        this.#readWord(word, isDoubtful);
        isDoubtful = false;
        continue;
      }
      const unknown = this.unknownFlags.length;
      if (word === '--') this.ended = true;
      else if (!HELP.test(word) && this.#readFlag(word, words[i + 1])) i += 1;
      isDoubtful = this.unknownFlags.length > unknown && !word.includes('=');
    }
  }

  get command(): N {
    return this.path.at(-1) ?? this.path[0];
  }

  /** The flags that are known here: those of the command first, those of every command last. */
  listFlags(): readonly F[] {
    const own = this.path.length > 1 ? (this.command.flags ?? []) : [];
    return [...own, ...(this.path[0].flags ?? [])];
  }

  findFlag(word: string): F | undefined {
    return this.listFlags().find(
      ({ name, short }) => `--${name}` === word || (short !== undefined && `-${short}` === word),
    );
  }

  /** The last value that is given. @param word `--profile` */
  getValue(word: string): string | undefined {
    const flag = this.findFlag(word);
    const raw = this.flags.findLast((given) => given.flag === flag)?.raw;
    return typeof raw === 'string' ? raw : undefined;
  }

  #readWord(word: string, isDoubtful: boolean): void {
    const { commands, positionals, flags } = this.command;
    const child =
      this.ended && positionals !== undefined
        ? undefined
        : commands?.find(({ name, aliases }) => name === word || aliases?.includes(word));
    // Where a command could stand, and directly behind a noun: `members help`, `doctor help`.
    const mayAskHelp = commands !== undefined || (this.path.length === 2 && this.operands.length === 0);
    if (child !== undefined) {
      // Flags of a command do not belong to its verb, which may have flags of the same names.
      const own = this.path.length > 1 ? (flags ?? []) : [];
      for (const { flag } of this.flags) if (own.includes(flag)) this.unknownFlags.push(`--${flag.name}`);
      this.flags = this.flags.filter(({ flag }) => !own.includes(flag));
      this.path.push(child);
    } else if (word === 'help' && !this.ended && mayAskHelp) this.help = true;
    else if (positionals !== undefined) this.operands.push(word);
    else if (!isDoubtful) this.unknownCommand = word;
  }

  /** @returns whether the next word is the value */
  #readFlag(word: string, next: string | undefined): boolean {
    if (!word.startsWith('--')) return this.#readLetters(word.slice(1), word, next);
    const at = word.indexOf('=');
    const name = at < 0 ? word : word.slice(0, at);
    const flag = this.findFlag(name);
    if (flag !== undefined && (flag.value !== undefined || at < 0))
      return this.#addFlag(flag, at < 0 ? undefined : word.slice(at + 1), next);
    // A switch with a value is kept as it is written.
    this.unknownFlags.push(flag === undefined ? name : word);
    return false;
  }

  /** `-n`, `-nq`, `-w7`: letters together. */
  #readLetters(letters: string, word: string, next: string | undefined): boolean {
    const flag = this.findFlag(`-${letters.slice(0, 1)}`);
    const rest = letters.slice(1);
    if (flag !== undefined) {
      const takesNext = this.#addFlag(flag, rest || undefined, next);
      return flag.value === undefined && rest !== '' ? this.#readLetters(rest, word, next) : takesNext;
    }
    if (letters === 'h') this.help = true;
    else this.unknownFlags.push(word);
    return false;
  }

  #addFlag(flag: F, value: string | undefined, next: string | undefined): boolean {
    if (flag.value === undefined) this.flags.push({ flag, raw: !flag.name.startsWith('no-') });
    else if (value !== undefined) this.flags.push({ flag, raw: value });
    else if (next !== undefined && !HELP.test(next) && this.findFlag(next) === undefined) {
      this.flags.push({ flag, raw: next });
      return true;
    } else {
      this.bare.push(flag);
      if (next === undefined) this.open = flag;
    }
    return false;
  }
}
