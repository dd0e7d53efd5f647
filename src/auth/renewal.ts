import { spawn } from 'node:child_process';
import { dirname, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Settings } from '../config/settings.ts';
import { EXIT, Failure, parseFailureJson } from '../errors.ts';
import { isRecord, parseJsonValue } from '../json.ts';
import { removeCredentials } from '../platform/child.ts';
import type { RunRequests } from '../platform/log.ts';
import type { Machine } from '../platform/machine.ts';
import { withLock } from '../storage/lock.ts';
import type { Credential, CredentialStore } from './credentials.ts';
import { fingerprintToken } from './oauth.ts';

/**
 * Has a credential renewed. The exchange is done by a small process of its own (renew.ts), in a session of its own and
 * deaf to signals: a refresh token is spent the moment it is sent, so whoever sends it must live to store its successor.
 * Those who want a renewal wait in line here, each looks again when it is his turn, and one process in all is started.
 */

interface RenewerRun {
  readonly machine: Machine;
  readonly settings: Settings;
  readonly requests: RunRequests;
  readonly credentials: CredentialStore;
}

const TURN_TIMEOUT_MS = 90_000;

/**
 * @returns what is stored once the token of `stored` is replaced, by us or by another process
 * @throws Failure: exit 3 where the service refuses, 7 where it cannot be reached, 1 where nothing can be stored. Never a
 * `NetworkError`: the request that waited for the renewal was not sent
 */
export async function renewCredential(run: RenewerRun, stored: Credential): Promise<Credential> {
  const { clock, interrupted } = run.machine;
  const { file = '' } = run.credentials;
  const lost = new Failure('the sign-in could not be renewed', {
    code: 'renewal_failed',
    exit: EXIT.fault,
    reason: 'The renewal process ended unexpectedly.',
    hint: 'Run the command again with --debug for details.',
  });
  const readSuccessor = (): Credential | undefined => {
    const current = run.credentials.read(run.settings.profile.value);
    return current?.access_token === stored.access_token ? undefined : current;
  };
  const work = async (): Promise<Credential> => {
    const earlier = readSuccessor();
    if (earlier !== undefined) return earlier;
    const failure = await runRenewal(run, file, fingerprintToken(stored.access_token));
    const renewed = readSuccessor();
    if (renewed !== undefined) return renewed;
    throw isRecord(failure) ? parseFailureJson(failure, lost) : lost;
  };
  return withLock(`${file}.refresh`, clock, work, { timeoutMs: TURN_TIMEOUT_MS, signal: interrupted });
}

/** @returns what the process says on stdout: a failure in JSON, or nothing */
function runRenewal({ machine, settings, requests }: RenewerRun, file: string, fingerprint: string) {
  const { interrupted, node, env } = machine;
  const debug = settings.debug.value;
  const log = settings.log?.value ?? '';
  return new Promise<unknown>((settle, reject) => {
    if (interrupted.aborted) return reject(interrupted.reason);
    // Beside this file once it is built.
    const program = machine.renewer ?? fileURLToPath(new URL('./renew.cjs', import.meta.url));
    // A list of processes shows no more than where, whose, and the fingerprint of a token.
    const args = [program, file, settings.profile.value, fingerprint, requests.numbers.nextId()];
    const seen = [debug ? 'debug' : '', log === '' || log === '-' ? log : resolve(log)];
    const child = spawn(node, [...args, ...seen], {
      detached: true,
      windowsHide: true,
      // The directory that the command was started in may be gone.
      cwd: dirname(file),
      env: { ...removeCredentials(env), TTCTL_CLIENT_SECRET: env.TTCTL_CLIENT_SECRET },
      stdio: ['ignore', 'pipe', debug || log === '-' ? 'inherit' : 'ignore'],
    });
    const detach = (): void => {
      child.stdout?.destroy();
      child.unref();
      reject(interrupted.reason);
    };
    interrupted.addEventListener('abort', detach, { once: true });
    let output = '';
    child.stdout?.on('data', (chunk: Buffer) => {
      output += chunk.toString('utf8');
    });
    child.once('error', reject);
    child.once('close', () => {
      interrupted.removeEventListener('abort', detach);
      settle(parseJsonValue(output));
    });
  });
}
