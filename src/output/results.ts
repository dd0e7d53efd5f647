import { type Row, toPages } from '../api/page.ts';
import { isSecretKey } from '../http/redact.ts';
import type { PlannedRequest } from '../http/transport.ts';
import { isRecord } from '../json.ts';
import { isOpaqueId } from './cell.ts';
import { resolveFields, showView } from './columns.ts';
import type { Column, ListView } from './list-view.ts';
import { safeCell, safeJson } from './safe-text.ts';
import type { Streams } from './streams.ts';
import {
  GAP,
  prepareWidths,
  splitAddress,
  splitWords,
  type TextPiece,
  textWidth,
  wrapPieces,
} from './terminal.ts';

/** What has become of a write. */
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
  /** How many different targets there are. Of one alone, the error that ends the run tells why it failed. */
  readonly count?: number;
  /** What a write changes, in words: `hours a week: 40 → 32`. */
  readonly changes?: (result: Result) => Promise<string>;
  /** Whether people are shown the request of a dry run beside what it changes. */
  readonly requests?: boolean;
  /** What stands in the summary alone: rows that were not begun when the run ended. */
  readonly unsaid?: (result: Result) => boolean;
}

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
  const rows = isLines ? undefined : await openRows(streams, about, keepsSecrets);
  const layout: LinesLayout = { about, hints: new Set(), targetWidth: 0 };
  /** How often what has become of a target. */
  const counts = new Map<string, { readonly status: Result['status']; count: number }>();
  let outputError: unknown;
  try {
    for await (const result of results) {
      const outcome = describeOutcome(result);
      const counted = counts.get(outcome) ?? { status: result.status, count: 0 };
      counted.count += 1;
      counts.set(outcome, counted);
      if (outputError !== undefined) continue;
      try {
        await rows?.add(result);
        if (isLines && about.unsaid?.(result) !== true)
          await streams.write(await formatResult(result, outcome, layout, streams.style));
      } catch (error) {
        outputError = error;
      }
    }
  } finally {
    // Also when the run was cut short, with what there is.
    try {
      await rows?.end();
    } catch (error) {
      outputError ??= error;
    }
    // The failures last: `2 approved, 1 failed`.
    const order = ['done', 'planned', 'unchanged', 'skipped', 'unknown', 'failed'];
    const words = [...counts].sort(([, a], [, b]) => order.indexOf(a.status) - order.indexOf(b.status));
    if (words.reduce((sum, [, one]) => sum + one.count, 0) > 1)
      streams.note(words.map(([word, one]) => `${one.count} ${word}`).join(', '));
  }
  if (outputError !== undefined) throw outputError;
}

/** Results of runs are kept in files and logs: no invitation link, no token of a webhook is in them unless asked for. */
function maskSecrets(result: Result): Result {
  const { data } = result;
  if (!isRecord(data) || !Object.keys(data).some(isSecretKey)) return result;
  const masked = Object.entries(data).map(([name, value]) => [
    name,
    isSecretKey(name) ? value && '***' : value,
  ]);
  return { ...result, data: Object.fromEntries(masked) };
}

/** What has become of it in one word: `approved`, `failed`; `timesheets.submit` is `submitted`. */
function describeOutcome({ status, operation }: Result): string {
  if (status !== 'done') return status;
  const verb = operation.split('.').at(-1) ?? operation;
  if (verb.endsWith('e')) return `${verb}d`;
  return /(submit|stop)$/.test(verb) ? `${verb}${verb.slice(-1)}ed` : `${verb}ed`;
}

interface ResultRows {
  add(result: Result): Promise<void>;
  end(): Promise<void>;
}

async function openRows(streams: Streams, about: ResultsInfo, keepsSecrets: boolean): Promise<ResultRows> {
  const { format, columns: names, query } = streams.options;
  if (query !== undefined) {
    // Held back for it; where it cannot be used, they are written as without it.
    const held: Result[] = [];
    const { writeQueryResult } = await import('./records.ts');
    return {
      add: async (result) => void held.push(keepsSecrets ? result : maskSecrets(result)),
      end: () => writeQueryResult(streams, held),
    };
  }
  // Rows below a heading have all members, whatever the first result has.
  const isSheet = format.shape === 'cells' && !format.forPeople;
  const all = isSheet ? { ...VIEW, cells: await listMembers(streams) } : VIEW;
  const { view, columns, toShown } = showView(format.forPeople ? PEOPLE_VIEW : all, names, format);
  const writer = await streams.openWriter(view, { columns });
  return {
    add: async (result) => {
      // An id that is printed is one to go on with.
      if (format.shape === 'id-lines' && !SUCCESSES.includes(result.status)) return;
      const changes = format.forPeople ? { changes: await about.changes?.(result) } : {};
      await writer.rows([toShown({ ...(keepsSecrets ? result : maskSecrets(result)), ...changes })]);
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

const VIEW: ListView = { noun: 'targets', id: 'target', columns: RESULT_MEMBERS.map((field) => ({ field })) };

const PEOPLE_VIEW: ListView = {
  ...VIEW,
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
          : changes ||
            splitRequest(request as PlannedRequest)
              .map(({ text }) => text)
              .join(' '),
    },
    {
      field: 'warnings',
      show: ({ warning_messages: texts }) => (texts === null ? 'not checked' : texts),
      sparse: true,
    },
  ],
};

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
  const { problem } = await resolveFields(toPages([{}]), columns ?? [], documented, named);
  if (problem !== undefined) throw problem;
}

type Paint = 'good' | 'bad' | 'waiting' | 'faint';

