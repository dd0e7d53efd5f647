import type { Settings } from '../config/settings-types.ts';
import { UsageError } from '../outcome.ts';
import { escapeRunnerCommands } from '../output/safe-text.ts';
import { forwardSignals, toExitCode } from '../platform/child.ts';
import { createMinimalEnvironment } from '../platform/child-environment.ts';
import type { Machine } from '../platform/machine.ts';
import { type ExecOptions, runDeliveryCommand } from '../webhooks/exec.ts';
import { forwardDelivery } from '../webhooks/forward.ts';
import { createForwarder, type ForwarderOptions } from '../webhooks/forwarder.ts';
import type { ForwardingOptions } from '../webhooks/service.ts';

/** Joins the forwarding of deliveries to this machine: programs that are run, addresses that are posted to. */

/** Marks what is not sent by the service now. */
const REPLAY = ['ttctl-replay', 'true'] as const;

/** Time for the rest of a command's output after the command has ended. */
const OUTPUT_GRACE_MS = 1000;

type Kill = ExecOptions['kill'];

/** Ends what a command has started too, where it has a process group; it may be gone already. */
const createKill =
  ({ kill }: Machine, ownGroup: boolean): Kill =>
  (child, signal) => {
    try {
      return ownGroup && child.pid !== undefined ? kill(-child.pid, signal) : child.kill(signal);
    } catch {
      return false;
    }
  };

/** @throws UsageError for a variable of `--pass-env` that is not set */
const createHandlerEnvironment = ({ env, platform }: Machine, passEnv: readonly string[] | undefined) => {
  const missing = passEnv?.filter((name) => env[name] === undefined) ?? [];
  if (missing.length > 0) {
    const hint = 'Pass the name of a variable that is set, without its value: --pass-env DATABASE_URL';
    throw new UsageError(`--pass-env: there is no variable ${missing.join(', ')}`, { hint });
  }
  return createMinimalEnvironment(env, platform, passEnv);
};

/** @throws UsageError for a variable that is not set */
const createExec = (machine: Machine, to: ForwardingOptions, replay: boolean): ForwarderOptions['exec'] => {
  const { clock, platform, stderr } = machine;
  const { exec: command, passEnv, handlerTimeoutMs: timeoutMs } = to;
  const env = createHandlerEnvironment(machine, passEnv);
  const ownGroup = platform !== 'win32';
  const kill = createKill(machine, ownGroup);
  const onStart: ExecOptions['onStart'] = (child) =>
    forwardSignals(machine, { kill: (signal) => kill(child, signal) }, ownGroup);
  // What a command makes of a delivery is data too. At a terminal it has the terminal itself.
  const onOutput = (text: string): void => void stderr.write(escapeRunnerCommands(text)).catch(() => {});
  const maxWait = (signal: AbortSignal): Promise<void> => clock.sleep(OUTPUT_GRACE_MS, signal);
  const output = { maxWait, onOutput: stderr.isTTY ? undefined : onOutput };
  if (command === undefined) return undefined;
  return (delivery, repeat) =>
    runDeliveryCommand(delivery, {
      ...{ command, env, repeat, replay, onStart, timeoutMs, clock, ownGroup, kill, toExitCode },
      ...output,
    });
};

const createPost = (
  { clock, interrupted: signal }: Machine,
  url: string,
  timeoutMs: number,
  replay: boolean,
): ForwarderOptions['forward'] => {
  const extraHeaders = replay ? [REPLAY] : [];
  return (delivery) => forwardDelivery(delivery, { url, timeoutMs, clock, signal, extraHeaders });
};

/** @param replay whether it is forwarded at somebody's wish @throws UsageError for a variable that is not set */
export const openForwarder = (
  { machine, settings }: { readonly machine: Machine; readonly settings: Settings },
  to: ForwardingOptions,
  replay: boolean,
) => {
  const timeoutMs = settings.timeoutSeconds.value * 1000;
  return createForwarder({
    forward: to.forward === undefined ? undefined : createPost(machine, to.forward, timeoutMs, replay),
    exec: createExec(machine, to, replay),
    interrupted: machine.interrupted,
  });
};
