import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import type { Row } from '../api/page.ts';
import { pluralize } from '../changes/report.ts';
import { EXIT, Failure, UsageError } from '../errors.ts';
import { safeJson } from '../output/safe-text.ts';
import { isLoopback } from '../parsing/text.ts';
import type { Run } from '../run.ts';
import { withLock } from '../storage/lock.ts';
import { DeliveryStore, type ReceivedRequest, toDelivery, toLiveRow, verifySignature } from './delivery.ts';
import {
  describeOutcome,
  type ForwardingOptions,
  type ForwardingOutcome,
  forwardDelivery,
} from './forward.ts';

/** What happens to a delivery: it is judged, kept, answered, forwarded until it is accepted, shown; in this order. */

export interface ListenerOptions extends ForwardingOptions {
  readonly host: string;
  readonly port: number;
  readonly store: string | undefined;
  /** Only these are shown and forwarded; all are kept. Empty: every one. */
  readonly events: readonly string[];
  /** The sender gets its 2xx only once it was accepted; else 503. */
  readonly answerAfterHandler: boolean;
  /** Without a valid signature: 401, and it is not kept. */
  readonly requireSignature: boolean;
  /** Refuses what nothing shows to come from the service; a signature in an unknown format is left to be judged. */
  readonly refuseUnsigned: boolean;
}

export interface DeliveryReply {
  readonly status: number;
  readonly text: string;
}

const KEPT: DeliveryReply = { status: 200, text: 'kept' };

const WAITS_S = [5, 30, 120, 600, 3600, 3600, 3600, 3600, 3600];

const EVERYWHERE = /^(?:0\.0\.0\.0|\[::\])$/;

export class Receiver {
  /** `http://127.0.0.1:4748/`: where a sender on this machine reaches it. */
  url = '';
  /** What comes, and a row for each attempt to forward it; they end with `close`. */
  readonly rows = new Readable({ objectMode: true, read() {} });

