import { emitKeypressEvents, type Interface } from 'node:readline';
import { PassThrough } from 'node:stream';
import { StringDecoder } from 'node:string_decoder';
import * as core from '@inquirer/core';
import { takeTurn } from '../clock.ts';
import { Cancelled, EXIT } from '../errors.ts';

/** One question on stderr, by @inquirer/core. */

export interface QuestionOptions {
  readonly stdin: NodeJS.ReadableStream;
  readonly sleep: (ms: number) => Promise<void>;
  /** The question takes no text: a paste is dropped. */
  readonly dropsPastes?: boolean;
  readonly stderr: NodeJS.WritableStream & { readonly columns?: number; readonly rows?: number };
  /** Ends an open question, as a signal does. */
  readonly signal?: AbortSignal;
  /** Ctrl-C at a question is no signal: this makes it one for all that goes on beside. */
  readonly interrupt?: () => void;
  /** Stops this process as Ctrl-Z does; resolves when it goes on. Without it Ctrl-Z means nothing. */
  readonly suspend?: () => Promise<void>;
  /** Nothing else is drawn on the terminal from this call on, until its answer is called. */
  readonly hold?: () => () => void;
}

/** What is written to leave the terminal to the shell, and to take it again before all is drawn. */
export interface PromptPage {
  readonly leave: string;
  readonly enter: string;
}

/** The page of a question with so many lines below its own: those go, and room is made for them again. The cursor shows. */
export function createPromptPage(below: number): PromptPage {
  return { leave: '\r\n\x1b[J\x1b[?25h', enter: below === 0 ? '' : `${'\n'.repeat(below)}\x1b[${below}A` };
}

export interface PromptControls {
  readonly end: () => void;
  /** Leaves the terminal to the shell until the process goes on. */
  readonly away: (page: PromptPage) => Promise<void>;
  /** Resolves once no key has come for a while. */
  readonly quiet: () => Promise<void>;
}

/** A prompt of @inquirer, with what ends it and takes it off the screen. */
export type Prompt<T> = (controls: PromptControls, context: object, inquirer: typeof core) => Promise<T>;

/**
 * What readline would do without a word: Ctrl-D on an empty line, and the end of the input, close it; Ctrl-Z stops the
 * process alone, not what was started with it, and nothing is drawn on the way back.
 */
export function usePromptControls({ end, away }: PromptControls, page: PromptPage): void {
  const [, draw] = core.useState(0);
  core.useEffect((rl) => {
    let [resumes, over] = [0, false];
    const stop = (): void =>
      void away(page).then(() => {
        resumes += 1;
        if (!over) draw(resumes);
      });
    rl.on('close', end);
    rl.on('SIGTSTP', stop);
    return () => {
      over = true;
      rl.removeListener('close', end);
      rl.removeListener('SIGTSTP', stop);
    };
  }, []);
}

/** With something typed readline would take Ctrl-D for a deletion. */
export function isCtrlD(key: { readonly name: string; readonly ctrl: boolean }): boolean {
  return key.ctrl && key.name === 'd';
}

/** The same for a prompt that is not ours: to be called by its message. */
export function usePromptMessage(controls: PromptControls, page: PromptPage): void {
  usePromptControls(controls, page);
  core.useKeypress((key) => {
    if (isCtrlD(key)) controls.end();
  });
}

/** Esc also begins what other keys send: so many milliseconds later it was Esc alone. Readline would wait for 500. */
const ESCAPE_MS = 100;

/**
 * Asks one question and leaves the terminal as it was. What was typed before the question was there, and what comes in
 * one burst after its answer, is dropped: it is a paste, or a key that is held.
 * @param withdrawn ends the question
 * @param onDrop told what was dropped after the answer
 * @throws Cancelled at Ctrl-C (exit 130), Ctrl-D and the end of the input (exit 9)
 */
