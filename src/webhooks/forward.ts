import { spawn } from 'node:child_process';
import { once } from 'node:events';
import http, { type IncomingMessage } from 'node:http';
import https from 'node:https';
import { createInterface } from 'node:readline';
import { EXIT, Failure, getMessage } from '../errors.ts';
import { escapeRunnerCommands } from '../output/safe-text.ts';
import { createMinimalEnvironment, forwardSignals, toExitCode } from '../platform/child.ts';
import type { Machine } from '../platform/machine.ts';
import type { Run } from '../run.ts';
import type { Delivery, ReceivedRequest } from './delivery.ts';

/** What is done with a delivery that is kept: it is posted on, then given to a command. */

export interface ForwardingOptions {
  readonly forward: string | undefined;
  /** A command line for the shell, as it is: nothing of a delivery becomes part of it. */
  readonly exec: string | undefined;
  readonly passEnv: readonly string[];
}

/** Whether it may have been forwarded before, and whether somebody wishes it. */
type Again = Readonly<Record<'repeat' | 'replay', boolean>>;

/** Absent: there is none such. `ms`: how long it took. */
export interface ForwardingOutcome {
  readonly forward?: Readonly<{ url: string; status?: number; error?: string; ms: number }>;
  readonly exec?: Readonly<{ exit?: number; error?: string }>;
}

export async function forwardDelivery(
  { machine, settings }: Pick<Run, 'machine' | 'settings'>,
  delivery: Delivery,
  to: ForwardingOptions,
  again: Again,
): Promise<ForwardingOutcome> {
  const { clock, interrupted } = machine;
  const headers = again.replay ? [...delivery.headers, ['ttctl-replay', 'true'] as const] : delivery.headers;
  const limits = { timeoutMs: settings.timeoutSeconds.value * 1000, clock, interrupted };
  const { forward: url } = to;
  const forward = url === undefined ? {} : { forward: await post({ ...delivery, headers }, url, limits) };
  if (to.exec === undefined) return forward;
  if (interrupted.aborted) return { ...forward, exec: { error: 'interrupted' } };
  return { ...forward, exec: await runForDelivery(machine, delivery, to, again) };
}

export function describeOutcome({ forward, exec }: ForwardingOutcome) {
  const words: string[] = [];
  let failure: Failure | undefined;
  if (forward !== undefined) {
    const { url, status = 0, ms } = forward;
    const text = forward.error ?? `${status} in ${ms} ms`;
    const exit = status >= 300 && status < 500 ? EXIT.refused : EXIT.tryLater;
    words.push(text);
    if (status < 200 || status > 299)
      failure = new Failure(`${url} did not accept it: ${text}`, { code: 'not_forwarded', exit });
  }
  if (exec !== undefined) {
    const text = exec.error ?? `exit ${exec.exit}`;
    const details = { code: 'command_failed', exit: EXIT.refused } as const;
    words.push(text);
    if (exec.exit !== 0) failure ??= new Failure(`the command did not accept it: ${text}`, details);
  }
  return { words: words.join(', '), failure };
}

/** RFC 9110, 7.6.1, and what the new connection has its own of. */
const HOP_BY_HOP = (
  'connection keep-alive proxy-connection proxy-authenticate proxy-authorization te trailer transfer-encoding ' +
  'upgrade expect host content-length'
).split(' ');

