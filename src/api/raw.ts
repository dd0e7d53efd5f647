import { type HttpQuery, type HttpResponse, isWrite, type Method } from '../http/transport.ts';
import { hasUnknownOutcome, withHint } from '../outcome.ts';
import { type ApiConnection, type SendOptions, toSending } from './client.ts';
import { type ApiReply, readReply } from './reply.ts';

/** A request outside the table (`ttctl api`), sent as it is given. */
export interface RawRequest extends SendOptions {
  readonly method: Method;
  readonly path: string;
  readonly query: HttpQuery;
  /** Lower-case names. */
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: unknown;
  /** Called with the answer, a refusal too. */
  readonly onResponse?: (response: HttpResponse) => void;
}

const UNKNOWN_OUTCOME_HINT =
  'It is not known whether the request was carried out: check before sending it again.';

/**
 * Sends a request outside the table. The error of a write whose outcome is unknown says so in its hint: there is no
 * record to compare with.
 * @throws ApiError, NetworkError
 */
export const sendRaw = async <T>(
  connection: Pick<ApiConnection, 'transport' | 'base'>,
  raw: RawRequest,
): Promise<ApiReply<T>> => {
  const { method, path, query, headers, body, onResponse, ...options } = raw;
  const request = { method, path, query, ...(body === undefined ? {} : { body }), base: connection.base };
  const sending = toSending(options);
  const fullRequest = { ...request, ...sending, headers: { ...sending.headers, ...headers } };
  try {
    const response = await connection.transport(fullRequest);
    onResponse?.(response);
    return readReply<T>(fullRequest, response, true);
  } catch (error) {
    if (!isWrite(raw.method) || !hasUnknownOutcome(error)) throw error;
    throw withHint(error, { hint: UNKNOWN_OUTCOME_HINT });
  }
};
