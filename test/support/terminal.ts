import { spawn } from 'node:child_process';
import { PassThrough } from 'node:stream';
import { StringDecoder } from 'node:string_decoder';
import { stripVTControlCharacters } from 'node:util';
import type { Clock } from '../../src/clock.ts';
import { Cancelled, EXIT } from '../../src/errors.ts';
import type { Machine } from '../../src/platform/machine.ts';
import { atThisFileEnd } from './folder.ts';
import { runInProcess } from './in-process.ts';
import { BIN } from './process.ts';

/**
 * The built program in a real pseudo-terminal of 24 lines, by `script` (util-linux; part of every Debian). What is
 * typed goes through the terminal's own line discipline, as from a keyboard.
 */

type Env = Readonly<Record<string, string>>;
/** What a screen is to show; a function throws as long as it does not: `expect` within. */
type Judgement = RegExp | string | ((screen: string) => void);
/** What a question looks like, and what is typed at it. */
export type Reply = readonly [question: RegExp, keys: string];
export type Terminal = ReturnType<typeof openPty>;
export interface TerminalOptions {
  readonly env: Env;
  /** After the command line: `>/dev/null`. */
  readonly redirect?: string;
  /** Of the terminal; default 80. */
  readonly columns?: number;
}

const quoted = (word: string): string => `'${word.replaceAll("'", "'\\''")}'`;

export const openTerminal = (
  args: readonly string[],
  { env, redirect = '', columns = 80 }: TerminalOptions,
): Terminal =>
  openPty(scriptOf(`${[process.execPath, BIN, ...args].map(quoted).join(' ')} ${redirect}`, columns), env);

/** A file of commands for bash, at a terminal of 80 columns; it ends at the first that fails. */
export const openScript = (file: string, env: Env, replies?: readonly Reply[]): Terminal =>
  openPty(scriptOf(`bash -euo pipefail ${quoted(file)}`, 80), env, replies);

/** An interactive shell, which `close` ends. */
export const openShell = (command: string, env: Env): Terminal =>
  openPty(`stty cols 100 rows 40; exec ${command}`, env);

// The shell outlives a Ctrl-C that reaches the whole foreground group.
const scriptOf = (command: string, columns: number): string =>
  [
    `stty cols ${columns} rows 24; before=$(stty -g); trap : INT`,
    command,
    'code=$?; after=$(stty -g); state=changed; [ "$before" = "$after" ] && state=same',
    'echo; echo "[exit $code $state]"',
  ].join('\n');

