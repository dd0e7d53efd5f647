import { spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import { EXIT, Failure } from '../outcome.ts';
import { removeCredentials } from '../platform/child-environment.ts';
import type { Machine } from '../platform/machine.ts';
import { parseFailure } from '../sandbox/control-client.ts';
import type { SandboxServerInfo, ServeOptions } from '../sandbox/service.ts';

/** A sandbox server in the background. */

/** The failure that the other process printed as its last line, as if it had happened here. */
const toFailure = (stderr: string): Failure => {
  const text = stderr.trim();
  const details = { code: 'sandbox_failed', exit: EXIT.fault, reason: text } as const;
  return parseFailure(text.split('\n').at(-1) ?? '', new Failure('the sandbox did not start', details));
};

/** Starts a server in a process of its own and waits for its ready line. */
export const startDetached = async (machine: Machine, options: ServeOptions): Promise<SandboxServerInfo> => {
  const child = spawn(machine.node, [machine.entry, 'sandbox', 'start', '--json', ...formatFlags(options)], {
    detached: true,
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { ...removeCredentials(machine.env), TTCTL_OUTPUT: '' },
  });
  const errors: string[] = [];
  child.stderr.on('data', (chunk: Buffer) => errors.push(chunk.toString('utf8')));
  const line = await new Promise<string | undefined>((resolve) => {
    createInterface({ input: child.stdout }).once('line', resolve);
    child.once('close', () => resolve(undefined));
    child.once('error', (error) => {
      errors.push(error.message);
      resolve(undefined);
    });
  });
  if (line === undefined) throw toFailure(errors.join(''));
  child.stdout.destroy();
  child.stderr.destroy();
  child.unref();
  return JSON.parse(line) as SandboxServerInfo;
};

/** The options as flags of `sandbox start`. */
function formatFlags({
  port,
  state,
  seed,
  dialect,
  autoApprove,
  limits,
  allowWebhooksTo = [],
}: ServeOptions) {
  const values = { port, state, seed, dialect, 'auto-approve': autoApprove };
  return [
    ...Object.entries(values).flatMap(([name, value]) => (value === undefined ? [] : [`--${name}=${value}`])),
    ...(limits === 'off' ? ['--no-limits'] : []),
    ...allowWebhooksTo.map((host) => `--allow-webhooks-to=${host}`),
  ];
}
