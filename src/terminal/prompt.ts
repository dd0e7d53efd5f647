import type { Confirmation, Prompter, TextQuestion } from '../context.ts';
import { Cancelled } from '../outcome.ts';
import { safeCell, safeLines } from './safe-text.ts';

/** Questions on stderr, through @inquirer/core, which is loaded with the first one. */

export interface PrompterOptions {
  readonly stdin: NodeJS.ReadableStream;
  readonly stderr: NodeJS.WritableStream;
  /** Whether a person can be asked: decided by the caller. */
  readonly available: boolean;
  /** Ends an open question, as Ctrl-C does. */
  readonly signal?: AbortSignal;
}

type Core = typeof import('@inquirer/core');
type Ask<T> = (core: Core) => (config: { end: () => void }, context: object) => Promise<T>;

const YES = /^y(es)?$/i;
const NO = /^(no?)?$/i;

/** Ctrl-D on an empty line, and the end of the input, close readline without a word. */
const useEnd = (core: Core, end: () => void): void =>
  core.useEffect((rl) => {
    rl.on('close', end);
    return () => rl.removeListener('close', end);
  }, []);

/** With something typed readline would take Ctrl-D for a deletion. */
const isCtrlD = (key: { readonly ctrl: boolean; readonly name: string }): boolean =>
  key.ctrl && key.name === 'd';

const confirmPrompt =
  (question: string): Ask<boolean> =>
  (core) =>
    core.createPrompt<boolean, { end: () => void }>(({ end }, done) => {
      const [line, setLine] = core.useState('');
      const [answer, setAnswer] = core.useState<boolean | undefined>(undefined);
      const [complaint, setComplaint] = core.useState('');
      useEnd(core, end);
      core.useKeypress((key, rl) => {
        if (answer !== undefined) return;
        if (isCtrlD(key)) return end();
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
    core.createPrompt<string, { end: () => void }>(({ end }, done) => {
      const value = core.useRef('');
      useEnd(core, end);
      core.useKeypress((key, rl) => {
        if (isCtrlD(key)) return end();
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
  (message: string, { fallback, check }: TextQuestion): Ask<string> =>
  (core) =>
    core.createPrompt<string, { end: () => void }>(({ end }, done) => {
      const [line, setLine] = core.useState('');
      const [answer, setAnswer] = core.useState<string | undefined>(undefined);
      const [complaint, setComplaint] = core.useState('');
      useEnd(core, end);
      core.useKeypress((key, rl) => {
        if (answer !== undefined) return;
        if (isCtrlD(key)) return end();
        if (!core.isEnterKey(key)) {
          setComplaint('');
          return setLine(rl.line);
        }
        const text = line.trim() || (fallback ?? '');
        const wrong = problemOf(text, check);
        setLine('');
        if (wrong !== undefined) return setComplaint(safeCell(wrong, false));
        setAnswer(text);
        done(text);
      });
      const offer = fallback === undefined ? '' : ` (${safeCell(fallback, false)})`;
      if (answer !== undefined) return `${message}: ${safeCell(answer, false)}`;
      return [`${message}${offer}: ${line}`, complaint];
    });

/** One line, its first letter large. */
const sentence = (text: string): string => {
  const line = safeCell(text, false);
  return line.slice(0, 1).toUpperCase() + line.slice(1);
};

const ended = (stdin: NodeJS.ReadableStream): boolean =>
  ('readableEnded' in stdin && stdin.readableEnded === true) ||
  ('destroyed' in stdin && stdin.destroyed === true);

const cancelled = (): Cancelled => new Cancelled('cancelled: the question was not answered');

const ask = async <T>(options: PrompterOptions, question: Ask<T>, takenBack?: AbortSignal): Promise<T> => {
  if (ended(options.stdin)) throw cancelled();
  const core = await import('@inquirer/core');
  const controller = new AbortController();
  const end = (): void => controller.abort();
  options.signal?.addEventListener('abort', end);
  takenBack?.addEventListener('abort', end);
  options.stdin.once('end', end);
  options.stdin.once('close', end);
  try {
    if (options.signal?.aborted === true || takenBack?.aborted === true) throw cancelled();
    const context = { input: options.stdin, output: options.stderr, signal: controller.signal };
    return await question(core)({ end }, context);
  } catch (error) {
    const ends = [core.ExitPromptError, core.AbortPromptError, core.CancelPromptError];
    throw ends.some((kind) => error instanceof kind) ? cancelled() : error;
  } finally {
    options.signal?.removeEventListener('abort', end);
    takenBack?.removeEventListener('abort', end);
    options.stdin.removeListener('end', end);
    options.stdin.removeListener('close', end);
    // Readline leaves the input flowing, which would keep the process alive.
    options.stdin.pause();
  }
};

/** A prompter whose questions reject with `Cancelled` (exit 9) on Ctrl-C, Ctrl-D and the end of the input. */
export const createPrompter = (options: PrompterOptions): Prompter => ({
  available: options.available,
  confirm: ({ question, facts }: Confirmation) => {
    if (facts.length > 0) options.stderr.write(`${safeLines(facts.join('\n'), false)}\n`);
    return ask(options, confirmPrompt(sentence(question)));
  },
  secret: (message) => ask(options, secretPrompt(sentence(message))),
  text: (message, question = {}) => ask(options, textPrompt(sentence(message), question), question.signal),
});
