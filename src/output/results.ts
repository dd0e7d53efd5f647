import type { Row } from '../api/page.ts';
import { isSecretKey } from '../http/redact.ts';
import type { PlannedRequest } from '../http/transport.ts';
import { isRecord } from '../json.ts';
import { isOpaqueId, type PeopleStyle } from './cell.ts';
import { expandNames, resolveFields, showView, toColumns } from './columns.ts';
import type { Column, ListView } from './list-view.ts';
import type { Result, ResultsInfo } from './result.ts';
import { safeCell, safeJson } from './safe-text.ts';
import type { Streams } from './streams.ts';
import {
  GAP,
  type Palette,
  prepareWidths,
  splitAddress,
  splitWords,
  type TextPiece,
  textWidth,
  truncateText,
  wrapPieces,
} from './terminal.ts';

/** Results of a write of many targets, in the order given. */
export interface ResultWriter {
  add(result: Result): Promise<void>;
  /** Also called when the run was cut short, with what there is. */
  end(): Promise<void>;
}

/**
 * Writes each result as it comes. The run that makes them is never stopped by its output: when nobody reads any
 * more, or the disk is full, the rest of the work is still done; a full disk is told after it.
 */
export async function writeResults(
  streams: Streams,
  results: AsyncIterable<Result>,
  writer: ResultWriter,
): Promise<void> {
  const counts: OutcomeCounts = new Map();
  let outputError: unknown;
  const attempt = async (step: () => Promise<void>): Promise<void> => {
    if (outputError !== undefined) return;
    await step().catch((error: unknown) => {
      outputError = error;
    });
  };
  let count = 0;
  try {
    for await (const result of results) {
      count += 1;
      countResult(counts, result);
      await attempt(() => writer.add(streams.options.showSecrets ? result : maskSecrets(result)));
    }
  } finally {
    await attempt(() => writer.end());
    if (count > 1) streams.note(formatOutcomeCounts(counts));
  }
  if (outputError !== undefined) throw outputError;
}

/** Results of runs are kept in files and logs: no invitation link, no token of a webhook is in them unless asked for. */
function maskSecrets(result: Result): Result {
  const { data } = result;
  if (!isRecord(data) || !Object.keys(data).some(isSecretKey)) return result;
  const masked = Object.entries(data).map(([name, value]) => [
    name,
    value != null && isSecretKey(name) ? '***' : value,
  ]);
  return { ...result, data: Object.fromEntries(masked) };
}

/** Lines for people, else rows in the format of this run. */
export async function createResultWriter(streams: Streams, about: ResultsInfo): Promise<ResultWriter> {
  const { format, columns: names } = streams.options;
  if (format.shape === 'screen' && names === undefined) return createLinesWriter(streams, about);
  const isRead = format.forPeople;
  // Rows below a heading have all members, whatever the first result has.
  const members = format.shape === 'cells' && !isRead ? await listMembers(streams) : undefined;
  const named = members === undefined ? names : (expandNames(members, names) ?? members);
  const { view, columns, toShown } = showView(isRead ? PEOPLE_VIEW : VIEW, named, format);
  const writer = await streams.openWriter(view, { columns });
  return {
    add: async (result) => {
      // An id that is printed is one to go on with.
      if (format.shape === 'id-lines' && !SUCCESSES.includes(result.status)) return;
      const changes = isRead ? { changes: await about.changes?.(result) } : {};
      await writer.rows([toShown({ ...result, ...changes })]);
    },
    end: () => writer.end(),
  };
}

/** As it should be, or it would be. */
const SUCCESSES: readonly Result['status'][] = ['done', 'unchanged', 'planned'];

const RESULT_MEMBERS = [
  ...['target', 'status', 'operation', 'message', 'data', 'request', 'error'],
  ...['label', 'before', 'after'],
];

const VIEW: ListView = { noun: 'targets', id: 'target', columns: toColumns(RESULT_MEMBERS) };

const PEOPLE_VIEW: ListView = {
  ...VIEW,
  columns: [
    { field: 'target' },
    { field: 'label', sparse: true },
    { field: 'status', kind: 'state' },
    { field: 'message', show: formatMessage },
    {
      field: 'warnings',
      show: ({ warning_messages: texts }) => (texts === null ? 'not checked' : texts),
      sparse: true,
    },
  ],
};

/** What people read of it: what a dry run would change, why it failed, what the service said. */
function formatMessage({ request, error, message, changes }: Row): unknown {
  if (request === undefined) return (error as Row | undefined)?.['message'] ?? message;
  const pieces = splitRequest(request as PlannedRequest);
  return changes || pieces.map(({ text }) => text).join(' ');
}

/** Those of commands whose results have warnings too. */
async function listMembers({ options }: Streams): Promise<readonly string[]> {
  const documented = (await options.documented?.()) ?? [];
  return [...RESULT_MEMBERS, ...documented.filter((name) => /^warning(s|_messages)$/.test(name))];
}

