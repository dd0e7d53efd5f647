import { createHash } from 'node:crypto';
import type { SandboxResponse } from '../exchange.ts';
import { STYLE } from './page-style.ts';

/** The pages of the OAuth2 host: HTML that is put together safely, and headers that keep everything else out. */

export interface Markup {
  readonly markup: string;
}

type Part = string | number | Markup | readonly Markup[];

const ESCAPES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

/** What would not be seen, or would steer the order of other text, becomes a visible replacement character. */
const INVISIBLE = /[\p{Cc}\p{Cs}\u200b\u200e\u200f\u2028-\u202e\u2060-\u2069\ufeff]/gu;

const escapeText = (text: string): string =>
  text.replace(INVISIBLE, '\ufffd').replace(/[&<>"']/g, (letter) => ESCAPES[letter] ?? letter);

const renderPart = (part: Part): string => {
  if (typeof part === 'string') return escapeText(part);
  if (typeof part === 'number') return String(part);
  return 'markup' in part ? part.markup : part.map(({ markup }) => markup).join('');
};

/** html`<b>${text}</b>` */
export const html = (literals: TemplateStringsArray, ...parts: readonly Part[]): Markup => ({
  markup: literals.map((literal, index) => literal + renderPart(parts[index] ?? '')).join(''),
});

/** Text of the program itself that needs no escaping: a style sheet. */
export const asMarkup = (markup: string): Markup => ({ markup });

const ICON =
  'data:image/svg+xml,%3Csvg xmlns=%22http://www.w3.org/2000/svg%22 viewBox=%220 0 16 16%22%3E%3Crect width=%2216%22 height=%2216%22 rx=%224%22 fill=%22%230b6b62%22/%3E%3Cpath d=%22M8 4v4l3 2%22 fill=%22none%22 stroke=%22white%22 stroke-width=%221.6%22 stroke-linecap=%22round%22/%3E%3C/svg%3E';

export interface CardPage {
  readonly title: string;
  readonly body: Markup;
  /** Origin that a form may lead to after this server; browsers apply `form-action` to redirects too. */
  readonly leadsTo?: string;
}

const STYLE_HASH = createHash('sha256').update(STYLE).digest('base64');

/** A page that is one card. It is not kept, not framed, runs no script, and loads nothing. */
export const createCardResponse = (status: number, { title, body, leadsTo }: CardPage): SandboxResponse => ({
  status,
  headers: {
    'content-type': 'text/html; charset=utf-8',
    'cache-control': 'no-store',
    'content-security-policy': [
      "default-src 'none'",
      `style-src 'sha256-${STYLE_HASH}'`,
      'img-src data:',
      `form-action ${leadsTo === undefined ? "'none'" : `'self' ${leadsTo}`}`,
      "base-uri 'none'",
      "frame-ancestors 'none'",
    ].join('; '),
    'x-frame-options': 'DENY',
    'x-content-type-options': 'nosniff',
    // With no-referrer a browser would hide the Origin of the form from us.
    'referrer-policy': 'same-origin',
    'cross-origin-resource-policy': 'same-origin',
  },
  body: html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="robots" content="noindex">
<title>${title} · ttctl sandbox</title>
<link rel="icon" href="${asMarkup(ICON)}">
<style>${asMarkup(STYLE)}</style>
</head>
<body>
<main>
<p class="ribbon"><strong>Sandbox.</strong> Practice data on this machine, not the real service.</p>
<div class="inside">
${body}
</div>
</main>
</body>
</html>
`.markup,
});

/**
 * A page that says what is wrong, where nothing else can be done.
 * @param facts what was sent and what was expected, shown as they are
 */
export const renderProblemPage = (
  status: number,
  reason: string,
  facts: readonly (readonly [name: string, value: string])[],
): SandboxResponse => {
  const rows = facts.map(([name, value]) => html`<dt>${name}</dt><dd><code>${value}</code></dd>`);
  const list = rows.length === 0 ? html`` : html`<dl>${rows}</dl>`;
  return createCardResponse(status, {
    title: 'Authorization failed',
    body: html`<h1>Authorization failed</h1>
<p>${reason}</p>
${list}
<p class="soft">Nothing was approved. List the applications with <code>ttctl sandbox app list</code>.</p>`,
  });
};
