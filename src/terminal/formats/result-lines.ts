import type { ResultsAbout, TargetResult } from '../../context.ts';
import type { PlannedRequest } from '../../http/transport.ts';
import type { PeopleStyle } from '../cell.ts';
import { detailLines } from '../errors.ts';
import type { Paint, Palette } from '../palette.ts';
import { safeCell, safeJson } from '../safe-text.ts';
import { cut, measureFor } from '../width.ts';
import { isId } from './opaque.ts';

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

/** What has become of it in one word: `approved`, `failed`. */
export const becameOf = ({ status, operation }: TargetResult): string =>
  status === 'done' ? pastOf(operation) : status;

/** Why, in the words of whoever said so. That a thing was done is not said twice; how it came to be known is. */
const reasonOf = ({ status, message, data, error }: TargetResult): string => {
  const said = error?.['message'] ?? message;
  if (typeof said !== 'string' || (status === 'done' && data !== undefined)) return '';
  return said;
};

const saidOf = (result: TargetResult, alone: boolean): readonly string[] => {
  if (result.status === 'planned' && result.request !== undefined)
    return [`would ${requestText(result.request)}`];
  const told = alone && (result.status === 'failed' || result.status === 'unknown');
  return [becameOf(result), ...(told ? [] : [reasonOf(result)])];
};

/** A text of fewer columns says nothing. */
const LEAST = 8;

const roomOf = ({ width }: PeopleStyle, used: number): number =>
  width === undefined ? Number.POSITIVE_INFINITY : width - used;

/** Texts beside each other as far as the line has room: the first is cut where need be, the rest is left out. */
const fitted = async (texts: readonly string[], used: number, style: PeopleStyle): Promise<string> => {
  const [first = '', ...others] = texts.filter((text) => text !== '');
  const measure = await measureFor([first, ...others]);
  const room = roomOf(style, used);
  if (room < LEAST) return '';
  let line = cut(first, room, measure, style.unicode ? '…' : '...');
  for (const text of others) if (measure(`${line}  ${text}`) <= room) line = `${line}  ${text}`;
  return line;
};

/** Turns results into lines as they come; a hint that was given is not given again. */
export const resultLines = (
  style: PeopleStyle,
  { count, words }: ResultsAbout,
): ((result: TargetResult) => Promise<string>) => {
  const hints = new Set<unknown>();
  const alone = count === 1;
  let width = 0;
  const below = ({ error, status }: TargetResult): readonly string[] => {
    // The error that ends the run follows on stderr.
    if (alone && status !== 'skipped') return [];
    const { message: _message, hint, ...details } = error ?? {};
    const lines = detailLines(details, style.ci);
    const known = hints.has(hint);
    hints.add(hint);
    return typeof hint !== 'string' || known ? lines : [...lines, `hint: ${safeCell(hint, style.ci)}`];
  };
  return async (result) => {
    const target = safeCell(result.target, style.ci);
    width = Math.max(width, target.length);
    const paint = paintOf(style.palette, result.status);
    const glyph = paint(GLYPHS[result.status][style.unicode ? 0 : 1]);
    const [became = '', reason = ''] = saidOf(result, alone).map((text) => safeCell(text, style.ci));
    const about = safeCell(words?.(result.target) ?? '', style.ci);
    const planned = result.status === 'planned';
    const first = await (async () => {
      const named = `${target.padEnd(width)}  ${became}`;
      if (about === '') return [named, reason].filter((text) => text !== '').join('  ');
      // An id says nothing to people: it comes last, where there is room. A request has it in its path.
      if (planned) return `${about}  ${became}`;
      const id = isId(result.target);
      const start = id ? became : named;
      const rest = await fitted([about, ...(id && reason === '' ? [target] : [])], start.length + 4, style);
      if (rest === '') return [named, reason].filter((text) => text !== '').join('  ');
      return [start, rest, reason].filter((text) => text !== '').join('  ');
    })();
    return [`${glyph} ${first}`, ...below(result).map((line) => `    ${line}`)]
      .map((line) => `${line}\n`)
      .join('');
  };
};

/** How often what has become of a target. */
export type Counts = Map<string, { readonly status: Status; count: number }>;

export const countResult = (counts: Counts, result: TargetResult): void => {
  const word = becameOf(result);
  const known = counts.get(word) ?? { status: result.status, count: 0 };
  counts.set(word, { ...known, count: known.count + 1 });
};

/** `2 approved, 1 failed`, the failures last. */
export const summaryOf = (counts: Counts): string =>
  (['done', 'planned', 'skipped', 'unknown', 'failed'] as const)
    .flatMap((status) => [...counts].filter(([, one]) => one.status === status))
    .map(([word, { count }]) => `${count} ${word}`)
    .join(', ');
