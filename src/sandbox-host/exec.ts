import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { devNull, tmpdir } from 'node:os';
import { join } from 'node:path';
import { EXIT, Failure, UsageError } from '../errors.ts';
import { forwardSignals, toExitCode } from '../platform/child.ts';
import { removeCredentials } from '../platform/child-environment.ts';
import type { Machine } from '../platform/machine.ts';
import type { SandboxControl } from '../sandbox/control.ts';
import { buildClientVariables, type ServerAddresses } from '../sandbox/locator.ts';
import type { ServeOptions } from '../sandbox/service.ts';
import { startSandbox } from './server.ts';

/** Runs one command against a sandbox of its own (an adapter: it starts a process). */

const MAX_WAIT_MS = 3_000;

/**
 * Starts a sandbox on a free port, runs the command with `TTCTL_*` pointing at it, and stops the sandbox.
 * @returns the command's own exit code; 128 + n after signal n
 */
export async function execWithSandbox(
  machine: Machine,
  command: readonly string[],
  options: ServeOptions,
): Promise<number> {
  const setup = { directory: null, refuseStop: createStopRefusal };
  const { locator, control, sent, close } = await startSandbox(machine, { ...options, port: 0 }, setup);
  const folder = options.keepState === true ? undefined : makeTemporaryFolder();
  try {
    const { TTCTL_RATE_LIMIT: ownRateLimit } = machine.env;
    const code = await runChild(machine, command, {
      ...removeCredentials(machine.env),
      ...(await prepareVariables(locator, control, locator.secret)),
      ...(options.keepState === true ? {} : listDirectories(folder)),
      // Whoever sets it means the command.
      ...(ownRateLimit ? { TTCTL_RATE_LIMIT: ownRateLimit } : {}),
    });
    // What the command did may still be on its way to a webhook, perhaps one of the command's own.
    const ended = new AbortController();
    const signal = AbortSignal.any([machine.interrupted, ended.signal]);
    await Promise.race([sent(), machine.clock.sleep(MAX_WAIT_MS, signal).catch(() => {})]);
    ended.abort();
    return code;
  } finally {
    if (folder !== undefined) removeTemporaryFolder(folder);
    await close();
  }
}

/** What points a command at a sandbox server, with a token of the first workspace's owner: one, however often. */
export async function prepareVariables(
  addresses: ServerAddresses,
  control: SandboxControl,
  secret: string,
): Promise<Record<string, string>> {
  const { workspaces, rate_limit: rateLimit } = await control.status();
  const [workspace] = workspaces;
  const tokenOptions = { as: workspace?.owner ?? '', keptAs: 'sandbox env' };
  const { token } = await control.createToken({ ...tokenOptions, scopes: ['read', 'write'] });
  return buildClientVariables(addresses, { token, workspace: workspace?.id, secret, rateLimit });
}

function createStopRefusal(): Failure {
  return new UsageError('this sandbox belongs to sandbox exec and stops when its command ends', {
    code: 'sandbox_of_exec',
    hint: 'Stop that command, or start over from a seed: ttctl sandbox reset',
  });
}

async function runChild(
  machine: Machine,
  [command = '', ...args]: readonly string[],
  env: Readonly<Record<string, string | undefined>>,
): Promise<number> {
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
}

/** As a shell ends: scripts tell 126 and 127 from what the command itself ends with. */
function createStartFailure(command: string, cause: NodeJS.ErrnoException): Failure {
  if (cause.code === 'ENOENT') {
    const details = { code: 'no_such_command', exit: EXIT.noCommand, cause } as const;
    return new Failure(`there is no command ${command}`, details);
  }
  const details = { code: 'command_failed', exit: EXIT.cannotRun, reason: cause.message, cause } as const;
  return new Failure(`${command} cannot be run`, details);
}

/** Config, state and cache of the command's own: what it does leaves no trace in the user's. None: no directory at all. */
function listDirectories(folder = join(devNull, 'ttctl')): Readonly<Record<string, string>> {
  return {
    TTCTL_CONFIG_DIR: join(folder, 'config'),
    TTCTL_STATE_DIR: join(folder, 'state'),
    TTCTL_CACHE_DIR: join(folder, 'cache'),
  };
}

function makeTemporaryFolder(): string | undefined {
  try {
    return mkdtempSync(join(tmpdir(), 'ttctl-exec-'));
  } catch {
    return undefined; // a disk that is read-only altogether
  }
}

function removeTemporaryFolder(folder: string): void {
  try {
    rmSync(folder, { recursive: true, force: true, maxRetries: 3 });
  } catch {
    // What the command left running still writes there.
  }
}
