import { type ChildProcess, spawn } from 'node:child_process';
import { PassThrough } from 'node:stream';
import { StringDecoder } from 'node:string_decoder';
import { stripVTControlCharacters } from 'node:util';
import type { Clock } from '../../src/clock.ts';
import { Cancelled, EXIT } from '../../src/errors.ts';
import type { Machine } from '../../src/platform/machine.ts';
import { atFileEnd } from './folder.ts';
import { type Outcome, runInProcess } from './in-process.ts';
import { BIN } from './process.ts';

/**
 * The built program in a real pseudo-terminal of 24 lines, by `script` (util-linux; part of every Debian). What is
 * typed goes through the terminal's own line discipline, as from a keyboard.
 */

/** What a screen is to show; a function throws as long as it does not: `expect` within. */
type Judgement = RegExp | string | ((screen: string) => void);

export interface Terminal {
  /**
   * Everything on the screen so far, escape sequences included. At any moment it may be half drawn: what is judged of it
   * before the program has ended is judged by `until`.
   */
  screen(): string;
  /** Resolves once the screen shows all of it. Rejects when the program ends, or minutes pass, before. */
  until(...what: readonly Judgement[]): Promise<void>;
  type(keys: string): void;
  /** Types, and waits until what comes to the screen from then on shows all of it; resolves with that. */
  press(keys: string, ...what: readonly Judgement[]): Promise<string>;
  /** After the program has ended. */
  readonly ended: Promise<TerminalEnd>;
}

export interface TerminalEnd {
  readonly exit: number;
  readonly screen: string;
  /** Whether the settings of the terminal (echo, line mode) are what they were before. */
  readonly restored: boolean;
}

export interface TerminalOptions {
  readonly env: Readonly<Record<string, string>>;
  /** After the command line: `>/dev/null`. */
  readonly redirect?: string;
  /** Of the terminal; default 80. */
  readonly columns?: number;
}

/** Of a whole sitting; less than a test's own time limit, which does not tell what the screen showed. */
const PATIENCE_MS = 200_000;
const END = /\[exit (\d+) (\w+)\]/;

const quoted = (word: string): string => `'${word.replaceAll("'", "'\\''")}'`;

// The shell outlives a Ctrl-C that reaches the whole foreground group.
const scriptOf = (command: string, columns: number): string =>
  [
    `stty cols ${columns} rows 24; before=$(stty -g); trap : INT`,
    command,
    'code=$?; after=$(stty -g); state=changed; [ "$before" = "$after" ] && state=same',
    'echo; echo "[exit $code $state]"',
  ].join('\n');

/**
 * How much of what is drawn is seen at a time: a line, or so many characters. A terminal passes on what is written in
 * pieces of any size, and whoever judges the first of them finds half a screen: here that is so each time, not now and
 * then. `TTCTL_TEST_PIECES=1` shows every character by itself.
 */
const pieceOf = (text: string, size = Number(process.env['TTCTL_TEST_PIECES'] ?? 0)): string =>
  text.slice(0, size > 0 ? size : text.indexOf('\n') + 1 || text.length);

const watch = (child: ChildProcess) => {
  let [screen, unseen] = ['', ''];
  // What is read ends anywhere, in the middle of a character too.
  const [out, err] = [new StringDecoder('utf8'), new StringDecoder('utf8')];
  const waiting = new Set<() => void>();
  // After its end there may still be something to read; after `close` there is not.
  let ended = false;
  let showing = false;
  const show = () => {
    const piece = pieceOf(unseen);
    screen += piece;
    unseen = unseen.slice(piece.length);
    showing = unseen !== '';
    if (showing) setImmediate(show);
    for (const look of [...waiting]) look();
  };
  const see = (decoder: StringDecoder) => (chunk: Buffer) => {
    unseen += decoder.write(chunk);
    if (!showing) show();
  };
  child.stdout?.on('data', see(out));
  child.stderr?.on('data', see(err));
  child.on('close', () => {
    ended = true;
    if (!showing) show();
  });
  return { screen: () => screen, waiting, closed: () => ended && !showing };
};

