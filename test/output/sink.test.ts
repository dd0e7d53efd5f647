import { spawn } from 'node:child_process';
import { createWriteStream, existsSync } from 'node:fs';
import { Writable } from 'node:stream';
import { describe, expect, it } from 'vitest';
import { OutputClosed } from '../../src/errors.ts';
import { createSink } from '../../src/output/sink.ts';

const sinkOf = (stream: NodeJS.WritableStream) => createSink({ isTTY: false, open: () => stream });

const failing = (code: string): Writable =>
  new Writable({ write: (_chunk, _encoding, done) => done(Object.assign(new Error(code), { code })) });

describe('createSink', () => {
  it('is as slow as its reader, and loses no byte', async () => {
    const chunks: Buffer[] = [];
    let waiting = 0;
    const slow = new Writable({
      highWaterMark: 1024,
      write: (chunk: Buffer, _encoding, done) => {
        chunks.push(chunk);
        setImmediate(done);
      },
    });
    const sink = sinkOf(slow);
    const text = `${'0123456789é'.repeat(100)}\n`;
    for (let i = 0; i < 200; i += 1) {
      await sink.write(text);
      waiting = Math.max(waiting, slow.writableLength);
    }
    expect(Buffer.concat(chunks).toString()).toBe(text.repeat(200));
    expect(waiting).toBe(0);
  });

  it('turns a closed pipe into a quiet end, again and again', async () => {
    const sink = sinkOf(failing('EPIPE'));
    await expect(sink.write('a\n')).rejects.toBeInstanceOf(OutputClosed);
    await expect(sink.write('b\n')).rejects.toMatchObject({ exit: 0, code: 'output_closed' });
  });

  it.runIf(existsSync('/dev/full'))('tells a full disk', async () => {
    const sink = sinkOf(createWriteStream('/dev/full'));
    await expect(sink.write('a\n')).rejects.toMatchObject({
      exit: 1,
      reason: expect.stringContaining('ENOSPC'),
    });
  });

  it('hands a text over in one write, and the next when that is done', async () => {
    const calls: string[] = [];
    let joined = 0;
    const stream = new Writable({
      write: (chunk: Buffer, _encoding, done) => {
        calls.push(chunk.toString());
        setImmediate(done);
      },
      writev: (chunks, done) => {
        joined += 1;
        for (const { chunk } of chunks) calls.push(String(chunk));
        setImmediate(done);
      },
    });
    const sink = sinkOf(stream);
    const texts = ['one\n', 'two\nthree\n', '\n', `${'x'.repeat(10_000)}\n`, 'no newline'];
    await Promise.all(texts.map((text) => sink.write(text)));
    expect(calls).toEqual(texts);
    expect(joined).toBe(0);
  });

  it('ends quietly when a real reader leaves', async () => {
    const reader = spawn('true', { stdio: ['pipe', 'ignore', 'ignore'] });
    const sink = sinkOf(reader.stdin);
    const flood = async (): Promise<void> => {
      for (;;) await sink.write(`${'x'.repeat(65_536)}\n`);
    };
    await expect(flood()).rejects.toBeInstanceOf(OutputClosed);
  });
});
