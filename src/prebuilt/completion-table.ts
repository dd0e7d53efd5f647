import type { Command, Option } from 'commander';
import { answerOf } from '../commands/answers.ts';
import { RAW } from '../commands/command.ts';

export { pack } from '../completion/pack.ts';

import type { PlainCommand, PlainFlag, PlainValue } from '../completion/plain.ts';
import { TOPICS } from '../help/topics.ts';
import { wholeProgram } from '../program.ts';
import {
  isCollected,
  type Known,
  placeholderOf,
  valueOfArgument,
  valueOfOption,
} from './completion-values.ts';

/**
 * The commands as the plain tree that the completing process has (completion/plain.ts). Run when ttctl is built, and by
 * the tests.
 */

const flagNode = (option: Option, command: Command, known: Known): PlainFlag => ({
  long: option.long ?? '',
  ...(option.short === undefined ? {} : { short: option.short }),
  about: option.description,
  ...(option.required || option.optional ? { value: valueOfOption(option, command, known) } : {}),
  ...(isCollected(option) ? { repeat: true } : {}),
  // It is the program's version, and would be taken for that of the command.
  ...(option.attributeName() === 'version' ? { alone: true } : {}),
  key: option.attributeName(),
});

const HELP: PlainFlag = { long: '--help', short: '-h', about: 'show help', key: 'help' };

/** Flags of the program that name fields of what a command prints. */
const FIELD_FLAGS: readonly (string | undefined)[] = ['--columns', '--sort'];

const fieldsOf = (command: Command): readonly string[] => {
  const answer = answerOf(command);
  return answer?.shape === 'list' || answer?.shape === 'record' ? (answer.fields ?? []) : [];
};

/** The fields of the command's records, for these flags. */
const fieldWords = (command: Command, options: readonly Option[]): Known => {
  const words = fieldsOf(command);
  return words.length === 0 ? {} : Object.fromEntries(options.map(({ long }) => [long, { words }]));
};

/** What the command knows better than the program: the fields of its records. */
const fieldFlags = (command: Command, program: Command): readonly PlainFlag[] => {
  if (fieldsOf(command).length === 0) return [];
  return program.options
    .filter(({ long }) => FIELD_FLAGS.includes(long))
    .map((option) => flagNode(option, command, fieldWords(command, [option])));
};

/** As help has them: raw values last. */
const inOrder = (options: readonly Option[]): readonly Option[] => {
  const shown = options.filter(({ hidden }) => !hidden);
  const isRaw = ({ helpGroupHeading }: Option): boolean => helpGroupHeading === RAW;
  return [...shown.filter((option) => !isRaw(option)), ...shown.filter(isRaw)];
};

const commandNode = (command: Command, program: Command, known: Known): PlainCommand => {
  const naming = command.options.filter((option) => placeholderOf(option) === 'field');
  const own = fieldWords(command, naming);
  return {
    name: command.name(),
    ...(command.aliases().length === 0 ? {} : { aliases: command.aliases() }),
    about: command.description(),
    flags: [
      ...inOrder(command.options).map((option) => flagNode(option, command, { ...known, ...own })),
      ...fieldFlags(command, program),
      ...(command === program ? [HELP] : []),
    ],
    arguments: command.registeredArguments.map((argument) => ({
      value: valueOfArgument(argument, command),
      ...(argument.variadic ? { variadic: true } : {}),
    })),
    commands: command.commands.map((child) => commandNode(child, program, known)),
  };
};

/** Words that stand for commands without being some (main.ts). */
const wordNode = (name: string, about: string, value?: PlainValue): PlainCommand => ({
  name,
  about,
  flags: [],
  arguments: value === undefined ? [] : [{ value, variadic: true }],
  commands: [],
});

/** Words of the sandbox's own flags. */
const sandboxWords = async (): Promise<Known> => {
  const { SEEDS } = await import('../sandbox/seeds/seed.ts');
  const { CHOICES } = await import('../sandbox/dialect.ts');
  const dialects = Object.entries(CHOICES).flatMap(([name, words]) => words.map((word) => `${name}=${word}`));
  return { '--seed': { words: SEEDS, files: 'files' }, '--dialect': { words: dialects, list: true } };
};

/** The whole tree. */
export const completionTable = async (): Promise<PlainCommand> => {
  const refuse = () => Promise.reject(new Error('only looked at'));
  const program = await wholeProgram({
    version: '',
    door: { open: refuse, values: refuse },
    write: () => {},
  });
  const root = commandNode(program, program, await sandboxWords());
  const words = [
    wordNode('help', 'show help on a command or a topic', {
      source: 'command',
      words: TOPICS.map(({ name }) => name),
    }),
    wordNode('version', 'show the version'),
  ].filter(({ name }) => root.commands.every((command) => command.name !== name));
  return { ...root, commands: [...root.commands, ...words] };
};
