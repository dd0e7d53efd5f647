import { type Browser, type BrowserContextOptions, chromium, type Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { type ListeningSocket, listenOnSocket } from '../src/sandbox/listen.ts';
import { createOAuthHost } from '../src/sandbox/oauth.ts';
import { type OpenSandbox, open } from '../src/sandbox/open.ts';
import { createSeed } from '../src/sandbox/seeds/seed.ts';
import { createMemoryStore, type MemoryStore } from '../src/sandbox/state.ts';
import type { IssuedApp } from '../src/sandbox/tokens.ts';
import { type LoopbackServer, startServer } from './support/loopback.ts';
import { type Begun, begin, fakeBrowser, freePort, isFree } from './support/oauth.ts';
import { installed, lineFrom } from './support/process.ts';
import { useCli } from './support/use-cli.ts';

/**
 * OAuth2 in a real browser: the whole way of `ttctl auth login` against the sandbox, and the sandbox's own authorize page,
 * with no script allowed. TTCTL_SCREENSHOTS=<folder> keeps a picture of each page.
 */

const executablePath = installed('chromium', 'tests in a browser');
const hasBrowser = executablePath !== undefined;
/** An end for what hangs; a busy machine may take long to draw a page. */
const PATIENCE_MS = 200_000;

let browser: Browser;
beforeAll(async () => {
  const args = [
    ...['--headless', '--no-sandbox', '--disable-gpu', '--disable-quic', '--no-first-run'],
    ...['--disable-background-networking', '--disable-component-update', '--disable-sync'],
  ];
  if (hasBrowser) browser = await chromium.launch({ executablePath, args, timeout: PATIENCE_MS });
});
afterAll(() => browser?.close());

/** Windows that share nothing with others. */
const openContext = async (options: BrowserContextOptions = {}) => {
  const context = await browser.newContext(options);
  context.setDefaultTimeout(PATIENCE_MS);
  return context;
};

const picture = async (page: Page, name: string): Promise<void> => {
  const folder = process.env.TTCTL_SCREENSHOTS;
  if (folder !== undefined) await page.screenshot({ path: `${folder}/${name}.png`, fullPage: true });
};

const NOWHERE = { TTCTL_BASE_URL: '', TTCTL_TOKEN: '', TTCTL_WORKSPACE: '' };

describe.skipIf(!hasBrowser)('auth login with a browser', () => {
  const server = useCli({ shared: true, env: NOWHERE });
  const t = useCli({ env: NOWHERE });
  let place: Record<string, string>;
  let redirect: string;
  let port: number;
  beforeAll(async () => {
    const [line] = await lineFrom(server.start('sandbox start --port 0 --json').stdout);
    port = await freePort();
    redirect = `http://127.0.0.1:${port}/callback`;
    const create = `sandbox app create --name "Command line" --redirect-uri ${redirect} --json`;
    place = { ...JSON.parse(line), ...JSON.parse((await server.process(create)).stdout) };
  });

  let signIn: Begun;
  let page: Page;
  beforeEach(async () => {
    for (const name of ['base_url', 'auth_url', 'token_url', 'client_id', 'client_secret'])
      t.env[`TTCTL_${name.toUpperCase()}`] = String(place[name]);
    const line = `auth login --no-browser --redirect-uri ${redirect} --scope read,write`;
    signIn = await begin(line.split(' '), t.processEnv());
    page = await (await openContext()).newPage();
  });
  afterEach(async () => {
    signIn.kill('SIGKILL');
    await signIn.ended;
    await page.context().close();
  });

  const press = async (name: string): Promise<void> => {
    await page.goto(signIn.url);
    await page.getByRole('button', { name }).click();
  };

  it('approved: signed in, the code not in the address bar, and it works', async () => {
    await press('Approve');
    await page.waitForURL(`http://127.0.0.1:${port}/signed-in`);
    expect(await page.textContent('h1')).toBe('Approved');
    await picture(page, 'signed-in');
    const { exit, stderr } = await signIn.ended;
    expect(exit, stderr).toBe(0);
    expect((await t.process('members list')).exit).toBe(0);
    const status = JSON.parse((await t.process('auth status --json')).stdout);
    expect(status).toMatchObject({ kind: 'oauth', scopes: ['read', 'write'], checked: true });
    expect(status.account).toMatch(/@/);
    const before = (await t.process('auth token')).stdout;
    expect((await t.process('auth refresh')).exit).toBe(0);
    expect((await t.process('auth token')).stdout).not.toBe(before);
    expect((await t.process('members list')).exit).toBe(0);
    expect(await isFree(port)).toBe(true);
  });

  it('from the address that a browser is started with: signed in, and the account is named', async () => {
    signIn.kill('SIGINT');
    await signIn.ended;
    const { env, url } = fakeBrowser(t.folder);
    const terminal = t.terminal(`auth login --redirect-uri ${redirect} --scope read`, { env });
    await page.goto(await url());
    expect(page.url()).toContain('/oauth/authorize?');
    await page.getByRole('button', { name: 'Approve' }).click();
    await page.waitForURL(`http://127.0.0.1:${port}/signed-in`);
    const { exit, screen } = await terminal.ended;
    expect(exit, screen).toBe(0);
    expect(screen).toMatch(/account\S* +\S+@\S+/);
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
});

describe.skipIf(!hasBrowser)('the authorize page in a browser', () => {
  let hosted: OpenSandbox<MemoryStore>;
  let server: ListeningSocket;
  let client: LoopbackServer;
  let app: IssuedApp;
  let root: string;
  let callback: string;
  beforeAll(async () => {
    client = await startServer((_request, response) => {
      response.setHeader('content-type', 'text/html');
      response.end('<!doctype html><title>back</title><h1>Signed in</h1>');
    });
    callback = `http://127.0.0.1:${client.port}/callback`;
    const clock = { now: Date.now, sleep: async () => {}, random: Math.random };
    hosted = open({
      store: createMemoryStore(await createSeed('demo', { now: Date.now() })),
      ...{ clock, oauth: createOAuthHost() },
    });
    server = await listenOnSocket(hosted, 0, clock);
    root = `http://127.0.0.1:${server.port}`;
    app = await hosted.control.createApp({ name: 'Payroll export', redirect_uri: callback });
  });
  afterAll(async () => {
    await server?.close();
    await client?.close();
  });

  const address = (more: Record<string, string> = {}): string => {
    const { client_id } = app;
    const query = { client_id, redirect_uri: callback, response_type: 'code', scope: 'read write' };
    return `${root}/oauth/authorize?${new URLSearchParams({ ...query, state: 'a state', ...more })}`;
  };

  /** In a window of its own, without scripts; it may fetch nothing but from the two servers, and complain of nothing. */
  let wrong: string[];
  beforeEach(() => {
    wrong = [];
  });
  const openPage = async (options: BrowserContextOptions = {}): Promise<Page> => {
    const context = await openContext({ javaScriptEnabled: false, ...options });
    context.on('request', (request) => {
      const isOurs = [root, callback, 'data:'].some((begin) => request.url().startsWith(begin));
      if (!isOurs) wrong.push(request.url());
    });
    context.on('console', (message) => {
      // The address of a page that cannot go on is answered with 400, and so it should be.
      if (!message.text().includes('status of 400')) wrong.push(message.text());
    });
    return context.newPage();
  };
  afterEach(async () => {
    for (const context of browser.contexts()) await context.close();
    expect(wrong).toEqual([]);
  });

  it('lets a person pick who they are and approve', async () => {
    const page = await openPage();
    await page.goto(address());
    expect(await page.textContent('h1')).toBe('Payroll export wants to use the API on your behalf');
    expect(await page.getByRole('radio').count()).toBe(4);
    await page.getByText('Samir Haddad').click();
    const before = client.received.length;
    await page.getByRole('button', { name: 'Approve' }).click();
    await page.waitForURL(`${callback}?**`);
    const request = client.received.slice(before).find(({ url }) => url.startsWith('/callback'));
    const sent = new URL(request?.url ?? '', root).searchParams;
    expect(sent.get('state')).toBe('a state');
    // The address of the page, with what was asked in it, is not told to the application.
    expect(request?.headers.referer).toBeUndefined();
    const { client_id, client_secret } = app;
    const code = sent.get('code') ?? '';
    const fields = { grant_type: 'authorization_code', client_id, client_secret, code };
    const body = new URLSearchParams({ ...fields, redirect_uri: callback });
    const answer = await fetch(`${root}/oauth/token`, { method: 'POST', body });
    const { access_token } = (await answer.json()) as { access_token: string };
    const owner = hosted.store.world().tokens[access_token]?.user_id;
    expect(hosted.store.world().users[owner ?? 0]?.email).toBe('samir@lindenhof.example');
  });

  it('works with the keyboard alone', async () => {
    const page = await openPage();
    await page.goto(address());
    for (const key of ['Tab', 'ArrowDown', 'Tab', 'Enter']) await page.keyboard.press(key);
    await page.waitForURL(`${callback}?**`);
    const code = new URL(page.url()).searchParams.get('code') ?? '';
    const user = hosted.store.world().oauth?.codes[code]?.user_id ?? 0;
    expect(hosted.store.world().users[user]?.email).toBe('ingrid@fjordworks.example');
  });

  it('survives a double click', async () => {
    const page = await openPage();
    await page.goto(address());
    await page.getByRole('button', { name: 'Approve' }).dblclick({ noWaitAfter: true });
    // The second click may end the way of the first: waited for is where it leads.
    await page.getByRole('heading', { name: 'Signed in' }).waitFor();
    expect(new URL(page.url()).searchParams.get('code')).toMatch(/^sbx_code_/);
  });

  it('is not shown within a page of another site, and takes no form from one', async () => {
    const issued = Object.keys(hosted.store.world().oauth?.codes ?? {}).length;
    const shown = await (await fetch(address())).text();
    const stolen = /name="request" value="(\w+)"/.exec(shown)?.[1] ?? '';
    const member = String(hosted.store.world().spaces['101']?.owner_id);
    const hostile = await startServer((_request, response) => {
      response.setHeader('content-type', 'text/html');
      response.end(`<!doctype html><iframe src="${address().replaceAll('&', '&amp;')}"></iframe>
<form method="post" action="${root}/oauth/authorize"><input name="request" value="${stolen}">
<input name="member" value="${member}"><button name="decision" value="approve">Win</button></form>`);
    });
    const page = await (await openContext()).newPage();
    try {
      await page.goto(`http://127.0.0.1:${hostile.port}/`);
      expect(await page.frames()[1]?.content()).not.toContain('Payroll export');
      await page.getByRole('button', { name: 'Win' }).click();
      await page.getByText('The form was sent from another site.').waitFor();
      expect(Object.keys(hosted.store.world().oauth?.codes ?? {})).toHaveLength(issued);
    } finally {
      await hostile.close();
    }
  });

  it.each([
    ['light', 1000],
    ['light', 360],
    ['dark', 1000],
    ['dark', 360],
  ] as const)('fits and can be read: %s, %i wide', async (colorScheme, width) => {
    const page = await openPage({ colorScheme, viewport: { width, height: 800 } });
    for (const [name, url] of [
      ['consent', address({ scope: 'read write admin' })],
      ['problem', address({ redirect_uri: `${callback}/${'long'.repeat(40)}` })],
    ] as const) {
      await page.goto(url);
      await picture(page, `${name}-${colorScheme}-${width}`);
      expect(await page.evaluate(MEASURE)).toEqual({ overflow: 0, pale: [] });
    }
  });
});

/** In the page: how many pixels anything goes over its room, and texts with less contrast than WCAG AA asks for. */
const MEASURE = `(() => {
  const numbers = (colour) => colour.match(/[\\d.]+/g).map(Number);
  const light = (colour) => {
    const [r, g, b] = numbers(colour).map((part) => {
      const share = part / 255;
      return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
    });
    return 0.2126 * r + 0.7152 * g + 0.0722 * b;
  };
  const ground = (element) => {
    for (let at = element; at !== null; at = at.parentElement) {
      const colour = getComputedStyle(at).backgroundColor;
      if (numbers(colour)[3] !== 0) return colour;
    }
    return 'rgb(255, 255, 255)';
  };
  const pale = [...document.querySelectorAll('body *')]
    .filter((element) => [...element.childNodes].some((node) => node.nodeType === 3 && node.data.trim()))
    .flatMap((element) => {
      const [a, b] = [light(getComputedStyle(element).color), light(ground(element))];
      const contrast = (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05);
      return contrast < 4.5 ? [element.textContent + ' ' + contrast.toFixed(2)] : [];
    });
  const [page, main] = [document.documentElement, document.querySelector('main')];
  const right = Math.max(...[...main.querySelectorAll('*')].map((one) => one.getBoundingClientRect().right));
  const over = Math.max(page.scrollWidth - page.clientWidth, right - main.getBoundingClientRect().right);
  return { overflow: Math.ceil(over), pale };
})()`;
