import { type CommandNode, isGroup, listSubcommands, matchesName } from '../cli/command.ts';
import { type Flag, isNegated } from '../cli/flag.ts';
import { loadNoun, NOUNS, ROOT } from '../cli/registry.ts';

/**
 * Reads a command line word by word without running anything: what was asked for, and all that is wrong with it.
 * Commander ends at the first mistake, and takes `-h` for the value of a flag that lacks one.
 */

export interface GivenFlag {
  readonly flag: Flag;
  readonly raw: string | boolean;
}

export interface LineAnalysis {
  command: CommandNode;
  /** A word where a command has to stand; what comes after it cannot be known. */
  unknownCommand: string | undefined;
  readonly operands: string[];
  readonly flags: GivenFlag[];
  readonly unknownFlags: string[];
  /** Flags that need a value and have none. */
  readonly bare: Flag[];
}

const isHelpFlag = (word: string): boolean => word === '-h' || word === '--help';

/** The words before `--`. */
const takeWordsBeforeEnd = (args: readonly string[]): readonly string[] => {
  const end = args.indexOf('--');
  return end < 0 ? args : args.slice(0, end);
};

const findFlag = ({ command }: LineAnalysis, word: string): Flag | undefined =>
  [...(isGroup(command) ? [] : command.flags), ...ROOT.flags].find(
    ({ name, short }) => `--${name}` === word || (short !== undefined && `-${short}` === word),
  );

/** What the word names below a node; a noun is loaded. */
const findChild = async (node: CommandNode, word: string): Promise<CommandNode | undefined> => {
  if (node !== ROOT) return listSubcommands(node).find((child) => matchesName(child, word));
  const noun = NOUNS.find((one) => matchesName(one, word));
  return noun && loadNoun(noun);
};

const isFlag = (word: string): boolean => word.length > 1 && word.startsWith('-') && !/^-[\d.]/.test(word);

interface Step {
  readonly taken: number;
  /** Whether the next word may be the value of a flag that nobody knows. */
  readonly doubtful?: boolean;
}

const addFlagWithValue = (walk: LineAnalysis, flag: Flag, next: string | undefined): Step => {
  const isOther = next !== undefined && findFlag(walk, next) !== undefined;
  if (next === undefined || isOther) {
    walk.bare.push(flag);
    return { taken: 1 };
  }
  walk.flags.push({ flag, raw: next });
  return { taken: 2 };
};

/** `-nq`, `-w7`: letters together, the last of them with its value. */
const readShortFlags = (walk: LineAnalysis, word: string): boolean => {
  const flag = findFlag(walk, word.slice(0, 2));
  if (flag === undefined) return word === '-h';
  const rest = word.slice(2);
  if (flag.value !== undefined) {
    walk.flags.push({ flag, raw: rest });
    return true;
  }
  walk.flags.push({ flag, raw: !isNegated(flag) });
  return rest === '' || readShortFlags(walk, `-${rest}`);
};

const readFlag = (walk: LineAnalysis, word: string, next: string | undefined): Step => {
  if (isHelpFlag(word)) return { taken: 1 };
  const at = word.startsWith('--') ? word.indexOf('=') : -1;
  const flag = findFlag(walk, at < 0 ? word : word.slice(0, at));
  if (flag?.value !== undefined && at < 0) return addFlagWithValue(walk, flag, next);
  if (flag !== undefined && at < 0) {
    walk.flags.push({ flag, raw: !isNegated(flag) });
    return { taken: 1 };
  }
  if (flag?.value !== undefined) {
    walk.flags.push({ flag, raw: word.slice(at + 1) });
    return { taken: 1 };
  }
  if (!word.startsWith('--') && word.length > 2 && readShortFlags(walk, word)) return { taken: 1 };
  walk.unknownFlags.push(at < 0 ? word : word.slice(0, at));
  return { taken: 1, doubtful: at < 0 };
};

export const analyseLine = async (args: readonly string[]): Promise<LineAnalysis> => {
  const walk: LineAnalysis = {
    command: ROOT,
    unknownCommand: undefined,
    operands: [],
    flags: [],
    unknownFlags: [],
    bare: [],
  };
  const words = takeWordsBeforeEnd(args);
  let doubtful = false;
  for (let i = 0; i < words.length; ) {
    const word = words[i] ?? '';
    if (isFlag(word)) {
      const step = readFlag(walk, word, words[i + 1]);
      doubtful = step.doubtful === true;
      i += step.taken;
      continue;
    }
    i += 1;
    const child = await findChild(walk.command, word);
    if (child !== undefined) walk.command = child;
    else if (!isGroup(walk.command)) walk.operands.push(word);
    else if (!doubtful) {
      walk.unknownCommand = word;
      return walk;
    }
    doubtful = false;
  }
  for (const word of args.slice(words.length + 1)) walk.operands.push(word);
  return walk;
};
