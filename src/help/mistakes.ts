import { type Command, Option } from 'commander';
import { isDestructive, isUnsafe } from '../commands/unsafe.ts';
import { nearest } from '../notation/nearest.ts';
import { FORMAT_NAMES } from '../terminal/formats/formats.ts';
import { pathOf } from './flags.ts';
import { TOPICS } from './topics.ts';
import type { Walk } from './walk.ts';

/** What is wrong with the words of a command line, and what was probably meant. Nothing of it is ever run. */

export interface Mistake {
  readonly what: string;
  /** A sentence. */
  readonly hint?: string;
}

/** The nearest word, or the only one that begins like it. */
export const meant = (word: string, words: readonly string[]): string | undefined => {
  const beginning = words.filter((candidate) => word.length > 2 && candidate.startsWith(word));
  return beginning.length === 1 ? beginning[0] : nearest(word, words);
};

/** The command below the group that was probably meant; a destructive one is never guessed. */
const meantBelow = ({ commands }: Command, word: string): string | undefined => {
  const named = new Map(
    commands.flatMap((child) => [child.name(), ...child.aliases()].map((name) => [name, child])),
  );
  const near = meant(word, [...named.keys()]);
  const command = near === undefined ? undefined : named.get(near);
  return command === undefined || isDestructive(command) ? undefined : near;
};

const leavesOf = (command: Command): readonly Command[] =>
  command.commands.length === 0 ? [command] : command.commands.flatMap(leavesOf);

/** Commands of this name anywhere, but those that destroy: `login` is one of `auth`. */
const elsewhere = (word: string, program: Command): readonly string[] =>
  leavesOf(program)
    .filter((leaf) => !isDestructive(leaf))
    .filter((leaf) => leaf.parent !== program && [leaf.name(), ...leaf.aliases()].includes(word))
    .map((leaf) => `ttctl ${pathOf(leaf)}`);

/** So many are offered; more would be a list to read. */
const FEW = 4;

const commandHint = (group: Command, word: string, program: Command): string => {
  const near = meantBelow(group, word);
  if (near !== undefined) return `Did you mean ${near}?`;
  if (group.parent !== null) return `There are: ${group.commands.map((child) => child.name()).join(', ')}.`;
  const topic = meant(
    word,
    TOPICS.map(({ name }) => name),
  );
  if (topic !== undefined) return `There is a topic: ttctl help ${topic}`;
  const found = elsewhere(word, program).slice(0, FEW);
  return found.length === 0 ? 'See what there is: ttctl --help' : `Did you mean ${found.join(', or ')}?`;
};

/** What a command line of the command may have. */
const optionsOf = (command: Command): readonly Option[] => [
  ...command.options.filter(({ long, hidden }) => !hidden && long != null),
  ...(command.parent === null ? [new Option('--help')] : optionsOf(command.parent)),
];

/** What other command lines call it. */
const CALLED_ELSEWHERE: Readonly<Record<string, string>> = {
  ...Object.fromEntries(FORMAT_NAMES.map((format) => [`--${format}`, `--output ${format}`])),
  '--format': '--output',
  '--fields': '--columns',
  '--jq': '--query',
  '--page-size': '--per-page',
  '--verbose': '--debug',
  '-v': '--debug',
  '--reason': '--comment',
  '--comment': '--reason',
};

const FORWARD =
  'The clock goes forward only: 15d, 2h30m. Back to the time of this machine: ttctl sandbox clock reset';

/** A duration with a sign before it is a flag to commander. */
const backwards = ({ command, operands }: Walk): readonly Mistake[] =>
  command.name() !== 'advance'
    ? []
    : operands
        .filter((word) => /^-\d/.test(word))
        .map((word) => ({ what: `${word} would set the clock back`, hint: FORWARD }));

const bare = (flag: string): string => flag.replace(/^-+/, '');

/** The flag that was probably meant; one that is better written on purpose is never guessed. */
const meantFlag = (flag: string, options: readonly Option[]): string | undefined => {
  const other = CALLED_ELSEWHERE[flag];
  if (other !== undefined && options.some(({ long }) => long === other.replace(/ .*/, ''))) return other;
  const near = meant(
    bare(flag),
    options.map(({ long }) => bare(long ?? '')),
  );
  const option = options.find(({ long }) => long === `--${near}`);
  return option === undefined || isUnsafe(option) ? undefined : `--${near}`;
};

const flagMistake = (command: Command, flag: string): Mistake => {
  const what = `unknown option '${flag}'`;
  const options = optionsOf(command);
  // It is one of the command's, and came before the command was named.
  if (options.some(({ long }) => long === flag))
    return { what, hint: `Write ${flag} after ${pathOf(command)}.` };
  const near = meantFlag(flag, options);
  return near === undefined ? { what } : { what, hint: `Did you mean ${near}?` };
};

const operandMistakes = ({ command, operands, unknownFlags, unknownCommand }: Walk): readonly Mistake[] => {
  if (unknownCommand !== undefined || command.commands.length > 0) return [];
  const { registeredArguments: known } = command;
  const absent = known.filter(({ required }, index) => required && operands[index] === undefined);
  const most = known.at(-1)?.variadic ? Number.POSITIVE_INFINITY : known.length;
  // The word after an unknown flag may be its value.
  const tooMany = operands.length > most && unknownFlags.length === 0;
  const extra = operands.slice(most).join(' ');
  return [
    ...absent.map((argument) => ({ what: `missing required argument '${argument.name()}'` })),
    ...(tooMany ? [{ what: `too many arguments for '${command.name()}': ${extra}` }] : []),
  ];
};

/** @param whole the program with every noun loaded */
export const mistakesIn = (walk: Walk, whole: Command): readonly Mistake[] => {
  const { command, unknownCommand, unknownFlags, bare } = walk;
  return [
    ...(unknownCommand === undefined
      ? []
      : [
          {
            what: `unknown command '${unknownCommand}'`,
            hint: commandHint(command, unknownCommand, whole),
          },
        ]),
    ...unknownFlags.map((flag) => flagMistake(command, flag)),
    ...bare.map(({ flags }) => ({ what: `option '${flags}' argument missing` })),
    ...backwards(walk),
    ...operandMistakes(walk),
  ];
};
