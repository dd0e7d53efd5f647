import type { Candidate, PlainCommand, PlainFlag, PlainValue } from './plain.ts';

/** Words of a command line to the place in the command tree where they lead. Pure. */

export interface Position {
  readonly path: readonly PlainCommand[];
  readonly command: PlainCommand;
  /** What stands where a command has its arguments. */
  readonly positionals: readonly string[];
  readonly given: ReadonlyMap<PlainFlag, readonly string[]>;
  /** The flag whose value is to come. */
  readonly open: PlainFlag | undefined;
  /** After `--`: no flags any more. */
  readonly ended: boolean;
  /** Help is asked for: only names of commands follow. */
  readonly help: boolean;
}

/** The candidates of a value's source. Nothing where nothing is known; never waits for anybody. */
export type FindCandidates = (value: PlainValue, position: Position, typed: string) => readonly Candidate[];

interface Walk {
  path: PlainCommand[];
  positionals: string[];
  given: Map<PlainFlag, string[]>;
  open: PlainFlag | undefined;
  ended: boolean;
  help: boolean;
}

/** Whose flags a command takes: its own first, those that every command has last. */
export const listFlagOwners = (path: readonly PlainCommand[]): readonly PlainCommand[] =>
  path.filter((_, i) => i === 0 || i === path.length - 1).toReversed();

export const listKnownFlags = (path: readonly PlainCommand[]): readonly PlainFlag[] =>
  listFlagOwners(path).flatMap(({ flags }) => flags);

/** By its name or an alias. */
export const findChild = ({ commands }: PlainCommand, word: string): PlainCommand | undefined =>
  commands.find(({ name, aliases }) => name === word || aliases?.includes(word));

const addFlag = (walk: Walk, flag: PlainFlag, value?: string): void => {
  const before = walk.given.get(flag) ?? [];
  walk.given.set(flag, value === undefined ? before : [...before, value]);
};

const readLongFlag = (walk: Walk, word: string): void => {
  const equals = word.indexOf('=');
  const long = equals < 0 ? word : word.slice(0, equals);
  const flag = listKnownFlags(walk.path).find((candidate) => candidate.long === long);
  if (flag === undefined) return;
  if (flag.value === undefined) addFlag(walk, flag);
  else if (equals >= 0) addFlag(walk, flag, word.slice(equals + 1));
  else walk.open = flag;
};

/** `-y`, `-yq`, `-o json`, `-ojson` */
const readShortFlag = (walk: Walk, word: string): void => {
  const flags = listKnownFlags(walk.path);
  for (let at = 1; at < word.length; at += 1) {
    const flag = flags.find(({ short }) => short === `-${word[at]}`);
    if (flag === undefined) return;
    if (flag.value !== undefined) {
      const value = word.slice(at + 1);
      if (value === '') walk.open = flag;
      else addFlag(walk, flag, value);
      return;
    }
    addFlag(walk, flag);
  }
};

/** @returns whether the word leads anywhere */
const readWord = (walk: Walk, command: PlainCommand, word: string): boolean => {
  if (command.commands.length === 0) {
    walk.positionals.push(word);
    return true;
  }
  if (word === 'help' && walk.path.length > 1) {
    walk.help = true;
    return true;
  }
  const child = findChild(command, word);
  if (child !== undefined) walk.path.push(child);
  else if (command.arguments.length > 0) walk.positionals.push(word);
  else return false;
  return true;
};

const readArgument = (walk: Walk, word: string): boolean => {
  const command = walk.path.at(-1);
  if (command === undefined) return false;
  if (walk.open !== undefined) {
    addFlag(walk, walk.open, word);
    walk.open = undefined;
    return true;
  }
  if (!walk.ended && word === '--') walk.ended = true;
  else if (!walk.ended && word.startsWith('--')) readLongFlag(walk, word);
  else if (!walk.ended && word.startsWith('-') && word !== '-') readShortFlag(walk, word);
  else return readWord(walk, command, word);
  return true;
};

/** Where the words before the cursor's lead; undefined where they name no command. */
export const findPosition = (root: PlainCommand, words: readonly string[]): Position | undefined => {
  const walk: Walk = {
    path: [root],
    positionals: [],
    given: new Map(),
    open: undefined,
    ended: false,
    help: false,
  };
  for (const word of words) if (!readArgument(walk, word)) return undefined;
  return { ...walk, command: walk.path.at(-1) ?? root };
};
