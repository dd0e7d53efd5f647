import type { Row } from '../api/page.ts';
import type { ResultsInfo, TargetResult } from '../context.ts';
import type { PlannedRequest } from '../http/transport.ts';
import { collectFields, pickFields } from './cell.ts';
import { chooseColumns, type NamedFields, removeEmptyColumns, resolveFieldNames } from './columns.ts';
import { writeDocument } from './formats/json.ts';
import {
  countResult,
  createResultFormatter,
  formatOutcomeCounts,
  formatPlannedRequest,
  type OutcomeCounts,
} from './formats/result-lines.ts';
import type { Column, ListView } from './list-view.ts';
import type { OutputContext } from './output-context.ts';

/** `--columns` as fields. A read is refused for a name of nothing; after a write it is too late. */
const namesFor = async (
  { options, warn }: OutputContext,
  record: Row,
  columns: readonly Column[],
): Promise<readonly string[] | undefined> => {
  const { columns: names, documented = async () => [], reads } = options;
  if (names === undefined || names.every((name) => Object.hasOwn(record, name))) return names;
  async function* page() {
    yield { rows: [record], total: 1 };
  }
  const named = [{ flag: '--columns', names }];
  const { meant, problem } = await resolveFieldNames(page(), { columns, documented }, named);
  if (problem !== undefined && reads === true) throw problem;
  if (problem !== undefined) warn(problem.message);
  return names.map(meant);
};

/** One record: an object in JSON, lines for people, else a list of one. */
export const writeRecord = async (
  service: OutputContext,
  record: Row,
  columns: readonly Column[],
): Promise<void> => {
  if (service.query !== undefined) {
    const { writeQueryResult } = await import('./query-result.ts');
    return writeQueryResult(service, record, (whole) => writeRecord(whole, record, columns), columns);
  }
  const { format } = service.options;
  const names = await namesFor(service, record, columns);
  if (format.shape === 'document')
    return writeDocument(names === undefined ? record : pickFields(record, names), service.write);
  const context = { ...service.context({ noun: 'records', columns }), columns: names };
  const chosen = chooseColumns(columns, names);
  const known = names === undefined ? removeEmptyColumns(chosen, [record]) : chosen;
  if (format.forPeople) await Promise.all(known.map(({ load }) => load?.([record])));
  if (format.shape === 'screen') {
    const shown = known.length > 0 ? known : collectFields([record]).map((field) => ({ field }));
    const { formatRecordLines } = await import('./formats/record-lines.ts');
    return service.write(await formatRecordLines(record, shown, context.style));
  }
  const writer = (await format.write())(context);
  await writer.rows([record]);
  return writer.end();
};

/** Results of a write of many targets, in the order given. */

interface ResultWriter {
  add(result: TargetResult): Promise<void>;
  /** Also called when the run was cut short, with what there is. */
  end(): Promise<void>;
}

/** The members of a result, in the order in which they are printed. */
const RESULT_MEMBERS = ['target', 'status', 'operation', 'message', 'data', 'request', 'error'];

const VIEW: ListView = { noun: 'targets', id: 'target', columns: RESULT_MEMBERS.map((field) => ({ field })) };

/** What people read of it: the request that a dry run would send, why it failed, what the service said. */
const saidOf = ({ request, error, message }: Row): unknown =>
  request === undefined
    ? ((error as Row | undefined)?.['message'] ?? message)
    : formatPlannedRequest(request as PlannedRequest);

const HUMAN: ListView = {
  ...VIEW,
  columns: [{ field: 'target' }, { field: 'status', kind: 'state' }, { field: 'message', show: saidOf }],
};

const linesWriter = (service: OutputContext, about: ResultsInfo): ResultWriter => {
  const lines = createResultFormatter(service.context(VIEW).style, about);
  return {
    add: async (result) => {
      if (about.unsaid?.(result) !== true) await service.write(await lines(result));
    },
    end: async () => {},
  };
};

