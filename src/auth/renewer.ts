import { spawn } from 'node:child_process';
import { dirname, resolve } from 'node:path';
import type { Clock } from '../clock.ts';
import { EXIT, Failure, parseFailureJson } from '../errors.ts';
import { withLock } from '../storage/lock.ts';
import type { Credential, CredentialStore } from './credentials.ts';
import { fingerprintToken } from './oauth.ts';
import type { RenewalReport, SerializedFailure } from './renewal.ts';

/**
 * Has a credential renewed. The exchange is done by a small process of its own (renew.ts), in a session of its own and
 * deaf to signals: a refresh token is spent the moment it is sent, so whoever sends it must live to store its successor.
 * Those who want a renewal wait in line here, each looks again when it is his turn, and one process in all is started.
 */

export interface RenewerOptions {
  readonly clock: Clock;
  readonly interrupted: AbortSignal;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Path of Node, and of the program that renews. */
  readonly node: string;
  readonly program: string;
  /** The renewal tells its requests on stderr. */
  readonly debug: boolean;
  /** The file of `--log`; `-`: stderr. */
  readonly log?: string | undefined;
  /** The `X-Request-Id` of its request. */
  getRequestId(): string;
}

/** Never a `NetworkError`: the request that waited for the renewal was not sent. */
const deserializeFailure = (failure: SerializedFailure): Failure =>
  parseFailureJson({ ...failure }, new Failure(failure.message, { code: failure.code, exit: EXIT.fault }));

const readReport = (text: string): RenewalReport | undefined => {
  try {
    return JSON.parse(text) as RenewalReport;
  } catch {
    return undefined;
  }
};

interface RenewalJob {
  readonly file: string;
  readonly profile: string;
  readonly fingerprint: string;
}

/** Starts the process and waits for its report. Detaches from it when the run is interrupted. */
const runRenewal = (
  options: RenewerOptions,
  { file, profile, fingerprint }: RenewalJob,
): Promise<RenewalReport | undefined> =>
  new Promise((settle, reject) => {
    const { interrupted, debug, log } = options;
    if (interrupted.aborted) return reject(interrupted.reason);
    // A list of processes shows no more than where, whose, and the fingerprint of a token.
    const args = [
      ...[options.program, file, profile, fingerprint, options.getRequestId()],
      ...[debug ? 'debug' : '', log === undefined || log === '-' ? (log ?? '') : resolve(log)],
    ];
    const child = spawn(options.node, args, {
      detached: true,
      windowsHide: true,
      // The directory that the command was started in may be gone.
      cwd: dirname(file),
      env: { ...options.env },
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
      settle(readReport(output));
    });
  });

const createNoReportFailure = (): Failure =>
  new Failure('the sign-in could not be renewed', {
    code: 'renewal_failed',
    exit: EXIT.fault,
    reason: 'The renewal process ended unexpectedly.',
    hint: 'Run the command again with --debug for details.',
  });

/** Longer than a renewal can take. */
const TURN_TIMEOUT_MS = 90_000;

/**
 * @returns what is stored once the token of `stored` is replaced, by us or by another process
 * @throws Failure: exit 3 where the service refuses, 7 where it cannot be reached, 1 where nothing can be stored
 */
export const renewCredential = async (
  options: RenewerOptions,
  store: CredentialStore,
  profile: string,
  stored: Credential,
): Promise<Credential> => {
  const { file } = store;
  if (file === undefined) throw createNoReportFailure();
  const fingerprint = fingerprintToken(stored.access_token);
  const readSuccessor = (): Credential | undefined => {
    const current = store.read(profile);
    return current === undefined || current.access_token === stored.access_token ? undefined : current;
  };
  const work = async (): Promise<Credential> => {
    const earlier = readSuccessor();
    if (earlier !== undefined) return earlier;
    const report = await runRenewal(options, { file, profile, fingerprint });
    const renewed = readSuccessor();
    if (renewed !== undefined) return renewed;
    throw report !== undefined && 'failure' in report
      ? deserializeFailure(report.failure)
      : createNoReportFailure();
  };
  return withLock(`${file}.refresh`, options.clock, work, {
    timeoutMs: TURN_TIMEOUT_MS,
    signal: options.interrupted,
  });
};
