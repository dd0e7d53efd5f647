import { hasUnknownOutcome, withHint } from '../errors.ts';
import { type HttpQuery, type HttpResponse, isWrite, type Method } from '../http/transport.ts';
import { parseJson } from '../json.ts';
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
  /** Whether a success that is not JSON is taken too. A page for people is none: it comes from elsewhere. */
  readonly anyType?: boolean;
  /** Called with the answer, a refusal too. */
  readonly onResponse?: (response: HttpResponse) => void;
}

const isOtherType = ({ status, headers, bytes, body }: HttpResponse): boolean => {
  const type = headers['content-type']?.split(';')[0]?.trim().toLowerCase() ?? '';
  if (status < 200 || status >= 300 || bytes === undefined || bytes.length === 0 || type === 'text/html')
    return false;
  return !['', 'text/plain'].includes(type) || 'problem' in parseJson(body);
};

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
  const { method, path, query, headers, body, anyType, onResponse, ...options } = raw;
  const request = { method, path, query, ...(body === undefined ? {} : { body }), base: connection.base };
  const sending = toSending(options);
  const fullRequest = { ...request, ...sending, headers: { ...sending.headers, ...headers } };
  try {
    const response = await connection.transport(fullRequest);
    onResponse?.(response);
    if (anyType && isOtherType(response))
      return { data: null, message: undefined, pagination: undefined, envelope: null, bytes: response.bytes };
    return readReply<T>(fullRequest, response, true);
  } catch (error) {
    if (!isWrite(raw.method) || !hasUnknownOutcome(error)) throw error;
    throw withHint(error, { hint: UNKNOWN_OUTCOME_HINT });
  }
};