/** Posts the body to the byte, and the headers as they came. Once; follows no redirect. Never rejects. */
export async function post(
  { headers, body }: Pick<ReceivedRequest, 'headers' | 'body'>,
  url: string,
  { timeoutMs, clock, interrupted }: Pick<Run, 'clock' | 'interrupted'> & { readonly timeoutMs: number },
): Promise<NonNullable<ForwardingOutcome['forward']>> {
  const startedAt = clock.now();
  const [timeout, done] = [new AbortController(), new AbortController()];
  clock.sleep(timeoutMs, done.signal).then(
    () => timeout.abort(),
    () => {},
  );
  const { protocol, host } = new URL(url);
  const kept = headers.filter(([name]) => !HOP_BY_HOP.includes(name.toLowerCase())).flat();
  try {
    const response = await new Promise<IncomingMessage>((resolve, reject) => {
      const { request } = protocol === 'https:' ? https : http;
      const signal = AbortSignal.any([timeout.signal, interrupted]);
      const all = ['Host', host, 'Content-Length', String(body.length), ...kept];
      const outgoing = request(url, { method: 'POST', headers: all, agent: false, signal }, resolve);
      outgoing.on('error', reject).end(body);
    });
    // What it says beside its status is of no use here.
    response.on('error', () => {}).resume();
    return { url, status: response.statusCode ?? 0, ms: clock.now() - startedAt };
  } catch (thrown) {
    let error = getMessage(thrown);
    if (timeout.signal.aborted) error = `no response in ${timeoutMs / 1000} s`;
    else if (interrupted.aborted) error = 'interrupted';
    else if (error.includes('ECONNREFUSED')) error = 'connection refused';
    return { url, error, ms: clock.now() - startedAt };
  } finally {
    done.abort();
  }
}

/** So long a command may take; and from asking it to end until it is killed, with what it has started. */
const COMMAND_MS = 300_000;
const GRACE_MS = 5000;

/** The body is on its stdin. Stdout belongs to the list of deliveries: all that it says goes to stderr. Never rejects. */
async function runForDelivery(
  machine: Machine,
  { id, event, received_at, signature, body }: Delivery,
  { exec = '', passEnv }: ForwardingOptions,
  { repeat, replay }: Again,
): Promise<NonNullable<ForwardingOutcome['exec']>> {
  const { clock, platform, stderr } = machine;
  // The system takes no NUL, and a limited length.
  const toValue = (text: string): string => text.replaceAll('\0', '\uFFFD').slice(0, 1000);
  const env = {
    ...createMinimalEnvironment(machine.env, platform, passEnv),
    TTCTL_EVENT: toValue(event ?? ''),
    TTCTL_DELIVERY_ID: toValue(id),
    TTCTL_RECEIVED_AT: received_at,
    TTCTL_SIGNATURE: signature.state,
    TTCTL_REPEAT: repeat ? '1' : '0',
    TTCTL_REPLAY: replay ? '1' : '0',
  };
  const over = new AbortController();
  let release = (): void => {};
  try {
    // At a terminal it has the terminal itself.
    const out = stderr.isTTY ? 2 : 'pipe';
    const ownGroup = platform !== 'win32';
    const child = spawn(exec, { shell: true, stdio: ['pipe', out, out], env, detached: ownGroup });
    // Ends what it has started too, where it has a process group; it may be gone already.
    const kill = (signal: NodeJS.Signals): void => {
      try {
        if (ownGroup && child.pid !== undefined) machine.kill(-child.pid, signal);
        else child.kill(signal);
      } catch {}
    };
    release = forwardSignals(machine, { kill }, ownGroup);
    const outputs = [child.stdout, child.stderr].filter((stream) => stream !== null);
    for (const input of outputs)
      createInterface({ input }).on('line', (line) => {
        stderr.write(escapeRunnerCommands(`${line}\n`)).catch(() => {});
      });
    let isLate = false;
    const end = async (): Promise<void> => {
      await clock.sleep(COMMAND_MS, over.signal);
      isLate = true;
      kill('SIGTERM');
      await clock.sleep(GRACE_MS, over.signal);
      kill('SIGKILL');
      for (const stream of outputs) stream.destroy();
    };
    end().catch(() => {});
    // It may end without reading.
    child.stdin?.on('error', () => {});
    child.stdin?.end(body);
    // With all that holds its output.
    const [code, signal] = await once(child, 'close');
    if (isLate) return { error: `did not finish within ${COMMAND_MS / 1000} s` };
    return { exit: toExitCode(code, signal) };
  } catch (error) {
    return { error: getMessage(error) };
  } finally {
    over.abort();
    release();
  }
}