/** What is missing from the text; `undefined` when nothing is. */
const complaint = (what: readonly Judgement[], text: string): string | undefined => {
  for (const judgement of what) {
    if (typeof judgement === 'function') {
      try {
        judgement(text);
      } catch (error) {
        return error instanceof Error ? error.message : String(error);
      }
    } else if (typeof judgement === 'string' ? !text.includes(judgement) : !judgement.test(text))
      return `${judgement} is not shown`;
  }
  return undefined;
};

const running = new Set<ChildProcess>();
// Of a test that failed, or of a shell. With its terminal gone, whatever runs there is told to hang up.
atFileEnd(() => {
  for (const child of running) child.kill('SIGKILL');
});

/** What a shell script does in a pseudo-terminal. */
const openPty = (script: string, env: Readonly<Record<string, string>>) => {
  const child = spawn('script', ['-qec', script, '/dev/null'], {
    env: { SHELL: '/bin/sh', TERM: 'xterm-256color', ...env },
  });
  child.stdin.on('error', () => {});
  running.add(child);
  child.once('close', () => running.delete(child));
  const { screen, waiting, closed } = watch(child);
  const shown = (what: readonly Judgement[], from = 0): Promise<void> =>
    new Promise((resolve, reject) => {
      const finish = (settle: () => void) => {
        clearTimeout(timer);
        waiting.delete(look);
        settle();
      };
      const fail = (why: string) =>
        finish(() => reject(new Error(`${why}; the screen: ${JSON.stringify(screen())}`)));
      const look = () => {
        const missing = complaint(what, screen().slice(from));
        if (missing === undefined) finish(resolve);
        else if (closed()) fail(`ended, and ${missing}`);
      };
      const timer = setTimeout(() => {
        child.kill('SIGKILL');
        fail(`${complaint(what, screen().slice(from))} after ${PATIENCE_MS / 1000} s`);
      }, PATIENCE_MS);
      waiting.add(look);
      look();
    });
  const type = (keys: string) => void child.stdin.write(keys);
  const press = async (keys: string, ...what: readonly Judgement[]): Promise<string> => {
    const from = screen().length;
    type(keys);
    await shown(what, from);
    return screen().slice(from);
  };
  return { child, screen, until: (...what: readonly Judgement[]) => shown(what), type, press, waiting };
};

const terminalOf = ({ child, screen, until, type, press }: ReturnType<typeof openPty>): Terminal => {
  const ended = until(END).then((): TerminalEnd => {
    child.stdin.end();
    const [, exit = '', state = ''] = END.exec(screen()) ?? [];
    return { exit: Number(exit), screen: screen(), restored: state === 'same' };
  });
  ended.catch(() => {}); // told to whoever waits for it
  return { screen, until, type, press, ended };
};

export const openTerminal = (
  args: readonly string[],
  { env, redirect = '', columns = 80 }: TerminalOptions,
): Terminal => {
  const command = `${[process.execPath, BIN, ...args].map(quoted).join(' ')} ${redirect}`;
  return terminalOf(openPty(scriptOf(command, columns), env));
};

/** What a question looks like, and what is typed at it. */
export type Reply = readonly [question: RegExp, keys: string];

