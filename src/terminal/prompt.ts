import type { Confirmation, Prompter, TextQuestion } from '../context.ts';
import type { PeopleStyle } from './cell.ts';
import { type Ask, ask, isCtrlD, pageOf, type QuestionOptions, type Reins, useReins } from './question.ts';
import { safeCell } from './safe-text.ts';

/** The questions: yes or no, a secret, a text, and records to pick from. */

export interface PrompterOptions extends QuestionOptions {
  /** How people read things on stderr; its width is that of the terminal at the time. */
  readonly style: () => Promise<PeopleStyle>;
}

const YES = /^y(es)?$/i;
const NO = /^(no?)?$/i;

const confirmPrompt =
  (question: string): Ask<boolean> =>
  (core) =>
    core.createPrompt<boolean, Reins>((reins, done) => {
      const [line, setLine] = core.useState('');
      const [answer, setAnswer] = core.useState<boolean | undefined>(undefined);
      const [complaint, setComplaint] = core.useState('');
      useReins(core, reins, () => pageOf(1));
      core.useKeypress((key, rl) => {
        if (answer !== undefined) return;
        if (isCtrlD(key)) return reins.end();
        if (!core.isEnterKey(key)) return setLine(rl.line);
        const text = line.trim();
        if (!YES.test(text) && !NO.test(text)) {
          // Readline has taken the line on Enter: what is shown starts afresh.
          setLine('');
          return setComplaint('Answer y or n.');
        }
        setAnswer(YES.test(text));
        done(YES.test(text));
      });
      if (answer !== undefined) return `${question}? ${answer ? 'yes' : 'no'}`;
      return [`${question}? (y/N) ${line}`, complaint];
    });

const secretPrompt =
  (message: string): Ask<string> =>
  (core) =>
    core.createPrompt<string, Reins>((reins, done) => {
      const value = core.useRef('');
      useReins(core, reins, () => pageOf(0));
      core.useKeypress((key, rl) => {
        if (isCtrlD(key)) return reins.end();
        if (core.isEnterKey(key)) return done(value.current);
        if (core.isBackspaceKey(key)) value.current = [...value.current].slice(0, -1).join('');
        else if (key.ctrl && key.name === 'u') value.current = '';
        else value.current += rl.line;
        // The line is kept here, so that readline has nothing to draw and its cursor stays.
        rl.clearLine(0);
      });
      return `${message}: `;
    });

const problemOf = (text: string, check: TextQuestion['check']): string | undefined =>
  text === '' ? 'An answer is needed.' : check?.(text);

const textPrompt =
  (message: string, { fallback, check, help = '' }: TextQuestion): Ask<string> =>
  (core) =>
    core.createPrompt<string, Reins>((reins, done) => {
      const [line, setLine] = core.useState('');
      const [answer, setAnswer] = core.useState<string | undefined>(undefined);
      const [complaint, setComplaint] = core.useState('');
      useReins(core, reins, () => pageOf(1));
      core.useKeypress((key, rl) => {
        if (answer !== undefined) return;
        if (isCtrlD(key)) return reins.end();
        if (!core.isEnterKey(key)) {
          setComplaint('');
          return setLine(rl.line);
        }
        const text = line.trim() || (fallback ?? '');
        const wrong = problemOf(text, check);
        setLine('');
        if (wrong !== undefined) return setComplaint(safeCell(wrong));
        setAnswer(text);
        done(text);
      });
      const offer = fallback === undefined ? '' : ` (${safeCell(fallback)})`;
      if (answer !== undefined) return `${message}: ${safeCell(answer)}`;
      return [`${message}${offer}: ${line}`, complaint || help];
    });

/** One line, its first letter large. */
const sentence = (text: string): string => {
  const line = safeCell(text);
  return line.slice(0, 1).toUpperCase() + line.slice(1);
};

const confirm = async (options: PrompterOptions, confirmation: Confirmation): Promise<boolean> => {
  const { confirmationLines } = await import('./confirmation.ts');
  const lines = await confirmationLines(confirmation, await options.style());
  if (lines.length > 0) options.stderr.write(`${lines.join('\n')}\n`);
  return ask(options, confirmPrompt(sentence(confirmation.question)));
};

/** A prompter whose questions reject with `Cancelled` at Ctrl-C (130), Ctrl-D and the end of the input (9). */
export const createPrompter = (options: PrompterOptions): Omit<Prompter, 'available'> => ({
  confirm: (confirmation) => confirm(options, confirmation),
  secret: (message) => ask(options, secretPrompt(sentence(message))),
  text: (message, question = {}) =>
    ask(
      options,
      textPrompt(sentence(message), { ...question, help: safeCell(question.help ?? '') }),
      question.signal,
    ),
  pick: async (picking) => {
    const { pickFrom } = await import('./picker.ts');
    return pickFrom(options, { ...picking, message: sentence(picking.message) }, await options.style());
  },
});