export async function askQuestion<T>(
  options: QuestionOptions,
  prompt: Prompt<T>,
  withdrawn?: AbortSignal,
  onDrop: (keys: string) => void = () => {},
): Promise<T> {
  const { stdin, stderr, signal } = options;
  if (isEnded(stdin)) throw createCancelled();
  const release = options.hold?.();
  const keyboard = new Keyboard(options);
  emitKeypressEvents(keyboard.keys, { escapeCodeTimeout: ESCAPE_MS } as unknown as Interface);
  const controller = new AbortController();
  const finished = new AbortController();
  const end = (): void => controller.abort();
  const signals = [signal, withdrawn].filter((one) => one !== undefined);
  for (const one of signals) one.addEventListener('abort', end);
  stdin.once('end', end);
  stdin.once('close', end);
  const checkDropped = (keys: string): void => {
    if (keys.includes(CTRL_C)) throw new core.ExitPromptError();
    if (signals.some(({ aborted }) => aborted)) throw new core.AbortPromptError();
  };
  try {
    keyboard.takeTerminal();
    checkDropped(await keyboard.open());
    const away = createSuspend(options, keyboard, finished.signal);
    const context = { input: keyboard.keys, output: stderr, signal: controller.signal };
    const answer = await prompt({ end, away, quiet: () => keyboard.quiet() }, context, core);
    const dropped = await keyboard.dropBurst();
    checkDropped(dropped);
    onDrop(dropped);
    return answer;
  } catch (error) {
    throw toRejection(error, options);
  } finally {
    finished.abort();
    for (const one of signals) one.removeEventListener('abort', end);
    stdin.removeListener('end', end);
    stdin.removeListener('close', end);
    keyboard.close();
    release?.();
  }
}

function isEnded(stdin: NodeJS.ReadableStream): boolean {
  return (
    ('readableEnded' in stdin && stdin.readableEnded === true) ||
    ('destroyed' in stdin && stdin.destroyed === true)
  );
}

function createCancelled(): Cancelled {
  return new Cancelled('cancelled: nothing was sent');
}

/** @returns Cancelled for every way in which a question ends without an answer, else what the question threw */
function toRejection(error: unknown, { signal, interrupt }: QuestionOptions): unknown {
  if (signal?.aborted === true && signal.reason instanceof Cancelled) return signal.reason;
  if (error instanceof core.ExitPromptError) {
    interrupt?.();
    return new Cancelled('cancelled: nothing was sent', EXIT.interrupted);
  }
  const ends = [core.AbortPromptError, core.CancelPromptError];
  return ends.some((kind) => error instanceof kind) ? createCancelled() : error;
}

/** Ctrl-Z: the shell gets the terminal as it knows it. It keeps it when the question has ended meanwhile. */
function createSuspend(
  { stderr, suspend }: QuestionOptions,
  keyboard: Keyboard,
  over: AbortSignal,
): PromptControls['away'] {
  let suspended = false;
  return async ({ leave, enter }) => {
    if (suspend === undefined || suspended) return;
    suspended = true;
    stderr.write(leave);
    keyboard.leaveTerminal();
    await suspend();
    if (over.aborted) return;
    keyboard.takeTerminal();
    // What was typed for the shell is no key.
    await keyboard.dropBurst();
    if (over.aborted) return;
    stderr.write(enter);
    suspended = false;
  };
}

const PASTE_START = '\x1b[200~';
const PASTE_END = '\x1b[201~';
const MARK_PASTES = '\x1b[?2004h';
const MARK_NO_PASTES = '\x1b[?2004l';
const CTRL_C = '\x03';

/** Keys with a shorter pause between them are one burst. Terminals repeat a held key every 30 to 90 ms. */
const BURST_MS = 100;

/**
 * The keys of one question. A paste is text: the terminal marks its beginning and its end (bracketed paste), and what
 * is between them reaches the question without line breaks and other control characters. A terminal that marks nothing
 * sends a paste as keys without a pause, as it does for a key that is held: such a burst is told by its time.
 */
class Keyboard {
  /** For readline: keys, and pastes between `paste-start` and `paste-end`. */
  readonly keys = new PassThrough();
  readonly #options: QuestionOptions;
  readonly #decoder = new StringDecoder();
  readonly #readText: (text: string) => string;
  #reads = 0;
  #isDropping = true;
  #dropped = '';
  #pending = '';
  #isTaken = false;

