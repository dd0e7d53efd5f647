import type { Row } from '../api/page.ts';
import type { Clock } from '../clock.ts';
import { formatDuration } from '../parsing/duration.ts';
import { quoteShellWord } from '../parsing/shell-word.ts';
import { type Delivery, type ReceivedRequest, toDelivery } from './delivery.ts';
import type { ForwardResult } from './forward.ts';
import { toForwardingResult } from './forwarder.ts';
import type { ForwardingAttempt } from './forwarding-attempt.ts';
import type { ForwardingQueue } from './forwarding-queue.ts';
import { countPending, getWaitMs, type ProgressStore } from './progress.ts';
import { type Masks, toLiveRow } from './rows.ts';
import type { DeliveryReply } from './server.ts';
import type { ListenerOptions } from './service.ts';
import { verifySignature } from './signature.ts';
import type { DeliveryStore } from './store.ts';

/** What happens to one delivery: judged, kept, answered, handed on, shown; in this order. */

/** What is said on stderr while it goes on. */
export interface ListenerMessages {
  note(text: string): void;
  reportReady(facts: Row, words: readonly string[]): void;
  failed(error: unknown): Promise<undefined>;
}

export interface IntakeOptions {
  readonly listener: ListenerOptions;
  readonly clock: Pick<Clock, 'now'>;
  readonly masks: Masks;
  readonly store: DeliveryStore;
  readonly progress: ProgressStore;
  readonly messages: ListenerMessages;
  /** Undefined: nothing is forwarded. */
  readonly queue: ForwardingQueue | undefined;
  /** The time by which signatures are judged: milliseconds since the epoch. */
  readonly getSigningTime: () => Promise<number>;
  /** Takes what is to be shown. */
  readonly show: (row: Row) => void;
}

export interface Intake {
  /** Judges it by this token, and keeps it. Never rejects. */
  take(arrival: ReceivedRequest, token: string | undefined): Promise<DeliveryReply>;
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

export const isWanted = ({ event }: Delivery, { events }: ListenerOptions): boolean =>
  events.length === 0 || (event !== null && events.includes(event));

const createCounts = () => ({ kept: 0, repeats: 0, refused: 0, failed: 0 });

const formatCounts = (
  { kept, repeats, refused, failed }: ReturnType<typeof createCounts>,
  folder: string,
  pending: number,
): string =>
  [
    `${plural(kept, 'delivery', 'deliveries')} stored in ${folder}`,
    ...(repeats === 0 ? [] : [plural(repeats, 'repeat', 'repeats')]),
    ...(refused === 0 ? [] : [`${refused} refused`]),
    ...(failed === 0 ? [] : [`${failed} not stored`]),
    ...(pending === 0 ? [] : [`${pending} pending for the next listener`]),
  ].join(', ');

/** Shows what came of an attempt; of the first that failed how to forward it at once. */
export const createAttemptView = ({
  listener,
  masks,
  messages,
  show,
}: Pick<IntakeOptions, 'listener' | 'masks' | 'messages' | 'show'>) => {
  let hinted = false;
  return (attempt: ForwardingAttempt): void => {
    const { delivery, progress } = attempt;
    show(toLiveRow(delivery, attempt, masks));
    if (hinted || toForwardingResult(attempt).failure === undefined || progress.next_attempt_at === null)
      return;
    hinted = true;
    const wait = formatDuration(getWaitMs(progress.attempts) / 1000);
    messages.note(
      `Not forwarded. Next attempt in ${wait}, or when the next listener starts. Forward it again with: ${masks.text(formatReplayCommand(delivery, listener))}`,
    );
  };
};

/** What the sender is told once there was an attempt. */
const toAttemptReply = (
  attempt: ForwardingAttempt | undefined,
  { forwardStatus }: ListenerOptions,
): DeliveryReply => {
  if (attempt === undefined) return { status: 503, text: 'stored, but not forwarded yet' };
  if (forwardStatus) return toForwardReply(attempt.forward);
  const { words, failure } = toForwardingResult(attempt);
  if (failure === undefined) return { status: 200, text: 'stored and forwarded' };
  return { status: 503, text: `stored, but not forwarded: ${words}` };
};

/** @throws Failure (exit 1) where it cannot be on the disk */
const keep = async (
  delivery: Delivery,
  { listener, store, queue, masks, messages, show }: IntakeOptions,
  counts: ReturnType<typeof createCounts>,
): Promise<DeliveryReply> => {
  const wanted = isWanted(delivery, listener);
  // Recorded before: what is stored is never without the knowledge that it is still to be forwarded.
  if (wanted) queue?.accept(delivery.key);
  const repeat = store.keep(delivery) === 'repeat';
  counts[repeat ? 'repeats' : 'kept'] += 1;
  if (!wanted) return KEPT;
  if (queue === undefined) {
    const course = { repeat, forward: undefined, exec: undefined, progress: undefined };
    try {
      show(toLiveRow(delivery, course, masks));
    } catch (error) {
      // It is kept, whatever cannot be shown of it.
      await messages.failed(error);
    }
    return KEPT;
  }
  // A repeat too: whoever sends again has not seen that it went well.
  const attempt = queue.add(delivery.key, repeat);
  return listener.answerAfterHandler || listener.forwardStatus
    ? toAttemptReply(await attempt, listener)
    : KEPT;
};

export const createIntake = (options: IntakeOptions): Intake => {
  const { listener, clock, store, progress, queue, messages, getSigningTime } = options;
  const counts = createCounts();
  return {
    async take(arrival, token) {
      const signedAt = await getSigningTime();
      const delivery = toDelivery(arrival, clock.now(), (signed) => verifySignature(signed, token, signedAt));
      const { state, detail } = delivery.signature;
      const isUnsigned = state === 'invalid' || (state === 'none' && detail === undefined);
      if ((listener.requireSignature && state !== 'valid') || (listener.refuseUnsigned && isUnsigned)) {
        counts.refused += 1;
        messages.note(`Refused: signature ${state}${detail === undefined ? '' : ` (${detail})`}`);
        return { status: 401, text: 'a valid signature is required' };
      }
      try {
        return await keep(delivery, options, counts);
      } catch (error) {
        counts.failed += 1;
        await messages.failed(error);
        return { status: 503, text: 'it could not be stored; send it again' };
      }
    },
    summarize: () => formatCounts(counts, store.folder, queue === undefined ? 0 : countPending(progress)),
  };
};
