import { Command, Option } from 'commander';
import { wantVerb } from './commands/command.ts';
import { formatHelp } from './commands/help.ts';
import { offering, repeated } from './commands/options.ts';
import { FORMATS } from './format.ts';
import { NOUNS } from './nouns.ts';
import type { Door } from './run.ts';

/** Puts the nouns together. A noun's commands are loaded when it is called, or when its help is asked for. */

const globalOptions = (): readonly Option[] => [
  new Option('-p, --profile <name>', 'which profile'),
  new Option('-w, --workspace <id or name>', 'which workspace'),
  offering(new Option('-o, --output <format>', `how to print: ${FORMATS.join(', ')}`), FORMATS),
  new Option('--json', 'the same as --output json'),
  new Option('--columns <a,b>', "which fields, by the API's names").argParser(repeated),
  new Option('--sort <field[:desc]>', 'sort a list'),
  new Option('--no-header', 'leave the heading out'),
  new Option('--query <expression>', 'a JMESPath expression over the JSON result'),
  new Option('-y, --yes', 'answer confirmations'),
  new Option('--no-input', 'never ask'),
  new Option('-n, --dry-run', 'send no write; show what would be sent'),
  new Option('-q, --quiet', 'data and errors only'),
  new Option('--debug', 'every request and answer on stderr, secrets redacted'),
  new Option('--timeout <seconds>', 'for one request (30)'),
  new Option('--max-wait <seconds>', 'how long one request may wait when the service says later (120)'),
  new Option('--no-color', 'no colour'),
];

/** Commander's settings are not inherited by `addCommand`: one walk sets them on every command. */
const configure = (command: Command, write: Write): void => {
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
    .showSuggestionAfterError(true)
    .allowExcessArguments(false);
  for (const child of command.commands) configure(child, write);
};

const filled = new WeakSet<Command>();

const fill = async (stub: Command, options: ProgramOptions): Promise<void> => {
  const { door, write } = options;
  const noun = NOUNS.find(({ name }) => name === stub.name());
  if (noun === undefined || filled.has(stub)) return;
  filled.add(stub);
  const [first, verb] = options.words ?? [];
  if (first === noun.name && verb !== undefined) wantVerb(stub, verb);
  (await noun.load())(stub, door, () => wholeProgram(options));
  configure(stub, write);
};

type Write = (text: string) => void;

export interface ProgramOptions {
  readonly version: string;
  readonly door: Door;
  /** Where help goes. */
  readonly write: Write;
  /** The command line. A noun and a verb that begin it are all that is made: others cannot be meant. Default: all. */
  readonly words?: readonly string[];
}

/** The program with its nouns as stubs; each fills itself before it is parsed. A fresh tree at every call. */
export const createProgram = (options: ProgramOptions): Command => {
  const program = new Command('ttctl')
    .description('Administer the workspaces of a work-time tracking service.')
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
  configure(program, options.write);
  return program;
};

/** The program with every noun loaded: for the schema, the completions and the tests. */
export const wholeProgram = async ({ words: _one, ...options }: ProgramOptions): Promise<Command> => {
  const program = createProgram(options);
  for (const stub of program.commands) await fill(stub, options);
  return program;
};
