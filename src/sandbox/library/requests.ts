import { UsageError } from '../../outcome.ts';
import type { SandboxRequest, SandboxResponse } from '../exchange.ts';
import { BASE_PATH, splitTarget } from '../host.ts';
import type { HandleAnswer, HandleRequest } from './types.ts';

/** Requests and answers as plain records. */

const toPairs = (query: HandleRequest['query'] = []): [string, string][] => {
  const pairs = Array.isArray(query) ? query : Object.entries(query);
  return pairs.map(([name, value]) => [name, String(value)]);
};

const encodeBody = (body: unknown): { text: string; type?: string } => {
  if (body === undefined) return { text: '' };
  return typeof body === 'string' ? { text: body } : { text: JSON.stringify(body), type: 'application/json' };
};

/** The request as a server would get it. @throws UsageError */
export const toRequestRecord = ({
  method = 'GET',
  path,
  query,
  headers,
  body,
  token,
}: HandleRequest): SandboxRequest => {
  if (typeof path !== 'string' || !path.startsWith('/')) {
    throw new UsageError(`a path must begin with /: ${String(path)}`, {
      hint: 'For example /members or /oauth/token.',
    });
  }
  const target = splitTarget(path);
  const { text, type } = encodeBody(body);
  const defaultHeaders = {
    ...(type === undefined ? {} : { 'content-type': type }),
    ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
  };
  const headerEntries = Object.entries(headers ?? {}).map(([name, value]) => [name.toLowerCase(), value]);
  const isRooted = /^\/(oauth|api\/v2)\//.test(target.path);
  return {
    method: method.toUpperCase(),
    path: isRooted ? target.path : `${BASE_PATH}${target.path}`,
    query: [...target.query, ...toPairs(query)],
    headers: { ...defaultHeaders, ...Object.fromEntries(headerEntries) },
    body: text,
  };
};

export const toHandleAnswer = ({ status, headers, body, wire }: SandboxResponse): HandleAnswer => ({
  status,
  headers,
  body,
  ...(wire === undefined ? {} : { wire }),
});
