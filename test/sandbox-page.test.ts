import { chmodSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { request } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { runBinary } from './support/binary.ts';
import { type Tried, tryEmbedded, tryServer } from './support/instrument.ts';

/** The page of a server, as commands name it and as the socket answers. */

let sandbox: Tried;
let root: string;
let folder: string;
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'ttctl-page-'));
  sandbox = await tryServer();
  root = (await sandbox.json(['sandbox', 'status'])).url;
});
afterAll(async () => {
  await sandbox.close();
  rmSync(folder, { recursive: true, force: true });
});

/** With any Host, which fetch does not allow. */
const statusFor = (path: string, headers: Record<string, string>): Promise<number> =>
  new Promise((resolve, reject) => {
    request(new URL(path, root), { headers, agent: false }, (answer) => {
      answer.resume();
      resolve(answer.statusCode ?? 0);
    })
      .on('error', reject)
      .end();
  });

describe('the page', () => {
  it('is answered to this machine under its own name alone', async () => {
    const { host } = new URL(root);
    expect(await statusFor('/_sandbox/', { host })).toBe(200);
    expect(await statusFor('/_sandbox/', { host: `localhost:${new URL(root).port}` })).toBe(200);
    expect(await statusFor('/_sandbox/', { host: 'evil.example' })).toBe(421);
    expect(await statusFor('/_sandbox/view/people', { host, origin: 'https://evil.example' })).toBe(403);
  });

  it('stands beside the controls in JSON, which want the secret still', async () => {
    expect(await (await fetch(`${root}/_sandbox/status`)).json()).toMatchObject({ kind: 'server' });
    expect((await fetch(`${root}/_sandbox/snapshots/save`, { method: 'POST', body: '{}' })).status).toBe(403);
    expect((await fetch(`${root}/_sandbox/nothing`)).status).toBe(404);
  });

  it('is named with its key by status, and opened in the browser of the person', async () => {
    const { page_url } = await sandbox.json(['sandbox', 'status']);
    expect(page_url).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/_sandbox\/\?key=\w{32}$/);
    const [seen, browser] = [join(folder, 'seen'), join(folder, 'a-browser')];
    writeFileSync(browser, `#!/bin/sh\nprintf %s "$1" > '${seen}.part' && mv '${seen}.part' '${seen}'\n`);
    chmodSync(browser, 0o755);
    const opened = await runBinary(['sandbox', 'open', '--json'], {
      // By its name: a path with a space in it would be a program and a word.
      env: { ...sandbox.env, BROWSER: 'a-browser', PATH: `${folder}:${sandbox.env['PATH']}` },
    });
    expect(JSON.parse(opened.stdout)).toEqual({ page_url, opened: true });
    const read = (): string => {
      try {
        return readFileSync(seen, 'utf8');
      } catch {
        return '';
      }
    };
    await expect.poll(read, { timeout: 60_000 }).toBe(page_url);
    const entered = await fetch(page_url, { redirect: 'manual' });
    expect([entered.status, entered.headers.get('location')]).toEqual([303, '/_sandbox/']);
  });

  it('is there of servers only, and says how to have one', async () => {
    const embedded = await tryEmbedded();
    try {
      const { exit, stderr } = await embedded.run(['sandbox', 'open']);
      expect(exit).toBe(2);
      expect(stderr).toContain('ttctl sandbox start --detach');
      expect((await embedded.json(['sandbox', 'status'])).page_url).toBeUndefined();
    } finally {
      await embedded.close();
    }
  });
});