  constructor(options: QuestionOptions) {
    this.#options = options;
    this.#readText = createPasteReader(options.dropsPastes === true);
    options.stdin.on('data', this.#read);
    // The question before has paused it.
    options.stdin.resume();
  }

  /** Each key by itself, none echoed, pastes marked. */
  takeTerminal(): void {
    this.#isTaken = true;
    this.#setRawMode(true);
    this.#options.stderr.write(MARK_PASTES);
  }

  leaveTerminal(): void {
    if (!this.#isTaken) return;
    this.#isTaken = false;
    this.#options.stderr.write(MARK_NO_PASTES);
    this.#setRawMode(false);
  }

  /** Passes on what comes from now on. @returns what was typed before, which is dropped */
  open(): Promise<string> {
    // In the first turn the input may not yet be read.
    return this.#dropUntil(takeTurn().then(takeTurn));
  }

  /** To the end of a burst nothing is passed on. @returns what was dropped */
  dropBurst(): Promise<string> {
    return this.#dropUntil(this.quiet());
  }

  /** Resolves once no key has come for a while. */
  async quiet(): Promise<void> {
    let before: number;
    do {
      before = this.#reads;
      await this.#options.sleep(BURST_MS);
      // What came while this process was busy is still to be read.
      await takeTurn();
    } while (this.#reads > before || this.#pending !== '');
  }

  /** Leaves the terminal, unless it was left before. */
  close(): void {
    const { stdin } = this.#options;
    try {
      this.leaveTerminal();
    } catch {
      // The terminal is gone.
    }
    stdin.removeListener('data', this.#read);
    // It would keep the process alive.
    stdin.pause();
  }

  #read = (chunk: Buffer | string): void => {
    this.#reads += 1;
    const text = this.#readText(typeof chunk === 'string' ? chunk : this.#decoder.write(chunk));
    const isPassing = this.#pending !== '';
    if (this.#isDropping) this.#dropped += text;
    else this.#pending += text;
    if (!isPassing) void this.#passOn();
  };

  /** Enter by itself: it is for what was typed before, and the question may end with it. */
  async #passOn(): Promise<void> {
    while (this.#pending !== '') {
      const [line = ''] = /^(?:[^\r\n]+|[\r\n])/.exec(this.#pending) ?? [];
      this.keys.write(line);
      this.#pending = this.#pending.slice(line.length);
      if (this.#pending !== '') await takeTurn();
    }
  }

  async #dropUntil(wait: Promise<void>): Promise<string> {
    this.#isDropping = true;
    this.#dropped = this.#pending;
    this.#pending = '';
    await wait;
    this.#isDropping = false;
    return this.#dropped;
  }

  #setRawMode(on: boolean): void {
    const { stdin } = this.#options;
    if ('setRawMode' in stdin && typeof stdin.setRawMode === 'function') stdin.setRawMode(on);
  }
}

/** Line breaks and tabs within a paste are spaces; those at its ends, and other control characters, are left out. */
function createPasteReader(dropsPastes: boolean): (text: string) => string {
  let pasting = false;
  /** Characters of the next mark that have come. */
  let matched = 0;
  /** Of the paste: what has come, and whether a space is due before the next character. */
  let [isEmpty, isSpaceDue] = [true, false];
  const readPasted = (character: string): string => {
    if (/[\n\r\t]/.test(character)) isSpaceDue = !isEmpty;
    if (dropsPastes || /\p{Cc}/u.test(character)) return '';
    const text = isSpaceDue ? ` ${character}` : character;
    [isEmpty, isSpaceDue] = [false, false];
    return text;
  };
  const readCharacter = (character: string): string => {
    const mark = pasting ? PASTE_END : PASTE_START;
    matched = character === mark[matched] ? matched + 1 : character === '\x1b' ? 1 : 0;
    if (matched === mark.length) {
      [pasting, matched, isEmpty, isSpaceDue] = [!pasting, 0, true, false];
      return pasting ? character : PASTE_END;
    }
    if (!pasting) return character;
    return matched > 0 ? '' : readPasted(character);
  };
  return (text: string): string => {
    // The end of a paste may be lost: this is the way out.
    if (pasting && text === CTRL_C) {
      pasting = false;
      return PASTE_END + CTRL_C;
    }
    return Array.from(text, readCharacter).join('');
  };
}
