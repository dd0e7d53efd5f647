import type { Argument, Command, Option } from 'commander';
import { isFlag } from '../commands/options.ts';
import type { Asked } from './asked.ts';

/** Answers as the words of a command line, given to the command as if they had been typed. */

/** A flag's words: `--reason`, `late`; a value that looks like a flag is joined to its own. */
const wordsOf = (option: Option, values: readonly string[]): readonly string[] => {
  const long = option.long ?? '';
  if (option.isBoolean()) return values[0] === 'yes' ? [long] : [long.replace(/^--/, '--no-')];
  return values.flatMap((value) => (value.startsWith('-') ? [`${long}=${value}`] : [long, value]));
};

const placed = (command: Command, argument: Argument, values: readonly string[]): void => {
  const index = command.registeredArguments.indexOf(argument);
  command.processedArgs[index] = argument.variadic ? [...values] : values[0];
  command.args.push(...values);
};

/** Whether a switch can be turned to this at all: `--remove-avatar` has no other side. */
export const canBe = (command: Command, option: Option, value: string): boolean =>
  value === 'yes' || command.options.some(({ long }) => long === option.long?.replace(/^--/, '--no-'));

export const give = (
  command: Command,
  source: Option | Argument,
  values: readonly string[],
  asked: Asked,
): void => {
  if (!isFlag(source)) {
    placed(command, source, values);
    asked.operands(values);
    return;
  }
  const words = wordsOf(source, values);
  // The command reads them itself, as it has read those that were typed.
  command.parseOptions([...words]);
  asked.flags(words);
};
