import type { Command, Option } from 'commander';

/**
 * Reads a command line word by word without running anything: what was asked for, and all that is wrong with it.
 * Commander ends at the first mistake, and takes `-h` for the value of a flag that lacks one.
 */

export interface GivenFlag {
  readonly option: Option;
  /** Text, `true` for a bare switch, `false` for a `--no-` one. */
  readonly raw: string | boolean;
}

export interface Walk {
  /** The deepest command that was named. */
  command: Command;
  /** A word where a command has to stand; what comes after it cannot be known. */
  unknownCommand: string | undefined;
  readonly operands: string[];
  readonly flags: GivenFlag[];
  readonly unknownFlags: string[];
  /** Flags that need a value and have none. */
  readonly bare: Option[];
}

export const isHelpFlag = (word: string): boolean => word === '-h' || word === '--help';

/** The words before `--`. */
export const wordsBeforeEnd = (args: readonly string[]): readonly string[] => {
  const end = args.indexOf('--');
  return end < 0 ? args : args.slice(0, end);
};

const optionOf = (command: Command, name: string): Option | undefined =>
  command.options.find(({ long, short }) => long === name || short === name) ??
  (command.parent === null ? undefined : optionOf(command.parent, name));

const childOf = (command: Command, word: string): Command | undefined =>
  command.commands.find((child) => child.name() === word || child.aliases().includes(word));

const isFlag = (word: string): boolean => word.length > 1 && word.startsWith('-') && !/^-[\d.]/.test(word);

interface Step {
  /** How many words it took. */
  readonly taken: number;
  /** Whether the next word may be the value of a flag that nobody knows. */
  readonly doubtful?: boolean;
}

const withValue = (walk: Walk, option: Option, next: string | undefined): Step => {
  const isOther = next !== undefined && optionOf(walk.command, next) !== undefined;
  if (next === undefined || isOther) {
    walk.bare.push(option);
    return { taken: 1 };
  }
  walk.flags.push({ option, raw: next });
  return { taken: 2 };
};

/** `-nq`, `-w7`: letters together, the last of them with its value. */
const stepGroup = (walk: Walk, word: string): boolean => {
  const option = optionOf(walk.command, word.slice(0, 2));
  if (option === undefined) return word === '-h';
  const rest = word.slice(2);
  if (option.required) {
    walk.flags.push({ option, raw: rest });
    return true;
  }
  walk.flags.push({ option, raw: !option.negate });
  return rest === '' || stepGroup(walk, `-${rest}`);
};

const stepFlag = (walk: Walk, word: string, next: string | undefined): Step => {
  if (isHelpFlag(word)) return { taken: 1 };
  const at = word.startsWith('--') ? word.indexOf('=') : -1;
  const option = optionOf(walk.command, at < 0 ? word : word.slice(0, at));
  if (option !== undefined && at < 0 && option.required) return withValue(walk, option, next);
  if (option !== undefined && at < 0) {
    walk.flags.push({ option, raw: !option.negate });
    return { taken: 1 };
  }
  if (option?.required) {
    walk.flags.push({ option, raw: word.slice(at + 1) });
    return { taken: 1 };
  }
  if (!word.startsWith('--') && word.length > 2 && stepGroup(walk, word)) return { taken: 1 };
  walk.unknownFlags.push(at < 0 ? word : word.slice(0, at));
  return { taken: 1, doubtful: at < 0 };
};

/** @param load fills a noun with its commands */
export const walkThrough = async (
  program: Command,
  args: readonly string[],
  load: (noun: Command) => Promise<void>,
): Promise<Walk> => {
  const walk: Walk = {
    command: program,
    unknownCommand: undefined,
    operands: [],
    flags: [],
    unknownFlags: [],
    bare: [],
  };
  const words = wordsBeforeEnd(args);
  let doubtful = false;
  for (let i = 0; i < words.length; ) {
    const word = words[i] ?? '';
    const child = childOf(walk.command, word);
    if (isFlag(word)) {
      const step = stepFlag(walk, word, words[i + 1]);
      doubtful = step.doubtful === true;
      i += step.taken;
      continue;
    }
    i += 1;
    if (child !== undefined) {
      walk.command = child;
      if (child.parent === program) await load(child);
    } else if (walk.command.commands.length === 0) walk.operands.push(word);
    else if (!doubtful) {
      walk.unknownCommand = word;
      return walk;
    }
    doubtful = false;
  }
  walk.operands.push(...args.slice(words.length + 1));
  return walk;
};
