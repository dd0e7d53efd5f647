import type { Row } from '../api/page.ts';
import type { ResultsInfo, TargetResult } from '../context.ts';
import type { PlannedRequest } from '../http/transport.ts';
import { RESULT_MEMBERS } from './check-names.ts';
import { countResult, formatOutcomeCounts, type OutcomeCounts } from './formats/result-counts.ts';
import { createResultFormatter, formatPlannedRequest } from './formats/result-lines.ts';
import type { ListView } from './list-view.ts';
import type { OutputContext } from './output-context.ts';
import { writeRecord } from './record.ts';

/** Results of a write of many targets, in the order given. */

interface ResultWriter {
  add(result: TargetResult): Promise<void>;
  /** Also called when the run was cut short, with what there is. */
  end(): Promise<void>;
}

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
