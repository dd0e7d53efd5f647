import type { Clock } from '../clock.ts';
import { exchangeWithDeadline } from '../http/send.ts';
import type { HttpRequest, HttpResponse } from '../http/transport.ts';
import type { WireFault } from '../sandbox/exchange.ts';

/** What a network would do to an answer of the embedded sandbox, where a fault asks for it. */

/** What the way to the sandbox has in common with one over a network. */
export interface EmbeddedTransportOptions {
  readonly clock: Clock;
  /** For one whole request. */
  readonly timeoutMs: number;
  readonly interrupt: AbortSignal;
}

const createResetError = (): Error =>
  Object.assign(new Error('the connection was closed'), { code: 'ECONNRESET' });

/**
 * The answer as it arrives: late, or not at all. Deadline, interrupt and errors are those of a real connection.
 * @throws NetworkError
 */
export const simulateWire = (
  request: HttpRequest,
  response: HttpResponse,
  { latency_ms, cut }: WireFault,
  { clock, timeoutMs, interrupt }: EmbeddedTransportOptions,
): Promise<HttpResponse> =>
  exchangeWithDeadline(
    request,
    async (progress) => {
      // The sandbox has had it.
      progress.sent = true;
      if (latency_ms > 0) await clock.sleep(latency_ms, progress.signal);
      progress.answered = cut === 'middle';
      if (cut !== undefined) throw createResetError();
      return response;
    },
    { clock, timeoutMs, interrupt, host: 'the embedded sandbox', proxy: undefined },
  );
