import { type ChildProcess, type StdioOptions, spawn } from 'node:child_process';
import { once } from 'node:events';
import { Socket } from 'node:net';
import { createInterface } from 'node:readline';
import { escapeRunnerCommands } from '../output/safe-text.ts';
import { createMinimalEnvironment, forwardSignals, toExitCode } from '../platform/child.ts';
import type { Machine } from '../platform/machine.ts';
import type { Delivery } from './delivery.ts';

/** Runs a command line for a delivery (an adapter: it starts a process). */

/** What is done with a delivery that is kept. */
export interface ForwardingOptions {
  /** Where it is posted to. */
  readonly forward: string | undefined;
  /** A command line for the shell, as it is: nothing of a delivery becomes part of it. */
  readonly exec: string | undefined;
  /** Names of variables that the command gets beside the usual ones. */
  readonly passEnv: readonly string[];
  /** How long the command may take. */
  readonly handlerTimeoutMs: number;
}

/** `repeat`: whether it may have been forwarded before; `replay`: whether somebody wishes it. */
export interface Again {
  readonly repeat: boolean;
  readonly replay: boolean;
}

export type ExecResult = { readonly exit: number } | { readonly error: string };

/** From asking it to end until it is killed, with what it has started. */
const GRACE_MS = 5000;
const LOOK_AGAIN_MS = 50;
/** For the rest of its output, once it has ended: what it left in the background may hold its streams open. */
const OUTPUT_MS = 1000;

/** The body is on its stdin. Stdout belongs to the list of deliveries: all that it says goes to stderr. Never rejects. */
export async function runForDelivery(
  machine: Machine,
  delivery: Delivery,
  { exec = '', passEnv, handlerTimeoutMs }: ForwardingOptions,
  again: Again,
): Promise<ExecResult> {
  const { clock, platform, stderr } = machine;
  const over = new AbortController();
  let release = (): void => {};
  try {
    // At a terminal it has the terminal itself.
    const out = stderr.isTTY ? 2 : 'pipe';
    const ownGroup = platform !== 'win32';
    const usual = createMinimalEnvironment(machine.env, platform, passEnv);
    const env = { ...usual, ...createVariables(delivery, again) };
    const stdio: StdioOptions = ['pipe', out, out];
    const child = spawn(exec, { shell: true, stdio, env, detached: ownGroup });
    // Ends what it has started too, where it has a process group; it may be gone already.
    const kill = (signal: 0 | NodeJS.Signals): boolean => {
      try {
        return ownGroup && child.pid !== undefined ? machine.kill(-child.pid, signal) : child.kill(signal);
      } catch {
        return false;
      }
    };
    release = forwardSignals(machine, { kill }, ownGroup);
    const timeout = clock.sleep(handlerTimeoutMs, over.signal).then(
      async () => {
        kill('SIGTERM');
        // A shell may end at once, and what it has started a little later.
        for (let waited = 0; waited < GRACE_MS && kill(0); waited += LOOK_AGAIN_MS)
          await clock.sleep(LOOK_AGAIN_MS);
        kill('SIGKILL');
        return true;
      },
      () => false,
    );
    const output = passOn(child, (line) => void stderr.write(escapeRunnerCommands(line)).catch(() => {}));
    // It may end without reading.
    child.stdin?.on('error', () => {});
    child.stdin?.end(delivery.body);
    const [code, signal] = await once(child, 'exit');
    over.abort();
    const timedOut = await timeout;
    const isRead = new AbortController();
    await Promise.race([output, clock.sleep(OUTPUT_MS, isRead.signal).catch(() => {})]);
    isRead.abort();
    for (const stream of [child.stdout, child.stderr]) if (stream instanceof Socket) stream.unref();
    if (timedOut) return { error: `did not finish within ${handlerTimeoutMs / 1000} s` };
    return { exit: toExitCode(code, signal) };
  } catch (error) {
    return { error: error instanceof Error ? error.message : String(error) };
  } finally {
    over.abort();
    release();
  }
}

/** Resolves once all that it says is read. */
async function passOn({ stdout, stderr }: ChildProcess, write: (line: string) => void): Promise<void> {
  const read = [stdout, stderr].map((input) => {
    if (input === null) return undefined;
    const lines = createInterface({ input }).on('line', (line) => write(`${line}\n`));
    return once(lines, 'close');
  });
  await Promise.all(read);
}

/** What the command is told beside the body on its stdin. */
function createVariables(delivery: Delivery, { repeat, replay }: Again): Record<string, string> {
  // The system takes no NUL, and a limited length.
  const toValue = (text: string): string => text.replaceAll('\0', '\uFFFD').slice(0, 1000);
  return {
    TTCTL_EVENT: toValue(delivery.event ?? ''),
    TTCTL_DELIVERY_ID: toValue(delivery.id),
    TTCTL_RECEIVED_AT: delivery.received_at,
    TTCTL_SIGNATURE: delivery.signature.state,
    TTCTL_REPEAT: repeat ? '1' : '0',
    TTCTL_REPLAY: replay ? '1' : '0',
  };
}
