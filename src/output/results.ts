import { type Row, toPages } from '../api/page.ts';
import { createQueryError, Failure } from '../errors.ts';
import { isSecretKey } from '../http/redact.ts';
import type { PlannedRequest } from '../http/transport.ts';
import { isRecord } from '../json.ts';
import { OPAQUE_ID } from '../parsing/names.ts';
import {
  collectFields,
  EMPTY_CELL,
  formatTitle,
  formatValue,
  getShownValue,
  inferColumnKind,
  isNothing,
  pickFields,
} from './cell.ts';
import { resolveFields, showView } from './columns.ts';
import { formatPlainValue, writeDocument } from './formats/writers.ts';
import type { Column, ListView, OverviewSection } from './list-view.ts';
import { safeCell, safeJson, safeLines } from './safe-text.ts';
import { writeLines } from './sink.ts';
import type { Streams } from './streams.ts';
import {
  findWidest,
  GAP,
  getStatePaint,
  padText,
  prepareWidths,
  splitWords,
  type TextPiece,
  wrapPieces,
  wrapText,
} from './terminal.ts';

/** What is no list of records: results of writes, the answer of a query, one record, an overview. */

export interface Result {
  readonly target: string;
  /** `unchanged`: the record is already as the write would make it, so nothing was sent. */
  readonly status: 'done' | 'unchanged' | 'failed' | 'unknown' | 'skipped' | 'planned';
  readonly operation: string;
  /** The target in a few words, where they are known: whose it is, of when, how much. */
  readonly label?: string | undefined;
  readonly message?: string;
  readonly data?: unknown;
  /** Of a dry run: what it sends, and the fields that this changes, by the names of the record. */
  readonly request?: PlannedRequest;
  readonly before?: Row;
  /** Null: the record will be gone. */
  readonly after?: Row | null;
  /**
   * The codes of what has to be heeded, and their words; null: not known. Of decisions that are only planned, and of
   * what the service accepted: `differs` (its answer shows another value), `not_checked` (a rate could not be read).
   */
  readonly warnings?: readonly string[] | null;
  readonly warning_messages?: readonly string[] | null;
  readonly error?: Row;
}

export interface ResultsInfo {
  readonly count?: number;
  /** What a write changes, in words: `hours a week: 40 → 32`. */
  readonly changes?: (result: Result) => Promise<string>;
  /** Whether people are shown the request of a dry run beside what it changes. */
  readonly requests?: boolean;
  /** What stands in the summary alone: rows that were not begun when the run ended. */
  readonly unsaid?: ReadonlySet<Result>;
}

/** As each is shown to people; in the order of the summary: `2 approved, 1 failed`. */
const SIGNS: Readonly<
  Record<Result['status'], readonly [unicode: string, ascii: string, 'good' | 'bad' | 'waiting' | 'faint']>
> = {
  done: ['✓', '+', 'good'],
  planned: ['→', '>', 'faint'],
  unchanged: ['=', '=', 'faint'],
  skipped: ['–', '-', 'faint'],
  unknown: ['?', '?', 'waiting'],
  failed: ['✗', 'x', 'bad'],
};

/**
 * Results of a write of many targets, in the order given: lines for people, else rows in the format of this run. The run
 * that makes them is never stopped by its output: when nobody reads any more, or the disk is full, the rest of the work
 * is still done; a full disk is told after it.
 * @param keepsSecrets of a single write, which shows its own
 */
export async function writeResults(
  streams: Streams,
  results: AsyncIterable<Result>,
  about: ResultsInfo,
  keepsSecrets = streams.options.showSecrets,
): Promise<void> {
  const { format, columns: names, query } = streams.options;
  const isLines = format.shape === 'screen' && names === undefined && query === undefined;
  const writer = isLines ? openLines(streams, about) : await openRows(streams, about, keepsSecrets);
  const counts = new Map<string, { readonly status: Result['status']; count: number }>();
  let outputError: unknown;
  const attempt = async (write: () => Promise<void>): Promise<void> => {
    try {
      await write();
    } catch (error) {
      outputError ??= error;
    }
  };
  try {
    for await (const result of results) {
      const outcome = describeOutcome(result);
      const counted = counts.get(outcome) ?? { status: result.status, count: 0 };
      counted.count += 1;
      counts.set(outcome, counted);
      if (outputError === undefined) await attempt(() => writer.add(result));
    }
  } finally {
    // Also when the run was cut short, with what there is.
    await attempt(() => writer.end());
    const order = Object.keys(SIGNS);
    const words = [...counts].sort(([, a], [, b]) => order.indexOf(a.status) - order.indexOf(b.status));
    if (words.reduce((sum, [, one]) => sum + one.count, 0) > 1)
      streams.note(words.map(([word, one]) => `${one.count} ${word}`).join(', '));
  }
  if (outputError !== undefined) throw outputError;
}

