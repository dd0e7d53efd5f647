import { PassThrough } from 'node:stream';
import { StringDecoder } from 'node:string_decoder';
import { takeTurn } from '../clock.ts';

/**
 * The keys of one question. A paste is text: the terminal marks its beginning and its end (bracketed paste), and what
 * is between them reaches the question without line breaks and other control characters. A terminal that marks nothing
 * sends a paste as keys without a pause, as it does for a key that is held: such a burst is told by its time.
 */

export interface KeyboardOptions {
  readonly stdin: NodeJS.ReadableStream;
  readonly stderr: NodeJS.WritableStream;
  readonly sleep: (ms: number) => Promise<void>;
  /** The question takes no text: a paste is dropped. */
  readonly dropsPastes?: boolean;
}

export interface Keyboard {
  /** For readline: keys, and pastes between `paste-start` and `paste-end`. */
  readonly keys: NodeJS.ReadableStream;
  /** Each key by itself, none echoed, pastes marked. */
  takeTerminal(): void;
  leaveTerminal(): void;
  /** Resolves once no key has come for a while. */
  quiet(): Promise<void>;
  /** Passes on what comes from now on. @returns what was typed before, which is dropped */
  open(): Promise<string>;
  /** To the end of a burst nothing is passed on. @returns what was dropped */
  dropBurst(): Promise<string>;
  /** Leaves the terminal, unless it was left before. */
  close(): void;
}

const PASTE_START = '\x1b[200~';
const PASTE_END = '\x1b[201~';
const MARK_PASTES = '\x1b[?2004h';
const MARK_NO_PASTES = '\x1b[?2004l';
export const CTRL_C = '\x03';

/** Keys with a shorter pause between them are one burst. Terminals repeat a held key every 30 to 90 ms. */
const BURST_MS = 100;

export function openKeyboard({ stdin, stderr, sleep, dropsPastes = false }: KeyboardOptions): Keyboard {
  const keys = new PassThrough();
  const decoder = new StringDecoder();
  const readText = createPasteReader(dropsPastes);
  let reads = 0;
  let [dropping, dropped, pending] = [true, '', ''];
  let isTaken = false;
  /** Enter by itself: it is for what was typed before, and the question may end with it. */
  const passOn = async (): Promise<void> => {
    while (pending !== '') {
      const [line = ''] = /^(?:[^\r\n]+|[\r\n])/.exec(pending) ?? [];
      keys.write(line);
      pending = pending.slice(line.length);
      if (pending !== '') await takeTurn();
    }
  };
  const read = (chunk: Buffer | string): void => {
    reads += 1;
    const text = readText(typeof chunk === 'string' ? chunk : decoder.write(chunk));
    const isPassing = pending !== '';
    if (dropping) dropped += text;
    else pending += text;
    if (!isPassing) void passOn();
  };
  const setRawMode = (on: boolean): void => {
    if ('setRawMode' in stdin && typeof stdin.setRawMode === 'function') stdin.setRawMode(on);
  };
  const quiet = async (): Promise<void> => {
    let before: number;
    do {
      before = reads;
      await sleep(BURST_MS);
      // What came while this process was busy is still to be read.
      await takeTurn();
    } while (reads > before || pending !== '');
  };
  const dropUntil = async (wait: Promise<void>): Promise<string> => {
    [dropping, dropped, pending] = [true, pending, ''];
    await wait;
    dropping = false;
    return dropped;
  };
  const leaveTerminal = (): void => {
    if (!isTaken) return;
    isTaken = false;
    stderr.write(MARK_NO_PASTES);
    setRawMode(false);
  };
  stdin.on('data', read);
  // The question before has paused it.
  stdin.resume();
  return {
    keys,
    takeTerminal() {
      isTaken = true;
      setRawMode(true);
      stderr.write(MARK_PASTES);
    },
    leaveTerminal,
    quiet,
    // In the first turn the input may not yet be read.
    open: () => dropUntil(takeTurn().then(takeTurn)),
    dropBurst: () => dropUntil(quiet()),
    close() {
      try {
        leaveTerminal();
      } catch {
        // The terminal is gone.
      }
      stdin.removeListener('data', read);
      // It would keep the process alive.
      stdin.pause();
    },
  };
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