// biome-ignore lint/suspicious/noControlCharactersInRegex: what a terminal is told when a question is done with
const CURSOR_SHOWN = /\x1b\[\?25h/;

/** Types at each question once: a question is drawn again with every key, until the cursor is shown again. */
const replying = ({ screen, waiting, type }: ReturnType<typeof openPty>, replies: readonly Reply[]): void => {
  let from = 0;
  let asked = false;
  waiting.add(() => {
    const rest = screen().slice(from);
    const keys = replies.find(([question]) => question.test(rest))?.[1];
    if (asked && CURSOR_SHOWN.test(rest)) asked = false;
    else if (!asked && keys !== undefined) {
      asked = true;
      type(keys);
    } else return;
    from = screen().length;
  });
};

/** A file of commands for bash, at a terminal of 80 columns; it ends at the first that fails. */
export const openScript = (
  file: string,
  env: Readonly<Record<string, string>>,
  replies: readonly Reply[] = [],
): Terminal => {
  const pty = openPty(scriptOf(`bash -euo pipefail ${quoted(file)}`, 80), env);
  replying(pty, replies);
  return terminalOf(pty);
};

/** An interactive shell. `close` ends it. */
export const openShell = (
  command: string,
  env: Readonly<Record<string, string>>,
): Pick<Terminal, 'screen' | 'until' | 'type' | 'press'> & { close(): void } => {
  const { child, screen, until, type, press } = openPty(`stty cols 100 rows 40; exec ${command}`, env);
  return { screen, until, type, press, close: () => void child.kill('SIGKILL') };
};

/** One run of the whole program in this process, at a terminal that a script of answers sits before. */

export interface Prompt {
  /** `Member to archive`, without what is typed. */
  readonly message: string;
  /** `mark`: several may be picked. */
  readonly kind: 'pick' | 'mark' | 'text' | 'confirm';
}

export interface Sitting extends Outcome {
  /** All that was asked, in order. */
  readonly prompts: readonly Prompt[];
  /** Everything that stood on stderr, escape sequences taken away. */
  readonly screen: string;
}

export interface SittingOptions {
  readonly env: Readonly<Record<string, string>>;
  /** Keys for a prompt, Enter included. */
  readonly answer: (prompt: Prompt, index: number) => string;
  readonly columns?: number;
  readonly clock?: Clock;
}

const keyboard = () =>
  Object.assign(new PassThrough(), {
    isTTY: true,
    setRawMode() {
      return this;
    },
  });

/** Like the stderr of a process it is not ended by what is piped into it. */
const screenOf = (columns: number) => Object.assign(new PassThrough(), { columns, _isStdio: true });

const KEYS = /; (type to search|Up and Down to move)/;

/** The prompt that a frame of the screen shows; `undefined` for one that is answered, and for no prompt. */
const promptIn = (frame: string): Prompt | undefined => {
  const confirm = /^\? (.*)\? \(y\/N\) ?$/m.exec(frame);
  if (confirm !== null) return { message: confirm[1] ?? '', kind: 'confirm' };
  const open = /^(?:\? )?([^:(]+?):(?: \((?:[^()]|\([^()]*\))*\))? ?(?:\n|$)/.exec(frame);
  if (open === null) return undefined;
  const keys = KEYS.exec(frame)?.[1] ?? '';
  return { message: open[1] ?? '', kind: keys === '' ? 'text' : keys.startsWith('type') ? 'pick' : 'mark' };
};

/** What stands below a text prompt that did not accept its answer, whose field it has emptied. */
const refusalIn = (frame: string): string | undefined =>
  /^\? [^\n]+:(?: \([^\n]*\))? *\n([^\n]+)$/.exec(frame)?.[1];

/** @throws Error when a prompt does not accept its answer, which it would wait for again */
export const sitDown = async (args: readonly string[], options: SittingOptions): Promise<Sitting> => {
  const [stdin, stderrStream] = [keyboard(), screenOf(options.columns ?? 80)];
  const controller = new AbortController();
  const prompts: Prompt[] = [];
  let all = '';
  let keys = '';
  let refusal: Error | undefined;
  const press = (pressed: string): void => {
    keys = pressed;
    setImmediate(() => stdin.write(pressed));
  };
  const see = (text: string): void => {
    all += text;
  };
  stderrStream.on('data', (chunk: Buffer) => {
    const frame = stripVTControlCharacters(chunk.toString());
    see(frame);
    const prompt = promptIn(frame);
    if (prompt === undefined) return;
    if (!prompts.some(({ message }) => message === prompt.message)) {
      prompts.push(prompt);
      press(options.answer(prompt, prompts.length - 1));
      return;
    }
    const said = prompt.kind === 'text' ? refusalIn(frame) : undefined;
    if (said === undefined || refusal !== undefined) return;
    refusal = new Error(`"${prompt.message}" did not accept ${JSON.stringify(keys)}: ${said}`);
    press('\x03');
  });
  const machine = {
    stdin,
    stderrStream,
    stderr: { isTTY: true, write: async (text: string) => see(text) },
    width: 80,
    ...(options.clock && { clock: options.clock }),
    interrupted: controller.signal,
    interrupt: () => controller.abort(new Cancelled('interrupted', EXIT.interrupted)),
  } as unknown as Partial<Machine>;
  const outcome = await runInProcess(args, { env: options.env, machine });
  if (refusal !== undefined) throw refusal;
  return { ...outcome, stderr: all, prompts, screen: all };
};