function describeOutcome({ status, operation }: Result): string {
  if (status !== 'done') return status;
  const verb = operation.split('.').at(-1) ?? operation;
  if (verb.endsWith('e')) return `${verb}d`;
  return /(submit|stop)$/.test(verb) ? `${verb}${verb.slice(-1)}ed` : `${verb}ed`;
}

interface ResultWriter {
  add(result: Result): Promise<void>;
  end(): Promise<void>;
}

async function openRows(streams: Streams, about: ResultsInfo, keepsSecrets: boolean): Promise<ResultWriter> {
  const { format, columns: names, query } = streams.options;
  // Results of runs are kept in files and logs: no invitation link, no token of a webhook is in them unless asked for.
  const mask = (result: Result): Result => {
    const { data } = result;
    if (keepsSecrets || !isRecord(data)) return result;
    const masked = Object.entries(data).map(([name, value]) => [
      name,
      isSecretKey(name) ? value && '***' : value,
    ]);
    return { ...result, data: Object.fromEntries(masked) };
  };
  if (query !== undefined) {
    // Held back for it; where it cannot be used, they are written as without it.
    const held: Result[] = [];
    return {
      add: async (result) => void held.push(mask(result)),
      end: () => writeQueryResult(streams, held),
    };
  }
  // Rows below a heading have all members, whatever the first result has.
  const isSheet = format.shape === 'cells' && !format.forPeople;
  const all = isSheet ? { ...VIEW, cells: await listMembers(streams) } : VIEW;
  const { view, columns, toShown } = showView(all, names, format);
  const writer = await streams.openWriter(view, { columns });
  return {
    add: async (result) => {
      // An id that is printed is one to go on with: it is as it should be, or would be.
      if (format.shape === 'id-lines' && !['done', 'unchanged', 'planned'].includes(result.status)) return;
      const changes = format.forPeople ? { changes: await about.changes?.(result) } : {};
      await writer.rows([toShown({ ...mask(result), ...changes })]);
    },
    end: () => writer.end(),
  };
}

const RESULT_MEMBERS = [
  ...['target', 'status', 'operation', 'message', 'data', 'request', 'error'],
  ...['label', 'before', 'after'],
];

const VIEW: ListView = {
  noun: 'targets',
  id: 'target',
  columns: [
    { field: 'target' },
    { field: 'label', sparse: true },
    { field: 'status', kind: 'state' },
    {
      // What a dry run would change, why it failed, what the service said.
      field: 'message',
      show: ({ request, error, message, changes }) =>
        request === undefined
          ? ((error as Row | undefined)?.['message'] ?? message)
          : changes || formatRequest(request as PlannedRequest),
    },
    {
      field: 'warnings',
      show: ({ warning_messages: texts }) => (texts === null ? 'not checked' : texts),
      sparse: true,
    },
  ],
};

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
  if (names.length + sort.length === 0) return;
  const named = {
    '--columns': query === undefined ? names : [],
    '--sort': sort.map(({ field }) => field),
  };
  // A dry run, and an outcome that is not known, answer a result in place of the record.
  const documented = async () =>
    columns === undefined ? listMembers(streams) : [...((await ofCommand?.()) ?? []), ...RESULT_MEMBERS];
  const { problem } = await resolveFields(toPages([{}]), columns ?? [], documented, named);
  if (problem !== undefined) throw problem;
}

const INDENT = 4;

/** As written: an id, or the beginning of one as tables show it. */
const WRITTEN_ID = new RegExp(`${OPAQUE_ID.source}|^(?=.*\\d)[0-9a-f]{8}[0-9a-f-]*$`, 'i');
const ID_OR_ADDRESS = new RegExp(`${WRITTEN_ID.source}|@`, 'i');

