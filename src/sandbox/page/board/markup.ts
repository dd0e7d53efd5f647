import { asMarkup, html, type Markup } from '../html.ts';

/** Small parts of the page. Whatever comes from the state is text here. */

/** What may be seen of a value; nothing is a dash. */
export const renderText = (value: unknown): Markup => {
  if (value === null || value === undefined || value === '')
    return html`<span class="none" aria-label="none">–</span>`;
  if (typeof value === 'string' || typeof value === 'number') return html`<bdi>${String(value)}</bdi>`;
  if (typeof value === 'boolean') return html`${value ? 'yes' : 'no'}`;
  return html`<code>${JSON.stringify(value)}</code>`;
};

export const renderCode = (value: string): Markup => html`<code>${value}</code>`;

/** `2026-11-21 15:49:37`, in UTC; the day may be left out where there is little room. */
export const renderTime = (value: string | number | null): Markup => {
  if (value === null || value === '') return renderText(null);
  const iso = new Date(value).toISOString();
  return html`<time datetime="${iso}"><span class="day">${iso.slice(0, 10)} </span>${iso.slice(11, 19)}</time>`;
};

export const renderHours = (minutes: number): string =>
  `${Math.floor(minutes / 60)}:${String(Math.round(minutes % 60)).padStart(2, '0')}`;

const TONES: Readonly<Record<string, string>> = {
  approved: 'good',
  active: 'good',
  delivered: 'good',
  valid: 'good',
  done: 'good',
  submitted: 'wait',
  pending: 'wait',
  rejected: 'bad',
  failed: 'bad',
  refused: 'bad',
  expired: 'bad',
  revoked: 'bad',
};

export const renderBadge = (state: string, tone = TONES[state] ?? 'calm'): Markup =>
  html`<span class="badge ${tone}">${state}</span>`;

/** Of an HTTP answer; null: there was none. */
export const renderStatusBadge = (status: number | null): Markup => {
  if (status === null) return renderBadge('no answer', 'bad');
  return renderBadge(String(status), status < 300 ? 'good' : status < 500 ? 'wait' : 'bad');
};

/** Text on several lines. */
export const renderLines = (value: string): Markup =>
  html`<pre tabindex="0">${value.split('\n').map((line) => html`${line}\n`)}</pre>`;

const renderAttribute = (isPresent: boolean, attribute: 'selected' | 'checked' | 'open'): Markup =>
  asMarkup(isPresent ? ` ${attribute}` : '');

export const renderOption = (value: string, label: string, selected = false): Markup =>
  html`<option value="${value}"${renderAttribute(selected, 'selected')}>${label}</option>`;

/** Name and value pairs of a record. */
export const renderFacts = (pairs: readonly (readonly [string, Markup])[]): Markup =>
  html`<dl class="facts">${pairs.map(([name, value]) => html`<div><dt>${name}</dt><dd>${value}</dd></div>`)}</dl>`;
