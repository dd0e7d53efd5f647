import type { Row } from '../api/page.ts';
import type { Clock } from '../clock.ts';
import { lazy } from '../lazy.ts';
import { UsageError } from '../outcome.ts';
import { isLoopback } from '../parsing/address.ts';
import { type createForwarder, toForwardingResult } from './forwarder.ts';
import { createForwardingQueue } from './forwarding-queue.ts';
import { createAttemptView, createIntake, isWanted, type ListenerMessages } from './intake.ts';
import type { ProgressStore } from './progress.ts';
import type { DeliveryCourse, Masks } from './rows.ts';
import { serveDeliveries } from './server.ts';
import type { ListenerOptions, Receiver } from './service.ts';
import type { DeliveryStore } from './store.ts';

/** The socket, and what comes in at it as rows. */

/** Values that are made at one place and taken at another, in order. */
interface AsyncQueue<T> extends AsyncIterable<T> {
  add(value: T): void;
  /** Nothing comes any more; what is there is still taken. */
  end(): void;
}

const createAsyncQueue = <T>(): AsyncQueue<T> => {
  const queued: T[] = [];
  let over = false;
  let wake = (): void => {};
  const notify = (): void => wake();
  return {
    add(value) {
      queued.push(value);
      notify();
    },
    end() {
      over = true;
      notify();
    },
    async *[Symbol.asyncIterator]() {
      for (;;) {
        while (queued.length > 0) yield queued.shift() as T;
        if (over) return;
        await new Promise<void>((resolve) => {
          wake = resolve;
        });
      }
    },
  };
};

export interface ReceiverOptions {
  readonly listener: ListenerOptions;
  readonly machine: {
    readonly clock: Pick<Clock, 'now' | 'sleep'>;
    readonly interrupted: AbortSignal;
    readonly redactor: Masks & { register(secret: string): void };
  };
  readonly store: DeliveryStore;
  readonly progress: ProgressStore;
  readonly getSigningTime: () => Promise<number>;
  readonly messages: ListenerMessages;
  readonly forward: ReturnType<typeof createForwarder>;
}

const WILD = new Set(['0.0.0.0', '::']);

const formatUrl = ({ host, path = '/' }: ListenerOptions, port: number): string => {
  const name = WILD.has(host) ? '127.0.0.1' : host.includes(':') ? `[${host}]` : host;
  return `http://${name}:${port}${path}`;
};

/** What whoever lets other machines in has to know. */
const describeExposure = (
  { host, requireSignature, refuseUnsigned }: ListenerOptions,
  token: string | undefined,
): readonly string[] => {
  if (isLoopback(host.includes(':') ? `[${host}]` : host)) return [];
  const reached = `Other machines can reach the listener: it listens on ${WILD.has(host) ? 'all addresses of this machine' : host}.`;
  if (requireSignature) return [reached];
  const checked = refuseUnsigned
    ? 'Unsigned deliveries are refused. To refuse all without a valid signature, add --require-signature.'
    : 'Deliveries without a valid signature are stored too. To refuse them, add --require-signature.';
  const unchecked =
    'Signatures are not verified, so anyone can send deliveries. To verify them, add --webhook, --create or --token-stdin.';
  return [reached, token === undefined ? unchecked : checked];
};

/** What comes back again and again would be forwarded for ever. */
const isOwnAddress = (forward: string | undefined, port: number): boolean => {
  const url = forward === undefined ? undefined : new URL(forward);
  if (url?.port !== String(port)) return false;
  return isLoopback(url.hostname) || WILD.has(url.hostname.replace(/^\[|\]$/g, ''));
};

/** What is known once it is begun. */
interface StartOptions {
  readonly token: string | undefined;
}

interface OpenReceiver extends Receiver {
  /** Ends it: what is being kept is finished. Harmless when it has ended. */
  close(): Promise<void>;
}

/** Deliveries that a program gets at the same time; commands run one after the other, in the order they came. */
const MAX_IN_FLIGHT = 8;

const openQueue = (options: ReceiverOptions, show: (row: Row) => void) => {
  const { listener, messages, machine } = options;
  const { forward, exec } = listener;
  if (forward === undefined && exec === undefined) return undefined;
  const { clock, interrupted, redactor } = machine;
  return createForwardingQueue({
    ...options,
    clock,
    interrupted,
    maxInFlight: exec === undefined ? MAX_IN_FLIGHT : 1,
    onAttempt: createAttemptView({ listener, masks: redactor, messages, show }),
    onFault: messages.failed,
  });
};

/** Serves from the start, and keeps senders waiting until it is known by which token they are judged. */
const openIntake = async (options: ReceiverOptions) => {
  const { listener } = options;
  const { redactor, clock } = options.machine;
  const rows = createAsyncQueue<Row>();
  const queue = openQueue(options, rows.add);
  const intake = createIntake({ ...options, clock, masks: redactor, queue, show: rows.add });
  let start: (known: StartOptions | undefined) => void = () => {};
  /** Nothing: it ends before it was begun. */
  const started = new Promise<StartOptions | undefined>((done) => {
    start = done;
  });
  const server = await serveDeliveries({
    ...listener,
    receive: async (arrival) => {
      const known = await started;
      if (known === undefined) return { status: 503, text: 'the receiver is shutting down' };
      return intake.take(arrival, known.token);
    },
  });
  const close = lazy(async (): Promise<void> => {
    start(undefined);
    await server.close();
    await queue?.drain();
    rows.end();
  });
  const resume = (): number => queue?.resume((delivery) => isWanted(delivery, listener)) ?? 0;
  return { port: server.port, line: rows, begin: start, resume, close, lastWord: intake.summarize };
};

/** @throws UsageError for a forward that leads back; Failure (exit 1) where the port cannot be had */
export const openReceiver = async (options: ReceiverOptions): Promise<OpenReceiver> => {
  const { listener, store, messages } = options;
  const { interrupted, redactor } = options.machine;
  const { port, line, begin, resume, close, lastWord } = await openIntake(options);
  const url = formatUrl(listener, port);
  if (isOwnAddress(listener.forward, port)) {
    await close();
    throw new UsageError('--forward names this listener itself', { hint: 'Choose another --port.' });
  }
  return {
    url,
    close,
    getFailure: ({ forward, exec }) =>
      toForwardingResult({ forward, exec } as Pick<DeliveryCourse, 'forward' | 'exec'>).failure,
    async *deliveries(token, facts) {
      if (token !== undefined) redactor.register(token);
      const stop = (): void => void close();
      interrupted.addEventListener('abort', stop, { once: true });
      if (interrupted.aborted) stop();
      messages.reportReady({ url, host: listener.host, port, store: store.folder, ...facts }, [
        `Listening on ${url}`,
        ...describeExposure(listener, token),
        `Deliveries are stored in ${store.folder}. Press Ctrl-C to stop.`,
      ]);
      try {
        const resumed = resume();
        if (resumed > 0)
          messages.note(`Resuming ${resumed} pending ${resumed === 1 ? 'delivery' : 'deliveries'}.`);
        begin({ token });
        yield* line;
      } finally {
        interrupted.removeEventListener('abort', stop);
        await close();
        messages.note(lastWord());
      }
    },
  };
};
