import type { ChildProcess } from 'node:child_process';
import { chmodSync, existsSync, readFileSync, writeFileSync } from 'node:fs';
import type { Browser, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { hasBrowser, openContext, startBrowser } from './support/browser.ts';
import { until } from './support/clocks.ts';
import { type Begun, begin, freePort, isFree } from './support/oauth.ts';
import { cleanHome, type Home, lineFrom, runBinary, startBinary } from './support/process.ts';
import { openTerminal } from './support/terminal.ts';

/**
 * Signing in with a real browser against the sandbox's own OAuth2: the whole way of `ttctl auth login`.
 * TTCTL_SCREENSHOTS=<folder> keeps a picture of each last page.
 */

let browser: Browser;
let sandboxHome: Home;
let sandbox: ChildProcess;
let place: Readonly<Record<string, string>>;
let app: Readonly<Record<string, string>>;
let redirect: string;
let port: number;

beforeAll(async () => {
  if (!hasBrowser) return;
  sandboxHome = cleanHome();
  sandbox = startBinary(['sandbox', 'start', '--port', '0', '--json'], { env: sandboxHome.env });
  place = JSON.parse((await lineFrom(sandbox.stdout))[0]);
  port = await freePort();
  redirect = `http://127.0.0.1:${port}/callback`;
  const args = ['sandbox', 'app', 'create', '--name', 'Command line', '--redirect-uri', redirect, '--json'];
  app = JSON.parse((await runBinary(args, { env: sandboxHome.env })).stdout);
  browser = await startBrowser();
});
afterAll(async () => {
  await browser?.close();
  sandbox?.kill('SIGTERM');
  sandboxHome?.remove();
});

let home: Home;
let signIn: Begun;
let page: Page;

describe.skipIf(!hasBrowser)('auth login with a browser', () => {
  beforeEach(async () => {
    const {
      base_url: TTCTL_BASE_URL = '',
      auth_url: TTCTL_AUTH_URL = '',
      token_url: TTCTL_TOKEN_URL = '',
    } = place;
    const { client_id: TTCTL_CLIENT_ID = '', client_secret: TTCTL_CLIENT_SECRET = '' } = app;
    const addresses = { TTCTL_BASE_URL, TTCTL_AUTH_URL, TTCTL_TOKEN_URL };
    home = cleanHome({ ...addresses, TTCTL_CLIENT_ID, TTCTL_CLIENT_SECRET });
    const args = ['auth', 'login', '--no-browser', '--redirect-uri', redirect, '--scope', 'read,write'];
    signIn = await begin(args, home.env);
    page = await (await openContext(browser)).newPage();
  });
  afterEach(async () => {
    signIn.kill('SIGKILL');
    await signIn.ended;
    await page.context().close();
    home.remove();
  });

  const picture = async (name: string): Promise<void> => {
    const folder = process.env.TTCTL_SCREENSHOTS;
    if (folder !== undefined) await page.screenshot({ path: `${folder}/${name}.png` });
  };
  const press = async (name: string): Promise<void> => {
    await page.goto(signIn.url);
    await page.getByRole('button', { name }).click();
  };
  const run = (line: string) => runBinary(line.split(' '), { env: home.env });

  it('approved: signed in, the code not in the address bar, and it works', async () => {
    await press('Approve');
    await page.waitForURL(`http://127.0.0.1:${port}/signed-in`);
    expect(await page.textContent('h1')).toBe('Approved');
    await picture('signed-in');
    const { exit, stderr } = await signIn.ended;
    expect(exit, stderr).toBe(0);
    expect((await run('members list')).exit).toBe(0);
    const status = JSON.parse((await run('auth status --json')).stdout);
    expect(status).toMatchObject({ kind: 'oauth', scopes: ['read', 'write'], checked: true });
    expect(status.account).toMatch(/@/);
    const before = (await run('auth token')).stdout;
    expect((await run('auth refresh')).exit).toBe(0);
    expect((await run('auth token')).stdout).not.toBe(before);
    expect((await run('members list')).exit).toBe(0);
    expect(await isFree(port)).toBe(true);
  });

  it('from the address that a browser is started with: signed in, and the account is named', async () => {
    signIn.kill('SIGINT');
    await signIn.ended;
    const opened = `${home.folder}/opened`;
    writeFileSync(
      `${home.folder}/a-browser`,
      `#!/bin/sh\nprintf %s "$1" > '${opened}.part'\nmv '${opened}.part' '${opened}'\n`,
    );
    chmodSync(`${home.folder}/a-browser`, 0o755);
    const env = { ...home.env, BROWSER: 'a-browser', PATH: `${home.folder}:${home.env['PATH']}` };
    const terminal = openTerminal(['auth', 'login', '--redirect-uri', redirect, '--scope', 'read'], { env });
    await until(() => existsSync(opened));
    await page.goto(readFileSync(opened, 'utf8'));
    expect(page.url()).toContain('/oauth/authorize?');
    await page.getByRole('button', { name: 'Approve' }).click();
    await page.waitForURL(`http://127.0.0.1:${port}/signed-in`);
    const { exit, screen } = await terminal.ended;
    expect(exit, screen).toBe(0);
    expect(screen).toMatch(/account\S* +\S+@\S+/);
  });

  it('denied: a plain page, exit 3', async () => {
    await press('Deny');
    await page.waitForURL(`http://127.0.0.1:${port}/signed-in`);
    expect(await page.textContent('h1')).toBe('Not signed in');
    await picture('denied');
    expect((await signIn.ended).exit).toBe(3);
  });

  it('with another state: refused, and the wait goes on', async () => {
    const url = new URL(signIn.url);
    url.searchParams.set('state', 'somebody-else');
    await page.goto(url.href);
    await page.getByRole('button', { name: 'Approve' }).click();
    await page.waitForURL(/\/callback/);
    expect(await page.textContent('h1')).toBe('Not accepted');
    await picture('wrong-state');
    await press('Approve');
    await page.waitForURL(`http://127.0.0.1:${port}/signed-in`);
    expect((await signIn.ended).exit).toBe(0);
  });

  it('with the window closed on the way: still signed in', async () => {
    // The code has arrived; the page at the end has not. Closing the page alone, now and then Chromium never answers.
    const closing = page
      .waitForResponse((response) => response.url().includes('/callback?'))
      .then(() => page.context().close());
    await press('Approve').catch(() => {});
    await closing;
    expect((await signIn.ended).exit).toBe(0);
  });

  it('with the window closed before: Ctrl-C ends the wait', async () => {
    await page.goto(signIn.url);
    await page.close();
    signIn.kill('SIGINT');
    expect((await signIn.ended).exit).toBe(130);
    expect(await isFree(port)).toBe(true);
  });
});
