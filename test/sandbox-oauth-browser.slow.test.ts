import type { Browser, BrowserContext, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type ListeningSocket, listenOnSocket } from '../src/sandbox/listen.ts';
import { createOAuthHost } from '../src/sandbox/oauth.ts';
import { type OpenSandbox, open } from '../src/sandbox/open.ts';
import { createSeed } from '../src/sandbox/seeds/seed.ts';
import { createMemoryStore, type MemoryStore } from '../src/sandbox/state.ts';
import type { IssuedApp } from '../src/sandbox/tokens.ts';
import { hasBrowser, measure, openContext, type Seen, startBrowser } from './support/browser.ts';
import { type LoopbackServer, startServer } from './support/loopback.ts';

/**
 * The authorize page in a real browser, with no script allowed. TTCTL_SCREENSHOTS=<folder> keeps a picture of
 * each page.
 */

let browser: Browser;
let hosted: OpenSandbox<MemoryStore>;
let server: ListeningSocket;
let client: LoopbackServer;
let app: IssuedApp;
let root: string;
let callback: string;

beforeAll(async () => {
  if (!hasBrowser) return;
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
  browser = await startBrowser();
});
afterAll(async () => {
  await browser?.close();
  await server?.close();
  await client?.close();
});

const address = (more: Record<string, string> = {}): string => {
  const { client_id } = app;
  const query = { client_id, redirect_uri: callback, response_type: 'code', scope: 'read write' };
  return `${root}/oauth/authorize?${new URLSearchParams({ ...query, state: 'a state', ...more })}`;
};

const arrived = () => client.received.filter(({ url }) => url.startsWith('/callback'));

/** A page in a window of its own; nothing may be fetched but from the two servers. */
const inWindow = async (
  work: (page: Page, context: BrowserContext) => Promise<void>,
  options: Parameters<Browser['newContext']>[0] = {},
): Promise<void> => {
  const context = await openContext(browser, { javaScriptEnabled: false, ...options });
  const elsewhere: string[] = [];
  const complaints: string[] = [];
  context.on('request', (request) => {
    const url = request.url();
    if (!url.startsWith(root) && !url.startsWith(callback) && !url.startsWith('data:')) elsewhere.push(url);
  });
  context.on('console', (message) => {
    // The address of a page that cannot go on is answered with 400, and so it should be.
    if (!message.text().includes('status of 400')) complaints.push(message.text());
  });
  try {
    await work(await context.newPage(), context);
  } finally {
    await context.close();
  }
  expect(elsewhere).toEqual([]);
  expect(complaints).toEqual([]);
};

const picture = async (page: Page, name: string): Promise<void> => {
  const folder = process.env.TTCTL_SCREENSHOTS;
  if (folder !== undefined) await page.screenshot({ path: `${folder}/${name}.png`, fullPage: true });
};

describe.skipIf(!hasBrowser)('the authorize page in a browser', () => {
  it('lets a person pick who they are and approve', async () => {
    await inWindow(async (page) => {
      await page.goto(address());
      expect(await page.textContent('h1')).toBe('Payroll export wants to use the API on your behalf');
      expect(await page.getByRole('radio').count()).toBe(4);
      await page.getByText('Samir Haddad').click();
      const before = arrived().length;
      await page.getByRole('button', { name: 'Approve' }).click();
      await page.waitForURL(`${callback}?**`);
      const [request] = arrived().slice(before);
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
  });

  it('is denied as a whole', async () => {
    await inWindow(async (page) => {
      await page.goto(address());
      await page.getByRole('button', { name: 'Deny' }).click();
      await page.waitForURL(`${callback}?**`);
      const sent = new URL(page.url()).searchParams;
      expect([sent.get('error'), sent.get('state'), sent.get('code')]).toEqual([
        'access_denied',
        'a state',
        null,
      ]);
    });
  });

  it('works with the keyboard alone', async () => {
    await inWindow(async (page) => {
      await page.goto(address());
      for (const key of ['Tab', 'ArrowDown', 'Tab', 'Enter']) await page.keyboard.press(key);
      await page.waitForURL(`${callback}?**`);
      const code = new URL(page.url()).searchParams.get('code') ?? '';
      const user = hosted.store.world().oauth?.codes[code]?.user_id ?? 0;
      expect(hosted.store.world().users[user]?.email).toBe('ingrid@fjordworks.example');
    });
  });

  it('survives a double click', async () => {
    await inWindow(async (page) => {
      await page.goto(address());
      await page.getByRole('button', { name: 'Approve' }).dblclick({ noWaitAfter: true });
      // The second click may end the way of the first: waited for is where it leads.
      await page.getByRole('heading', { name: 'Signed in' }).waitFor();
      expect(new URL(page.url()).searchParams.get('code')).toMatch(/^sbx_code_/);
    });
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
    const context = await openContext(browser);
    try {
      const page = await context.newPage();
      await page.goto(`http://127.0.0.1:${hostile.port}/`);
      expect(await page.frames()[1]?.content()).not.toContain('Payroll export');
      await page.getByRole('button', { name: 'Win' }).click();
      await page.getByText('The form was sent from another site.').waitFor();
      expect(Object.keys(hosted.store.world().oauth?.codes ?? {})).toHaveLength(issued);
    } finally {
      await context.close();
      await hostile.close();
    }
  });

  it.each([
    ['light', 1000],
    ['light', 360],
    ['dark', 1000],
    ['dark', 360],
  ] as const)('fits and can be read: %s, %i wide', async (colorScheme, width) => {
    await inWindow(
      async (page) => {
        for (const [name, url] of [
          ['consent', address({ scope: 'read write admin' })],
          ['problem', address({ redirect_uri: `${callback}/${'long'.repeat(40)}` })],
        ] as const) {
          await page.goto(url);
          await picture(page, `${name}-${colorScheme}-${width}`);
          const seen = await page.evaluate<Seen>(measure);
          expect(seen.overflow).toBeLessThanOrEqual(0);
          expect(seen.pale).toEqual([]);
        }
      },
      { colorScheme, viewport: { width, height: 800 } },
    );
  });
});
