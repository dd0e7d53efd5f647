import { Command, CommanderError, Option } from 'commander';
import { wantVerb } from './commands/command.ts';
import { choice, forgive, repeated, watchRepeats } from './commands/options.ts';
import { unsafe } from './commands/unsafe.ts';
import { NOUNS } from './nouns.ts';
import type { Door } from './run.ts';
import { DEFAULT_FORMAT, FORMAT_NAMES } from './terminal/formats/formats.ts';

/** Puts the nouns together. A noun's commands are loaded when it is called, or when its help is asked for. */

/** A flag whose default is a setting's: shown here, applied there (tested against it). */
const setting = (flags: string, about: string, usual: string): Option =>
  new Option(flags, about).default(undefined, usual);

const outputOption = (): Option =>
  choice('-o, --output <format>', 'how to print', FORMAT_NAMES).default(undefined, DEFAULT_FORMAT.name);

const globalOptions = (): readonly Option[] => [
  new Option('-p, --profile <name>', 'which profile'),
  new Option('-w, --workspace <id or name>', 'which workspace'),
  outputOption(),
  new Option('--json', 'the same as --output json'),
  new Option('--columns <a,b>', "which fields, in which order, by the API's names").argParser(repeated),
  new Option('--sort <field[:desc]>', 'sort a list by a field'),
  new Option('--no-header', 'leave the heading out'),
  new Option('--query <expression>', 'a JMESPath expression over the JSON result'),
  unsafe(new Option('-y, --yes', 'answer confirmations; never picks a target')),
  new Option('--no-input', 'never ask: a missing value is an error that names its flag'),
  new Option('-n, --dry-run', 'send no write; show what would be sent'),
  new Option('-q, --quiet', 'data and errors only'),
  new Option('--debug', 'every request and answer on stderr, secrets redacted'),
  setting('--timeout <seconds>', 'for one request', '30'),
  setting('--max-wait <seconds>', 'how long one request may wait when the service says later', '120'),
  new Option('--no-color', 'print without colour'),
];

/** Commander's settings are not inherited by `addCommand`: one walk sets them on every command. */
const configure = (command: Command, options: ProgramOptions): void => {
  const { write, onHelp, forgiving = false } = options;
  const formatHelp = (asked: Command): string => {
    onHelp?.(asked);
    return '';
  };
  if (forgiving) forgive(command);
  watchRepeats(command);
  command
    .exitOverride()
    .configureOutput({
      writeOut: write,
      writeErr: write,
      outputError: () => {},
      // Help has no colour, so commander need not ask the terminal, which costs.
      getOutHasColors: () => false,
      getErrHasColors: () => false,
    })
    .configureHelp({ formatHelp })
    .helpCommand(false)
    .helpOption('-h, --help', 'show help')
    .showSuggestionAfterError(false)
    .allowExcessArguments(false);
  for (const child of command.commands) configure(child, options);
};

const filled = new WeakSet<Command>();

/** Loads the commands of a noun into its stub, once. */
export const fill = async (stub: Command, options: ProgramOptions): Promise<void> => {
  const { door } = options;
  const noun = NOUNS.find(({ name }) => name === stub.name());
  if (noun === undefined || filled.has(stub)) return;
  filled.add(stub);
  const [first, verb] = options.words ?? [];
  if (first === noun.name && verb !== undefined) wantVerb(stub, verb);
  (await noun.load())(stub, door, () => wholeProgram(options));
  configure(stub, options);
};

export interface ProgramOptions {
  readonly version: string;
  readonly door: Door;
  /** Where the version goes. */
  readonly write: (text: string) => void;
  /** Told whose help commander wants to show; what shows it is loaded then. */
  readonly onHelp?: ((command: Command) => void) | undefined;
  /** The command line. A noun and a verb that begin it are all that is made: others cannot be meant. Default: all. */
  readonly words?: readonly string[];
  /** Whether positionals that are not there are passed over. */
  readonly forgiving?: boolean;
}

/** The program with its nouns as stubs; each fills itself before it is parsed. A fresh tree at every call. */
export const createProgram = (options: ProgramOptions): Command => {
  const program = new Command('ttctl')
    .description('administer the workspaces of a work-time tracking service')
    .version(options.version, '-V, --version', 'show the version');
  for (const option of globalOptions()) program.addOption(option);
  const [first] = options.words ?? [];
  const named = NOUNS.filter(({ name }) => name === first);
  for (const { name, alias, about, heading } of named.length > 0 ? named : NOUNS) {
    const stub = new Command(name).description(about).helpGroup(heading);
    if (alias !== undefined) stub.alias(alias);
    program.addCommand(stub);
  }
  program.hook('preSubcommand', (_parent, stub) => fill(stub, options));
  configure(program, options);
  return program;
};

/** The program with every noun loaded: for the schema, the completions and the tests. */
export const wholeProgram = async ({ words: _one, ...options }: ProgramOptions): Promise<Command> => {
  const program = createProgram(options);
  for (const stub of program.commands) await fill(stub, options);
  return program;
};

const isAbsence = (error: unknown): error is CommanderError =>
  error instanceof CommanderError && error.code === 'commander.missingArgument';

/**
 * Runs one command line. Where a positional is missing and a person may be there to ask, it is run again, and the
 * command asks.
 */
export const runProgram = async (
  args: readonly string[],
  options: ProgramOptions,
  mayAsk: () => boolean,
): Promise<void> => {
  const parse = (how: ProgramOptions) =>
    createProgram({ ...how, words: args }).parseAsync([...args], { from: 'user' });
  try {
    await parse(options);
  } catch (error) {
    if (!isAbsence(error) || !mayAsk()) throw error;
    const { door } = options;
    const asking: Door = { ...door, open: (command) => door.open(command, error) };
    await parse({ ...options, door: asking, forgiving: true });
  }
};
