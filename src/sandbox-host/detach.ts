import { spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import { withoutCredentials } from '../host/child-environment.ts';
import type { Machine } from '../host/machine.ts';
import { EXIT, Failure } from '../outcome.ts';
import { failureFrom } from '../sandbox/control-client.ts';
import type { SandboxPlace } from '../sandbox/service.ts';

/** A sandbox server in the background. */

/** The failure that the other process printed as its last line, as if it had happened here. */
const failureOf = (stderr: string): Failure => {
  const text = stderr.trim();
  const facts = { code: 'sandbox_failed', exit: EXIT.fault, reason: text };
  return failureFrom(text.split('\n').at(-1) ?? '', new Failure('the sandbox did not start', facts));
};

/** Starts a server in a process of its own and waits for its ready line. */
export const detach = async (machine: Machine, args: readonly string[]): Promise<SandboxPlace> => {
  const child = spawn(machine.node, [machine.entry, 'sandbox', 'start', '--json', ...args], {
    detached: true,
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { ...withoutCredentials(machine.env), TTCTL_OUTPUT: '' },
  });
  const errors: string[] = [];
  child.stderr.on('data', (chunk: Buffer) => errors.push(chunk.toString('utf8')));
  const line = await new Promise<string | undefined>((done) => {
    createInterface({ input: child.stdout }).once('line', done);
    child.once('close', () => done(undefined));
    child.once('error', (error) => {
      errors.push(error.message);
      done(undefined);
    });
  });
  if (line === undefined) throw failureOf(errors.join(''));
  child.stdout.destroy();
  child.stderr.destroy();
  child.unref();
  return JSON.parse(line) as SandboxPlace;
};
