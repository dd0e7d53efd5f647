import type { PlannedRequest } from '../../http/transport.ts';
import type { PeopleStyle } from '../cell.ts';
import { formatDetails } from '../errors.ts';
import { GAP, measureFor, truncateText } from '../layout.ts';
import type { Paint, Palette } from '../palette.ts';
import type { Result, ResultsInfo } from '../result.ts';
import { safeCell, safeJson } from '../safe-text.ts';
import { splitAddress, splitAnywhere, splitJson, splitWords, type TextPiece, wrapPieces } from '../wrap.ts';

/** Whether a text is an id that says nothing to people: digits, or a UUID. */
export const isOpaqueId = (text: string): boolean =>
  /^(\d+|[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12})$/i.test(text);

/** What has become of targets in words, and how often. Pure. */

/** `timesheets.approve` is `approved`, `timesheets.submit` `submitted`. */
const toPastTense = (operation: string): string => {
  const verb = operation.split('.').at(-1) ?? operation;
  if (verb.endsWith('e')) return `${verb}d`;
  return /(submit|stop)$/.test(verb) ? `${verb}${verb.slice(-1)}ed` : `${verb}ed`;
};

/** What has become of it in one word: `approved`, `failed`. */
const describeOutcome = ({ status, operation }: Result): string =>
  status === 'done' ? toPastTense(operation) : status;

/** How often what has become of a target. */
export type OutcomeCounts = Map<string, { readonly status: Result['status']; count: number }>;

export const countResult = (counts: OutcomeCounts, result: Result): void => {
  const word = describeOutcome(result);
  const previous = counts.get(word) ?? { status: result.status, count: 0 };
  counts.set(word, { ...previous, count: previous.count + 1 });
};

/** `2 approved, 1 failed`, the failures last. */
export const formatOutcomeCounts = (counts: OutcomeCounts): string =>
  (['done', 'planned', 'unchanged', 'skipped', 'unknown', 'failed'] as const)
    .flatMap((status) => [...counts].filter(([, one]) => one.status === status))
    .map(([word, { count }]) => `${count} ${word}`)
    .join(', ');

/** What became of each target, for people: one line each, the service's reasons below. */

type Status = Result['status'];

const GLYPHS: Readonly<Record<Status, readonly [unicode: string, ascii: string]>> = {
  done: ['✓', '+'],
  unchanged: ['=', '='],
  failed: ['✗', 'x'],
  unknown: ['?', '?'],
  skipped: ['–', '-'],
  planned: ['→', '>'],
};

const choosePaint = (palette: Palette, status: Status): Paint =>
  ({
    done: palette.good,
    unchanged: palette.faint,
    failed: palette.bad,
    unknown: palette.waiting,
    skipped: palette.faint,
    planned: palette.faint,
  })[status];

/** `would PUT /timesheets/8c1f/approve?workspace_id=7 {"workspace_id":7}` */
const splitRequest = ({ method, path, query, body }: PlannedRequest): readonly TextPiece[] => {
  const pairs = Object.entries(query).map(([name, value]) => `${name}=${value}`);
  const address = pairs.length > 0 ? `${path}?${pairs.join('&')}` : path;
  return [
    { text: `would ${method}`, gap: GAP },
    { text: safeCell(address), seams: splitAddress },
    ...(body === undefined || body === null ? [] : [{ text: safeCell(safeJson(body)), seams: splitJson }]),
  ];
};

export const formatPlannedRequest = (request: PlannedRequest): string =>
  splitRequest(request)
    .map(({ text }) => text)
    .join(' ');

/** Why, in the words of whoever said so. That a thing was done is not said twice; how it came to be known is. */
const getReason = ({ status, message, data, error }: Result): string => {
  const text = error?.['message'] ?? message;
  if (typeof text !== 'string' || (status === 'done' && data !== undefined)) return '';
  return text;
};

/** Of one target alone the error that ends the run says why. */
const getPrintedReason = (result: Result, single: boolean): string =>
  single && (result.status === 'failed' || result.status === 'unknown') ? '' : getReason(result);

/** A text of fewer columns says nothing. */
const MIN_ROOM = 8;

/** Of the sign at the beginning of a line, with the space behind it. */
const GLYPH_WIDTH = 2;
/** Of what stands below a line, or goes on from it; half of that on a narrow terminal. */
const INDENT = 4;
const NARROW = 60;

const getRoom = ({ width }: PeopleStyle, used: number): number =>
  width === undefined ? Number.POSITIVE_INFINITY : width - used;

/** Texts beside each other as far as the line has room: the first is cut where need be, the rest is left out. */
const fitTexts = async (texts: readonly string[], used: number, style: PeopleStyle): Promise<string> => {
  const [head = '', ...others] = texts.filter((text) => text !== '');
  const measure = await measureFor([head, ...others]);
  const room = getRoom(style, used);
  if (room < MIN_ROOM) return '';
  let line = truncateText(head, room, measure, style.unicode ? '…' : '...');
  for (const text of others) if (measure(`${line}  ${text}`) <= room) line = `${line}  ${text}`;
  return line;
};

