import { CredentialStore } from './auth/credentials.ts';
import { TOKEN_HOST } from './auth/oauth.ts';
import { type RenewalReport, renewStored } from './auth/renewal.ts';
import { EXIT, Failure } from './errors.ts';
import { createRequestLog, createTrace, type LogWriter, withObservers } from './http/observe.ts';
import { createRedactor } from './http/redact.ts';
import { createHttpSender } from './http/send.ts';
import { REQUEST_ID, type Transport } from './http/transport.ts';
import { safeCell } from './output/safe-text.ts';
import { formatLogLine, openLineFile } from './platform/log.ts';
import { realClock as clock } from './platform/machine.ts';

/**
 * The process that renews one credential and ends, with `<credentials file> <profile> <fingerprint of the access token>
 * <request id> [debug] [log]`. It is started detached by auth/renewal.ts, lives on when the command is killed, and says one
 * line of JSON on stdout, where somebody listens.
 */

declare const __VERSION__: string;

async function renew(args: readonly string[]): Promise<RenewalReport> {
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
  const store = new CredentialStore(file, clock, () => {});
  const clientSecret = env.TTCTL_CLIENT_SECRET || undefined;
  const task = { store, profile, fingerprint, transport, clock, redactor, clientSecret };
  try {
    return { asked: await renewStored(task) };
  } catch (error) {
    const failure =
      error instanceof Failure
        ? error
        : new Failure('the sign-in could not be renewed', {
            code: 'renewal_failed',
            exit: EXIT.fault,
            reason: error instanceof Error ? error.message : String(error),
          });
    // Without secrets: the service may have repeated some.
    const { code, exit, message, reason, hint } = failure;
    return { failure: { code, exit, ...(redactor.json({ message, reason, hint }) as object) } };
  } finally {
    await sender.close();
  }
}

// What ends the command, a closed terminal or an impatient hand, must not lose the answer that is on its way.
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => {});
// Whoever asked may be gone by the time there is something to say.
for (const stream of [process.stdout, process.stderr]) stream.on('error', () => {});
renew(process.argv.slice(2)).then((report) => {
  process.stdout.write(`${JSON.stringify(report)}\n`);
});
