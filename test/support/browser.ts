import { type Browser, type BrowserContext, type BrowserContextOptions, chromium } from 'playwright-core';
import { installed } from './process.ts';

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

/** What a page looks like, as a browser lays it out. */

export interface Seen {
  /** How many pixels anything of the content, or of the page, goes over its room. */
  readonly overflow: number;
  /** The page alone: what is moved sideways in a part of it does not count. */
  readonly page: number;
  readonly pale: readonly string[];
}

/** In the page: how much wider than its room it is, and texts with less contrast than WCAG AA asks for. */
export const measure = `(() => {
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
  const wide = page.scrollWidth - page.clientWidth;
  const over = Math.max(wide, right - main.getBoundingClientRect().right);
  return { overflow: Math.ceil(over), page: wide, pale };
})()`;
