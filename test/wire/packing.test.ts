import { brotliCompressSync, constants, gzipSync } from 'node:zlib';
import { afterEach, describe, expect, test } from 'vitest';
import { startServer } from '../support/loopback.ts';
import { lanes, request, senderFor } from './lanes.ts';

const open: { close(): Promise<void> }[] = [];
afterEach(async () => {
  for (const thing of open.splice(0).reverse()) await thing.close();
});

const quickBrotli = (bytes: Buffer) =>
  brotliCompressSync(bytes, { params: { [constants.BROTLI_PARAM_QUALITY]: 1 } });

describe.each(lanes)('a packed answer that comes $name', (lane) => {
  const get = async (encoding: string, bytes: Buffer, maxBytes?: number) => {
    const server = await startServer((_received, response) =>
      response.writeHead(200, { 'content-encoding': encoding }).end(bytes),
    );
    const way = await lane.reach(server.port);
    const sender = senderFor(way.env, maxBytes === undefined ? {} : { maxBytes });
    open.push(server, way, sender);
    return sender.transport(request(way.base));
  };
  const text = JSON.stringify({ data: 'ü'.repeat(5000) });

  test.each([
    ['gzip', gzipSync(text)],
    ['br', brotliCompressSync(text)],
    ['identity', Buffer.from(text)],
  ])('%s is unpacked', async (encoding, bytes) => {
    expect((await get(encoding, bytes)).body).toBe(text);
  });

  test.each([
    ['gzip', gzipSync],
    ['br', quickBrotli],
  ] as const)('a %s bomb is stopped at the limit', async (encoding, pack) => {
    const bomb = pack(Buffer.alloc(50_000_000));
    const before = process.memoryUsage().rss;
    await expect(get(encoding, bomb, 100_000)).rejects.toMatchObject({
      code: 'answer_too_large',
      sent: true,
    });
    expect(process.memoryUsage().rss - before).toBeLessThan(40_000_000);
  });

  test.each([
    ['gzip', gzipSync(text).subarray(0, -12), 'truncated'],
    ['br', brotliCompressSync(text).subarray(0, -3), 'truncated'],
    ['gzip', Buffer.from('this was never packed'), 'answer_unreadable'],
    ['br', Buffer.from('this was never packed'), 'answer_unreadable'],
    ['zstd', Buffer.from('not asked for'), 'answer_unreadable'],
  ])('broken %s is an error', async (encoding, bytes, code) => {
    await expect(get(encoding, bytes)).rejects.toMatchObject({ name: 'NetworkError', code, sent: true });
  });
});
