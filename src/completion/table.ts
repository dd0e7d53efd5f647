import { type Command, type CommandNode, isGroup } from '../cli/command.ts';
import { type Flag, formatLongFlag, getOptionKey, RAW } from '../cli/flag.ts';
import { VERSION_FLAG } from '../cli/global-flags.ts';
import { loadProgram, ROOT } from '../cli/registry.ts';
import { describeOutput } from '../commands/outputs.ts';
import { TOPICS } from '../help/topics.ts';
import type { PlainCommand, PlainFlag, PlainValue } from './plain.ts';
import { describeFlagValue, describePositionalValue, type KnownValues } from './values.ts';

/**
 * The commands as the plain tree that the completing process has (completion/plain.ts). Run when ttctl is built, and by
 * the tests.
 */

const toFlagNode = (flag: Flag, command: Command | undefined, known: KnownValues): PlainFlag => ({
  long: formatLongFlag(flag),
  ...(flag.short === undefined ? {} : { short: `-${flag.short}` }),
  about: flag.about,
  ...(flag.value === undefined ? {} : { value: describeFlagValue(flag, command, known) }),
  ...(flag.repeatable === true ? { repeat: true } : {}),
  // It is the program's version, and would be taken for that of the command.
  ...(flag === VERSION_FLAG ? { alone: true } : {}),
  key: getOptionKey(flag),
});

const HELP: PlainFlag = { long: '--help', short: '-h', about: 'show help', key: 'help' };

/** Flags of the program that name fields of what a command prints. */
const FIELD_FLAGS: readonly string[] = ['columns', 'sort'];

const listFields = (command: Command): readonly string[] => {
  const output = describeOutput(command);
  return output?.shape === 'list' || output?.shape === 'record' ? (output.fields ?? []) : [];
};

/** The fields of the command's records, for these flags. */
const createFieldWords = (command: Command, flags: readonly Flag[]): KnownValues => {
  const words = listFields(command);
  return words.length === 0 ? {} : Object.fromEntries(flags.map((flag) => [formatLongFlag(flag), { words }]));
};

/** What the command knows better than the program: the fields of its records. */
const createFieldFlags = (command: Command): readonly PlainFlag[] => {
  if (listFields(command).length === 0) return [];
  return ROOT.flags
    .filter(({ name }) => FIELD_FLAGS.includes(name))
    .map((flag) => toFlagNode(flag, command, createFieldWords(command, [flag])));
};

/** As help has them: raw values last. */
const orderFlags = (flags: readonly Flag[]): readonly Flag[] => [
  ...flags.filter(({ group }) => group !== RAW),
  ...flags.filter(({ group }) => group === RAW),
];

const toLeafNode = (
  command: Command,
  known: KnownValues,
): Pick<PlainCommand, 'flags' | 'arguments' | 'commands'> => {
  const naming = command.flags.filter(({ value }) => value === 'field');
  const words = { ...known, ...createFieldWords(command, naming) };
  return {
    flags: [
      ...orderFlags(command.flags).map((flag) => toFlagNode(flag, command, words)),
      ...createFieldFlags(command),
    ],
    arguments: command.positionals.map((positional) => ({
      value: describePositionalValue(positional, command),
      ...(positional.variadic === true ? { variadic: true } : {}),
    })),
    commands: (command.verbs ?? []).map((verb) => toCommandNode(verb, known)),
  };
};

const toCommandNode = (node: CommandNode, known: KnownValues): PlainCommand => ({
  name: node.name,
  ...(node.aliases.length === 0 ? {} : { aliases: node.aliases }),
  about: node.about,
  ...(isGroup(node)
    ? { flags: [], arguments: [], commands: node.commands.map((child) => toCommandNode(child, known)) }
    : toLeafNode(node, known)),
});

/** Words that stand for commands without being some (main.ts). */
const createWordNode = (name: string, about: string, value?: PlainValue): PlainCommand => ({
  name,
  about,
  flags: [],
  arguments: value === undefined ? [] : [{ value, variadic: true }],
  commands: [],
});

/** Words of the sandbox's own flags. */
const loadSandboxWords = async (): Promise<KnownValues> => {
  const { SEEDS } = await import('../sandbox/seeds/seed.ts');
  const { DIALECT_CHOICES } = await import('../sandbox/dialect.ts');
  const dialects = Object.entries(DIALECT_CHOICES).flatMap(([name, words]) =>
    words.map((word) => `${name}=${word}`),
  );
  return { '--seed': { words: SEEDS, files: 'files' }, '--dialect': { words: dialects, list: true } };
};

/** The whole tree. */
export const buildCompletionTable = async (): Promise<PlainCommand> => {
  const program = await loadProgram();
  const known = await loadSandboxWords();
  const root = toCommandNode(program, known);
  const flags = [...program.flags.map((flag) => toFlagNode(flag, undefined, known)), HELP];
  const words = [
    createWordNode('help', 'show help for a command or topic', {
      source: 'command',
      words: TOPICS.map(({ name }) => name),
    }),
    createWordNode('version', 'print the version'),
  ].filter(({ name }) => root.commands.every((command) => command.name !== name));
  return { ...root, flags, commands: [...root.commands, ...words] };
};
