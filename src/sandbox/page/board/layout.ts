import type { SandboxResponse } from '../../exchange.ts';
import { createDocumentResponse } from '../frame.ts';
import { asMarkup, html, type Markup } from '../html.ts';
import { BOARD_KINDS } from './kinds.ts';
import { SCRIPT } from './script.ts';
import { BOARD_STYLE } from './style.ts';
import type { View, ViewModel } from './view.ts';

/** What stands around every view: what this is, the way to the others, what was just done. */

export interface Notice {
  readonly tone: 'good' | 'bad';
  readonly text: string;
}

export interface LayoutContext {
  /** Of the view: `people`; empty: the overview. */
  readonly slug: string;
  readonly notice: Notice | undefined;
  readonly seed: string;
}

const renderLink = (href: string, label: string, current: boolean, count?: number): Markup =>
  html`<li><a href="${href}"${asMarkup(current ? ' aria-current="page"' : '')}>${label}${count === undefined ? html`` : html` <span class="of">${count}</span>`}</a></li>`;

const VIEW_LINKS = [
  ['log', 'Log'],
  ['deliveries', 'Deliveries'],
  ['faults', 'Faults'],
  ['tokens', 'Tokens and limits'],
  ['snapshots', 'Snapshots'],
] as const;

const renderNavigation = ({ world }: ViewModel, slug: string): Markup => {
  const renderViewLink = (name: string, label: string, count?: number): Markup =>
    renderLink(`/_sandbox/view/${name}`, label, name === slug, count);
  return html`<nav class="ways" aria-label="Views"><ul>
${renderLink('/_sandbox/', 'Overview', slug === '')}
${VIEW_LINKS.map(([name, label]) => renderViewLink(name, label))}</ul>
<h2>Records</h2>
<ul>${BOARD_KINDS.map((kind) => renderViewLink(kind.slug, kind.title, kind.count(world)))}</ul></nav>`;
};

const renderNotice = (notice: Notice | undefined): Markup =>
  notice === undefined ? html`` : html`<p class="notice ${notice.tone}" role="status">${notice.text}</p>`;

const renderReadOnlyNotice = ({ acts }: ViewModel): Markup =>
  acts
    ? html``
    : html`<p class="notice calm">This page is read-only. To change the clock, add faults or send deliveries again, open it with <code>ttctl sandbox open</code></p>`;

export const renderLayout = (
  status: number,
  model: ViewModel,
  view: View,
  { slug, notice, seed }: LayoutContext,
): SandboxResponse =>
  createDocumentResponse(status, {
    title: view.title,
    style: BOARD_STYLE,
    script: SCRIPT,
    forms: "'self'",
    body: html`<a class="skip" href="#main">Skip to the content</a>
<header class="top"><a class="brand" href="/_sandbox/"><svg viewBox="0 0 16 16" aria-hidden="true"><rect width="16" height="16" rx="4"/><path d="M8 4v4l3 2"/></svg>ttctl sandbox</a>
<span class="seed">seed <b><bdi>${seed}</bdi></b></span>
<span class="ribbon">Practice data on this machine, not the real service</span>
<label class="tick livebox" hidden><input type="checkbox" id="keep-live" checked> Live</label></header>
<div class="room">
${renderNavigation(model, slug)}
<main id="main" tabindex="-1">
${renderNotice(notice)}${renderReadOnlyNotice(model)}
${view.body}
</main></div>`,
  });
