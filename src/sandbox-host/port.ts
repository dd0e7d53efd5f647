import { EXIT, Failure } from '../outcome.ts';
import { quoteShellWord } from '../parsing/shell-word.ts';
import { createRemoteControl } from '../sandbox/control-client.ts';
import type { SandboxStatus } from '../sandbox/status.ts';

/** Says who has the port that a sandbox was to listen on. */

const UNITS: readonly (readonly [seconds: number, unit: string])[] = [
  [86_400, 'd'],
  [3600, 'h'],
  [60, 'min'],
  [1, 's'],
];

/** `5 min`: the largest unit that fits. */
export const formatUptime = (seconds: number): string => {
  const [unitSeconds, unit] = UNITS.find(([size]) => seconds >= size) ?? [1, 's'];
  return `${Math.floor(seconds / unitSeconds)} ${unit}`;
};

const OTHER_PORT_HINT = 'Choose another port with --port, or use --port 0 for a free one.';

const MAX_WAIT_S = 1;

/** The sandbox that answers there; undefined where something else does, or nothing in time. */
const findSandboxAt = async (port: number): Promise<SandboxStatus | undefined> => {
  const statusRequest = createRemoteControl(`http://127.0.0.1:${port}`, '', { maxWait: MAX_WAIT_S }).status();
  const status = await statusRequest.catch(() => undefined);
  return status?.kind === 'server' && status.pid !== undefined ? status : undefined;
};

const formatStopHint = ({ found_in, pid }: SandboxStatus): string =>
  typeof found_in === 'string'
    ? `Stop it: TTCTL_STATE_DIR=${quoteShellWord(found_in)} ttctl sandbox stop`
    : `It stops with its command (process ${pid}).`;

const createTakenError = (port: number, by: string, hint: string): Failure =>
  new Failure(`port ${port} is taken${by}`, { code: 'port_unavailable', exit: EXIT.fault, hint });

const isTaken = (error: unknown): boolean =>
  error instanceof Failure &&
  error.code === 'port_unavailable' &&
  error.cause instanceof Error &&
  Reflect.get(error.cause, 'code') === 'EADDRINUSE';

/** The error of a port that could not be had, with who has it; any other error as it is. */
export const withPortOwner = async (error: unknown, port: number): Promise<unknown> => {
  if (!isTaken(error)) return error;
  const status = await findSandboxAt(port);
  if (status !== undefined) {
    const by = ` by another sandbox (process ${status.pid}, up ${formatUptime(status.uptime_seconds ?? 0)})`;
    return createTakenError(port, by, `${formatStopHint(status)}\nOr: ${OTHER_PORT_HINT}`);
  }
  return createTakenError(port, '', OTHER_PORT_HINT);
};
