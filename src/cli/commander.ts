import { Argument, Command as Commander, CommanderError, Option } from 'commander';
import { type Command, type CommandInfo, type CommandNode, isGroup } from './command.ts';
import { type Flag, formatFlagTerm, formatPositionalTerm, getOptionKey } from './flag.ts';
import { type Invocation, UnresolvedLine } from './invocation.ts';
import { GLOBAL_FLAGS, loadNoun, NOUNS, ROOT, VERSION_FLAG } from './registry.ts';

/** Reads a command line with commander, which is made of the records of what the line may mean, and knows no more. */

/** Collects a flag that may be given several times. */
const collect = (value: string, before: readonly string[] = []): string[] => [...before, value];

const optionOf = (flag: Flag): Option => {
  const option = new Option(formatFlagTerm(flag));
  if (flag.repeatable === true) option.argParser(collect);
  return flag.default === undefined ? option : option.default(flag.default);
};

/** @returns the flags of one value that come more than once, as the line is read: commander keeps the last value */
const addFlags = (made: Commander, flags: readonly Flag[]): ReadonlySet<Flag> => {
  const [seen, repeated] = [new Set<Flag>(), new Set<Flag>()];
  for (const flag of flags) {
    made.addOption(optionOf(flag));
    if (flag.value === undefined || flag.repeatable === true) continue;
    made.on(`option:${flag.name}`, () => void (seen.has(flag) ? repeated : seen).add(flag));
  }
  return repeated;
};

interface Reading {
  readonly args: readonly string[];
  /** Lets positionals be missing. */
  readonly forgiving: boolean;
  readonly found: (command: Command, made: Commander, repeated: ReadonlySet<Flag>) => void;
  /** Whose help commander has wanted to show. */
  readonly helped: (node: CommandNode) => void;
}

/** Commander's settings are not inherited by commands that are added: each is given its own. */
const configure = (made: Commander, node: CommandNode, { helped }: Reading): Commander =>
  made
    .exitOverride()
    .configureOutput({
      writeOut: () => {},
      writeErr: () => {},
      outputError: () => {},
      // Help has no colour, so commander need not ask the terminal, which costs.
      getOutHasColors: () => false,
      getErrHasColors: () => false,
    })
    .configureHelp({
      formatHelp: () => {
        helped(node);
        return '';
      },
    })
    .helpCommand(false)
    .helpOption('-h, --help')
    .showSuggestionAfterError(false)
    .allowExcessArguments(false);

const named = ({ name, aliases }: CommandInfo): Commander => new Commander(name).aliases(aliases);

/** Gives commander what a node has; of its verbs only the one that the line names, where it names one. */
const fill = (made: Commander, node: CommandNode, reading: Reading, verb?: string): Commander => {
  configure(made, node, reading);
  if (isGroup(node)) {
    const meant = node.commands.filter(({ name }) => name === verb);
    for (const child of meant.length > 0 ? meant : node.commands) {
      made.addCommand(fill(named(child), child, reading));
    }
    return made;
  }
  for (const positional of node.positionals) {
    const required = positional.required && !reading.forgiving;
    made.addArgument(new Argument(formatPositionalTerm({ ...positional, required })));
  }
  const repeated = addFlags(made, node.flags);
  return made.action(() => reading.found(node, made, repeated));
};

/** The program with its nouns, each without its commands until the line is known to mean it. */
const rootFor = (reading: Reading): Commander => {
  const [first, verb] = reading.args;
  const root = new Commander(ROOT.name).version(ROOT.name, formatFlagTerm(VERSION_FLAG));
  const meant = NOUNS.filter(({ name }) => name === first);
  for (const noun of meant.length > 0 ? meant : NOUNS) root.addCommand(named(noun));
  root.hook('preSubcommand', async (_root, stub) => {
    const node = await loadNoun({ path: stub.name() });
    if (node !== undefined) fill(stub, node, reading, first === node.name ? verb : undefined);
  });
  return configure(root, ROOT, reading);
};

const refusal = (
  { code, exitCode, message }: CommanderError,
  helped: CommandNode | undefined,
): UnresolvedLine => {
  if (code === 'commander.version') return new UnresolvedLine('version', ROOT);
  if (helped !== undefined) return new UnresolvedLine(exitCode === 0 ? 'help' : 'group', helped);
  const why = code === 'commander.missingArgument' ? 'absent' : 'mistake';
  return new UnresolvedLine(why, ROOT, message.replace(/^error: /, ''));
};

/** @param absent positionals are missing, and may be @throws UnresolvedLine */
const parse = async (args: readonly string[], absent?: UnresolvedLine): Promise<Invocation> => {
  let found: Invocation | undefined;
  let helped: CommandNode | undefined;
  const root = rootFor({
    args,
    forgiving: absent !== undefined,
    helped: (node) => {
      helped = node;
    },
    found: (command, made, repeated) => {
      found = {
        command,
        options: { ...made.opts() },
        globals: root.opts(),
        operands: [...made.processedArgs],
        typed: command.flags.filter((flag) => made.getOptionValueSource(getOptionKey(flag)) === 'cli'),
        repeated: [...repeated, ...repeatedOfAll],
        absent,
      };
    },
  });
  const repeatedOfAll = addFlags(
    root,
    GLOBAL_FLAGS.filter((flag) => flag !== VERSION_FLAG),
  );
  await root.parseAsync([...args], { from: 'user' }).catch((error: unknown) => {
    throw error instanceof CommanderError ? refusal(error, helped) : error;
  });
  if (found === undefined) throw new UnresolvedLine('group', ROOT);
  return found;
};

/**
 * What a command line means. Where a positional is missing and a person may be there to ask, it is read once more
 * without it.
 * @throws UnresolvedLine for a line that leads to no command
 */
export const parseCommandLine = async (
  args: readonly string[],
  mayAsk: () => boolean,
): Promise<Invocation> => {
  try {
    return await parse(args);
  } catch (error) {
    if (!(error instanceof UnresolvedLine) || error.why !== 'absent' || !mayAsk()) throw error;
    return parse(args, error);
  }
};
