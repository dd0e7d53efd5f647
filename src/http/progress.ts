import type { Clock } from '../clock.ts';
import type { Redactor } from './redact.ts';
import type { Transport } from './transport.ts';

export interface ProgressTransportOptions {
  /** Shows the words while the work goes on, where it takes long. */
  readonly show: <T>(words: () => string, work: () => Promise<T>) => Promise<T>;
  /** After so long the request is given up. */
  readonly timeoutMs: number;
  readonly redactor: Redactor;
  readonly clock: Pick<Clock, 'now'>;
}

/** Tells what is waited for while a request is on its way: an answer may take its time. */
export const withProgress =
  (next: Transport, { show, timeoutMs, redactor, clock }: ProgressTransportOptions): Transport =>
  (request) => {
    const since = clock.now();
    const words = (): string => {
      const seconds = Math.floor((clock.now() - since) / 1000);
      const what = redactor.text(`${request.method} ${request.path}`);
      return `waiting for the service, ${seconds} s (at most ${timeoutMs / 1000} s): ${what}`;
    };
    return show(words, () => next(request));
  };
