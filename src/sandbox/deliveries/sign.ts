import { createHmac } from 'node:crypto';

/** Signatures in the Standard Webhooks layout (an adapter: it computes digests). */

const PREFIX = 'whsec_';
const BASE64 = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/;

/** What stands after `whsec_`, decoded; a token that is no such text is itself the key. */
const keyOf = (token: string): Buffer => {
  const text = token.slice(PREFIX.length);
  return token.startsWith(PREFIX) && text !== '' && BASE64.test(text)
    ? Buffer.from(text, 'base64')
    : Buffer.from(token, 'utf8');
};

export interface Signed {
  readonly id: string;
  /** Seconds since the epoch. */
  readonly timestamp: number;
  readonly body: string;
}

/** `v1,<base64 of the HMAC-SHA-256 of "id.timestamp.body">` */
export const signatureOf = (token: string, { id, timestamp, body }: Signed): string =>
  `v1,${createHmac('sha256', keyOf(token)).update(`${id}.${timestamp}.${body}`).digest('base64')}`;
