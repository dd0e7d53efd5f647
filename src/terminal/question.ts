import { emitKeypressEvents, type Interface } from 'node:readline';
import { Cancelled, EXIT } from '../outcome.ts';

/** One question on stderr, by @inquirer/core, which is loaded with the first one. */

export type Core = typeof import('@inquirer/core');

export interface QuestionOptions {
  readonly stdin: NodeJS.ReadableStream;
  readonly stderr: NodeJS.WritableStream;
  /** Ends an open question, as SIGINT and SIGTERM do. */
  readonly signal?: AbortSignal;
  /** Ctrl-C at a question is no signal: this makes it one for all that goes on beside. */
  readonly interrupt?: () => void;
  /** Nothing else is drawn on the terminal from this call on, until its answer is called. */
  readonly hold?: () => () => void;
}

/** What `createPrompt` is given: `end` takes the question back. */
export type Ask<T> = (core: Core) => (config: { end: () => void }, context: object) => Promise<T>;

/**
 * Ctrl-D on an empty line, and the end of the input, close readline without a word. Back from the background it is
 * at rest, so that the process would end: the question stands on.
 */
export const useEnd = (core: Core, end: () => void): void =>
  core.useEffect((rl) => {
    const goOn = (): void => void rl.resume();
    rl.on('close', end);
    rl.on('SIGCONT', goOn);
    return () => {
      rl.removeListener('close', end);
      rl.removeListener('SIGCONT', goOn);
    };
  }, []);

export interface Key {
  readonly shift: boolean;
  readonly name: string;
  readonly ctrl: boolean;
}

/** With something typed readline would take Ctrl-D for a deletion. */
export const isCtrlD = (key: Key): boolean => key.ctrl && key.name === 'd';

const ended = (stdin: NodeJS.ReadableStream): boolean =>
  ('readableEnded' in stdin && stdin.readableEnded === true) ||
  ('destroyed' in stdin && stdin.destroyed === true);

/** Esc also begins what other keys send: so many milliseconds later it was Esc alone. Readline would wait for 500. */
const ESCAPE_MS = 100;

const cancelled = (): Cancelled => new Cancelled('cancelled: the question was not answered');

/** @throws Cancelled for every way in which a question ends without an answer, and what the question throws */
const told = (core: Core, error: unknown, { signal, interrupt }: QuestionOptions): unknown => {
  if (signal?.aborted === true && signal.reason instanceof Cancelled) return signal.reason;
  if (error instanceof core.ExitPromptError) {
    interrupt?.();
    return new Cancelled('interrupted: the question was not answered', EXIT.interrupted);
  }
  const ends = [core.AbortPromptError, core.CancelPromptError];
  return ends.some((kind) => error instanceof kind) ? cancelled() : error;
};

/**
 * Asks one question and leaves the terminal as it was.
 * @param takenBack ends the question
 * @throws Cancelled at Ctrl-C (exit 130), Ctrl-D and the end of the input (exit 9)
 */
export const ask = async <T>(
  options: QuestionOptions,
  question: Ask<T>,
  takenBack?: AbortSignal,
): Promise<T> => {
  const { stdin, stderr, signal } = options;
  if (ended(stdin)) throw cancelled();
  const release = options.hold?.();
  const core = await import('@inquirer/core');
  emitKeypressEvents(stdin, { escapeCodeTimeout: ESCAPE_MS } as unknown as Interface);
  const controller = new AbortController();
  const end = (): void => controller.abort();
  const ends = [signal, takenBack].filter((one) => one !== undefined);
  for (const one of ends) one.addEventListener('abort', end);
  stdin.once('end', end);
  stdin.once('close', end);
  try {
    if (ends.some(({ aborted }) => aborted)) throw new core.AbortPromptError();
    const context = { input: stdin, output: stderr, signal: controller.signal };
    return await question(core)({ end }, context);
  } catch (error) {
    throw told(core, error, options);
  } finally {
    for (const one of ends) one.removeEventListener('abort', end);
    stdin.removeListener('end', end);
    stdin.removeListener('close', end);
    // Readline leaves the input flowing, which would keep the process alive.
    stdin.pause();
    release?.();
  }
};
