import { createHmac } from 'node:crypto';
import { type Answering, type LoopbackServer, type Received, startServer } from './loopback-server.ts';

/** A receiver of webhooks on 127.0.0.1. */
export interface HookReceiver extends LoopbackServer {
  readonly url: string;
  /** The events received, in their order. */
  events(): string[];
  /** What it answers from now on: a status, or whatever the function does; `undefined`: never anything. */
  answer: number | Answering | undefined;
}

export const startReceiver = async (): Promise<HookReceiver> => {
  const server = await startServer((request, response) => {
    const { answer } = receiver;
    if (typeof answer === 'function') answer(request, response);
    else if (answer !== undefined) response.writeHead(answer).end(`answer ${answer}`);
  });
  const receiver: HookReceiver = {
    ...server,
    url: `http://127.0.0.1:${server.port}/hook?x=1`,
    events: () => server.received.map(({ body }) => JSON.parse(body).event),
    answer: 200,
  };
  return receiver;
};

/** The Standard Webhooks signature of what was received, computed anew from its bytes. */
export const expectedSignature = ({ headers, body }: Received, token: string): string => {
  const key = Buffer.from(token.replace(/^whsec_/, ''), 'base64');
  const text = `${headers['webhook-id']}.${headers['webhook-timestamp']}.${body}`;
  return `v1,${createHmac('sha256', key).update(text).digest('base64')}`;
};
