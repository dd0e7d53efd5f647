import { createServer } from 'node:http';
import { connect } from 'node:net';
import { type Finished, startBinary } from './binary.ts';
import { closing, listening } from './loopback-server.ts';

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

/** A port that was free a moment ago. */
export const freePort = async (): Promise<number> => {
  const server = createServer();
  const port = await listening(server);
  await closing(server, () => {});
  return port;
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
      const exit = code ?? (signal === 'SIGKILL' ? 137 : 128);
      resolve({ stdout: Buffer.concat(out).toString('utf8'), stderr: text(), exit });
    });
  });
  child.stdin?.on('error', () => {});
  for (const line of input) child.stdin?.write(`${line}\n`);
  const url = await new Promise<string>((resolve, reject) => {
    child.stderr?.on('data', (chunk: Buffer) => {
      said.push(chunk);
      const found = /^http\S+\/oauth\/authorize\S+$/m.exec(text());
      if (found !== null) resolve(found[0]);
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
