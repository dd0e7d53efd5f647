import { createHash } from 'node:crypto';
import type { SandboxResponse } from '../exchange.ts';
import { asMarkup, html, type Markup } from './html.ts';
import { STYLE } from './style.ts';

/** What all pages of the sandbox have in common: the document, and headers that keep everything else out. */

const ICON =
  'data:image/svg+xml,%3Csvg xmlns=%22http://www.w3.org/2000/svg%22 viewBox=%220 0 16 16%22%3E%3Crect width=%2216%22 height=%2216%22 rx=%224%22 fill=%22%230b6b62%22/%3E%3Cpath d=%22M8 4v4l3 2%22 fill=%22none%22 stroke=%22white%22 stroke-width=%221.6%22 stroke-linecap=%22round%22/%3E%3C/svg%3E';

export interface CardPage {
  readonly title: string;
  readonly body: Markup;
  /** Origin that a form may lead to after this server; browsers apply `form-action` to redirects too. */
  readonly leadsTo?: string;
}

export interface DocumentPage {
  readonly title: string;
  readonly body: Markup;
  readonly style: string;
  /** Of the program itself; it may ask this server. Absent: no script is allowed at all. */
  readonly script?: string;
  /** Where forms may lead: sources of a policy. */
  readonly forms: string;
}

/** What a policy names a text by. */
const hashSource = (text: string): string => `'sha256-${createHash('sha256').update(text).digest('base64')}'`;

const buildPolicy = ({ style, script, forms }: DocumentPage): string =>
  [
    "default-src 'none'",
    `style-src ${hashSource(style)}`,
    ...(script === undefined ? [] : [`script-src ${hashSource(script)}`, "connect-src 'self'"]),
    'img-src data:',
    `form-action ${forms}`,
    "base-uri 'none'",
    "frame-ancestors 'none'",
  ].join('; ');

/** A document of the sandbox. It is not kept, not framed, and loads nothing. */
export const createDocumentResponse = (status: number, page: DocumentPage): SandboxResponse => ({
  status,
  headers: {
    'content-type': 'text/html; charset=utf-8',
    'cache-control': 'no-store',
    'content-security-policy': buildPolicy(page),
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
<title>${page.title} · ttctl sandbox</title>
<link rel="icon" href="${asMarkup(ICON)}">
<style>${asMarkup(page.style)}</style>
</head>
<body>
${page.body}
${page.script === undefined ? html`` : html`<script>${asMarkup(page.script)}</script>`}
</body>
</html>
`.markup,
});

/** A page that is one card. */
export const createCardResponse = (status: number, { title, body, leadsTo }: CardPage): SandboxResponse =>
  createDocumentResponse(status, {
    title,
    style: STYLE,
    forms: leadsTo === undefined ? "'none'" : `'self' ${leadsTo}`,
    body: html`<main>
<p class="ribbon"><strong>Sandbox.</strong> Practice data on this machine, not the real service.</p>
<div class="inside">
${body}
</div>
</main>`,
  });
