import { createCredentialStore } from './auth/credentials.ts';
import { TOKEN_HOST } from './auth/oauth.ts';
import { renewStored } from './auth/renewal.ts';
import { serializeFailure } from './auth/renewal-intent.ts';
import type { RenewalReport } from './auth/renewer.ts';
import { createRedactor } from './http/redact.ts';
import { createHttpSender } from './http/send.ts';
import { withTracing } from './http/trace.ts';
import { EXIT, Failure } from './outcome.ts';
import { safeCell } from './output/safe-text.ts';
import { realClock as clock } from './platform/machine.ts';

/**
 * Composition root of the process that renews one credential and ends:
 * `node dist/renew.cjs <credentials file> <profile> <fingerprint of the access token> [debug]`. It is started detached by
 * auth/renewer.ts, lives on when the command is killed, and says one line of JSON on stdout, where somebody listens.
 */

declare const __VERSION__: string;

const renew = async (args: readonly string[]): Promise<RenewalReport> => {
  const [file = '', profile = '', fingerprint = '', mode] = args;
  const redactor = createRedactor();
  const { env } = process;
  const sender = createHttpSender({
    ...TOKEN_HOST,
    userAgent: `ttctl/${__VERSION__}`,
    env,
    clock,
  });
  const write = (line: string): void => void process.stderr.write(`${line}\n`);
  const transport =
    mode === 'debug'
      ? withTracing(sender.transport, { write, safe: safeCell, redactor, clock })
      : sender.transport;
  const store = createCredentialStore(file, clock, () => {});
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
    return { failure: serializeFailure(failure, redactor.text) };
  } finally {
    await sender.close();
  }
};

// What ends the command, a closed terminal or an impatient hand, must not lose the answer that is on its way.
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => {});
// Whoever asked may be gone by the time there is something to say.
for (const stream of [process.stdout, process.stderr]) stream.on('error', () => {});
renew(process.argv.slice(2)).then((report) => {
  process.stdout.write(`${JSON.stringify(report)}\n`);
});
