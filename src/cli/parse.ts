import type { EventEmitter } from 'node:events';
import { Argument, Command as Commander, CommanderError, Option } from 'commander';
import { type Command, type CommandNode, isGroup, Line } from './command.ts';
import {
  alignOperands,
  type Flag,
  formatFlagTerm,
  formatPositionalTerm,
  GLOBAL_FLAGS,
  getOptionKey,
  type Invocation,
  LIST_COLUMNS,
  VERSION_FLAG,
} from './flag.ts';
import { loadProgram, ROOT } from './registry.ts';

/** Parses a command line with commander, which is made of the record of the command that the line names. */

type ParsedLine = Invocation & { readonly command: Command };

/** A command line that leads to no command that could be run. */
export class UnresolvedLine extends Error {
  /** `help` and `version` are asked for; `group`: no command is named; `absent`: a positional is missing. */
  readonly why: 'help' | 'version' | 'group' | 'absent' | 'mistake';
  readonly line: Line<Flag, CommandNode>;

  constructor(why: UnresolvedLine['why'], line: Line<Flag, CommandNode>, message = '') {
    super(message);
    this.why = why;
    this.line = line;
  }
}

/**
 * What a command line means. Where a positional is missing and a person may be there to ask, it is read once more
 * without it.
 * @throws UnresolvedLine for a line that leads to no command
 */
export async function parseCommandLine(args: readonly string[], mayAsk: () => boolean): Promise<ParsedLine> {
  const line = new Line<Flag, CommandNode>(await loadProgram(args), args);
  const { command, help, unknownCommand, unknownFlags, bare } = line;
  if (help) throw new UnresolvedLine('help', line);
  if (line.flags.some(({ flag }) => flag === VERSION_FLAG)) throw new UnresolvedLine('version', line);
  const isMistaken = unknownCommand !== undefined || unknownFlags.length + bare.length > 0;
  if (isGroup(command)) throw new UnresolvedLine(isMistaken ? 'mistake' : 'group', line);
  try {
    return parse(command, line, args);
  } catch (error) {
    if (!(error instanceof CommanderError)) throw error;
    const why = error.code === 'commander.missingArgument' ? 'absent' : 'mistake';
    const unresolved = new UnresolvedLine(why, line, error.message.replace(/^error: /, ''));
    if (why === 'mistake' || !mayAsk()) throw unresolved;
    return parse(command, line, args, unresolved);
  }
}

/** @param absent positionals are missing, and may be @throws CommanderError */
function parse(
  command: Command,
  { path, flags, bare }: Line<Flag, CommandNode>,
  args: readonly string[],
  absent?: UnresolvedLine,
): ParsedLine {
  const repeated = new Set<Flag>();
  const root = configure(new Commander(ROOT.name));
  // Those that the line has: to describe all of them takes longer than to read it.
  const typed = new Set([...flags.map(({ flag }) => flag), ...bare]);
  const globals = GLOBAL_FLAGS.filter((flag) => typed.has(flag));
  addFlags(root, globals, repeated);
  let target = root;
  for (const { name, aliases } of path.slice(1)) {
    const below = configure(new Commander(name)).aliases(aliases);
    target.addCommand(below);
    target = below;
  }
  // Commander counts words from the left: what is required comes first.
  for (const positional of command.positionals.toSorted((a, b) => Number(b.required) - Number(a.required))) {
    const required = positional.required && absent === undefined;
    target.addArgument(new Argument(formatPositionalTerm({ ...positional, required })));
  }
  const own = command.flags.filter((flag) => typed.has(flag) || flag.default !== undefined);
  addFlags(target, own, repeated);
  // Commander looks behind a short flag of a command (`-iq`) for flags of that command alone: others are passed on.
  for (const { name, short, value } of globals) {
    if (short === undefined) continue;
    target.addOption(new Option(`-${short}${value === undefined ? '' : ` <${value}>`}`));
    target.on(`option:${short}`, (given?: string) => {
      // As commander itself says that it has read a flag; its types leave out that it is an emitter.
      (root as unknown as EventEmitter).emit(`option:${name}`, given);
    });
  }
  target.action(() => {});
  // `--columns` without a value asks which there are.
  const words = args.map((arg, i) =>
    arg === '--columns' && /^(--.*|-[A-Za-z])$/.test(args[i + 1] ?? '--') ? `--columns=${LIST_COLUMNS}` : arg,
  );
  root.parse(words, { from: 'user' });
  const options = { ...target.opts() };
  // The usual period of a command, where the line says nothing of days.
  const { usual } = command.flags.find(({ name }) => name === 'period') ?? {};
  if (usual !== undefined && DAYS.every((name) => options[name] === undefined)) options.period = usual;
  return {
    command,
    options,
    globals: root.opts(),
    operands: alignOperands(command.positionals, target.processedArgs),
    typed: own.filter((flag) => target.getOptionValueSource(getOptionKey(flag)) === 'cli'),
    repeated: [...repeated],
    absent,
  };
}

const DAYS = ['period', 'dateFrom', 'dateTo', 'param'];

/** Commander's settings are not inherited by commands that are added: each is given its own. */
function configure(target: Commander): Commander {
  return target
    .exitOverride()
    .configureOutput({ writeOut: () => {}, writeErr: () => {}, outputError: () => {} })
    .helpCommand(false)
    .helpOption(false)
    .showSuggestionAfterError(false)
    .allowExcessArguments(false);
}

/** @param repeated gets the flags of one value that come more than once: commander keeps the last value */
function addFlags(target: Commander, flags: readonly Flag[], repeated: Set<Flag>): void {
  const seen = new Set<Flag>();
  for (const flag of flags) {
    const option = new Option(formatFlagTerm(flag));
    if (flag.repeatable === true)
      option.argParser((value, before: readonly string[] = []) => [...before, value]);
    target.addOption(flag.default === undefined ? option : option.default(flag.default));
    if (flag.value === undefined || flag.repeatable === true) continue;
    target.on(`option:${flag.name}`, () => void (seen.has(flag) ? repeated : seen).add(flag));
  }
}