  readonly #run: Run;
  readonly #listener: ListenerOptions;
  readonly #store: DeliveryStore;
  readonly #forwards: boolean;
  readonly #redactor: Run['machine']['redactor'];
  /** Aborted: no attempt is begun any more. */
  readonly #stop = new AbortController();
  readonly #busy = new Set<string>();
  readonly #tasks = new Set<Promise<unknown>>();
  #last: Promise<unknown> = Promise.resolve();
  #server: Awaited<ReturnType<typeof serveDeliveries>> | undefined;
  #begin: (known: { readonly token: string | undefined } | undefined) => void = () => {};
  /** Senders wait until it is known by which token they are judged. Undefined: it ends before that. */
  readonly #begun = new Promise<{ readonly token: string | undefined } | undefined>((resolve) => {
    this.#begin = resolve;
  });

  /** @throws UsageError where there is no folder */
  constructor(run: Run, listener: ListenerOptions) {
    this.#run = run;
    this.#listener = listener;
    this.#store = new DeliveryStore(run, listener.store);
    this.#redactor = run.machine.redactor;
    this.#forwards = listener.forward !== undefined || listener.exec !== undefined;
  }

  /**
   * Listens for as long as the work lasts; nothing is answered before `begin`. One listener at a time forwards what is in
   * a folder: another could not tell what is under way from what was left.
   * @throws UsageError for a forward that leads back; Failure (exit 1) where port or folder cannot be had
   */
  async during(work: () => Promise<void>): Promise<void> {
    const { clock, interrupted: signal } = this.#run;
    const { host, forward } = this.#listener;
    this.#store.prepare();
    const listen = async (): Promise<void> => {
      try {
        this.#server = await serveDeliveries(this.#listener, (arrival) => this.#receive(arrival));
        const { port } = this.#server;
        const target = forward === undefined ? undefined : new URL(forward);
        // What comes back again and again would be forwarded for ever.
        const isHere = target && (isLoopback(target.hostname) || EVERYWHERE.test(target.hostname));
        if (isHere && target.port === String(port))
          throw new UsageError('--forward names this listener itself', { hint: 'Choose another --port.' });
        const name = host.includes(':') ? `[${host}]` : host;
        this.url = `http://${EVERYWHERE.test(name) ? '127.0.0.1' : name}:${port}/`;
        await work();
      } finally {
        await this.close();
      }
    };
    if (!this.#forwards) await listen();
    else await withLock(join(this.#store.folder, 'forwarding'), clock, listen, { timeoutMs: 1000, signal });
  }

  /**
   * Takes what comes until Ctrl-C, and forwards what earlier listeners left. Says on stderr where it listens.
   * @param token the secret of the webhook; absent: signatures cannot be checked
   * @param facts beside those of the listener, for programs
   */
  begin(token: string | undefined, facts: Row = {}): void {
    const { output, settings, interrupted, machine } = this.#run;
    const { redactor, stderr } = machine;
    const { host } = this.#listener;
    const { folder } = this.#store;
    if (token !== undefined) redactor.register(token);
    const listening = { url: this.url, host, port: this.#server?.port, store: folder, ...facts };
    if (settings.output.value.errorsAsJson && !settings.quiet.value)
      void stderr.write(`${safeJson(redactor.json({ listening }))}\n`).catch(() => {});
    output.note(`Listening on ${this.url}`);
    if (!isLoopback(host.includes(':') ? `[${host}]` : host)) {
      const unverified = ' Signatures are not verified: add --webhook or --create.';
      output.note(`Other machines can reach the listener.${token === undefined ? unverified : ''}`);
    }
    output.note(`Deliveries are stored in ${folder}. Press Ctrl-C to stop.`);
    const left = this.#forwards ? this.#store.listLeft().filter(({ event }) => this.#isWanted(event)) : [];
    for (const { key } of left) void this.#forward(String(key), true);
    if (left.length > 0)
      output.note(`Forwarding ${pluralize(left.length, ['delivery', 'deliveries'])} not accepted before.`);
    interrupted.addEventListener('abort', () => void this.close(), { once: true });
    if (interrupted.aborted) void this.close();
    this.#begin({ token });
  }

  /** Answers what has come in, ends the attempts that have begun, and ends the rows. */
  async close(): Promise<void> {
    this.#begin(undefined);
    this.#stop.abort();
    await this.#server?.close();
    await Promise.all(this.#tasks);
    this.rows.push(null);
  }

  async #receive(arrival: ReceivedRequest): Promise<DeliveryReply> {
    const begun = await this.#begun;
    if (begun === undefined) return { status: 503, text: 'the receiver is shutting down' };
    const { output, clock } = this.#run;
    const { requireSignature, refuseUnsigned, answerAfterHandler } = this.#listener;
    const signature = verifySignature(arrival, begun.token, clock.now());
    const { state, detail } = signature;
    const isUnsigned = state === 'invalid' || (state === 'none' && detail === undefined);
    if ((requireSignature && state !== 'valid') || (refuseUnsigned && isUnsigned)) {
      output.note(`Refused: signature ${state}${detail === undefined ? '' : ` (${detail})`}`);
      return { status: 401, text: 'a valid signature is required' };
    }
    const delivery = toDelivery(arrival, clock.now(), signature);
    const isWanted = this.#isWanted(delivery.event);
    const forwards = isWanted && this.#forwards;
    let repeat: boolean;
    try {
      repeat = this.#store.keep({ ...delivery, state: forwards ? 'pending' : null }) === 'repeat';
    } catch (error) {
      this.#warn(error);
      return { status: 503, text: 'it could not be stored; send it again' };
    }
    if (isWanted && !forwards)
      this.rows.push(toLiveRow(delivery, this.#redactor.json, { repeat, attempts: 0 }));
    if (!forwards) return KEPT;
    // A repeat too: whoever sends again has not seen that it went well.
    const attempt = this.#forward(delivery.key, repeat);
    if (!answerAfterHandler) return KEPT;
    const outcome = await attempt;
    const { words = 'not yet', failure } = outcome === undefined ? {} : describeOutcome(outcome);
    if (outcome !== undefined && failure === undefined) return { status: 200, text: 'stored and forwarded' };
    return { status: 503, text: `stored, but not forwarded: ${words}` };
  }

  #isWanted(event: unknown): boolean {
    const { events } = this.#listener;
    return events.length === 0 || events.some((one) => one === event);
  }

  /**
   * Forwards it until it is accepted, ten times at most. One that is under way already is tried once beside that.
   * @param repeat whether the program may have had it before
   * @returns the first attempt
   */
  #forward(key: string, repeat: boolean): Promise<ForwardingOutcome | undefined> {
    const first = this.#attempt(key, 1, repeat);
    const retry = async (): Promise<void> => {
      this.#busy.add(key);
      await first;
      for (const [n, wait] of WAITS_S.entries()) {
        if (this.#store.read(key)?.state !== 'pending') break;
        await this.#run.clock.sleep(wait * 1000, this.#stop.signal).catch(() => {});
        await this.#attempt(key, n + 2, true);
      }
      this.#busy.delete(key);
    };
    const task = this.#busy.has(key) ? first : retry();
    this.#tasks.add(task);
    void task.finally(() => this.#tasks.delete(task));
    return first;
  }

  /**
   * Forwards it once, when those before it have ended. Never rejects.
   * @param attempts how many this listener has begun, with this one
   * @returns nothing where there is nothing to forward any more, or the listener ends
   */
  #attempt(key: string, attempts: number, repeat: boolean): Promise<ForwardingOutcome | undefined> {
    const attempt = async (): Promise<ForwardingOutcome | undefined> => {
      const delivery = this.#store.read(key);
      // Somebody may have replayed or removed it meanwhile.
      const isSettled = delivery === undefined || (attempts > 1 && delivery.state === 'accepted');
      if (isSettled || this.#stop.signal.aborted) return undefined;
      const outcome = await forwardDelivery(this.#run, delivery, this.#listener, { repeat, replay: false });
      const isAccepted = describeOutcome(outcome).failure === undefined || delivery.state === 'accepted';
      const isLast = attempts > WAITS_S.length && !this.#run.interrupted.aborted;
      const state = isAccepted ? 'accepted' : isLast ? 'failed' : 'pending';
      this.rows.push(
        toLiveRow({ ...delivery, state }, this.#redactor.json, { repeat, attempts, ...outcome }),
      );
      this.#store.mark(key, state);
      return outcome;
    };
    const mine = this.#last.then(attempt).catch((error: unknown) => this.#warn(error));
    this.#last = mine;
    return mine;
  }

  #warn(error: unknown): undefined {
    this.#run.output.warn(error instanceof Failure ? error.tell() : String(error));
  }
}

const BODY_LIMIT = 1024 * 1024;
const HEADERS_LIMIT = 16 * 1024;

/** Every connection is for one delivery. @throws Failure (exit 1) where the port cannot be had */
export async function serveDeliveries(
  { host, port }: Pick<ListenerOptions, 'host' | 'port'>,
  receive: (arrival: ReceivedRequest) => Promise<DeliveryReply>,
  requestMs = 30_000,
) {
  const pending = new Set<Promise<void>>();
  const handle = async (message: IncomingMessage, response: ServerResponse): Promise<void> => {
    response.on('error', () => {});
    const { method = '', url: target = '', rawHeaders: raw } = message;
    const headers = raw.flatMap((name, i) => (i % 2 === 0 ? [[name, raw[i + 1] ?? ''] as const] : []));
    const body = await readBody(message);
    if ('status' in body) {
      // What is left of it is thrown away as it comes, so that the sender can read why.
      message.on('error', () => {}).resume();
      return send(response, body);
    }
    const work = receive({ method, target, headers, body }).then((reply) => send(response, reply));
    pending.add(work);
    await work.finally(() => pending.delete(work));
  };
  const limits = { requestTimeout: requestMs, headersTimeout: Math.min(requestMs, 10_000) };
  const sizes = { connectionsCheckingInterval: 1000, maxHeaderSize: HEADERS_LIMIT };
  const server = createServer({ ...limits, ...sizes }, (message, response) => {
    // Rejects where the sender went away before its body was whole.
    handle(message, response).catch(() => response.destroy());
  });
  server.listen({ host, port, exclusive: true });
  await once(server, 'listening').catch((cause: Error) => {
    throw new Failure(`cannot listen on ${host}, port ${port}`, {
      code: 'port_unavailable',
      exit: EXIT.fault,
      reason: cause.message.includes('EADDRINUSE') ? 'Another program is using it.' : cause.message,
      hint: 'Choose another with --port, or use --port 0 for a free one.',
      cause,
    });
  });
  return {
    port: (server.address() as AddressInfo).port,
    /** Takes nothing new, answers what has come in whole, then cuts what is left. */
    async close(): Promise<void> {
      const closed = new Promise((resolve) => server.close(resolve));
      while (pending.size > 0) await Promise.allSettled(pending);
      server.closeAllConnections();
      await closed;
    },
  };
}

async function readBody(message: IncomingMessage): Promise<Uint8Array | DeliveryReply> {
  const { method, headers } = message;
  // Every browser adds such headers to a POST, and no page can leave them out: the address is no secret to a page.
  if (Object.keys(headers).some((name) => name === 'origin' || name.startsWith('sec-fetch-')))
    return { status: 403, text: 'nothing is accepted from a browser' };
  if (method !== 'POST') return { status: 405, text: 'only POST is accepted' };
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of message.iterator({ destroyOnReturn: false })) {
    chunks.push(Buffer.from(chunk));
    size += chunk.length;
    if (size > BODY_LIMIT) return { status: 413, text: 'the body is too large' };
  }
  return Buffer.concat(chunks);
}

function send(response: ServerResponse, { status, text }: DeliveryReply): Promise<void> {
  return new Promise((resolve) => {
    // A sender that did not wait is told nothing; what it sent is kept all the same.
    if (response.destroyed) return resolve();
    const allow = status === 405 ? { allow: 'POST' } : {};
    response.once('close', resolve);
    const headers = { 'content-type': 'text/plain; charset=utf-8', connection: 'close', ...allow };
    response.writeHead(status, headers);
    response.end(`${text}\n`);
  });
}
