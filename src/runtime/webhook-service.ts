import { join, resolve } from 'node:path';
import type { Row } from '../api/page.ts';
import type { Settings } from '../config/settings-types.ts';
import { EXIT, Failure, UsageError } from '../outcome.ts';
import { safeJson } from '../output/safe-text.ts';
import type { Machine } from '../platform/machine.ts';
import { withLock } from '../storage/lock.ts';
import {
  findDelivery,
  findDeliveryKeys,
  iterateDeliveries,
  readStoredDelivery,
} from '../webhooks/find-deliveries.ts';
import { toForwardingResult } from '../webhooks/forwarder.ts';
import { createProgressStore, type ProgressStore } from '../webhooks/progress.ts';
import { openReceiver } from '../webhooks/receiver.ts';
import { type Masks, toListedRow, toUnreadableRow, toWholeRow, UNMASKED } from '../webhooks/rows.ts';
import type {
  ForwardingOptions,
  ForwardingResult,
  ListenerOptions,
  Receiver,
  WebhookService,
} from '../webhooks/service.ts';
import { createDeliveryStore, prepareDeliveryStore } from '../webhooks/store.ts';
import { openForwarder } from './webhook-forwarder.ts';

/** Joins the receiver of webhooks to this machine: socket, folder, processes. */

export interface WebhookServiceOptions {
  readonly machine: Machine;
  readonly settings: Settings;
  /** The state directory; undefined where none is known. */
  readonly directory: string | undefined;
  /** State file of the embedded sandbox. */
  readonly stateFile: string | undefined;
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

/** Messages on stderr while ttctl listens: stdout is for the deliveries. */
const createMessages = ({ machine, settings, note }: WebhookServiceOptions) => {
  const json = settings.output.value.errorsAsJson;
  const write = (text: string): void => void machine.stderr.write(`${text}\n`).catch(() => {});
  return {
    note,
    /** For people in words, for programs as one line of JSON. */
    reportReady(facts: Row, words: readonly string[]): void {
      if (!json) for (const line of words) note(line);
      else if (!settings.quiet.value) write(safeJson({ listening: machine.redactor.json(facts) }));
    },
    /** That something failed, though the run goes on: with `--quiet` too. */
    async failed(error: unknown): Promise<undefined> {
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

const LOCK_WAIT_MS = 1000;

/**
 * One listener at a time forwards what is in a folder: another could not tell what is under way from what was left.
 * @throws Failure (exit 1) where another one does
 */
const withForwardingLock = async (
  options: WebhookServiceOptions,
  folder: string,
  work: () => Promise<void>,
): Promise<void> => {
  let begun = false;
  const begin = (): Promise<void> => {
    begun = true;
    return work();
  };
  const { clock, interrupted: signal } = options.machine;
  try {
    await withLock(join(folder, 'forwarding'), clock, begin, { timeoutMs: LOCK_WAIT_MS, signal });
  } catch (error) {
    if (begun || !(error instanceof Failure) || error.code !== 'locked') throw error;
    const { pid } = error.details;
    // Nobody has it: there was not time enough to take it.
    if (pid === undefined) return withForwardingLock(options, folder, work);
    throw new Failure(`another listener already forwards the deliveries in ${folder}`, {
      code: 'locked',
      exit: EXIT.fault,
      reason: `It is process ${pid}.`,
      hint: 'Stop it, or use another folder: --store <folder>',
    });
  }
};

/** Records what a replay has done, where there is something to do. */
const recordReplay = (progress: ProgressStore, key: string, { words, failure }: ForwardingResult): void => {
  const before = progress.read(key);
  if (before === undefined || before.state === 'done') return;
  const attempts = before.attempts + 1;
  if (failure === undefined)
    progress.write(key, { state: 'done', attempts, next_attempt_at: null, last_error: null });
  // The listener that it is pending for goes on by itself.
  else if (before.state === 'failed') progress.write(key, { ...before, attempts, last_error: words });
};

/** What is kept in a folder, and how far it is forwarded. */
const openStores = ({ folder, own }: StoreFolder, warn: (text: string) => void) => ({
  store: createDeliveryStore(folder, { warn, own }),
  progress: createProgressStore(folder, { warn }),
});

const replayDelivery = async (
  options: WebhookServiceOptions,
  { store, progress }: ReturnType<typeof openStores>,
  key: string,
  to: ForwardingOptions,
): Promise<ForwardingResult> => {
  const forward = openForwarder(options, to, true);
  try {
    const result = toForwardingResult(await forward(readStoredDelivery(store, key), false));
    if (!options.machine.interrupted.aborted) recordReplay(progress, key, result);
    return result;
  } catch (error) {
    // An unreadable delivery does not stop the replay of the others.
    if (!(error instanceof Failure)) throw error;
    return { words: error.message, failure: error };
  }
};

const listRows = ({ store, progress }: ReturnType<typeof openStores>, masks: Masks): readonly Row[] =>
  Array.from(iterateDeliveries(store), (found) =>
    'problem' in found ? toUnreadableRow(found) : toListedRow(found, progress.read(found.key), masks),
  ).sort(byTime);

/** The time by which signatures are judged. */
const openSigningTime = async ({ machine, settings, ...paths }: WebhookServiceOptions) => {
  const { createSigningTime } = await import('../sandbox-host/signing-time.ts');
  const { embedded, baseUrl } = settings;
  return createSigningTime({ machine, embedded, baseUrl, ...paths });
};

const receiveDeliveries = async (
  options: WebhookServiceOptions,
  listener: ListenerOptions,
  work: (receiver: Receiver) => Promise<void>,
): Promise<void> => {
  const { machine, warn } = options;
  const { folder, own } = resolveFolder(options, listener.store);
  const forward = openForwarder(options, listener, false);
  prepareDeliveryStore(folder, machine.clock.now());
  const receive = async (): Promise<void> => {
    const [messages, getSigningTime] = [createMessages(options), await openSigningTime(options)];
    const stores = openStores({ folder, own }, warn);
    const receiver = await openReceiver({ listener, machine, ...stores, messages, forward, getSigningTime });
    await work(receiver).finally(receiver.close);
  };
  if (listener.forward === undefined && listener.exec === undefined) await receive();
  else await withForwardingLock(options, folder, receive);
};

export const createWebhookService = (options: WebhookServiceOptions): WebhookService => {
  const { machine, warn } = options;
  const { redactor } = machine;
  const open = (store: string | undefined) => openStores(resolveFolder(options, store), warn);
  const token = machine.env.TTCTL_WEBHOOK_TOKEN;
  const list = (store: string | undefined): readonly Row[] => listRows(open(store), redactor);
  return {
    token: token === '' ? undefined : token,
    receive: (listener, work) => receiveDeliveries(options, listener, work),
    list,
    failed: (store) =>
      list(store)
        .filter(({ state }) => state === 'failed')
        .map(({ key }) => String(key))
        .reverse(),
    remove(keys, folder) {
      const { store, progress } = open(folder);
      for (const key of keys) {
        store.remove(key);
        progress.remove(key);
      }
    },
    keys: (ids, store) => findDeliveryKeys(open(store).store, ids),
    show(id, folder, secrets) {
      const { store, progress } = open(folder);
      const delivery = findDelivery(store, id);
      return toWholeRow(delivery, progress.read(delivery.key), secrets ? UNMASKED : redactor);
    },
    replay: (key, folder, to) => replayDelivery(options, open(folder), key, to),
  };
};
