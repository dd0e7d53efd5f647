import { type Browser, type BrowserContext, type BrowserContextOptions, chromium } from 'playwright-core';
import { installed } from './installed.ts';

/** A real browser. */

const path = installed('chromium', 'tests in a browser');

/** Whether this machine has one. */
export const hasBrowser = path !== undefined;

const FLAGS = [
  ...['--headless', '--no-sandbox', '--disable-gpu', '--disable-quic', '--no-first-run'],
  ...['--disable-background-networking', '--disable-component-update', '--disable-sync'],
];

/** An end for what hangs; a busy machine may take long to draw a page. */
const PATIENCE_MS = 200_000;

export const startBrowser = (): Promise<Browser> =>
  chromium.launch({ executablePath: path, args: FLAGS, timeout: PATIENCE_MS });

/** Windows that share nothing with others. */
export const openContext = async (
  browser: Browser,
  options: BrowserContextOptions = {},
): Promise<BrowserContext> => {
  const context = await browser.newContext(options);
  context.setDefaultTimeout(PATIENCE_MS);
  return context;
};
