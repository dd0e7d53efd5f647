import { type ChildProcess, spawn } from 'node:child_process';
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

/** Stdout belongs to the list of deliveries: all that the command says goes to stderr. Never rejects. */
export const runDeliveryCommand = (delivery: Delivery, options: ExecOptions): Promise<ExecResult> =>
  new Promise((resolve) => {
    const env = { ...options.env, ...createVariables(delivery, options) };
    const { onOutput } = options;
    const out = onOutput === undefined ? 2 : 'pipe';
    const child = spawn(options.command, { shell: true, stdio: ['pipe', out, out], env });
    const streams = [child.stdout, child.stderr].filter((stream) => stream !== null);
    const waitForOutput =
      onOutput === undefined ? async () => {} : forwardOutput(streams, onOutput, options.maxWait);
    const release = options.onStart(child);
    child.once('error', (error) => {
      release();
      resolve({ error: error.message });
    });
    child.once('exit', (code, signal) => {
      release();
      waitForOutput().then(() => resolve({ exit: options.toExitCode(code, signal) }));
    });
    // It may end without reading.
    child.stdin?.on('error', () => {});
    child.stdin?.end(delivery.body);
  });
