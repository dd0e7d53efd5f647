import type { Browser, BrowserContextOptions, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { hasBrowser, openContext, startBrowser } from './support/browser.ts';
import { type Tried, tryServer } from './support/instrument.ts';
import { type LoopbackServer, startServer } from './support/loopback-server.ts';
import { measure, type Seen } from './support/page-measure.ts';

/** The page `/_sandbox/` of a server in a real browser. TTCTL_SCREENSHOTS=<folder> keeps a picture of each view. */

let browser: Browser;
let sandbox: Tried;
let keyed: string;
let root: string;

beforeAll(async () => {
  if (!hasBrowser) return;
  sandbox = await tryServer(['--seed', 'messy']);
  keyed = (await sandbox.json(['sandbox', 'status'])).page_url;
  root = new URL(keyed).origin;
  await sandbox.json(['sandbox', 'fault', 'add', 'members', 'list', '--latency', '1ms', '--times', '50']);
  await sandbox.json(['sandbox', 'snapshot', 'save', 'before']);
  await sandbox.run(['projects', 'create', '--name', 'Night ferry', '--field', 'colour=blue']);
  await sandbox.run(['webhooks', 'create', '--url', 'http://127.0.0.1:9/x', '--event', 'project.created']);
  await sandbox.json(['sandbox', 'webhooks', 'trigger', 'project.created']);
  browser = await startBrowser();
});
afterAll(async () => {
  await browser?.close();
  await sandbox?.close();
});

/** In a window of its own, with the key; nothing may be fetched but from the server, nothing complains. */
const inWindow = async (
  work: (page: Page) => Promise<void>,
  options: BrowserContextOptions = {},
): Promise<void> => {
  const context = await openContext(browser, options);
  const wrong: string[] = [];
  context.on('request', (request) => {
    if (!request.url().startsWith(root) && !request.url().startsWith('data:')) wrong.push(request.url());
  });
  context.on('console', (message) => wrong.push(message.text()));
  context.on('weberror', (error) => wrong.push(String(error.error())));
  try {
    const page = await context.newPage();
    await page.goto(keyed);
    await work(page);
  } finally {
    await context.close();
  }
  expect(wrong).toEqual([]);
};

/** Waits until the page says it: the one before may still be there after a click. */
const says = (page: Page, words: string | RegExp) =>
  page.getByRole('status').filter({ hasText: words }).waitFor();

describe.skipIf(!hasBrowser)('the page in a browser', () => {
  it.each([true, false])('moves the clock and adds a fault (script: %s)', async (javaScriptEnabled) => {
    await inWindow(
      async (page) => {
        expect(page.url()).toBe(`${root}/_sandbox/`);
        await page.getByRole('button', { name: 'Freeze' }).click();
        await says(page, 'the clock is stopped');
        await page.getByLabel('Set to (UTC)').fill('2026-12-01T09:00:00');
        await page.getByRole('button', { name: 'Set', exact: true }).click();
        await says(page, /^It is 2026-12-01 09:00:00 UTC in the sandbox, and the clock is stopped\.$/);
        await page.getByRole('button', { name: 'Reset to now' }).click();
        await says(page, /^(?!It is 2026-12-01)/);
        await page.getByRole('link', { name: 'Faults' }).click();
        await page.locator('select[name=operation]').selectOption('POST /oauth/token');
        await page.getByLabel('Status', { exact: true }).fill('503');
        await page.getByRole('button', { name: 'Add', exact: true }).click();
        await says(page, 'POST /oauth/token: 503');
        await page.getByRole('button', { name: 'Clear POST /oauth/token' }).click();
        await says(page, /^1 fault cleared\.$/);
      },
      { javaScriptEnabled },
    );
  });

  it('shows what comes in while one looks, and leaves what one is busy with alone', async () => {
    await inWindow(async (page) => {
      await page.getByRole('link', { name: 'Log', exact: true }).click();
      await page.getByLabel('Find').fill('half a wor');
      await sandbox.run(['time-requests', 'list']);
      await page.getByRole('cell', { name: 'GET /time-requests' }).first().waitFor();
      expect(await page.getByLabel('Find').inputValue()).toBe('half a wor');
    });
  });

  it('asks before what cannot be undone', async () => {
    await inWindow(async (page) => {
      await page.getByRole('link', { name: 'Snapshots' }).first().click();
      const asked: string[] = [];
      page.once('dialog', (dialog) => {
        asked.push(dialog.message());
        void dialog.dismiss();
      });
      await page.getByRole('button', { name: 'Remove before' }).click();
      expect(asked).toEqual(['Remove before?']);
      await page.getByRole('link', { name: 'before' }).click();
      await page.getByRole('heading', { level: 1, name: 'Changed since before', exact: true }).waitFor();
      expect(await page.getByRole('row', { name: 'Night ferry' }).count()).toBe(1);
    });
  });

  it('is gone through with the keyboard, from a first link that leads to the content', async () => {
    await inWindow(async (page) => {
      await page.keyboard.press('Tab');
      expect(await page.evaluate('document.activeElement.textContent')).toBe('Skip to the content');
      await page.keyboard.press('Enter');
      await page.waitForURL(/#\w+$/);
      await page.keyboard.press('Tab');
      expect(await page.evaluate('document.activeElement.textContent')).toBe('+ 1h');
      await page.keyboard.press('Enter');
      await says(page, 'It is ');
    });
  });

  it('is named for those who do not see it: one heading, landmarks, a label for every field', async () => {
    await inWindow(async (page) => {
      for (const view of ['', 'view/people', 'view/faults', 'view/deliveries', 'view/snapshots']) {
        await page.goto(`${root}/_sandbox/${view}`);
        for (const role of ['banner', 'main'] as const) expect(await page.getByRole(role).count()).toBe(1);
        expect(await page.getByRole('heading', { level: 1 }).count()).toBe(1);
        const nameless = await page.evaluate(
          `[...document.querySelectorAll('input:not([type=hidden]), select')].filter((one) => !one.labels.length).length`,
        );
        expect(nameless).toBe(0);
      }
    });
  });

  it('lets a page of another site do nothing', async () => {
    const context = await openContext(browser);
    let hostile: LoopbackServer | undefined;
    try {
      const page = await context.newPage();
      await page.goto(keyed);
      const word = await page.locator('input[name=word]').first().getAttribute('value');
      const before = (await sandbox.json(['sandbox', 'status'])).seed;
      hostile = await startServer((_request, response) => {
        response.setHeader('content-type', 'text/html');
        response.end(`<!doctype html><form method="post" action="${root}/_sandbox/do/reset">
<input name="word" value="${word}"><input name="seed" value="empty"><button>Win</button></form>
<iframe src="${root}/_sandbox/"></iframe>`);
      });
      // A page of this machine on another port is of the same site for cookies.
      await page.goto(`http://127.0.0.1:${hostile.port}/`);
      expect(await page.frames()[1]?.content()).not.toContain('Overview');
      const read = await page.evaluate(`fetch('${root}/_sandbox/').then((r) => r.text(), String)`);
      expect(read).not.toContain('Overview');
      await page.getByRole('button', { name: 'Win' }).click();
      await page.getByText('Other sites may not use this page.').waitFor();
      expect((await sandbox.json(['sandbox', 'status'])).seed).toBe(before);
    } finally {
      await context.close();
      await hostile?.close();
    }
  });

  it.each([
    ['light', 1600],
    ['dark', 1280],
    ['dark', 760],
    ['light', 360],
  ] as const)('fits and can be read: %s, %i wide', async (colorScheme, width) => {
    await inWindow(
      async (page) => {
        const names = [
          'people',
          'timesheets',
          'webhooks',
          'log',
          'deliveries',
          'faults',
          'tokens',
          'snapshots',
        ];
        for (const view of ['', ...names.map((name) => `view/${name}`), 'view/snapshots/before']) {
          await page.goto(`${root}/_sandbox/${view}`);
          const folder = process.env.TTCTL_SCREENSHOTS;
          const path = `${folder}/${view.replaceAll('/', '-') || 'overview'}-${colorScheme}-${width}.png`;
          if (folder !== undefined) await page.screenshot({ path, fullPage: true });
          const seen = await page.evaluate<Seen>(measure);
          expect(seen.page, view).toBeLessThanOrEqual(0);
          expect(seen.pale, view).toEqual([]);
        }
      },
      { colorScheme, viewport: { width, height: 800 } },
    );
  });
});
