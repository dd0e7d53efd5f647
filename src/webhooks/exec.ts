import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import type { Clock } from '../clock.ts';
import { forwardOutput } from './child-output.ts';
import type { Delivery } from './delivery.ts';

/** Runs a command line for a delivery (an adapter: it starts a process). */

export interface ExecOptions {
  /** For the shell, as it is: nothing of a delivery becomes part of it. */
  readonly command: string;
  /** What the command gets beside the facts of the delivery. */
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly repeat: boolean;
  readonly replay: boolean;
  /** Told of the process; what it returns is called after its end. */
  readonly onStart: (child: ChildProcess) => () => void;
  /** Takes all that the command says, in whole lines. Absent: it has the stderr of this process. */
  readonly onOutput?: ((text: string) => void) | undefined;
  /** How long the rest of that is waited for after its end. */
  readonly maxWait: (signal: AbortSignal) => Promise<void>;
  /** How long it may take. */
  readonly timeoutMs: number;
  readonly clock: Pick<Clock, 'sleep'>;
  /** Whether it has a process group of its own, which `kill` ends as a whole. */
  readonly ownGroup: boolean;
  /** @returns whether there was anything left to get the signal; 0 only asks */
  readonly kill: (child: ChildProcess, signal: 0 | NodeJS.Signals) => boolean;
  readonly toExitCode: (code: number | null, signal: NodeJS.Signals | null) => number;
}

export type ExecResult = { readonly exit: number } | { readonly error: string };

/** The system takes no NUL, and a limited length. */
const toEnvValue = (text: string): string => text.replaceAll('\0', '\uFFFD').slice(0, 1000);

/** What the command is told beside the body on its stdin. */
const createVariables = (delivery: Delivery, { repeat, replay }: ExecOptions): Record<string, string> => ({
  TTCTL_EVENT: toEnvValue(delivery.event ?? ''),
  TTCTL_DELIVERY_ID: toEnvValue(delivery.id),
  TTCTL_RECEIVED_AT: delivery.received_at,
  TTCTL_SIGNATURE: delivery.signature.state,
  TTCTL_REPEAT: repeat ? '1' : '0',
  TTCTL_REPLAY: replay ? '1' : '0',
});

/** From asking it to end until it is killed. */
const GRACE_MS = 5000;
const LOOK_AGAIN_MS = 100;

/**
 * Ends the command and what it has started once its time is over.
 * @returns to be called after its end: whether that was the reason
 */
const limitTime = (
  child: ChildProcess,
  { timeoutMs, clock, kill }: ExecOptions,
): (() => Promise<boolean>) => {
  const over = new AbortController();
  const end = async (): Promise<boolean> => {
    kill(child, 'SIGTERM');
    for (let waited = 0; waited < GRACE_MS && kill(child, 0); waited += LOOK_AGAIN_MS)
      await clock.sleep(LOOK_AGAIN_MS);
    kill(child, 'SIGKILL');
    return true;
  };
  const timedOut = clock.sleep(timeoutMs, over.signal).then(end, () => false);
  return () => {
    over.abort();
    return timedOut;
  };
};

const start = (delivery: Delivery, options: ExecOptions): ChildProcess => {
  const env = { ...options.env, ...createVariables(delivery, options) };
  const out = options.onOutput === undefined ? 2 : 'pipe';
  const detached = options.ownGroup;
  return spawn(options.command, { shell: true, stdio: ['pipe', out, out], env, detached });
};

/** Stdout belongs to the list of deliveries: all that the command says goes to stderr. */
const run = async (delivery: Delivery, options: ExecOptions): Promise<ExecResult> => {
  const child = start(delivery, options);
  const { onOutput, maxWait, timeoutMs } = options;
  const streams = [child.stdout, child.stderr].filter((stream) => stream !== null);
  const waitForOutput = onOutput === undefined ? async () => {} : forwardOutput(streams, onOutput, maxWait);
  const release = options.onStart(child);
  const isTimedOut = limitTime(child, options);
  // It may end without reading.
  child.stdin?.on('error', () => {});
  child.stdin?.end(delivery.body);
  try {
    const [code, signal] = await once(child, 'exit');
    const timedOut = await isTimedOut();
    await waitForOutput();
    if (timedOut) return { error: `did not finish within ${timeoutMs / 1000} s` };
    return { exit: options.toExitCode(code, signal) };
  } finally {
    void isTimedOut();
    release();
  }
};

/** Never rejects. */
export const runDeliveryCommand = (delivery: Delivery, options: ExecOptions): Promise<ExecResult> =>
  run(delivery, options).catch((error: unknown) => ({
    error: error instanceof Error ? error.message : String(error),
  }));
