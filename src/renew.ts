import { type Credential, CredentialStore } from './auth/credentials.ts';
import { buildClientGrant, fingerprintToken, requestTokens, TOKEN_HOST } from './auth/oauth.ts';
import { formatSignInCommand, isRenewable } from './auth/session.ts';
import { EXIT, Failure, getMessage } from './errors.ts';
import { createRequestLog, createTrace, type LogWriter, withObservers } from './http/observe.ts';
import { createRedactor, type Redactor } from './http/redact.ts';
import { createHttpSender } from './http/send.ts';
import { REQUEST_ID, type Transport } from './http/transport.ts';
import { safeCell } from './output/safe-text.ts';
import { formatLogLine, openLineFile } from './platform/log.ts';
import { realClock as clock } from './platform/machine.ts';

/**
 * The process that renews one credential and ends, with `<credentials file> <profile> <fingerprint of the access token>
 * <request id> [debug] [log]`. It is started detached by auth/renewal.ts, lives on when the command is killed, and says why
 * it failed on stdout, in one line of JSON, where somebody listens.
 */

declare const __VERSION__: string;

async function renew(args: readonly string[]): Promise<object | undefined> {
  const [file = '', profile = '', fingerprint = '', requestId = '', mode, logFile = ''] = args;
  const [, run = '', n] = /^(.*)-(.*)$/.exec(requestId) ?? [];
  const { env } = process;
  const redactor = createRedactor(env);
  const sender = createHttpSender({ ...TOKEN_HOST, userAgent: `ttctl/${__VERSION__}`, env, clock });
  const write = (text: string): void => void process.stderr.write(`${safeCell(text)}\n`);
  let writeLine: ((line: string) => void) | undefined;
  const writeEvent: LogWriter['write'] = (event, members) => {
    try {
      writeLine ??= logFile === '-' ? (line) => void process.stderr.write(line) : openLineFile(logFile);
      writeLine(formatLogLine(event, run, clock.now(), members));
    } catch {
      // Nothing fails for the log: the command that wants the renewal writes to it too, and tells.
    }
  };
  const observers = [
    ...(logFile === '' ? [] : [createRequestLog({ write: writeEvent, redactor })]),
    ...(mode === 'debug' ? [createTrace(write, redactor)] : []),
  ];
  const seen = withObservers(sender.transport, observers, clock);
  const transport: Transport = (request) => {
    const headers = { ...request.headers, [REQUEST_ID]: requestId };
    return seen({ ...request, headers, number: { n: Number(n), attempt: 1, since: clock.now() } });
  };
  try {
    await exchange(file, profile, fingerprint, transport, redactor);
    return undefined;
  } catch (error) {
    const fault = { code: 'renewal_failed', exit: EXIT.fault, reason: getMessage(error) } as const;
    const failure = error instanceof Failure ? error : new Failure('the sign-in could not be renewed', fault);
    // Without secrets: the service may have repeated some.
    const { code, exit, message, reason, hint } = failure;
    return { code, exit, ...(redactor.json({ message, reason, hint }) as object) };
  } finally {
    await sender.close();
  }
}

/**
 * Asks for a token and stores it, unless another process has renewed it already.
 * @throws Failure: exit 3 where the service refuses, 7 where it cannot be reached, 1 where nothing can be stored (it is
 * not asked then)
 */
function exchange(
  file: string,
  profile: string,
  fingerprint: string,
  transport: Transport,
  redactor: Redactor,
): Promise<void> {
  return new CredentialStore(file, clock, () => {}).hold(profile, async ({ read, commit }) => {
    const stored = read();
    if (stored !== undefined && fingerprintToken(stored.access_token) !== fingerprint) return;
    if (stored === undefined || !isRenewable(stored))
      throw createRefused(`the sign-in of profile ${profile} cannot be renewed`, profile, stored);
    const { kind, access_token, refresh_token = '', client_secret, scopes = [] } = stored;
    redactor.register(access_token);
    redactor.register(refresh_token);
    const client = { ...stored, client_secret: process.env.TTCTL_CLIENT_SECRET || client_secret };
    const grant =
      kind === 'client' ? buildClientGrant(scopes) : { grant_type: 'refresh_token', refresh_token };
    try {
      commit({ ...stored, ...(await requestTokens(client, grant, transport, { clock, redactor })) });
    } catch (error) {
      if (!(error instanceof Failure) || error.code !== 'invalid_grant' || kind !== 'oauth') throw error;
      const current = read();
      // What is stored is kept, unless another has stored more meanwhile.
      if (current?.refresh_token === refresh_token) commit({ ...current, dead: true });
      const reason = `It has expired, was used elsewhere, or was revoked, or the answer to an earlier renewal was lost. It is stored in ${file}.`;
      const message = `the service no longer renews the sign-in of profile ${profile}`;
      throw createRefused(message, profile, stored, reason);
    }
  });
}

function createRefused(message: string, profile: string, stored?: Credential, reason?: string): Failure {
  const hint = `Sign in again: ${formatSignInCommand({ kind: stored?.kind ?? 'oauth', profile })}`;
  return new Failure(message, { code: 'refresh_refused', exit: EXIT.signedOut, reason, hint });
}

// What ends the command, a closed terminal or an impatient hand, must not lose the answer that is on its way.
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => {});
// Whoever asked may be gone by the time there is something to say.
for (const stream of [process.stdout, process.stderr]) stream.on('error', () => {});
renew(process.argv.slice(2)).then((failure) => {
  if (failure !== undefined) process.stdout.write(`${JSON.stringify(failure)}\n`);
});
