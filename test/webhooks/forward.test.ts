import { createServer, type Server } from 'node:http';
import { afterEach, describe, expect, it } from 'vitest';
import { post } from '../../src/webhooks/forward.ts';
import { quickClock } from '../support/clocks.ts';
import { closing, listening } from '../support/loopback.ts';

interface Seen {
  readonly raw: readonly string[];
  readonly body: Buffer;
}

let server: Server;
const seen: Seen[] = [];
const start = async (status: number, headers: Record<string, string> = {}): Promise<string> => {
  seen.length = 0;
  server = createServer(async (message, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of message) chunks.push(Buffer.from(chunk));
    seen.push({ raw: message.rawHeaders, body: Buffer.concat(chunks) });
    if (status > 0) response.writeHead(status, headers).end('x'.repeat(100_000));
  });
  return `http://127.0.0.1:${await listening(server)}/in?a=1`;
};
afterEach(() => closing(server, () => server.closeAllConnections()));

const limits = (more: object = {}) => ({
  timeoutMs: 500_000,
  clock: quickClock,
  interrupted: new AbortController().signal,
  ...more,
});

/** Every byte there is, and characters of several bytes. */
const BYTES = Buffer.concat([Buffer.from(Array.from({ length: 256 }, (_, i) => i)), Buffer.from('é€😀\r\n')]);

const one = { headers: [], body: BYTES };

describe('what is forwarded', () => {
  it('has the body to the byte and the headers as they came, but hop by hop', async () => {
    const url = await start(204);
    const headers = [
      ['Host', 'hooks.example'],
      ['webhook-ID', 'msg_1'],
      ['X-Same', 'one'],
      ['x-same', 'two'],
      ['X-Latin', 'caf\u00e9'],
      ['Connection', 'keep-alive'],
      ['Transfer-Encoding', 'chunked'],
      ['Expect', '100-continue'],
      ['Keep-Alive', '5'],
      ['TE', 'x'],
      ['Proxy-Authorization', 'x'],
      ['Content-Encoding', 'gzip'],
    ] as const;
    const result = await post({ headers, body: BYTES }, url, limits());
    expect(result).toMatchObject({ url, status: 204 });
    expect(seen).toHaveLength(1);
    expect(seen[0]?.body.equals(BYTES)).toBe(true);
    expect(seen[0]?.raw).toEqual([
      ...['Host', new URL(url).host, 'Content-Length', String(BYTES.length)],
      ...['webhook-ID', 'msg_1', 'X-Same', 'one', 'x-same', 'two', 'X-Latin', 'caf\u00e9'],
      ...['Content-Encoding', 'gzip', 'Connection', 'close'],
    ]);
  });

  it('is sent once, follows no redirect, and is not held up by a long answer', async () => {
    const url = await start(302, { location: '/elsewhere' });
    expect(await post(one, url, limits())).toMatchObject({ status: 302 });
    expect(seen).toHaveLength(1);
  });

  it('gives up after its time, and at Ctrl-C', async () => {
    const url = await start(0);
    expect(await post(one, url, limits({ timeoutMs: 3000 }))).toMatchObject({
      error: 'no response in 3 s',
    });
    const stop = new AbortController();
    const late = post(one, url, limits({ interrupted: stop.signal }));
    stop.abort();
    expect(await late).toMatchObject({ error: 'interrupted' });
  });

  it('says in words why nobody took it', async () => {
    const url = await start(200);
    await closing(server, () => server.closeAllConnections());
    expect(await post(one, url, limits())).toMatchObject({
      url,
      error: 'connection refused',
    });
  });
});
