import type { Row } from '../api/page.ts';
import type { Clock } from '../clock.ts';
import { shellWord } from '../notation/shell-word.ts';
import { type Arrival, type Delivery, deliveryOf } from './delivery.ts';
import type { ListenWish } from './desk.ts';
import type { Forwarded } from './forward.ts';
import { type createHandOn, handedOf } from './hand-on.ts';
import type { Reply } from './server.ts';
import { liveRow, type Masks } from './shown.ts';
import { judge } from './signature.ts';
import type { Store } from './store.ts';

/** What happens to one delivery: judged, kept, answered, handed on, shown; in this order. */

/** What is said on stderr while it goes on. */
export interface Voice {
  note(text: string): void;
  ready(facts: Row, words: readonly string[]): void;
  failed(error: unknown): Promise<void>;
}

export interface IntakeOptions {
  readonly wish: ListenWish;
  readonly clock: Pick<Clock, 'now'>;
  readonly masks: Masks;
  readonly store: Store;
  readonly voice: Voice;
  readonly handOn: ReturnType<typeof createHandOn>;
  /** Takes what is to be shown. */
  readonly show: (row: Row) => void;
}

export interface Intake {
  /** Judges it by this token, and keeps it. Never rejects. */
  take(arrival: Arrival, token: string | undefined): Promise<Reply>;
  /** Once all that was kept is handed on. */
  settled(): Promise<void>;
  /** How it went, in words. */
  lastWord(): string;
}

const KEPT: Reply = { status: 200, text: 'kept' };

/** A status that a sender can make something of; a redirect would lead it elsewhere. */
const passedOn = (result: Forwarded | undefined): Reply => {
  if (result === undefined) return KEPT;
  if ('error' in result) return { status: 502, text: `stored, but not forwarded: ${result.error}` };
  const { status } = result;
  const plain = (status >= 200 && status < 300) || status >= 400;
  return { status: plain ? status : 502, text: `stored and forwarded: ${status}` };
};

/** The command line that hands it on again, to where it was to go. Its id came from whoever sent it. */
const replayLine = ({ id, key }: Delivery, { forward, exec, passEnv = [], store }: ListenWish): string =>
  [
    ...['ttctl', 'webhooks', 'replay', id.startsWith('-') ? key : id],
    ...(store === undefined ? [] : ['--store', store]),
    ...(forward === undefined ? [] : ['--forward', forward]),
    ...(exec === undefined ? [] : ['--exec', exec]),
    ...passEnv.flatMap((name) => ['--pass-env', name]),
  ]
    .map(shellWord)
    .join(' ');

const plural = (count: number, one: string, many: string): string => `${count} ${count === 1 ? one : many}`;

const isWanted = ({ event }: Delivery, { events }: ListenWish): boolean =>
  events.length === 0 || (event !== null && events.includes(event));

const newCounts = () => ({ kept: 0, repeats: 0, refused: 0, failed: 0 });

const countsText = (
  { kept, repeats, refused, failed }: ReturnType<typeof newCounts>,
  folder: string,
): string =>
  [
    `${plural(kept, 'delivery', 'deliveries')} kept in ${folder}`,
    ...(repeats === 0 ? [] : [plural(repeats, 'repeat', 'repeats')]),
    ...(refused === 0 ? [] : [`${refused} refused`]),
    ...(failed === 0 ? [] : [`${failed} not kept`]),
  ].join(', ');

type HandOn = IntakeOptions['handOn'];

/** Shows a delivery once it is known what became of it; the first that failed with how to hand it on again. */
const createShow = ({ wish, masks, voice, show }: IntakeOptions) => {
  let hinted = false;
  return async (delivery: Delivery, repeat: boolean, course: ReturnType<HandOn>): Promise<void> => {
    const [forward, exec] = [await course.forward, await course.exec];
    show(liveRow(delivery, { repeat, forward, exec }, masks));
    if (hinted || handedOf(forward, exec).failure === undefined) return;
    hinted = true;
    voice.note(`Forward it again with: ${masks.text(replayLine(delivery, wish))}`);
  };
};

export const createIntake = (options: IntakeOptions): Intake => {
  const { wish, clock, store, voice, handOn } = options;
  const counts = newCounts();
  const working = new Set<Promise<void>>();
  const show = createShow(options);
  const keep = async (delivery: Delivery): Promise<Reply> => {
    const repeat = store.keep(delivery) === 'repeat';
    counts[repeat ? 'repeats' : 'kept'] += 1;
    if (!isWanted(delivery, wish)) return KEPT;
    // A repeat too: whoever sends again has not seen that it went well.
    const course = handOn(delivery, repeat);
    // It is kept, whatever cannot be shown of it.
    const work = show(delivery, repeat, course).catch((error: unknown) => voice.failed(error));
    working.add(work);
    work.finally(() => working.delete(work));
    return wish.forwardStatus ? passedOn(await course.forward) : KEPT;
  };
  return {
    async take(arrival, token) {
      const now = clock.now();
      const delivery = deliveryOf(arrival, now, (signed) => judge(signed, token, now));
      const { state, detail } = delivery.signature;
      if (wish.requireSignature && state !== 'valid') {
        counts.refused += 1;
        voice.note(`refused: signature ${state}${detail === undefined ? '' : ` (${detail})`}`);
        return { status: 401, text: 'a valid signature is required' };
      }
      try {
        return await keep(delivery);
      } catch (error) {
        counts.failed += 1;
        await voice.failed(error);
        return { status: 503, text: 'it could not be stored; send it again' };
      }
    },
    settled: () => Promise.all(working).then(() => undefined),
    lastWord: () => countsText(counts, store.folder),
  };
};