/**
 * @param columns of the record that the service answers with; absent: results are the answer
 * @throws UsageError for names that no record and no result has
 */
export async function checkNames(streams: Streams, columns?: readonly Column[]): Promise<void> {
  const { columns: names = [], sort = [], query, documented: ofCommand } = streams.options;
  const named = {
    '--columns': query === undefined ? names : [],
    '--sort': sort.map(({ field }) => field),
  };
  // A dry run, and an outcome that is not known, answer a result in place of the record.
  const documented = async () =>
    columns === undefined ? listMembers(streams) : [...((await ofCommand?.()) ?? []), ...RESULT_MEMBERS];
  async function* emptyRow() {
    yield { rows: [{}], total: 1 };
  }
  const { problem } = await resolveFields(emptyRow(), columns ?? [], documented, named);
  if (problem !== undefined) throw problem;
}

/** How often what has become of a target. */
type OutcomeCounts = Map<string, { readonly status: Result['status']; count: number }>;

function countResult(counts: OutcomeCounts, result: Result): void {
  const word = describeOutcome(result);
  const previous = counts.get(word) ?? { status: result.status, count: 0 };
  counts.set(word, { ...previous, count: previous.count + 1 });
}

/** `2 approved, 1 failed`, the failures last. */
function formatOutcomeCounts(counts: OutcomeCounts): string {
  return (['done', 'planned', 'unchanged', 'skipped', 'unknown', 'failed'] as const)
    .flatMap((status) => [...counts].filter(([, one]) => one.status === status))
    .map(([word, { count }]) => `${count} ${word}`)
    .join(', ');
}

/** What has become of it in one word: `approved`, `failed`; `timesheets.submit` is `submitted`. */
function describeOutcome({ status, operation }: Result): string {
  if (status !== 'done') return status;
  const verb = operation.split('.').at(-1) ?? operation;
  if (verb.endsWith('e')) return `${verb}d`;
  return /(submit|stop)$/.test(verb) ? `${verb}${verb.slice(-1)}ed` : `${verb}ed`;
}

const GLYPHS: Readonly<Record<Result['status'], readonly [unicode: string, ascii: string, keyof Palette]>> = {
  done: ['✓', '+', 'good'],
  unchanged: ['=', '=', 'faint'],
  failed: ['✗', 'x', 'bad'],
  unknown: ['?', '?', 'waiting'],
  skipped: ['–', '-', 'faint'],
  planned: ['→', '>', 'faint'],
};

/** Of the sign at the beginning of a line, with the space behind it. */
const GLYPH_WIDTH = 2;
/** Of what stands below a line, or goes on from it; half of that on a narrow terminal. */
const INDENT = 4;
const NARROW = 60;

/**
 * What became of each target, for people: one line each, the service's reasons below. A hint that was given is not given
 * again, nor for another target.
 */
function createLinesWriter(streams: Streams, about: ResultsInfo): ResultWriter {
  const { style } = streams;
  const hints = new Set<unknown>();
  const single = about.count === 1;
  let targetWidth = 0;
  const listDetails = async ({ target, error, status }: Result): Promise<readonly string[]> => {
    // The error that ends the run follows on stderr.
    if (error === undefined || (single && status !== 'skipped')) return [];
    const { message: _message, hint, ...details } = error;
    const { formatDetails } = await import('./errors.ts');
    const lines = formatDetails(details);
    const advice = typeof hint === 'string' ? hint.replaceAll(target, '') : hint;
    const known = hints.has(advice);
    hints.add(advice);
    return typeof hint !== 'string' || known ? lines : [...lines, `hint: ${safeCell(hint)}`];
  };
  return {
    add: async (result) => {
      if (about.unsaid?.(result) === true) return;
      const target = safeCell(result.target);
      targetWidth = Math.max(targetWidth, target.length);
      const changes = safeCell((await about.changes?.(result)) ?? '');
      const line = {
        label: safeCell(result.label ?? ''),
        changes,
        single,
        target: target.padEnd(targetWidth),
      };
      const request =
        about.requests === true && changes !== '' && isPlanned(result) ? [splitRequest(result.request)] : [];
      const below = [...request, ...(await listDetails(result)).map((text) => splitWords(text, 0))];
      await streams.write(await formatLines(result, line, below, style));
    },
    end: async () => {},
  };
}

/** What a line says beside what became of the target. */
interface ResultLine {
  readonly label: string;
  readonly changes: string;
  /** Whether the error that ends the run tells why it failed. */
  readonly single: boolean;
  /** The target, filled up to the width of those before it. */
  readonly target: string;
}

