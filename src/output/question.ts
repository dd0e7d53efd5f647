import { emitKeypressEvents, type Interface } from 'node:readline';
import { PassThrough } from 'node:stream';
import { StringDecoder } from 'node:string_decoder';
import * as core from '@inquirer/core';
import { takeTurn } from '../clock.ts';
import { Cancelled, EXIT } from '../errors.ts';

export interface QuestionOptions {
  readonly stdin: NodeJS.ReadableStream;
  readonly sleep: (ms: number) => Promise<void>;
  /** The question takes no text: a paste is dropped. */
  readonly dropsPastes?: boolean;
  readonly stderr: NodeJS.WritableStream & { readonly columns?: number; readonly rows?: number };
  readonly signal?: AbortSignal;
  /** Ctrl-C at a question is no signal: this makes it one for all that goes on beside. */
  readonly interrupt?: () => void;
  readonly hold?: () => () => void;
}

export interface PromptControls {
  readonly end: () => void;
  /** Resolves once no key has come for a while. */
  readonly quiet: () => Promise<void>;
}

export type Prompt<T> = (controls: PromptControls, context: object, inquirer: typeof core) => Promise<T>;

/**
 * To be called where a prompt is drawn. What readline would do without a word: Ctrl-D on an empty line, and the end of
 * the input, close it; Ctrl-Z would stop this process and leave the terminal as it is.
 */
export function usePromptControls({ end }: PromptControls): void {
  core.useEffect((rl) => {
    const stay = (): void => {};
    rl.on('close', end);
    rl.on('SIGTSTP', stay);
    return () => {
      rl.removeListener('close', end);
      rl.removeListener('SIGTSTP', stay);
    };
  }, []);
  core.useKeypress((key) => {
    // With something typed readline would take it for a deletion.
    if (key.ctrl && key.name === 'd') end();
  });
}

/** Esc also begins what other keys send: so many milliseconds later it was Esc alone. Readline would wait for 500. */
const ESCAPE_MS = 100;

const CANCELLED = 'cancelled: nothing was sent';

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
  const { stdin, stderr, signal, interrupt, hold } = options;
  const isEnded = Reflect.get(stdin, 'readableEnded') === true || Reflect.get(stdin, 'destroyed') === true;
  if (isEnded) throw new Cancelled(CANCELLED);
  const release = hold?.();
  const keyboard = new Keyboard(options);
  emitKeypressEvents(keyboard.keys, { escapeCodeTimeout: ESCAPE_MS } as unknown as Interface);
  const controller = new AbortController();
  const end = (): void => controller.abort();
  const given = [signal, withdrawn].filter((one) => one !== undefined);
  const stop = AbortSignal.any([controller.signal, ...given]);
  stdin.once('end', end);
  stdin.once('close', end);
  const checkDropped = (keys: string): void => {
    if (keys.includes(CTRL_C)) throw new core.ExitPromptError();
    if (given.some(({ aborted }) => aborted)) throw new core.AbortPromptError();
  };
  try {
    checkDropped(await keyboard.open());
    const context = { input: keyboard.keys, output: stderr, signal: stop };
    const answer = await prompt({ end, quiet: () => keyboard.quiet() }, context, core);
    const dropped = await keyboard.dropBurst();
    checkDropped(dropped);
    onDrop(dropped);
    return answer;
  } catch (error) {
    if (signal?.aborted === true && signal.reason instanceof Cancelled) throw signal.reason;
    const isExit = error instanceof core.ExitPromptError;
    if (isExit) interrupt?.();
    const ends = [core.ExitPromptError, core.AbortPromptError, core.CancelPromptError];
    if (!ends.some((kind) => error instanceof kind)) throw error;
    throw new Cancelled(CANCELLED, isExit ? EXIT.interrupted : undefined);
  } finally {
    stdin.removeListener('end', end);
    stdin.removeListener('close', end);
    keyboard.close();
    release?.();
  }
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
  readonly keys = new PassThrough();
  readonly #options: QuestionOptions;
  readonly #decoder = new StringDecoder();
  readonly #readText: (text: string) => string;
  #reads = 0;
  #isDropping = true;
  #dropped = '';
  #pending = '';

  constructor(options: QuestionOptions) {
    this.#options = options;
    this.#readText = createPasteReader(options.dropsPastes === true);
    options.stdin.on('data', this.#read);
    // The question before has paused it.
    options.stdin.resume();
  }

  /** Each key by itself, none echoed, pastes marked; from now on they are passed on. @returns what was typed before */
  open(): Promise<string> {
    this.#setRawMode(true);
    this.#options.stderr.write(MARK_PASTES);
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

  close(): void {
    const { stdin, stderr } = this.#options;
    try {
      stderr.write(MARK_NO_PASTES);
      this.#setRawMode(false);
    } catch {}
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
  let pasted: string | undefined;
  /** Of keys the last ones: a mark may come in parts. */
  let last = '';
  const clean = (text: string): string => {
    const line = text.replace(/^[\n\r\t]+|[\n\r\t]+$/g, '').replace(/[\n\r\t]+/g, ' ');
    return dropsPastes ? '' : line.replace(/\p{Cc}/gu, '');
  };
  const read = (text: string): string => {
    if (pasted === undefined) {
      const [at, before] = [(last + text).indexOf(PASTE_START), last.length];
      last = at < 0 ? (last + text).slice(-PASTE_START.length) : '';
      if (at < 0) return text;
      const end = at + PASTE_START.length - before;
      pasted = '';
      return text.slice(0, end) + read(text.slice(end));
    }
    // The end of a paste may be lost: Ctrl-C by itself is the way out.
    const whole = text === CTRL_C ? PASTE_END + CTRL_C : pasted + text;
    const at = whole.indexOf(PASTE_END);
    pasted = at < 0 ? whole : undefined;
    if (at < 0) return '';
    return clean(whole.slice(0, at)) + PASTE_END + read(whole.slice(at + PASTE_END.length));
  };
  return read;
}
