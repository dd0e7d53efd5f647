import { Command, Option } from 'commander';
import { formatHelp } from './commands/help.ts';
import { repeated } from './commands/options.ts';
import { FORMATS } from './format.ts';
import type { Door } from './run.ts';

/** Puts the nouns together. A noun's commands are loaded when it is called, or when its help is asked for. */

type Build = (group: Command, door: Door) => Command;

interface Noun {
  readonly name: string;
  readonly alias?: string;
  readonly about: string;
  readonly heading: string;
  readonly load: () => Promise<Build>;
}

const WORK = 'Decide and keep:';
const TOOL = 'Set up:';

export const NOUNS: readonly Noun[] = [
  {
    name: 'workspaces',
    about: 'list workspaces, choose the default one',
    heading: WORK,
    load: async () => (await import('./commands/workspaces/index.ts')).workspaces,
  },
  {
    name: 'members',
    about: 'the people of a workspace: invite, update, archive, restore',
    heading: WORK,
    load: async () => (await import('./commands/members/index.ts')).members,
  },
  {
    name: 'timesheets',
    about: 'approve, reject, submit timesheets',
    heading: WORK,
    load: async () => (await import('./commands/timesheets/index.ts')).timesheets,
  },
  {
    name: 'api',
    about: 'send any call, documented or not',
    heading: WORK,
    load: async () => (await import('./commands/api/index.ts')).api,
  },
  {
    name: 'auth',
    about: 'sign in and out, see who is signed in',
    heading: TOOL,
    load: async () => (await import('./commands/auth/index.ts')).auth,
  },
  {
    name: 'profile',
    about: 'services and workspaces side by side',
    heading: TOOL,
    load: async () => (await import('./commands/profile/index.ts')).profile,
  },
  {
    name: 'sandbox',
    about: 'the whole service on this machine, to try things on',
    heading: TOOL,
    load: async () => (await import('./commands/sandbox/index.ts')).sandbox,
  },
];

const globalOptions = (): readonly Option[] => [
  new Option('-p, --profile <name>', 'which profile'),
  new Option('-w, --workspace <id or name>', 'which workspace'),
  new Option('-o, --output <format>', `how to print: ${FORMATS.join(', ')}`),
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
    .configureOutput({ writeOut: write, writeErr: write, outputError: () => {} })
    .configureHelp({ formatHelp })
    .helpCommand(false)
    .helpOption('-h, --help', 'show help')
    .showSuggestionAfterError(true)
    .allowExcessArguments(false);
  for (const child of command.commands) configure(child, write);
};

const filled = new WeakSet<Command>();

const fill = async (stub: Command, { door, write }: ProgramOptions): Promise<void> => {
  const noun = NOUNS.find(({ name }) => name === stub.name());
  if (noun === undefined || filled.has(stub)) return;
  filled.add(stub);
  (await noun.load())(stub, door);
  configure(stub, write);
};

type Write = (text: string) => void;

export interface ProgramOptions {
  readonly version: string;
  readonly door: Door;
  /** Where help goes. */
  readonly write: Write;
}

/** The program with its nouns as stubs; each fills itself before it is parsed. A fresh tree at every call. */
export const createProgram = (options: ProgramOptions): Command => {
  const program = new Command('ttctl')
    .description('Administer the workspaces of a work-time tracking service.')
    .version(options.version, '-V, --version', 'show the version');
  for (const option of globalOptions()) program.addOption(option);
  for (const { name, alias, about, heading } of NOUNS) {
    const stub = new Command(name).description(about).helpGroup(heading);
    if (alias !== undefined) stub.alias(alias);
    program.addCommand(stub);
  }
  program.hook('preSubcommand', (_parent, stub) => fill(stub, options));
  configure(program, options.write);
  return program;
};

/** Every noun loaded: for the schema, the completions and the tests. */
export const loadAll = async (program: Command, options: ProgramOptions): Promise<Command> => {
  for (const stub of program.commands) await fill(stub, options);
  return program;
};
