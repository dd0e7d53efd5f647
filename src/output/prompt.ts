import type { Confirmation, Prompter, TextQuestion } from '../context.ts';
import type { PeopleStyle } from './cell.ts';
import { MAX_PICKER_HEIGHT } from './pick-lines.ts';
import {
  askQuestion,
  type Core,
  type CreatePrompt,
  createMessage,
  type PromptControls,
  type QuestionOptions,
} from './question.ts';
import { safeCell } from './safe-text.ts';

/** The questions: yes or no, a secret, a text, a choice, and records to pick from. Each is loaded when it is asked. */

export interface PrompterOptions extends QuestionOptions {
  /** How people read things on stderr; its width is that of the terminal at the time. */
  readonly style: () => Promise<PeopleStyle>;
}

interface PromptStyle {
  readonly style: PeopleStyle;
  /** How an answer looks; gone once there is one. */
  readonly help?: string;
  /** The same, as part of the question: `(y/N)`. */
  readonly choice?: string;
  /** Lines of the question above the one with the cursor. */
  readonly above?: number;
}

const asIs = (text: string): string => text;

/** One look for all prompts, in our colours alone: theirs heed no wish for none. */
const createTheme = (
  core: Core,
  controls: PromptControls,
  { style: { palette, unicode }, help = '', choice = '', above = 0 }: PromptStyle,
) => ({
  prefix: { idle: palette.good('?'), done: palette.good(unicode ? '✔' : '*') },
  spinner: { frames: ['?'] },
  icon: { cursor: '>' },
  validationFailureMode: 'clear' as const,
  style: {
    message: createMessage(core, controls, above, (text: string, status: string) => {
      if (status === 'done') return text;
      return `${text}${choice && ` ${choice}`}${help && ` ${palette.faint(`(${help})`)}`}`;
    }),
    answer: asIs,
    defaultAnswer: (text: string) => `(${safeCell(text)})`,
    error: palette.bad,
    help: palette.faint,
    highlight: palette.heading,
    maskedText: '[hidden]',
    keysHelpTip: () => palette.faint('Arrow keys or first letters to move, Enter to select'),
  },
});

const isYes = (text: string): boolean => /^y(es)?$/i.test(text.trim());

/** Anything but a yes is a no: a text that was pasted, too. */
const confirmPrompt =
  (question: string, style: PeopleStyle): CreatePrompt<boolean> =>
  async (core) => {
    const { default: input } = await import('@inquirer/input');
    const transformer = (text: string, { isFinal }: { readonly isFinal: boolean }) =>
      isFinal ? (isYes(text) ? 'yes' : 'no') : text;
    return async (controls, context) => {
      const theme = createTheme(core, controls, { style, choice: '(y/N)' });
      return isYes(await input({ message: `${question}?`, transformer, theme }, context));
    };
  };

const secretPrompt =
  (message: string, style: PeopleStyle): CreatePrompt<string> =>
  async (core) => {
    const { default: password } = await import('@inquirer/password');
    return (controls, context) =>
      password({ message: `${message}:`, theme: createTheme(core, controls, { style }) }, context);
  };

const findProblem = (text: string, check: TextQuestion['check']): string | undefined =>
  text === '' ? 'Enter a value.' : check?.(text);

const textPrompt =
  (message: string, { fallback, check, help = '' }: TextQuestion, style: PeopleStyle): CreatePrompt<string> =>
  async (core) => {
    const { default: input } = await import('@inquirer/input');
    const validate = (text: string): string | true => {
      const problem = findProblem(text.trim(), check);
      return problem === undefined || safeCell(problem);
    };
    // Pasted text may tell the terminal to do something.
    const transformer = (text: string, { isFinal }: { readonly isFinal: boolean }) =>
      isFinal ? safeCell(text.trim()) : text;
    return async (controls, context) => {
      const theme = createTheme(core, controls, { style, help: safeCell(help) });
      const options = { message: `${message}:`, validate, transformer, theme };
      return (await input({ ...options, ...(fallback && { default: fallback }) }, context)).trim();
    };
  };

/** The question, a line to breathe, and the keys. */
const OTHER_LINES = 2;

const choicePrompt =
  (message: string, choices: readonly string[], style: PeopleStyle): CreatePrompt<string> =>
  async (core) => {
    const { default: select } = await import('@inquirer/select');
    const above = Math.min(choices.length, MAX_PICKER_HEIGHT) + OTHER_LINES;
    return (controls, context) => {
      const theme = createTheme(core, controls, { style, above });
      return select(
        {
          message: message.endsWith('?') ? message : `${message}:`,
          choices,
          pageSize: MAX_PICKER_HEIGHT,
          loop: false,
          theme,
        },
        context,
      );
    };
  };

/** One line, its first letter large. */
const toSentence = (text: string): string => {
  const line = safeCell(text);
  return line.slice(0, 1).toUpperCase() + line.slice(1);
};

const confirm = async (options: PrompterOptions, confirmation: Confirmation): Promise<boolean> => {
  const { formatConfirmation } = await import('./confirmation.ts');
  const style = await options.style();
  const lines = await formatConfirmation(confirmation, style);
  if (lines.length > 0) options.stderr.write(`${lines.join('\n')}\n`);
  for (;;) {
    let dropped = '';
    const answer = await askQuestion(
      options,
      confirmPrompt(toSentence(confirmation.question), style),
      undefined,
      (keys) => {
        dropped = keys;
      },
    );
    if (!answer || /^[\r\n]*$/.test(dropped)) return answer;
    options.stderr.write('More keys came with the answer, as from a paste. Answer again.\n');
  }
};

/** A prompter whose questions reject with `Cancelled` at Ctrl-C (130), Ctrl-D and the end of the input (9). */
export const createPrompter = (options: PrompterOptions): Omit<Prompter, 'available'> => ({
  confirm: (confirmation) => confirm(options, confirmation),
  secret: async (message) => askQuestion(options, secretPrompt(toSentence(message), await options.style())),
  text: async (message, question = {}) =>
    askQuestion(options, textPrompt(toSentence(message), question, await options.style()), question.signal),
  choose: async (message, choices) =>
    askQuestion(options, choicePrompt(toSentence(message), choices, await options.style())),
  pick: async (picking) => {
    const { pickFrom } = await import('./picker.ts');
    return pickFrom(options, { ...picking, message: toSentence(picking.message) }, await options.style());
  },
});
