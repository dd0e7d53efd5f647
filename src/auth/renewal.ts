import { spawn } from 'node:child_process';
import { dirname, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Settings } from '../config/settings.ts';
import { EXIT, Failure, parseFailureJson } from '../errors.ts';
import { createRedactor } from '../http/redact.ts';
import { isRecord, parseJsonValue } from '../json.ts';
import { removeCredentials } from '../platform/child.ts';
import type { RunRequests } from '../platform/log.ts';
import type { Machine } from '../platform/machine.ts';
import { withLock } from '../storage/lock.ts';
import type { Credential, CredentialStore } from './credentials.ts';
import { fingerprintToken, isToken } from './oauth.ts';
import { formatSignInCommand } from './session.ts';

/**
 * What other processes do for a token: they print one, or renew a credential. A renewal is done by a small process of
 * its own (renew.ts), in a session of its own and deaf to signals: a refresh token is spent the moment it is sent, so
 * whoever sends it must live to store its successor. Those who want a renewal wait in line here, each looks again when
 * it is his turn, and one process in all is started.
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
    const args = [program, file, settings.profile.value, fingerprint, requests.nextId()];
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

const COMMAND_TIMEOUT_MS = 30_000;
const COMMAND_MAX_LENGTH = 64 * 1024;

/** Tells ttctl that it was started by one: a command that needs its own token would begin again for ever. */
const NESTED = 'TTCTL_IN_TOKEN_COMMAND';

/**
 * The token that a command prints: of a password manager, a vault, an exchange of tokens. Nothing of it is stored. What
 * it says on stderr is passed on at its end, when what is secret in it is known.
 * @throws Failure (exit 3) for anything but one line that is a token
 */
export async function runTokenCommand(command: string, profile: string, machine: Machine): Promise<string> {
  const { env, redactor, stderr } = machine;
  const nested = { stdout: '', stderr: '', problem: 'It runs ttctl, which needs this token itself.' };
  const ended = env[NESTED] ? nested : await waitForCommand(command, machine);
  const [token = '', ...more] = ended.stdout.trim().split(/\r?\n/);
  let { problem } = ended;
  if (token === '') problem ??= 'It printed nothing.';
  if (more.length > 0) problem ??= `It printed ${more.length + 1} lines.`;
  if (!isToken(token)) problem ??= 'What it printed is not a token.';
  if (problem === undefined) redactor.register(token);
  // Whatever it printed may be a secret, and so may what looks like one on stderr, where it printed none.
  const own = createRedactor();
  for (const between of [/\s+/, /[^\w.~+/=-]+/])
    for (const word of ended.stdout.split(between)) own.register(word);
  for (const word of ended.stderr.match(/[\w.~+=-]{16,}/g) ?? []) if (isLikeToken(word)) own.register(word);
  const said = own.text(redactor.text(ended.stderr)).trimEnd();
  if (said !== '') await stderr.write(`${said}\n`);
  if (problem === undefined) return token;
  throw new Failure(`the token command of profile ${profile} failed`, {
    code: 'token_command',
    exit: EXIT.signedOut,
    reason: problem,
    hint: `It must print only the token, on one line. Change it: ${formatSignInCommand({ kind: 'command', profile })}`,
  });
}

/** Letters and digits, too long for a word: `hvs.CAESIJ0123456789abcdef`. */
function isLikeToken(word: string): boolean {
  return word.split('.').some((part) => part.length >= 16 && /\d/.test(part) && /[a-z]/i.test(part));
}

function waitForCommand(command: string, { env, stdin, clock, interrupted }: Machine) {
  return new Promise<{ stdout: string; stderr: string; problem?: string | undefined }>((settle, reject) => {
    if (interrupted.aborted) return reject(interrupted.reason);
    const child = spawn(command, {
      shell: true,
      windowsHide: true,
      env: { ...removeCredentials(env), [NESTED]: '1' },
      // It may ask a person; what is piped in is not for it.
      stdio: [stdin.isTTY ? 'inherit' : 'ignore', 'pipe', 'pipe'],
    });
    const said = { stdout: '', stderr: '' };
    const finished = new AbortController();
    const end = (problem?: string): void => {
      finished.abort('finished');
      interrupted.removeEventListener('abort', drop);
      child.kill();
      for (const stream of [child.stdout, child.stderr]) stream?.destroy();
      child.unref();
      settle({ ...said, problem });
    };
    const drop = (): void => {
      reject(interrupted.reason);
      end();
    };
    interrupted.addEventListener('abort', drop);
    for (const name of ['stdout', 'stderr'] as const)
      child[name]?.setEncoding('utf8').on('data', (chunk: string) => {
        said[name] += chunk;
        if (said[name].length > COMMAND_MAX_LENGTH)
          end(`It printed more than ${COMMAND_MAX_LENGTH / 1024} KiB.`);
      });
    child.once('error', (error) => end(`It could not be run: ${error.message}.`));
    child.once('close', (code, signal) => {
      end(
        code === 0 ? undefined : code === null ? `It was ended by ${signal}.` : `Its exit code was ${code}.`,
      );
    });
    clock.sleep(COMMAND_TIMEOUT_MS, finished.signal).then(
      () => end(`It took longer than ${COMMAND_TIMEOUT_MS / 1000} s.`),
      () => {},
    );
  });
}
