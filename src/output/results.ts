import type { Row } from '../api/page.ts';
import { isSecretKey } from '../http/redact.ts';
import type { PlannedRequest } from '../http/transport.ts';
import { isRecord } from '../json.ts';
import { collectFields, pickFields } from './cell.ts';
import {
  chooseColumns,
  expandNames,
  type NamedFields,
  removeEmptyColumns,
  resolveFieldNames,
  showView,
  stripSign,
} from './columns.ts';
import { writeDocument } from './formats/json.ts';
import {
  countResult,
  createResultFormatter,
  formatOutcomeCounts,
  formatPlannedRequest,
  type OutcomeCounts,
} from './formats/result-lines.ts';
import { writeColumnList } from './list.ts';
import type { Column, ListView } from './list-view.ts';
import type { Result, ResultsInfo } from './result.ts';
import { createFormatContext, type Streams } from './streams.ts';

const toColumns = (names: readonly string[]): readonly Column[] => names.map((field) => ({ field }));

/** Lists end with the id, a record begins with it. */
const withIdFirst = (columns: readonly Column[]): readonly Column[] => [
  ...columns.filter(({ field }) => field === 'id'),
  ...columns.filter(({ field }) => field !== 'id'),
];

/** `--columns` as fields. A read is refused for a name of nothing; after a write it is too late. */
const resolveColumns = async (
  streams: Streams,
  record: Row,
  columns: readonly Column[],
): Promise<readonly string[] | undefined> => {
  const { columns: names, documented = async () => [], isRead: isRefused, format } = streams.options;
  if (names === undefined || names.every((name) => Object.hasOwn(record, name))) return names;
  async function* page() {
    yield { rows: [record], total: 1 };
  }
  const requested = [{ flag: '--columns', names: names.map(stripSign) }];
  const { resolve, problem } = await resolveFieldNames(page(), { columns, documented }, requested);
  if (problem !== undefined && isRefused === true) throw problem;
  if (problem !== undefined) streams.warn(problem.message);
  const resolved = names.map((name) => name.slice(0, -stripSign(name).length) + resolve(stripSign(name)));
  const isRead = format.forPeople && columns.length > 0;
  return expandNames(isRead ? withIdFirst(columns) : toColumns(collectFields([record])), resolved);
};

/** One record: an object in JSON, lines for people, else a list of one. */
export const writeRecord = async (
  streams: Streams,
  record: Row,
  columns: readonly Column[],
): Promise<void> => {
  if (streams.options.listsColumns === true)
    return writeColumnList(streams, {
      noun: 'columns',
      columns,
      documented: async () => Object.keys(record),
    });
  if (streams.options.query !== undefined) {
    const { writeQueryResult } = await import('./answer.ts');
    return writeQueryResult(streams, record, (whole) => writeRecord(whole, record, columns), columns);
  }
  const { format } = streams.options;
  const names = await resolveColumns(streams, record, columns);
  if (format.shape === 'document')
    return writeDocument(names === undefined ? record : pickFields(record, names), streams);
  const chosen = chooseColumns(columns, names);
  const known = names === undefined ? removeEmptyColumns(withIdFirst(chosen), [record]) : chosen;
  if (format.forPeople) await Promise.all(known.map(({ load }) => load?.([record])));
  if (format.shape === 'screen') {
    const shown = known.length > 0 ? known : toColumns(collectFields([record]));
    const { formatRecordLines } = await import('./formats/record-lines.ts');
    return streams.write(await formatRecordLines(record, shown, streams.style));
  }
  const context = createFormatContext(streams, { noun: 'records', columns }, { columns: names });
  const writer = (await format.write())(context);
  await writer.rows([record]);
  return writer.end();
};

/** Results of a write of many targets, in the order given. */

interface ResultWriter {
  add(result: Result): Promise<void>;
  /** Also called when the run was cut short, with what there is. */
  end(): Promise<void>;
}

const RESULT_MEMBERS = [
  ...['target', 'status', 'operation', 'message', 'data', 'request', 'error'],
  ...['label', 'before', 'after'],
];

/** Those of commands whose results have warnings too. */
const listMembers = async ({ options }: Streams): Promise<readonly string[]> => {
  const documented = (await options.documented?.()) ?? [];
  return [...RESULT_MEMBERS, ...documented.filter((name) => /^warning(s|_messages)$/.test(name))];
};

const VIEW: ListView = { noun: 'targets', id: 'target', columns: toColumns(RESULT_MEMBERS) };

/** What people read of it: what a dry run would change, why it failed, what the service said. */
const formatMessage = ({ request, error, message, changes }: Row): unknown => {
  if (request !== undefined) return changes || formatPlannedRequest(request as PlannedRequest);
  return (error as Row | undefined)?.['message'] ?? message;
};

const formatWarnings = ({ warning_messages: texts }: Row) => (texts === null ? 'not checked' : texts);

const PEOPLE_VIEW: ListView = {
  ...VIEW,
  columns: [
    { field: 'target' },
    { field: 'label', sparse: true },
    { field: 'status', kind: 'state' },
    { field: 'message', show: formatMessage },
    { field: 'warnings', show: formatWarnings, sparse: true },
  ],
};