/** Of a whole sitting; less than a test's own time limit, which does not tell what the screen showed. */
const PATIENCE_MS = 200_000;
// biome-ignore lint/suspicious/noControlCharactersInRegex: what a terminal is told when a question is done with
const CURSOR_SHOWN = /\x1b\[\?25h/;

/** What a shell script does in a pseudo-terminal. @param replies typed at each question once */
function openPty(script: string, env: Env, replies: readonly Reply[] = []) {
  const child = spawn('script', ['-qec', script, '/dev/null'], {
    env: { SHELL: '/bin/sh', TERM: 'xterm-256color', ...env },
  });
  // Of a test that failed, or of a shell. With its terminal gone, whatever runs there is told to hang up.
  const close = () => void child.kill('SIGKILL');
  atThisFileEnd(close);
  child.stdin.on('error', () => {});
  const type = (keys: string) => void child.stdin.write(keys);

  let [screen, unseen, isOver] = ['', '', false];
  const waiting = new Set<() => void>();
  const look = () => {
    for (const one of [...waiting]) one();
  };
  const show = () => {
    const piece = pieceOf(unseen);
    screen += piece;
    unseen = unseen.slice(piece.length);
    if (unseen !== '') setImmediate(show);
    look();
  };
  for (const stream of [child.stdout, child.stderr]) {
    // What is read ends anywhere, in the middle of a character too.
    const decoder = new StringDecoder('utf8');
    stream.on('data', (chunk: Buffer) => {
      const isShowing = unseen !== '';
      unseen += decoder.write(chunk);
      if (!isShowing) show();
    });
  }
  child.on('close', () => {
    isOver = true;
    look();
  });

  const shown = (what: readonly Judgement[], from = 0): Promise<void> =>
    new Promise((resolve, reject) => {
      const end = (problem?: string) => {
        clearTimeout(timer);
        waiting.delete(judge);
        if (problem === undefined) resolve();
        else reject(new Error(`${problem}; the screen: ${JSON.stringify(screen)}`));
      };
      const judge = () => {
        const missing = complaint(what, screen.slice(from));
        if (missing === undefined) end();
        else if (isOver && unseen === '') end(`ended, and ${missing}`);
      };
      const timer = setTimeout(() => {
        close();
        end(`${complaint(what, screen.slice(from))} after ${PATIENCE_MS / 1000} s`);
      }, PATIENCE_MS);
      waiting.add(judge);
      judge();
    });

  let [answered, isAsked] = [0, false];
  // A question is drawn again with every key, until the cursor is shown again.
  waiting.add(() => {
    const rest = screen.slice(answered);
    const keys = replies.find(([question]) => question.test(rest))?.[1];
    if (isAsked && CURSOR_SHOWN.test(rest)) isAsked = false;
    else if (!isAsked && keys !== undefined) {
      isAsked = true;
      type(keys);
    } else return;
    answered = screen.length;
  });

  const end = async () => {
    await shown([END]);
    child.stdin.end();
    const [, exit, state] = END.exec(screen) ?? [];
    /** `restored`: whether the settings of the terminal (echo, line mode) are what they were before. */
    return { exit: Number(exit), screen, restored: state === 'same' };
  };
  let ending: ReturnType<typeof end> | undefined;
  return {
    type,
    close,
    /** After the program has ended. */
    get ended() {
      ending ??= end();
      return ending;
    },
    /**
     * Everything on the screen so far, escape sequences included. At any moment it may be half drawn: what is judged of
     * it before the program has ended is judged by `until`.
     */
    screen: () => screen,
    /** Resolves once the screen shows all of it. Rejects when the program ends, or minutes pass, before. */
    until: (...what: readonly Judgement[]) => shown(what),
    /** Types, and waits until what comes to the screen from then on shows all of it; resolves with that. */
    async press(keys: string, ...what: readonly Judgement[]): Promise<string> {
      const from = screen.length;
      type(keys);
      await shown(what, from);
      return screen.slice(from);
    },
  };
}

const END = /\[exit (\d+) (\w+)\]/;

/**
 * How much of what is drawn is seen at a time: a line, or so many characters. A terminal passes on what is written in
 * pieces of any size, and whoever judges the first of them finds half a screen: here that is so each time, not now and
 * then. `TTCTL_TEST_PIECES=1` shows every character by itself.
 */
function pieceOf(text: string, size = Number(process.env['TTCTL_TEST_PIECES'] ?? 0)): string {
  return text.slice(0, size > 0 ? size : text.indexOf('\n') + 1 || text.length);
}

/** What is missing from the text; `undefined` when nothing is. */
function complaint(what: readonly Judgement[], text: string): string | undefined {
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
}

/** One run of the whole program in this process, at a terminal that a script of answers sits before. */

export interface Prompt {
  /** `Member to archive`, without what is typed. */
  readonly message: string;
  /** `mark`: several may be picked. */
  readonly kind: 'pick' | 'mark' | 'text' | 'confirm';
}

export interface SittingOptions {
  readonly env: Env;
  /** Keys for a prompt, Enter included. */
  readonly answer: (prompt: Prompt, index: number) => string;
  readonly columns?: number;
  readonly clock?: Clock;
}

/** The prompt that a frame of the screen shows; `undefined` for one that is answered, and for no prompt. */
const promptIn = (frame: string): Prompt | undefined => {
  const [, question] = /^\? (.*)\? \(y\/N\) ?$/m.exec(frame) ?? [];
  if (question !== undefined) return { message: question, kind: 'confirm' };
  const [, message] = /^(?:\? )?([^:(]+?):(?: \((?:[^()]|\([^()]*\))*\))? ?(?:\n|$)/.exec(frame) ?? [];
  if (message === undefined) return undefined;
  const [, keys] = /; (type to search|Up and Down to move)/.exec(frame) ?? [];
  return { message, kind: keys === undefined ? 'text' : keys.startsWith('type') ? 'pick' : 'mark' };
};

/** What stands below a text prompt that did not accept its answer, whose field it has emptied. */
const REFUSAL = /^\? [^\n]+:(?: \([^\n]*\))? *\n([^\n]+)$/;

/**
 * `prompts`: all that was asked, in order; `screen`: all that stood on stderr, without escape sequences.
 * @throws Error when a prompt does not accept its answer, which it would wait for again
 */
export const sitDown = async (
  args: readonly string[],
  { env, answer, columns = 80, clock }: SittingOptions,
) => {
  const stdin = Object.assign(new PassThrough(), { isTTY: true, setRawMode: () => stdin });
  // Like the stderr of a process it is not ended by what is piped into it.
  const stderrStream = Object.assign(new PassThrough(), { columns, _isStdio: true });
  const controller = new AbortController();
  const prompts: Prompt[] = [];
  let [screen, keys] = ['', ''];
  let refusal: Error | undefined;
  const press = (pressed: string): void => {
    keys = pressed;
    setImmediate(() => stdin.write(pressed));
  };
  stderrStream.on('data', (chunk: Buffer) => {
    const frame = stripVTControlCharacters(chunk.toString());
    screen += frame;
    const prompt = promptIn(frame);
    if (prompt === undefined) return;
    if (!prompts.some(({ message }) => message === prompt.message)) {
      prompts.push(prompt);
      return press(answer(prompt, prompts.length - 1));
    }
    const said = prompt.kind === 'text' ? REFUSAL.exec(frame)?.[1] : undefined;
    if (said === undefined || refusal !== undefined) return;
    refusal = new Error(`"${prompt.message}" did not accept ${JSON.stringify(keys)}: ${said}`);
    press('\x03');
  });
  const write = async (text: string) => {
    screen += text;
  };
  const machine = {
    ...{ stdin, stderrStream, width: 80, stderr: { isTTY: true, write }, ...(clock && { clock }) },
    interrupted: controller.signal,
    interrupt: () => controller.abort(new Cancelled('interrupted', EXIT.interrupted)),
  } as unknown as Partial<Machine>;
  const outcome = await runInProcess(args, { env, machine });
  if (refusal !== undefined) throw refusal;
  return { ...outcome, stderr: screen, prompts, screen };
};