/** The lines of a result: the sign, what is said of it, and below it the details. */
async function formatLines(
  result: Result,
  line: ResultLine,
  details: readonly (readonly TextPiece[])[],
  style: PeopleStyle,
): Promise<string> {
  const [unicode, ascii, paint] = GLYPHS[result.status];
  const sign = style.unicode ? unicode : ascii;
  await prepareWidths([line.label, line.target, line.changes, ...details.flat().map(({ text }) => text)]);
  const [head, ...others] = splitResult(result, line, style);
  await prepareWidths(others.map(({ text }) => text));
  const width = style.width ?? Number.POSITIVE_INFINITY;
  const indent = width < NARROW ? INDENT / 2 : INDENT;
  // What follows the sign stands next to it.
  const placed = head === undefined ? [] : [{ ...head, gap: 1 }, ...others];
  const [top = sign, ...wrapped] = wrapPieces(sign, placed, { width, indent });
  const below = details.flatMap((detail) =>
    wrapPieces(' '.repeat(INDENT), detail, { width, indent: INDENT + 2 }),
  );
  return [style.palette[paint](sign) + top.slice(sign.length), ...wrapped, ...below]
    .map((text) => `${text}\n`)
    .join('');
}

/** What names the target, what became of it, and why, in the order in which it is read. */
function splitResult(result: Result, line: ResultLine, style: PeopleStyle): readonly TextPiece[] {
  const { label, changes, target } = line;
  const reason = safeCell(getReason(result, line.single));
  const reasonPieces = reason === '' ? [] : splitWords(reason, GAP);
  if (isPlanned(result)) return [...splitPlanned(result, line), ...reasonPieces];
  const outcomePiece = { text: describeOutcome(result), gap: GAP };
  const targetPiece = { text: target, gap: GAP, seams: splitAnywhere };
  if (changes !== '') return [targetPiece, outcomePiece, ...splitWords(changes, GAP), ...reasonPieces];
  const opaque = label !== '' && isOpaqueId(result.target);
  const start = opaque ? [outcomePiece] : [targetPiece, outcomePiece];
  const used = start.reduce((sum, { text }) => sum + text.length + GAP, GLYPH_WIDTH);
  // An id comes last, where there is room.
  const last = opaque && reason === '' ? target.trimEnd() : '';
  const fitted = label === '' ? '' : fitTexts(label, last, used, style);
  return fitted === ''
    ? [targetPiece, outcomePiece, ...reasonPieces]
    : [...start, { text: fitted, gap: GAP }, ...reasonPieces];
}

/** Why, in the words of whoever said so. That a thing was done is not said twice; how it came to be known is. */
function getReason({ status, message, data, error }: Result, single: boolean): string {
  if (single && (status === 'failed' || status === 'unknown')) return '';
  const text = error?.['message'] ?? message;
  return typeof text !== 'string' || (status === 'done' && data !== undefined) ? '' : text;
}

/** A text of fewer columns says nothing. */
const MIN_ROOM = 8;

/** Two texts beside each other: the first is cut where need be, the other is left out where there is no room. */
function fitTexts(first: string, other: string, used: number, style: PeopleStyle): string {
  const room = style.width === undefined ? Number.POSITIVE_INFINITY : style.width - used;
  if (room < MIN_ROOM) return '';
  const line = truncateText(first, room, style);
  return other !== '' && textWidth(`${line}  ${other}`) <= room ? `${line}  ${other}` : line;
}

type PlannedResult = Result & { readonly request: PlannedRequest };

function isPlanned(result: Result): result is PlannedResult {
  return result.status === 'planned' && result.request !== undefined;
}

/** Of a planned write: which record it is, and what changes; where that is not known, the request. */
function splitPlanned(result: PlannedResult, { label, changes, target }: ResultLine): readonly TextPiece[] {
  // What is new has no other fields than those that are sent.
  if (changes !== '' && result.before === undefined)
    return [{ text: target, gap: GAP }, ...splitWords(changes, GAP)];
  // An id says nothing to people.
  const cells = label.split(/ {2,}/);
  const pieces = (label !== '' && isOpaqueId(result.target) ? cells : [target, ...cells])
    .filter((text) => text !== '')
    .map((text) => ({ text, gap: GAP, seams: splitAnywhere }));
  return [...pieces, ...(changes === '' ? splitRequest(result.request) : splitWords(changes, GAP))];
}

/** `would PUT /timesheets/8c1f/approve?workspace_id=7 {"workspace_id":7}` */
function splitRequest({ method, path, query, body }: PlannedRequest): readonly TextPiece[] {
  const pairs = Object.entries(query).map(([name, value]) => `${name}=${value}`);
  const address = pairs.length > 0 ? `${path}?${pairs.join('&')}` : path;
  return [
    { text: `would ${method}`, gap: GAP },
    { text: safeCell(address), seams: splitAddress },
    ...(body === undefined || body === null ? [] : [{ text: safeCell(safeJson(body)), seams: splitJson }]),
  ];
}

/** What is several words may be broken between them. */
function splitAnywhere(text: string): readonly string[] {
  return [text];
}

/** JSON breaks behind a comma between members; a long text in it between its words. */
function splitJson(json: string): readonly string[] {
  return json.match(/(?:"(?:[^"\\]|\\.)*"?|[^",])+,?|,/g) ?? [json];
}
