import { join, resolve } from 'node:path';
import type { Row } from '../api/page.ts';
import type { Settings } from '../config/settings-types.ts';
import { Failure, UsageError } from '../outcome.ts';
import { escapeRunnerCommands, safeJson } from '../output/safe-text.ts';
import { forwardSignals, toExitCode } from '../platform/child.ts';
import { createMinimalEnvironment } from '../platform/child-environment.ts';
import type { Machine } from '../platform/machine.ts';
import type { Delivery } from '../webhooks/delivery.ts';
import { type ExecOptions, runDeliveryCommand } from '../webhooks/exec.ts';
import {
  findDelivery,
  findDeliveryKeys,
  iterateDeliveries,
  readStoredDelivery,
} from '../webhooks/find-deliveries.ts';
import { forwardDelivery } from '../webhooks/forward.ts';
import { createForwarder, type ForwarderOptions, toForwardingResult } from '../webhooks/forwarder.ts';
import { openReceiver } from '../webhooks/receiver.ts';
import { toListedRow, toUnreadableRow, toWholeRow, UNMASKED } from '../webhooks/rows.ts';
import type { ForwardingOptions, WebhookService } from '../webhooks/service.ts';
import { createDeliveryStore, type DeliveryStore, prepareDeliveryStore } from '../webhooks/store.ts';

/** Joins the receiver of webhooks to this machine: socket, folder, processes. */

export interface WebhookServiceOptions {
  readonly machine: Machine;
  readonly settings: Settings;
  /** The state directory; undefined where none is known. */
  readonly directory: string | undefined;
  readonly note: (text: string) => void;
  readonly warn: (text: string) => void;
}

interface StoreFolder {
  readonly folder: string;
  /** Whether it is ttctl's own. */
  readonly own: boolean;
}

const resolveFolder = ({ directory }: WebhookServiceOptions, store: string | undefined): StoreFolder => {
  if (store !== undefined) return { folder: resolve(store), own: false };
  if (directory !== undefined) return { folder: resolve(join(directory, 'webhooks')), own: true };
  throw new UsageError('no directory to store deliveries in', {
    code: 'no_state_directory',
    reason: 'HOME is not set, so there is no state directory.',
    hint: 'Name a folder with --store, or set TTCTL_STATE_DIR.',
  });
};

/** Marks what is not sent by the service now. */
const REPLAY = ['ttctl-replay', 'true'] as const;

/** Time for the rest of a command's output after the command has ended. */
const OUTPUT_GRACE_MS = 1000;

/** @throws UsageError for a variable of `--pass-env` that is not set */
const createHandlerEnvironment = ({ env, platform }: Machine, passEnv: readonly string[] | undefined) => {
  const missing = passEnv?.filter((name) => env[name] === undefined) ?? [];
  if (missing.length > 0) {
    const hint = 'Pass the name of a variable that is set, without its value: --pass-env DATABASE_URL';
    throw new UsageError(`--pass-env: there is no variable ${missing.join(', ')}`, { hint });
  }
  return createMinimalEnvironment(env, platform, passEnv);
};

const createForwarderOptions = (
  { machine, settings }: WebhookServiceOptions,
  to: ForwardingOptions,
  replay: boolean,
): ForwarderOptions => {
  const { clock, interrupted } = machine;
  const { forward: url, exec: command, passEnv } = to;
  const env = createHandlerEnvironment(machine, passEnv);
  const post = (target: string) => (delivery: Delivery) =>
    forwardDelivery(delivery, {
      url: target,
      timeoutMs: settings.timeoutSeconds.value * 1000,
      clock,
      signal: interrupted,
      ...(replay ? { extraHeaders: [REPLAY] } : {}),
    });
  const onStart: ExecOptions['onStart'] = (child) => forwardSignals(machine, child);
  // What a command makes of a delivery is data too. At a terminal it has the terminal itself.
  const onOutput = (text: string): void =>
    void machine.stderr.write(escapeRunnerCommands(text)).catch(() => {});
  const maxWait = (signal: AbortSignal): Promise<void> => clock.sleep(OUTPUT_GRACE_MS, signal);
  const output = { maxWait, onOutput: machine.stderr.isTTY ? undefined : onOutput };
  const call = (line: string) => (delivery: Delivery, repeat: boolean) =>
    runDeliveryCommand(delivery, {
      command: line,
      env,
      repeat,
      replay,
      onStart,
      ...output,
      toExitCode,
    });
  return {
    forward: url === undefined ? undefined : post(url),
    exec: command === undefined ? undefined : call(command),
    interrupted,
  };
};

/** Messages on stderr while ttctl listens: stdout is for the deliveries. */
const createMessages = ({ machine, settings, note }: WebhookServiceOptions) => {
  const json = settings.output.value.errorsAsJson;
  const write = (text: string): void => void machine.stderr.write(`${text}\n`).catch(() => {});
  return {
    note,
    /** For people in words, for programs as one line of JSON. */
    ready(facts: Row, words: readonly string[]): void {
      if (!json) for (const line of words) note(line);
      else if (!settings.quiet.value) write(safeJson({ listening: machine.redactor.json(facts) }));
    },
    /** That something failed, though the run goes on: with `--quiet` too. */
    async failed(error: unknown): Promise<void> {
      const { renderFailure, renderFailureJson } = await import('../output/errors.ts');
      const style = { colour: false, debug: settings.debug.value };
      const lines = json ? [renderFailureJson(error)] : await renderFailure(error, style);
      write(machine.redactor.text(lines.join('\n')));
    },
  };
};

/** The latest first. */
const byTime = (one: Row, other: Row): number =>
  String(other['received_at']).localeCompare(String(one['received_at']));

export const createWebhookService = (options: WebhookServiceOptions): WebhookService => {
  const { machine, warn } = options;
  const { clock, redactor } = machine;
  const openStore = ({ folder }: StoreFolder): DeliveryStore => createDeliveryStore(folder, { warn });
  const token = machine.env.TTCTL_WEBHOOK_TOKEN;
  return {
    token: token === '' ? undefined : token,
    async receive(listener, work) {
      const place = resolveFolder(options, listener.store);
      prepareDeliveryStore(place.folder, place.own, clock.now(), warn);
      const messages = createMessages(options);
      const forward = createForwarder(createForwarderOptions(options, listener, false));
      const store = openStore(place);
      const receiver = await openReceiver({ listener, machine, store, messages, forward });
      await work(receiver).finally(receiver.close);
    },
    list: (store) =>
      Array.from(iterateDeliveries(openStore(resolveFolder(options, store))), (found) =>
        'problem' in found ? toUnreadableRow(found) : toListedRow(found, redactor),
      ).sort(byTime),
    keys: (ids, store) => findDeliveryKeys(openStore(resolveFolder(options, store)), ids),
    show: (id, store, secrets) =>
      toWholeRow(findDelivery(openStore(resolveFolder(options, store)), id), secrets ? UNMASKED : redactor),
    async replay(key, store, to) {
      const forward = createForwarder(createForwarderOptions(options, to, true));
      try {
        const delivery = readStoredDelivery(openStore(resolveFolder(options, store)), key);
        const forwarding = forward(delivery, false);
        return toForwardingResult(await forwarding.forward, await forwarding.exec);
      } catch (error) {
        // An unreadable delivery does not stop the replay of the others.
        if (!(error instanceof Failure)) throw error;
        return { words: error.message, failure: error };
      }
    },
  };
};
