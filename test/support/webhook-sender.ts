import { createHmac } from 'node:crypto';
import { request } from 'node:http';

/** Sends deliveries as the service is assumed to (docs/service.md, Deliveries): signed in the layout of Standard Webhooks. */

export interface Sent {
  readonly status: number;
  readonly text: string;
}

/** Posts bytes; rejects when there is no whole answer. */
export const post = (
  url: string,
  body: Uint8Array | string,
  headers: Readonly<Record<string, string>> = {},
): Promise<Sent> =>
  new Promise((resolve, reject) => {
    const bytes = Buffer.from(body);
    const all = { 'content-type': 'application/json', 'content-length': String(bytes.length), ...headers };
    const outgoing = request(url, { method: 'POST', headers: all, agent: false }, (answer) => {
      let text = '';
      answer.setEncoding('utf8').on('data', (chunk: string) => {
        text += chunk;
      });
      answer.on('error', reject).on('end', () => {
        if (answer.complete) resolve({ status: answer.statusCode ?? 0, text: text.trim() });
        else reject(new Error('the answer was cut'));
      });
    });
    outgoing.on('error', reject).end(bytes);
  });

/** The headers of a signed delivery. @param key what the token stands for */
export const signedHeaders = (
  body: Uint8Array | string,
  { id, key, seconds }: { id: string; key: Uint8Array | string; seconds: number },
): Record<string, string> => {
  const content = Buffer.concat([Buffer.from(`${id}.${seconds}.`), Buffer.from(body)]);
  const signature = createHmac('sha256', key).update(content).digest('base64');
  return {
    'webhook-id': id,
    'webhook-timestamp': String(seconds),
    'webhook-signature': `v1,${signature}`,
  };
};

export const eventBody = (event: string, data: object = {}): string =>
  JSON.stringify({ id: 'evt_1', event, workspace_id: 101, created_at: '2026-11-21T09:00:00Z', data });
