import type { EventEmitter } from 'node:events';
import { Argument, Command as Commander, CommanderError, Option } from 'commander';
import { type Command, type CommandNode, isGroup, listSubcommands, matchesName } from './command.ts';
import type { CommandInfo } from './flag.ts';
import { alignOperands, type Flag, formatFlagTerm, formatPositionalTerm, getOptionKey } from './flag.ts';
import { GLOBAL_FLAGS, LIST_COLUMNS, VERSION_FLAG } from './global-flags.ts';
import type { Invocation } from './invocation.ts';
import { loadNoun, NOUNS, ROOT } from './registry.ts';

/** Reads a command line with commander, which is made of the records of what the line may mean, and knows no more. */

/** A command line that names a command. */
export interface ParsedLine extends Invocation {
  readonly command: Command;
}

/** A command line that leads to no command that could be run. */
export class UnresolvedLine extends Error {
  /** `help` and `version` are asked for; `group`: no command is named; `absent`: a positional is missing. */
  readonly why: 'help' | 'version' | 'group' | 'absent' | 'mistake';
  /** Whose help is meant. */
  readonly node: CommandNode;

  constructor(why: UnresolvedLine['why'], node: CommandNode, message = '') {
    super(message);
    this.why = why;
    this.node = node;
  }
}

/** Collects a flag that may be given several times. */
const collect = (value: string, before: readonly string[] = []): string[] => [...before, value];

const createOption = (flag: Flag): Option => {
  const option = new Option(formatFlagTerm(flag));
  if (flag.repeatable === true) option.argParser(collect);
  return flag.default === undefined ? option : option.default(flag.default);
};

/** @returns the flags of one value that come more than once, as the line is read: commander keeps the last value */
const addFlags = (target: Commander, flags: readonly Flag[]): ReadonlySet<Flag> => {
  const [seen, repeated] = [new Set<Flag>(), new Set<Flag>()];
  for (const flag of flags) {
    target.addOption(createOption(flag));
    if (flag.value === undefined || flag.repeatable === true) continue;
    target.on(`option:${flag.name}`, () => void (seen.has(flag) ? repeated : seen).add(flag));
  }
  return repeated;
};

const findRoot = (target: Commander): Commander =>
  target.parent === null ? target : findRoot(target.parent);

/** Commander looks behind a short flag of a command (`-iq`) for flags of that command alone: it passes the others on. */
const passGlobalFlags = (target: Commander): void => {
  for (const { name, short, value } of GLOBAL_FLAGS) {
    if (short === undefined || name === VERSION_FLAG.name) continue;
    target.addOption(new Option(`-${short}${value === undefined ? '' : ` <${value}>`}`));
    target.on(`option:${short}`, (given?: string) => {
      // As commander itself says that it has read a flag; its types leave out that it is an emitter.
      (findRoot(target) as unknown as EventEmitter).emit(`option:${name}`, given);
    });
  }
};

interface Reading {
  readonly args: readonly string[];
  /** Lets positionals be missing. */
  readonly lenient: boolean;
  readonly onCommand: (command: Command, target: Commander, repeated: ReadonlySet<Flag>) => void;
  /** Whose help commander has wanted to show. */
  readonly onHelp: (node: CommandNode) => void;
}

/** Commander's settings are not inherited by commands that are added: each is given its own. */
const configure = (target: Commander, node: CommandNode, { onHelp }: Reading): Commander =>
  target
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
        onHelp(node);
        return '';
      },
    })
    .helpCommand(false)
    .helpOption('-h, --help')
    .showSuggestionAfterError(false)
    .allowExcessArguments(false);

const createCommander = ({ name, aliases }: CommandInfo): Commander => new Commander(name).aliases(aliases);

/** Gives commander what a node has; of its verbs only the one that the line names, where it names one. */
const addNode = (
  target: Commander,
  node: CommandNode,
  reading: Reading,
  [verb, ...rest]: readonly string[] = [],
): Commander => {
  configure(target, node, reading);
  const children = listSubcommands(node);
  const named = children.find((child) => verb !== undefined && matchesName(child, verb));
  for (const child of named !== undefined ? [named] : isGroup(node) ? children : [])
    target.addCommand(addNode(createCommander(child), child, reading, child === named ? rest : []));
  // The flags of a line are those of the command that it names: commander would give this one what both have.
  if (isGroup(node) || named !== undefined) return target;
  // Commander counts words from the left: what is required comes first.
  for (const positional of node.positionals.toSorted((a, b) => Number(b.required) - Number(a.required))) {
    const required = positional.required && !reading.lenient;
    target.addArgument(new Argument(formatPositionalTerm({ ...positional, required })));
  }
  const repeated = addFlags(target, node.flags);
  passGlobalFlags(target);
  return target.action(() => reading.onCommand(node, target, repeated));
};