/** Held back for the query; where that cannot be used, they are written as without it. */
const queriedWriter = (service: OutputContext, about: ResultsInfo): ResultWriter => {
  const held: TargetResult[] = [];
  const whole = async (plain: OutputContext): Promise<void> => {
    const writer = await writerFor(plain, about);
    for (const result of held) await writer.add(result);
    return writer.end();
  };
  return {
    add: async (result) => void held.push(result),
    end: async () => (await import('./query-result.ts')).writeQueryResult(service, held, whole),
  };
};

const rowsWriter = async (service: OutputContext): Promise<ResultWriter> => {
  const { format, columns } = service.options;
  const names = columns ?? (format.shape === 'cells' && !format.forPeople ? RESULT_MEMBERS : undefined);
  const context = {
    ...service.context(format.shape === 'cells' && format.forPeople ? HUMAN : VIEW),
    columns: names,
  };
  const writer = (await format.write())(context);
  return {
    add: async (result) => {
      // An id that is printed is one to go on with.
      if (format.shape === 'id-lines' && result.status !== 'done' && result.status !== 'planned') return;
      await writer.rows([{ ...result }]);
    },
    end: () => writer.end(),
  };
};

const writerFor = async (service: OutputContext, about: ResultsInfo): Promise<ResultWriter> => {
  const { format, columns } = service.options;
  if (service.query !== undefined) return queriedWriter(service, about);
  if (format.shape === 'screen' && columns === undefined) return linesWriter(service, about);
  return rowsWriter(service);
};

/**
 * Writes each result as it comes. The run that makes them is never stopped by its output: when nobody reads any
 * more, or the disk is full, the rest of the work is still done; a full disk is told after it.
 */
export const writeResults = async (
  service: OutputContext,
  results: AsyncIterable<TargetResult>,
  about: ResultsInfo,
): Promise<void> => {
  const writer = await writerFor(service, about);
  const counts: OutcomeCounts = new Map();
  let broken: unknown;
  const attempt = async (step: () => Promise<void>): Promise<void> => {
    if (broken !== undefined) return;
    await step().catch((error: unknown) => {
      broken = error;
    });
  };
  try {
    for await (const result of results) {
      countResult(counts, result);
      await attempt(() => writer.add(result));
    }
  } finally {
    await attempt(() => writer.end());
    const count = [...counts.values()].reduce((sum, one) => sum + one.count, 0);
    if (count > 1) service.note(formatOutcomeCounts(counts));
  }
  if (broken !== undefined) throw broken;
};

/** What became of a single write: one object in JSON, else as in a run of one. */
export const writeResult = async (
  service: OutputContext,
  result: TargetResult,
  about: ResultsInfo,
): Promise<void> => {
  if (service.query !== undefined || service.options.format.shape === 'document')
    return writeRecord(service, { ...result }, []);
  const writer = await writerFor(service, { count: 1, ...about });
  await writer.add(result);
  return writer.end();
};

/** One that says nothing of what others have. */
async function* unknownRow() {
  yield { rows: [{}], total: 1 };
}

/**
 * @param columns of the record that the service answers with; absent: results are the answer
 * @throws UsageError for names that no record and no result has
 */
export const checkNames = async (
  { options, query }: OutputContext,
  columns?: readonly Column[],
): Promise<void> => {
  const { columns: names = [], sort = [] } = options;
  const named: readonly NamedFields[] = [
    // After a query they are of its answer.
    { flag: '--columns', names: query === undefined ? names : [] },
    { flag: '--sort', names: sort.map(({ field }) => field) },
  ];
  // A dry run, and an outcome that is not known, answer a result in place of the record.
  const documented = async () =>
    columns === undefined ? RESULT_MEMBERS : [...((await options.documented?.()) ?? []), ...RESULT_MEMBERS];
  const { problem } = await resolveFieldNames(unknownRow(), { columns: columns ?? [], documented }, named);
  if (problem !== undefined) throw problem;
};
