import { createServer } from 'node:http';
import { connect } from 'node:net';
import { constants } from 'node:os';
import { type Finished, startBinary } from './binary.ts';

/** A sign-in under way in a process of its own. */

export interface Begun {
  /** The address that a person is to open. */
  readonly url: string;
  type(line: string): void;
  endInput(): void;
  kill(signal: NodeJS.Signals): void;
  stderr(): string;
  readonly ended: Promise<Finished>;
}

// Below those that a kernel gives to whoever asks for any port; each process of the tests has a few of its own.
const FIRST_PORT = 20_000;
const PROCESSES = 500;
const PORTS_EACH = 20;
let drawn = 0;

const canListen = (port: number): Promise<boolean> =>
  new Promise((resolve) => {
    const server = createServer().once('error', () => resolve(false));
    server.listen(port, '127.0.0.1', () => server.close(() => resolve(true)));
  });

/** A port that is free, and that nobody takes by chance before it is used. */
export const freePort = async (): Promise<number> => {
  for (let tries = 0; tries < PORTS_EACH; tries += 1) {
    const port = FIRST_PORT + (process.pid % PROCESSES) * PORTS_EACH + (drawn % PORTS_EACH);
    drawn += 1;
    if (await canListen(port)) return port;
  }
  throw new Error('all ports of this process are taken');
};

export const begin = async (
  args: readonly string[],
  env: Readonly<Record<string, string>>,
  input: readonly string[] = [],
): Promise<Begun> => {
  const child = startBinary(args, { env });
  const said: Buffer[] = [];
  const text = (): string => Buffer.concat(said).toString('utf8');
  // Stdin stays open, as at a terminal or in a pipe that somebody holds.
  const out: Buffer[] = [];
  child.stdout?.on('data', (chunk: Buffer) => out.push(chunk));
  const ended = new Promise<Finished>((resolve) => {
    child.once('close', (code, signal) => {
      const exit = code ?? 128 + (signal === null ? 0 : constants.signals[signal]);
      resolve({ stdout: Buffer.concat(out).toString('utf8'), stderr: text(), exit });
    });
  });
  child.stdin?.on('error', () => {});
  for (const line of input) child.stdin?.write(`${line}\n`);
  const url = await new Promise<string>((resolve, reject) => {
    child.stderr?.on('data', (chunk: Buffer) => {
      said.push(chunk);
      // To the end of its line: what is read may end in the middle of it.
      const found = /^(http\S+\/oauth\/authorize\S+)\n/m.exec(text())?.[1];
      if (found !== undefined) resolve(found);
    });
    child.once('close', () => reject(new Error(`no address: ${text()}`)));
  });
  return {
    url,
    type: (line) => void child.stdin?.write(`${line}\n`),
    endInput: () => void child.stdin?.end(),
    kill: (signal) => void child.kill(signal),
    stderr: text,
    ended,
  };
};

export const isFree = (port: number): Promise<boolean> =>
  new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1', () => {
      socket.destroy();
      resolve(false);
    });
    socket.once('error', () => resolve(true));
  });