/** The program with its nouns, each without its commands until the line is known to mean it. */
const createRoot = (reading: Reading): Commander => {
  const [first] = reading.args;
  const root = new Commander(ROOT.name).version(ROOT.name, formatFlagTerm(VERSION_FLAG));
  const matching = NOUNS.filter(({ name }) => name === first);
  for (const noun of matching.length > 0 ? matching : NOUNS) root.addCommand(createCommander(noun));
  root.hook('preSubcommand', async (_root, stub) => {
    const node = await loadNoun({ path: stub.name() });
    if (node !== undefined) addNode(stub, node, reading, root.args.slice(1));
  });
  return configure(root, ROOT, reading);
};

const toUnresolvedLine = (
  { code, exitCode, message }: CommanderError,
  helped: CommandNode | undefined,
): UnresolvedLine => {
  if (code === 'commander.version') return new UnresolvedLine('version', ROOT);
  if (helped !== undefined) return new UnresolvedLine(exitCode === 0 ? 'help' : 'group', helped);
  const why = code === 'commander.missingArgument' ? 'absent' : 'mistake';
  return new UnresolvedLine(why, ROOT, message.replace(/^error: /, ''));
};

/** The usual period of a command, where the line says nothing of days. */
const withUsualPeriod = ({ flags }: Command, options: Record<string, unknown>): Record<string, unknown> => {
  const { usual } = flags.find(({ name }) => name === 'period') ?? {};
  const { period, dateFrom, dateTo, param } = options;
  const isSilent = [period, dateFrom, dateTo, param].every((value) => value === undefined);
  return usual !== undefined && isSilent ? { ...options, period: usual } : options;
};

/** `--columns` without a value asks which there are. */
const fillColumns = (args: readonly string[]): readonly string[] =>
  args.map((arg, i) =>
    arg === '--columns' && /^(--.*|-[A-Za-z])$/.test(args[i + 1] ?? '--') ? `--columns=${LIST_COLUMNS}` : arg,
  );

/** @param absent positionals are missing, and may be @throws UnresolvedLine */
const parse = async (args: readonly string[], absent?: UnresolvedLine): Promise<ParsedLine> => {
  let invocation: ParsedLine | undefined;
  let helpNode: CommandNode | undefined;
  const root = createRoot({
    args,
    lenient: absent !== undefined,
    onHelp: (node) => {
      helpNode = node;
    },
    onCommand: (command, target, repeated) => {
      invocation = {
        command,
        options: withUsualPeriod(command, { ...target.opts() }),
        globals: root.opts(),
        operands: alignOperands(command.positionals, target.processedArgs),
        typed: command.flags.filter((flag) => target.getOptionValueSource(getOptionKey(flag)) === 'cli'),
        repeated: [...repeated, ...repeatedOfAll],
        absent,
      };
    },
  });
  const repeatedOfAll = addFlags(
    root,
    GLOBAL_FLAGS.filter((flag) => flag !== VERSION_FLAG),
  );
  await root.parseAsync([...fillColumns(args)], { from: 'user' }).catch((error: unknown) => {
    throw error instanceof CommanderError ? toUnresolvedLine(error, helpNode) : error;
  });
  if (invocation === undefined) throw new UnresolvedLine('group', ROOT);
  return invocation;
};

/**
 * What a command line means. Where a positional is missing and a person may be there to ask, it is read once more
 * without it.
 * @throws UnresolvedLine for a line that leads to no command
 */
export const parseCommandLine = async (
  args: readonly string[],
  mayAsk: () => boolean,
): Promise<ParsedLine> => {
  try {
    return await parse(args);
  } catch (error) {
    if (!(error instanceof UnresolvedLine) || error.why !== 'absent' || !mayAsk()) throw error;
    return parse(args, error);
  }
};
