import type { Row } from '../api/page.ts';
import type { Clock } from '../clock.ts';
import { quoteShellWord } from '../parsing/shell-word.ts';
import { type Delivery, type ReceivedRequest, toDelivery } from './delivery.ts';
import type { ForwardResult } from './forward.ts';
import { type createForwarder, toForwardingResult } from './forwarder.ts';
import { type Masks, toLiveRow } from './rows.ts';
import type { DeliveryReply } from './server.ts';
import type { ListenerOptions } from './service.ts';
import { verifySignature } from './signature.ts';
import type { DeliveryStore } from './store.ts';

/** What happens to one delivery: judged, kept, answered, handed on, shown; in this order. */

/** What is said on stderr while it goes on. */
export interface ListenerMessages {
  note(text: string): void;
  ready(facts: Row, words: readonly string[]): void;
  failed(error: unknown): Promise<void>;
}

export interface IntakeOptions {
  readonly listener: ListenerOptions;
  readonly clock: Pick<Clock, 'now'>;
  readonly masks: Masks;
  readonly store: DeliveryStore;
  readonly messages: ListenerMessages;
  readonly forward: ReturnType<typeof createForwarder>;
  /** Takes what is to be shown. */
  readonly show: (row: Row) => void;
}

export interface Intake {
  /** Judges it by this token, and keeps it. Never rejects. */
  take(arrival: ReceivedRequest, token: string | undefined): Promise<DeliveryReply>;
  /** Once all that was kept is handed on. */
  drain(): Promise<void>;
  /** How it went, in words. */
  summarize(): string;
}

const KEPT: DeliveryReply = { status: 200, text: 'kept' };

/** A status that a sender can make something of; a redirect would lead it elsewhere. */
const toForwardReply = (result: ForwardResult | undefined): DeliveryReply => {
  if (result === undefined) return KEPT;
  if ('error' in result) return { status: 502, text: `stored, but not forwarded: ${result.error}` };
  const { status } = result;
  const isFinal = (status >= 200 && status < 300) || status >= 400;
  return { status: isFinal ? status : 502, text: `stored and forwarded: ${status}` };
};

/** The command line that hands it on again, to where it was to go. Its id came from whoever sent it. */
const formatReplayCommand = (
  { id, key }: Delivery,
  { forward, exec, passEnv = [], store }: ListenerOptions,
): string =>
  [
    ...['ttctl', 'webhooks', 'replay', id.startsWith('-') ? key : id],
    ...(store === undefined ? [] : ['--store', store]),
    ...(forward === undefined ? [] : ['--forward', forward]),
    ...(exec === undefined ? [] : ['--exec', exec]),
    ...passEnv.flatMap((name) => ['--pass-env', name]),
  ]
    .map(quoteShellWord)
    .join(' ');

const plural = (count: number, one: string, many: string): string => `${count} ${count === 1 ? one : many}`;

const isWanted = ({ event }: Delivery, { events }: ListenerOptions): boolean =>
  events.length === 0 || (event !== null && events.includes(event));

const createCounts = () => ({ kept: 0, repeats: 0, refused: 0, failed: 0 });

const formatCounts = (
  { kept, repeats, refused, failed }: ReturnType<typeof createCounts>,
  folder: string,
): string =>
  [
    `${plural(kept, 'delivery', 'deliveries')} stored in ${folder}`,
    ...(repeats === 0 ? [] : [plural(repeats, 'repeat', 'repeats')]),
    ...(refused === 0 ? [] : [`${refused} refused`]),
    ...(failed === 0 ? [] : [`${failed} not stored`]),
  ].join(', ');

type Forwarder = IntakeOptions['forward'];

/** Shows a delivery once it is known what became of it; the first that failed with how to hand it on again. */
const createShow = ({ listener, masks, messages, show }: IntakeOptions) => {
  let hinted = false;
  return async (delivery: Delivery, repeat: boolean, steps: ReturnType<Forwarder>): Promise<void> => {
    const [forward, exec] = [await steps.forward, await steps.exec];
    show(toLiveRow(delivery, { repeat, forward, exec }, masks));
    if (hinted || toForwardingResult(forward, exec).failure === undefined) return;
    hinted = true;
    messages.note(`Forward it again with: ${masks.text(formatReplayCommand(delivery, listener))}`);
  };
};

export const createIntake = (options: IntakeOptions): Intake => {
  const { listener, clock, store, messages, forward } = options;
  const counts = createCounts();
  const working = new Set<Promise<void>>();
  const show = createShow(options);
  const keep = async (delivery: Delivery): Promise<DeliveryReply> => {
    const repeat = store.keep(delivery) === 'repeat';
    counts[repeat ? 'repeats' : 'kept'] += 1;
    if (!isWanted(delivery, listener)) return KEPT;
    // A repeat too: whoever sends again has not seen that it went well.
    const steps = forward(delivery, repeat);
    // It is kept, whatever cannot be shown of it.
    const work = show(delivery, repeat, steps).catch((error: unknown) => messages.failed(error));
    working.add(work);
    work.finally(() => working.delete(work));
    return listener.forwardStatus ? toForwardReply(await steps.forward) : KEPT;
  };
  return {
    async take(arrival, token) {
      const now = clock.now();
      const delivery = toDelivery(arrival, now, (signed) => verifySignature(signed, token, now));
      const { state, detail } = delivery.signature;
      if (listener.requireSignature && state !== 'valid') {
        counts.refused += 1;
        messages.note(`Refused: signature ${state}${detail === undefined ? '' : ` (${detail})`}`);
        return { status: 401, text: 'a valid signature is required' };
      }
      try {
        return await keep(delivery);
      } catch (error) {
        counts.failed += 1;
        await messages.failed(error);
        return { status: 503, text: 'it could not be stored; send it again' };
      }
    },
    drain: () => Promise.all(working).then(() => undefined),
    summarize: () => formatCounts(counts, store.folder),
  };
};