const createLinesWriter = (streams: Streams, about: ResultsInfo): ResultWriter => {
  const lines = createResultFormatter(streams.style, about);
  return {
    add: async (result) => {
      if (about.unsaid?.(result) !== true) await streams.write(await lines(result));
    },
    end: async () => {},
  };
};

/** Held back for the query; where that cannot be used, they are written as without it. */
const createQueryWriter = (streams: Streams, about: ResultsInfo): ResultWriter => {
  const collected: Result[] = [];
  const writeAll = async (context: Streams): Promise<void> => {
    const writer = await createWriter(context, about);
    for (const result of collected) await writer.add(result);
    return writer.end();
  };
  return {
    add: async (result) => void collected.push(result),
    end: async () => (await import('./answer.ts')).writeQueryResult(streams, collected, writeAll),
  };
};

/** As it should be, or it would be. */
const SUCCESSES: ReadonlySet<Result['status']> = new Set(['done', 'unchanged', 'planned']);

const createRowsWriter = async (streams: Streams, about: ResultsInfo): Promise<ResultWriter> => {
  const { format, columns: names } = streams.options;
  const isRead = format.forPeople;
  // Rows below a heading have all members, whatever the first result has.
  const members = format.shape === 'cells' && !isRead ? await listMembers(streams) : [];
  const shown =
    members.length > 0
      ? { view: VIEW, columns: expandNames(toColumns(members), names) ?? members, toShown: (row: Row) => row }
      : showView(isRead ? PEOPLE_VIEW : VIEW, names, format);
  const { view, columns, toShown } = shown;
  const writer = (await format.write())(createFormatContext(streams, view, { columns }));
  return {
    add: async (result) => {
      // An id that is printed is one to go on with.
      if (format.shape === 'id-lines' && !SUCCESSES.has(result.status)) return;
      const changes = isRead ? { changes: await about.changes?.(result) } : {};
      await writer.rows([toShown({ ...result, ...changes })]);
    },
    end: () => writer.end(),
  };
};

const createWriter = async (streams: Streams, about: ResultsInfo): Promise<ResultWriter> => {
  const { format, columns } = streams.options;
  if (streams.options.query !== undefined) return createQueryWriter(streams, about);
  if (format.shape === 'screen' && columns === undefined) return createLinesWriter(streams, about);
  return createRowsWriter(streams, about);
};

/** Results of runs are kept in files and logs: no invitation link, no token of a webhook is in them unless asked for. */
const maskSecrets = (result: Result): Result => {
  const { data } = result;
  if (!isRecord(data) || !Object.keys(data).some(isSecretKey)) return result;
  const masked = Object.entries(data).map(([name, value]) => [
    name,
    value != null && isSecretKey(name) ? '***' : value,
  ]);
  return { ...result, data: Object.fromEntries(masked) };
};

/**
 * Writes each result as it comes. The run that makes them is never stopped by its output: when nobody reads any
 * more, or the disk is full, the rest of the work is still done; a full disk is told after it.
 */
export const writeResults = async (
  streams: Streams,
  results: AsyncIterable<Result>,
  about: ResultsInfo,
): Promise<void> => {
  const writer = await createWriter(streams, about);
  const counts: OutcomeCounts = new Map();
  let outputError: unknown;
  const attempt = async (step: () => Promise<void>): Promise<void> => {
    if (outputError !== undefined) return;
    await step().catch((error: unknown) => {
      outputError = error;
    });
  };
  try {
    for await (const result of results) {
      countResult(counts, result);
      await attempt(() => writer.add(streams.options.showSecrets ? result : maskSecrets(result)));
    }
  } finally {
    await attempt(() => writer.end());
    const count = [...counts.values()].reduce((sum, one) => sum + one.count, 0);
    if (count > 1) streams.note(formatOutcomeCounts(counts));
  }
  if (outputError !== undefined) throw outputError;
};

/** What became of a single write: one object in JSON, else as in a run of one. */
export const writeResult = async (streams: Streams, result: Result, about: ResultsInfo): Promise<void> => {
  if (streams.options.query !== undefined || streams.options.format.shape === 'document')
    return writeRecord(streams, { ...result }, []);
  const writer = await createWriter(streams, { count: 1, ...about });
  await writer.add(result);
  return writer.end();
};

async function* yieldEmptyRow() {
  yield { rows: [{}], total: 1 };
}

/**
 * @param columns of the record that the service answers with; absent: results are the answer
 * @throws UsageError for names that no record and no result has
 */
export const checkNames = async (streams: Streams, columns?: readonly Column[]): Promise<void> => {
  const { options } = streams;
  const { columns: names = [], sort = [], query } = options;
  const requested: readonly NamedFields[] = [
    { flag: '--columns', names: query === undefined ? names.map(stripSign) : [] },
    { flag: '--sort', names: sort.map(({ field }) => field) },
  ];
  // A dry run, and an outcome that is not known, answer a result in place of the record.
  const documented = async () =>
    columns === undefined
      ? listMembers(streams)
      : [...((await options.documented?.()) ?? []), ...RESULT_MEMBERS];
  const { problem } = await resolveFieldNames(
    yieldEmptyRow(),
    { columns: columns ?? [], documented },
    requested,
  );
  if (problem !== undefined) throw problem;
};