interface LineContext {
  readonly style: PeopleStyle;
  readonly about: string;
  readonly changes: string;
  /** Whether the error that ends the run tells why it failed. */
  readonly single: boolean;
  /** The target, filled up to the width of those before it. */
  readonly target: string;
}

/** Of a planned write: which record it is, and what changes; where that is not known, the request. */
const splitPlanned = (
  result: Result & { readonly request: PlannedRequest },
  { about, changes, target }: LineContext,
): readonly TextPiece[] => {
  // What is new has no other fields than those that are sent.
  if (changes !== '' && result.before === undefined)
    return [{ text: target, gap: GAP }, ...splitWords(changes, GAP)];
  // An id says nothing to people.
  const cells =
    about !== '' && isOpaqueId(result.target) ? about.split(/ {2,}/) : [target, ...about.split(/ {2,}/)];
  const pieces = cells
    .filter((text) => text !== '')
    .map((text) => ({ text, gap: GAP, seams: splitAnywhere }));
  return [...pieces, ...(changes === '' ? splitRequest(result.request) : splitWords(changes, GAP))];
};

const isPlanned = (result: Result): result is Result & { readonly request: PlannedRequest } =>
  result.status === 'planned' && result.request !== undefined;

/** What names the target, what became of it, and why, in the order in which it is read. */
const splitResult = async (result: Result, context: LineContext): Promise<readonly TextPiece[]> => {
  const { style, about, changes, single, target } = context;
  const reason = safeCell(getPrintedReason(result, single));
  const reasonPieces = reason === '' ? [] : splitWords(reason, GAP);
  if (isPlanned(result)) return [...splitPlanned(result, context), ...reasonPieces];
  const outcomePiece = { text: describeOutcome(result), gap: GAP };
  const targetPiece = { text: target, gap: GAP, seams: splitAnywhere };
  if (changes !== '') return [targetPiece, outcomePiece, ...splitWords(changes, GAP), ...reasonPieces];
  const opaque = about !== '' && isOpaqueId(result.target);
  const start = opaque ? [outcomePiece] : [targetPiece, outcomePiece];
  const used = start.reduce((sum, { text }) => sum + text.length + GAP, GLYPH_WIDTH);
  // An id comes last, where there is room.
  const last = opaque && reason === '' ? [target.trimEnd()] : [];
  const fitted = about === '' ? '' : await fitTexts([about, ...last], used, style);
  return fitted === ''
    ? [targetPiece, outcomePiece, ...reasonPieces]
    : [...start, { text: fitted, gap: GAP }, ...reasonPieces];
};

/** The lines of a result: the sign, what is said of it, and below it the details. */
const formatLines = async (
  pieces: readonly TextPiece[],
  details: readonly (readonly TextPiece[])[],
  { style, status }: { readonly style: PeopleStyle; readonly status: Status },
): Promise<string> => {
  const sign = GLYPHS[status][style.unicode ? 0 : 1];
  const [head, ...others] = pieces;
  const measure = await measureFor([...pieces, ...details.flat()].map(({ text }) => text));
  const width = style.width ?? Number.POSITIVE_INFINITY;
  const indent = width < NARROW ? INDENT / 2 : INDENT;
  // What follows the sign stands next to it.
  const placed = head === undefined ? [] : [{ ...head, gap: 1 }, ...others];
  const [top = sign, ...wrapped] = wrapPieces(sign, placed, { width, indent, measure });
  const below = details.flatMap((detail) =>
    wrapPieces(' '.repeat(INDENT), detail, { width, indent: INDENT + 2, measure }),
  );
  return [choosePaint(style.palette, status)(sign) + top.slice(sign.length), ...wrapped, ...below]
    .map((line) => `${line}\n`)
    .join('');
};

/** Turns results into lines as they come; a hint that was given is not given again, nor for another target. */
export const createResultFormatter = (
  style: PeopleStyle,
  { count, changes, requests = false }: ResultsInfo,
): ((result: Result) => Promise<string>) => {
  const hints = new Set<unknown>();
  const alone = count === 1;
  let width = 0;
  const listDetails = ({ target, error, status }: Result): readonly string[] => {
    // The error that ends the run follows on stderr.
    if (alone && status !== 'skipped') return [];
    const { message: _message, hint, ...details } = error ?? {};
    const lines = formatDetails(details);
    const advice = typeof hint === 'string' ? hint.replaceAll(target, '') : hint;
    const known = hints.has(advice);
    hints.add(advice);
    return typeof hint !== 'string' || known ? lines : [...lines, `hint: ${safeCell(hint)}`];
  };
  return async (result) => {
    const target = safeCell(result.target);
    width = Math.max(width, target.length);
    const about = safeCell(result.label ?? '');
    const changed = safeCell((await changes?.(result)) ?? '');
    const context = { style, about, changes: changed, single: alone, target: target.padEnd(width) };
    const request = requests && changed !== '' && isPlanned(result) ? [splitRequest(result.request)] : [];
    const details = [...request, ...listDetails(result).map((line) => splitWords(line, 0))];
    return formatLines(await splitResult(result, context), details, { style, status: result.status });
  };
};
