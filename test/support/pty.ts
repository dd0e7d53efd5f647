import { type ChildProcess, spawn } from 'node:child_process';
import { StringDecoder } from 'node:string_decoder';
import { BIN } from './binary.ts';

/**
 * The built program in a real pseudo-terminal of 24 lines, by `script` (util-linux; part of every Debian). What is
 * typed goes through the terminal's own line discipline, as from a keyboard.
 */

export interface Terminal {
  /** Everything on the screen so far, escape sequences included. */
  screen(): string;
  /** Resolves once the screen shows it. Rejects when the program ends, or a minute passes, before. */
  until(what: RegExp): Promise<void>;
  type(keys: string): void;
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

const PATIENCE_MS = 60_000;
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

const watch = (child: ChildProcess) => {
  let screen = '';
  // What is read ends anywhere, in the middle of a character too.
  const [out, err] = [new StringDecoder('utf8'), new StringDecoder('utf8')];
  const waiting = new Set<() => void>();
  const wake = () => {
    for (const look of [...waiting]) look();
  };
  const see = (decoder: StringDecoder) => (chunk: Buffer) => {
    screen += decoder.write(chunk);
    wake();
  };
  child.stdout?.on('data', see(out));
  child.stderr?.on('data', see(err));
  // After its end there may still be something to read; after `close` there is not.
  let closed = false;
  child.on('close', () => {
    closed = true;
    wake();
  });
  return { screen: () => screen, waiting, closed: () => closed };
};

/** What a shell script does in a pseudo-terminal. */
const openPty = (script: string, env: Readonly<Record<string, string>>, patience = PATIENCE_MS) => {
  const child = spawn('script', ['-qec', script, '/dev/null'], {
    env: { SHELL: '/bin/sh', TERM: 'xterm-256color', ...env },
  });
  child.stdin.on('error', () => {});
  const { screen, waiting, closed } = watch(child);
  const until = (what: RegExp): Promise<void> =>
    new Promise((resolve, reject) => {
      const finish = (settle: () => void) => {
        clearTimeout(timer);
        waiting.delete(look);
        settle();
      };
      const look = () => {
        if (what.test(screen())) finish(resolve);
        else if (closed()) finish(() => reject(new Error(`ended without ${what}: ${screen()}`)));
      };
      const timer = setTimeout(() => {
        child.kill('SIGKILL');
        finish(() => reject(new Error(`${what} did not appear: ${JSON.stringify(screen())}`)));
      }, patience);
      waiting.add(look);
      look();
    });
  return { child, screen, until, type: (keys: string) => void child.stdin.write(keys), waiting };
};

const terminalOf = ({ child, screen, until, type }: ReturnType<typeof openPty>): Terminal => {
  const ended = until(END).then((): TerminalEnd => {
    child.stdin.end();
    const [, exit = '', state = ''] = END.exec(screen()) ?? [];
    return { exit: Number(exit), screen: screen(), restored: state === 'same' };
  });
  ended.catch(() => {}); // told to whoever waits for it
  return { screen, until, type, ended };
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

const SCRIPT_PATIENCE_MS = 110_000;

/** A file of commands for bash, at a terminal of 80 columns; it ends at the first that fails. */
export const openScript = (
  file: string,
  env: Readonly<Record<string, string>>,
  replies: readonly Reply[] = [],
): Terminal => {
  const pty = openPty(scriptOf(`bash -euo pipefail ${quoted(file)}`, 80), env, SCRIPT_PATIENCE_MS);
  replying(pty, replies);
  return terminalOf(pty);
};

/** An interactive shell. `close` ends it. */
export const openShell = (
  command: string,
  env: Readonly<Record<string, string>>,
): Pick<Terminal, 'screen' | 'until' | 'type'> & { close(): void } => {
  const { child, screen, until, type } = openPty(`stty cols 100 rows 40; exec ${command}`, env);
  return { screen, until, type, close: () => void child.kill('SIGHUP') };
};