function openLines(streams: Streams, about: ResultsInfo): ResultWriter {
  const { width = Number.POSITIVE_INFINITY, palette, unicode } = streams.style;
  // A hint that was given is not given again, nor for another target.
  const hints = new Set<string>();
  let targetWidth = 0;
  const add = async (result: Result): Promise<void> => {
    const { target, status, error, request } = result;
    if (about.unsaid?.has(result)) return;
    const changes = safeCell((await about.changes?.(result)) ?? '');
    targetWidth = Math.max(targetWidth, safeCell(target).length);
    const below: string[] = [];
    if (about.requests === true && changes !== '' && status === 'planned' && request !== undefined)
      below.push(formatRequest(request));
    // Where there is one target, the error that ends the run follows on stderr.
    if (error !== undefined && (about.count !== 1 || status === 'skipped')) {
      const { message: _message, hint = '', ...details } = error;
      const { formatDetails } = await import('./errors.ts');
      for (const text of formatDetails(details)) below.push(text);
      const advice = String(hint).replaceAll(target, '');
      if (advice !== '' && !hints.has(advice)) below.push(`hint: ${safeCell(String(hint))}`);
      hints.add(advice);
    }
    const pieces = splitResult(result, changes, about, targetWidth);
    await prepareWidths([...pieces.map(({ text }) => text), ...below]);
    const [withUnicode, ascii, paint] = SIGNS[status];
    const sign = unicode ? withUnicode : ascii;
    const [top = '', ...more] = wrapPieces(sign, pieces, { width, indent: INDENT });
    const details = below.flatMap((text) =>
      wrapPieces(' '.repeat(INDENT), splitWords(text), { width, indent: INDENT + 2 }),
    );
    const lines = [palette[paint](sign) + top.slice(sign.length), ...more, ...details];
    await streams.write(lines.map((text) => `${text}\n`).join(''));
  };
  return { add, end: async () => {} };
}

/**
 * What names the target, what became of it, and why, in the order in which it is read. Of a planned write what it
 * changes stands in place of what became of it, or the request where that is not known.
 */
function splitResult(
  result: Result,
  changes: string,
  { count }: ResultsInfo,
  targetWidth: number,
): readonly TextPiece[] {
  const { target, status, label = '', message, data, error, request, before } = result;
  const planned = status === 'planned' ? request : undefined;
  // What is new has no other fields than those that are sent; what is named is not named twice.
  const isTold = planned === undefined ? WRITTEN_ID.test(target) : before !== undefined;
  const hasLabel = label !== '' && (changes === '' || isTold);
  const words = hasLabel ? safeCell(label).split(/ {2,}/) : [];
  // An id that says nothing to people comes last, where nothing else does.
  // What will change is read by its name too, not by the address that was written. A UUID would be half of the line.
  const [last, shown] = planned === undefined ? [WRITTEN_ID, /^\d+$/] : [ID_OR_ADDRESS, /@/];
  const isNamed = hasLabel && last.test(target);
  // That a thing was done is not said twice; how it came to be known is. The error that ends a run says why it failed.
  const isFailure = status === 'failed' || status === 'unknown';
  const isSaid = status === 'done' ? data !== undefined : isFailure && count === 1;
  const why = error?.message ?? message;
  const reason = typeof why !== 'string' || isSaid ? '' : safeCell(why);
  const texts = [
    isNamed ? '' : safeCell(target).padEnd(targetWidth),
    planned === undefined ? describeOutcome(result) : '',
    ...words.filter((word) => word.toLowerCase() !== safeCell(target).toLowerCase()),
    planned === undefined || changes !== '' ? '' : formatRequest(planned),
  ].filter((text) => text !== '');
  return [
    // What follows the sign stands next to it.
    ...texts.map((text, i) => ({ text, gap: i === 0 ? 1 : GAP })),
    ...[changes, reason].flatMap((text) => (text === '' ? [] : splitWords(text, GAP))),
    ...(isNamed && reason === '' && shown.test(target) ? [{ text: safeCell(target), gap: GAP }] : []),
  ];
}

/** `would PUT /timesheets/8c1f/approve?workspace_id=7 {"workspace_id":7}` */
function formatRequest({ method, path, query, body }: PlannedRequest): string {
  const pairs = Object.entries(query).map(([name, value]) => `${name}=${value}`);
  const address = pairs.length > 0 ? `${path}?${pairs.join('&')}` : path;
  const json = body === undefined || body === null ? '' : ` ${safeJson(body)}`;
  return safeCell(`would ${method} ${address}${json}`);
}

