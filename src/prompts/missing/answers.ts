import { hasFlag } from '../../cli/command.ts';
import {
  type Flag,
  formatLongFlag,
  getOptionKey,
  isFlag,
  isNegated,
  type Positional,
} from '../../cli/flag.ts';
import type { Invocation } from '../../cli/invocation.ts';
import type { PromptedAnswers } from './prompted-answers.ts';

/** Answers as the words of a command line, given to the command as if they had been typed. */

/** A flag's words: `--reason`, `late`; a value that looks like a flag is joined to its own. */
const formatFlagWords = (flag: Flag, values: readonly string[]): readonly string[] => {
  const long = formatLongFlag(flag);
  if (flag.value === undefined) return values[0] === 'yes' ? [long] : [long.replace(/^--/, '--no-')];
  return values.flatMap((value) => (value.startsWith('-') ? [`${long}=${value}`] : [long, value]));
};

const setOperand = (
  { command, operands }: Invocation,
  positional: Positional,
  values: readonly string[],
): void => {
  operands[command.positionals.indexOf(positional)] = positional.variadic === true ? [...values] : values[0];
};

const setOption = ({ options }: Invocation, flag: Flag, values: readonly string[]): void => {
  const key = getOptionKey(flag);
  const before = options[key];
  if (flag.value === undefined) options[key] = (values[0] === 'yes') !== isNegated(flag);
  else if (flag.repeatable !== true) options[key] = values.at(-1);
  else options[key] = [...(Array.isArray(before) ? before : []), ...values];
};

/** Whether a switch can be turned to this at all: `--remove-avatar` has no other side. */
export const acceptsSwitchValue = ({ command }: Invocation, flag: Flag, value: string): boolean =>
  value === 'yes' || hasFlag(command, `no-${flag.name}`);

export const applyAnswer = (
  invocation: Invocation,
  source: Flag | Positional,
  values: readonly string[],
  answers: PromptedAnswers,
): void => {
  if (!isFlag(source)) {
    setOperand(invocation, source, values);
    answers.addOperands(values);
    return;
  }
  setOption(invocation, source, values);
  answers.addFlags(formatFlagWords(source, values));
};