const GLYPHS: Readonly<Record<Result['status'], readonly [unicode: string, ascii: string, paint: Paint]>> = {
  done: ['✓', '+', 'good'],
  unchanged: ['=', '=', 'faint'],
  failed: ['✗', 'x', 'bad'],
  unknown: ['?', '?', 'waiting'],
  skipped: ['–', '-', 'faint'],
  planned: ['→', '>', 'faint'],
};

/** Of what stands below a line, or goes on from it; half of that on a narrow terminal. */
const INDENT = 4;
const NARROW = 60;

/** What the lines of results have in common. */
interface LinesLayout {
  readonly about: ResultsInfo;
  /** A hint that was given is not given again, nor for another target. */
  readonly hints: Set<string>;
  /** Of the widest target so far. */
  targetWidth: number;
}

/** What became of a target, for people: one line, the service's reasons below. */
async function formatResult(
  result: Result,
  outcome: string,
  layout: LinesLayout,
  style: Streams['style'],
): Promise<string> {
  const { about, hints } = layout;
  const { status, error, request } = result;
  const [unicode, ascii, paint] = GLYPHS[status];
  const sign = style.unicode ? unicode : ascii;
  const changes = safeCell((await about.changes?.(result)) ?? '');
  // What follows the sign stands next to it.
  const pieces = splitResult(result, outcome, changes, layout).map((piece, i) =>
    i === 0 ? { ...piece, gap: 1 } : piece,
  );
  const below: (readonly TextPiece[])[] = [];
  if (about.requests === true && changes !== '' && status === 'planned' && request !== undefined)
    below.push(splitRequest(request));
  // Where there is one target, the error that ends the run follows on stderr.
  if (error !== undefined && (about.count !== 1 || status === 'skipped')) {
    const { message: _message, hint, ...details } = error;
    const { formatDetails } = await import('./errors.ts');
    for (const text of formatDetails(details)) below.push(splitWords(text, 0));
    const advice = typeof hint === 'string' ? hint.replaceAll(result.target, '') : '';
    if (typeof hint === 'string' && !hints.has(advice)) below.push(splitWords(`hint: ${safeCell(hint)}`, 0));
    hints.add(advice);
  }
  await prepareWidths([...pieces, ...below.flat()].map(({ text }) => text));
  const width = style.width ?? Number.POSITIVE_INFINITY;
  const taken = pieces.reduce((sum, { text, gap = 1 }) => sum + gap + textWidth(text), sign.length);
  // An id that says nothing to people is left out where there is no room for it.
  const shown = pieces.filter(({ isId }) => isId !== true || taken <= width);
  const indent = width < NARROW ? INDENT / 2 : INDENT;
  const [top = sign, ...wrapped] = wrapPieces(sign, shown, { width, indent });
  const details = below.flatMap((detail) =>
    wrapPieces(' '.repeat(INDENT), detail, { width, indent: INDENT + 2 }),
  );
  const lines = [style.palette[paint](sign) + top.slice(sign.length), ...wrapped, ...details];
  return lines.map((text) => `${text}\n`).join('');
}

type LinePiece = TextPiece & { readonly isId?: true };

/**
 * What names the target, what became of it, and why, in the order in which it is read. Of a planned write what it
 * changes stands in place of what became of it, or the request where that is not known.
 */
function splitResult(
  { target: id, status, label = '', message, data, error, request, before }: Result,
  outcome: string,
  changes: string,
  layout: LinesLayout,
): readonly LinePiece[] {
  const planned = status === 'planned' ? request : undefined;
  const target = safeCell(id);
  layout.targetWidth = Math.max(layout.targetWidth, target.length);
  // What is new has no other fields than those that are sent.
  const hasLabel = label !== '' && (changes === '' || (planned !== undefined && before !== undefined));
  // That a thing was done is not said twice; how it came to be known is. The error that ends a run says why it failed.
  const isFailure = status === 'failed' || status === 'unknown';
  const isSaid = status === 'done' ? data !== undefined : isFailure && layout.about.count === 1;
  const why = error?.['message'] ?? message;
  const reason = typeof why !== 'string' || isSaid ? '' : why;
  const texts = [
    ...(hasLabel && isOpaqueId(id) ? [] : [target.padEnd(layout.targetWidth)]),
    ...(planned === undefined ? [outcome] : []),
    ...(hasLabel ? safeCell(label).split(/ {2,}/) : []),
  ].filter((text) => text !== '');
  const sent = planned === undefined || changes !== '' ? [] : splitRequest(planned);
  return [
    ...texts.map((text) => ({ text, gap: GAP, seams: splitAnywhere })),
    ...(changes === '' ? sent : splitWords(changes, GAP)),
    ...(reason === '' ? [] : splitWords(safeCell(reason), GAP)),
    ...(hasLabel && isOpaqueId(id) && planned === undefined && reason === ''
      ? [{ text: target, gap: GAP, isId: true as const }]
      : []),
  ];
}

/** `would PUT /timesheets/8c1f/approve?workspace_id=7 {"workspace_id":7}` */
function splitRequest({ method, path, query, body }: PlannedRequest): readonly TextPiece[] {
  const pairs = Object.entries(query).map(([name, value]) => `${name}=${value}`);
  const address = pairs.length > 0 ? `${path}?${pairs.join('&')}` : path;
  // JSON breaks behind a comma between members; a long text in it between its words.
  const splitJson = (json: string) => json.match(/(?:"(?:[^"\\]|\\.)*"?|[^",])+,?|,/g) ?? [json];
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
