import type { Call } from '../api/client.ts';
import type { Context } from '../context.ts';
import { lookHint } from './doubt.ts';
import { type Sending, type Sent, sendOne } from './send.ts';

/** As `sendOne`. A second Ctrl-C while the write is on its way says that nobody knows what becomes of it. */
export const sendWatched = (
  { api, parting }: Pick<Context, 'api' | 'parting'>,
  call: Call,
  target: string,
  sending: Sending = {},
): Promise<Sent> => {
  let onItsWay = false;
  const departs = async (before: unknown): Promise<void> => {
    await sending.departs?.(before);
    onItsWay = true;
  };
  const words = () =>
    onItsWay
      ? {
          message: 'left while a write was on its way: what became of it is not known',
          hint: lookHint(call, target),
        }
      : undefined;
  const send = () => sendOne(api, call, target, { ...sending, departs });
  return parting.during(words, send, true);
};