export async function writeQueryAnswer(
  streams: Streams,
  answer: unknown,
  view: readonly Column[],
): Promise<void> {
  const { format, columns } = streams.options;
  const { shape, forPeople } = format;
  // Every field of the rows; what the view keeps secret stays so.
  const isSecret = (name: string) => view.some(({ field, kind }) => field === name && kind === 'secret');
  const listColumns = (rows: readonly Row[]): readonly Column[] =>
    collectFields(rows).map((field) => (isSecret(field) ? { field, kind: 'secret' } : { field }));
  const writeRecords = (rows: readonly Row[]) =>
    streams.writeRows({ noun: 'records', columns: forPeople ? listColumns(rows) : [] }, rows);
  if (isRecord(answer)) {
    // One object: an object in JSON, lines for people, else a list of one.
    const record = columns === undefined ? answer : pickFields(answer, columns);
    if (shape === 'document') return writeDocument(record, streams);
    if (shape !== 'screen') return writeRecords([answer]);
    return writeRecordLines(streams, record, listColumns([record]));
  }
  const items: readonly unknown[] = Array.isArray(answer) ? answer : [answer];
  if (Array.isArray(answer) && items.length > 0 && items.every(isRecord)) return writeRecords(items);
  const formatId = (item: unknown) => (typeof item === 'string' ? safeCell(item) : safeJson(item));
  if (shape === 'id-lines') return writeLines(items, (item) => `${formatId(item)}\n`, streams);
  if (shape === 'json-lines') return writeLines(items, (item) => `${safeJson(item)}\n`, streams);
  if (shape === 'document') return writeDocument(answer, streams);
  if (isNothing(answer) || items.length === 0) {
    streams.note('The query matches nothing.');
    return writeRecords([]);
  }
  if (!Array.isArray(answer) && shape === 'screen')
    return streams.write(`${safeLines(formatPlainValue(answer))}\n`);
  // What is no record has no names: lists have numbered columns, anything else is a `value`.
  const isTable = items.every(Array.isArray);
  const toRow = (item: unknown): Row =>
    isTable && Array.isArray(item)
      ? Object.fromEntries(item.map((value, index) => [`column_${index + 1}`, value]))
      : { value: item };
  return writeRecords(items.map(toRow));
}

/**
 * Writes what the query makes of the data. After a write it is too late to refuse the query: then all is written, as JSON.
 * @param view the columns of the data
 * @throws UsageError where nothing has been changed, else OutputError, for a query that cannot be used on the data
 */
export async function writeQueryResult(
  streams: Streams,
  data: unknown,
  view: readonly Column[] = [],
): Promise<void> {
  const { query, isRead } = streams.options;
  let answer: unknown;
  try {
    answer = query?.(data);
  } catch (error) {
    if (isRead === true || !(error instanceof Failure)) throw error;
    await writeDocument(data, streams);
    throw createQueryError(error);
  }
  return writeQueryAnswer(streams, answer, view);
}

/**
 * One record for people: `field  value` lines, aligned. Further lines of a value are indented, below its first, so that
 * none can pass for a field.
 */
export async function writeRecordLines(
  streams: Streams,
  record: Row,
  columns: readonly Column[],
): Promise<void> {
  const { style } = streams;
  const { palette, width = Number.POSITIVE_INFINITY } = style;
  const entries = columns.map((column) => {
    const kind = inferColumnKind(column, [record]);
    const text = safeLines(formatValue(getShownValue(column, record), kind, style, 'plain'));
    return { label: safeCell(formatTitle(column)), kind, text };
  });
  await prepareWidths(entries.flatMap(({ label, text }) => [label, text]));
  const indent = findWidest(entries.map(({ label }) => label)) + GAP;
  const lines = entries.flatMap(({ label, kind, text }) => {
    const [first = '', ...others] = text.split('\n');
    const head = padText(label, indent);
    const [top = '', ...wrapped] = wrapText(head, first, width, indent);
    let paint = kind === 'state' ? getStatePaint(palette, text) : (plain: string) => plain;
    if (text === EMPTY_CELL) paint = palette.faint;
    const below = others.flatMap((line) =>
      wrapText(' '.repeat(indent + line.length - line.trimStart().length), line.trimStart(), width),
    );
    const value = paint(top.slice(head.length));
    return [`${palette.faint(label)}${head.slice(label.length)}${value}`.trimEnd(), ...wrapped, ...below];
  });
  return streams.write(lines.map((line) => `${line}\n`).join(''));
}

export async function writeSections(streams: Streams, sections: readonly OverviewSection[]): Promise<void> {
  const { palette, width } = streams.style;
  const paints = { none: palette.faint, warning: palette.waiting, problem: palette.bad };
  await prepareWidths(sections.flatMap(({ lines }) => lines.map(({ text }) => safeCell(text))));
  const indent = ' '.repeat(GAP);
  const formatted = sections.map(({ title, lines }) => {
    const rows = lines.flatMap(({ text, command = '', state }) => {
      const paint = state === undefined ? (plain: string) => plain : paints[state];
      const wrapped = wrapText(indent, safeCell(text), width ?? Number.POSITIVE_INFINITY);
      const painted = wrapped.map((line) => indent + paint(line.slice(GAP)));
      // The commands, on a terminal alone.
      const isShown = command !== '' && width !== undefined;
      return isShown ? [...painted, indent + indent + palette.faint(command)] : painted;
    });
    return [palette.heading(safeCell(title)), ...rows].join('\n');
  });
  return streams.write(`${formatted.join('\n\n')}\n`);
}
