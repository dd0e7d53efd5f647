import type { TargetResult } from '../../context.ts';
import type { PlannedRequest } from '../../http/transport.ts';
import type { PeopleStyle } from '../cell.ts';
import { detailLines } from '../errors.ts';
import type { Paint, Palette } from '../palette.ts';
import { safeCell, safeJson } from '../safe-text.ts';

/** What became of each target, for people: one line each, the service's reasons below. */

type Status = TargetResult['status'];

const GLYPHS: Readonly<Record<Status, readonly [unicode: string, ascii: string]>> = {
  done: ['✓', '+'],
  failed: ['✗', 'x'],
  unknown: ['?', '?'],
  skipped: ['–', '-'],
  planned: ['→', '>'],
};

const paintOf = (palette: Palette, status: Status): Paint =>
  ({
    done: palette.good,
    failed: palette.bad,
    unknown: palette.waiting,
    skipped: palette.faint,
    planned: palette.faint,
  })[status];

/** `timesheets.approve` is `approved`, `timesheets.submit` `submitted`. */
const pastOf = (operation: string): string => {
  const verb = operation.split('.').at(-1) ?? operation;
  if (verb.endsWith('e')) return `${verb}d`;
  return /(submit|stop)$/.test(verb) ? `${verb}${verb.slice(-1)}ed` : `${verb}ed`;
};

/** `PUT /timesheets/8c1f/approve {"workspace_id":7}` */
const requestText = ({ method, path, query, body }: PlannedRequest): string => {
  const pairs = Object.entries(query).map(([name, value]) => `${name}=${value}`);
  const address = pairs.length > 0 ? `${path}?${pairs.join('&')}` : path;
  return `${method} ${address}${body === undefined || body === null ? '' : ` ${safeJson(body)}`}`;
};

const said = (result: TargetResult): string => {
  const message = result.error?.['message'] ?? result.message;
  const text = typeof message === 'string' && message !== '' ? `  ${message}` : '';
  if (result.status === 'planned' && result.request !== undefined)
    return `would ${requestText(result.request)}`;
  return `${result.status === 'done' ? pastOf(result.operation) : result.status}${text}`;
};

/** Turns results into lines as they come; a hint that was given is not given again. */
export const resultLines = (style: PeopleStyle): ((result: TargetResult) => string) => {
  const hints = new Set<unknown>();
  let width = 0;
  return (result) => {
    const target = safeCell(result.target, style.ci);
    width = Math.max(width, target.length);
    const glyph = paintOf(style.palette, result.status)(GLYPHS[result.status][style.unicode ? 0 : 1]);
    const first = `${glyph} ${target.padEnd(width)}  ${safeCell(said(result), style.ci)}`;
    const { message: _message, hint, ...details } = result.error ?? {};
    const below = detailLines(details, style.ci);
    if (typeof hint === 'string' && !hints.has(hint)) below.push(`hint: ${safeCell(hint, style.ci)}`);
    hints.add(hint);
    return [first, ...below.map((line) => `    ${line}`)].map((line) => `${line}\n`).join('');
  };
};

/** `2 done, 1 failed`, the failures last. */
export const summaryOf = (counts: ReadonlyMap<Status, number>): string =>
  (['done', 'planned', 'skipped', 'unknown', 'failed'] as const)
    .filter((status) => counts.has(status))
    .map((status) => `${counts.get(status)} ${status}`)
    .join(', ');
