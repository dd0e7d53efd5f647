import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { devNull, tmpdir } from 'node:os';
import { join } from 'node:path';
import { EXIT, Failure, UsageError } from '../outcome.ts';
import { forwardSignals, toExitCode } from '../platform/child.ts';
import { removeCredentials } from '../platform/child-environment.ts';
import type { Machine } from '../platform/machine.ts';
import type { SandboxControl } from '../sandbox/control.ts';
import { buildClientVariables, type ServerAddresses } from '../sandbox/locator.ts';
import type { ServeOptions } from '../sandbox/service.ts';
import { type RunningSandbox, startSandbox } from './server.ts';

/** Runs one command against a sandbox of its own (an adapter: it starts a process). */

/** What points a command at a sandbox server, with a token of the first workspace's owner: one, however often. */
export const prepareVariables = async (
  addresses: ServerAddresses,
  control: SandboxControl,
  secret: string,
): Promise<Record<string, string>> => {
  const { workspaces, rate_limit: rateLimit } = await control.status();
  const [workspace] = workspaces;
  const tokenOptions = { as: workspace?.owner ?? '', keptAs: 'sandbox env' };
  const { token } = await control.createToken({ ...tokenOptions, scopes: ['read', 'write'] });
  return buildClientVariables(addresses, { token, workspace: workspace?.id, secret, rateLimit });
};

/** As a shell ends: scripts tell 126 and 127 from what the command itself ends with. */
const createStartFailure = (command: string, cause: NodeJS.ErrnoException): Failure =>
  cause.code === 'ENOENT'
    ? new Failure(`there is no command ${command}`, { code: 'no_such_command', exit: EXIT.noCommand, cause })
    : new Failure(`${command} cannot be run`, {
        code: 'command_failed',
        exit: EXIT.cannotRun,
        reason: cause.message,
        cause,
      });

const createStopRefusal = (): Failure =>
  new UsageError('this sandbox belongs to sandbox exec and stops when its command ends', {
    code: 'sandbox_of_exec',
    hint: 'Stop that command, or start over from a seed: ttctl sandbox reset',
  });

const runChild = async (
  machine: Machine,
  [command = '', ...args]: readonly string[],
  env: Readonly<Record<string, string | undefined>>,
): Promise<number> => {
  const child = spawn(command, args, { stdio: 'inherit', env: { ...env } });
  const release = forwardSignals(machine, child);
  try {
    return await new Promise((resolve, reject) => {
      child.once('error', (cause) => reject(createStartFailure(command, cause)));
      child.once('exit', (code, signal) => resolve(toExitCode(code, signal)));
    });
  } finally {
    release();
  }
};

const MAX_WAIT_MS = 3_000;

/** What the command did may still be on its way to a webhook, perhaps one of the command's own. */
const waitForDeliveries = async (
  { clock, interrupted }: Machine,
  { sent }: RunningSandbox,
): Promise<void> => {
  const timeoutController = new AbortController();
  const timeout = clock
    .sleep(MAX_WAIT_MS, AbortSignal.any([interrupted, timeoutController.signal]))
    .catch(() => {});
  await Promise.race([sent(), timeout]);
  timeoutController.abort();
};

/** No directory at all. */
const NO_DIRECTORY = join(devNull, 'ttctl');

const makeTemporaryFolder = (): string | undefined => {
  try {
    return mkdtempSync(join(tmpdir(), 'ttctl-exec-'));
  } catch {
    return undefined; // a disk that is read-only altogether
  }
};

const removeTemporaryFolder = (folder: string): void => {
  try {
    rmSync(folder, { recursive: true, force: true, maxRetries: 3 });
  } catch {
    // What the command left running still writes there.
  }
};

/** Config, state and cache of the command's own, gone afterwards: what it does leaves no trace in the user's. */
const withOwnDirectories = async (
  { keepState }: ServeOptions,
  work: (variables: Readonly<Record<string, string>>) => Promise<number>,
): Promise<number> => {
  if (keepState === true) return work({});
  const folder = makeTemporaryFolder();
  const names = ['config', 'state', 'cache'];
  const variables = names.map((name) => [
    `TTCTL_${name.toUpperCase()}_DIR`,
    folder === undefined ? NO_DIRECTORY : join(folder, name),
  ]);
  try {
    return await work(Object.fromEntries(variables));
  } finally {
    if (folder !== undefined) removeTemporaryFolder(folder);
  }
};

/**
 * Starts a sandbox on a free port, runs the command with `TTCTL_*` pointing at it, and stops the sandbox.
 * @returns the command's own exit code; 128 + n after signal n
 */
export const execWithSandbox = async (
  machine: Machine,
  command: readonly string[],
  options: ServeOptions,
): Promise<number> => {
  const server = await startSandbox(
    machine,
    { ...options, port: 0 },
    { directory: null, refuseStop: createStopRefusal },
  );
  try {
    const { locator, control } = server;
    const { secret } = locator;
    const variables = await prepareVariables(locator, control, secret);
    const { TTCTL_RATE_LIMIT: ownRateLimit } = machine.env;
    const code = await withOwnDirectories(options, (directories) =>
      runChild(machine, command, {
        ...removeCredentials(machine.env),
        ...variables,
        ...directories,
        // Whoever sets it means the command.
        ...(ownRateLimit !== undefined && ownRateLimit !== '' && { TTCTL_RATE_LIMIT: ownRateLimit }),
      }),
    );
    await waitForDeliveries(machine, server);
    return code;
  } finally {
    await server.close();
  }
};
