import type { Call } from '../api/client.ts';
import type { Row } from '../api/page.ts';
import type { Column, Context, Sheet, SheetRow, TargetResult } from '../context.ts';
import { type Failure, failureJson, UsageError } from '../outcome.ts';
import { changedText } from './changed.ts';
import { permit } from './permit.ts';
import { ended, tellUnprinted, unprinted } from './unprinted.ts';

/** The record that is changed. */
interface Changed {
  /** As the command line calls it: `member`. */
  readonly name: string;
  /** As the person wrote it. */
  readonly given: string | undefined;
  /** A name or e-mail address to an id. */
  readonly find?: (text: string) => Promise<string>;
}

/** A `create`, `invite`, `update`: one without a question, or a row of `--from-file` each. */
export interface One<V> {
  /** Imperative and past: `['create', 'created']`. */
  readonly verb: readonly [string, string];
  /** One and many: `['task', 'tasks']`. */
  readonly noun: readonly [string, string];
  /** Values of the flags. A row of `--from-file` has its own. */
  readonly values: V;
  /** Absent where a new one is made. */
  readonly record?: Changed;
  /** @param id of the record that is changed */
  readonly call: (values: V, id: string) => Call;
  /** What is odd about values that can be sent: a person may have meant others. */
  readonly remark?: (values: V) => string | undefined;
  /** What the result calls a new record; absent: its kind, or its row. */
  readonly target?: (values: V) => string | undefined;
  /** Whether two rows for the same target are a mistake in the file. */
  readonly once?: true;
  /** Of the record that the service answers with. Absent: the result itself is the answer. */
  readonly columns?: readonly Column[];
  /** The next useful command, for a person at a terminal, after one is done. */
  readonly hint?: (data: Row) => string;
}

type Options = Readonly<Record<string, unknown>>;

/** Makes the call, and says once what is odd about its values. */
const callFor = <V>({ output }: Context, { call, remark }: One<V>): One<V>['call'] => {
  const told = new Set<string>();
  return (values, id) => {
    const odd = remark?.(values);
    if (odd !== undefined && !told.has(odd)) output.warn(odd);
    if (odd !== undefined) told.add(odd);
    return call(values, id);
  };
};

const many = async <V>(context: Context, sheet: Sheet, work: One<V>, options: Options): Promise<void> => {
  const { verb, noun, record, target, once } = work;
  const call = callFor(context, work);
  if (record?.given !== undefined) {
    throw new UsageError(`--from-file and a named ${record.name} exclude each other`);
  }
  const named = (row: SheetRow) => target?.(row.values() as V)?.toLowerCase();
  const onceBy = record === undefined ? named : (row: SheetRow) => row.id;
  const { runSheet } = await import('./input/work.ts');
  const rows = {
    verb,
    noun,
    asks: false,
    resolve: record?.find,
    call: (id: string, values: V) => call(values, id),
    name: target,
    once: record !== undefined || once === true ? onceBy : undefined,
  };
  await runSheet(context, sheet, rows, options);
};

const idOf = async (record: Changed | undefined): Promise<string> => {
  if (record === undefined) return '';
  const { given, name, find } = record;
  if (given === undefined) throw new UsageError(`missing <${name}>`, { code: 'missing_value' });
  return (await find?.(given)) ?? given;
};

/** What was done, for the case that it could not be printed. */
const writtenOf = async <V>({ noun, verb }: One<V>, call: Call, { target, data }: TargetResult) => {
  const [{ lookLine }, { createdId }] = await Promise.all([import('./doubt.ts'), import('./not-saved.ts')]);
  const created = createdId(call, [data as Row | null | undefined]);
  const text = `${noun[0]} ${created ?? target} ${verb[1]}`;
  return { text, look: lookLine(call, target, created), details: created === undefined ? {} : { created } };
};

const answer = async <V>(context: Context, work: One<V>, call: Call, result: TargetResult): Promise<void> => {
  const { columns, hint, record, values } = work;
  const { output } = context;
  const data = result.data as Row | null | undefined;
  const print = async (): Promise<void> => {
    if (columns !== undefined && result.status === 'done' && data != null)
      return output.record(data, columns);
    const said = record === undefined ? undefined : await changedText(output, call.operation, values);
    return output.result(result, said === undefined ? {} : { changes: said });
  };
  if (result.status === 'planned') return print();
  const lost = await unprinted(print());
  if (hint !== undefined && result.status === 'done') output.hint(hint(data ?? {}));
  if (lost !== undefined) tellUnprinted(context, lost, await writtenOf(work, call, result));
};

/**
 * Of a creation whose answer was lost: the record is what was promised. Where the service's records do not show
 * which one it is, the outcome stays unknown.
 */
const afterLoss = async <V>(
  context: Context,
  work: One<V>,
  call: Call,
  result: TargetResult,
  lost: Failure,
): Promise<void> => {
  const creates = work.record === undefined && work.columns !== undefined;
  if (creates && result.data == null) {
    const unknown: TargetResult = { ...result, status: 'unknown', error: failureJson(lost) };
    throw ended(context, lost, await unprinted(context.output.result(unknown)));
  }
  if (creates) context.output.note(result.message ?? '');
  await answer(context, work, call, result);
};

/**
 * Sends one write and prints its record or its result; with `--from-file` a write for each row.
 * @param options `maxChanges` as commander parsed it
 * @throws the failure, after a result of an unknown outcome has been printed; as `runRows` for a file
 */
export const one = async <V>(context: Context, work: One<V>, options: Options): Promise<void> => {
  const { values, record, verb, noun, columns } = work;
  await context.output.checkNames(context.sheet === undefined ? columns : undefined);
  if (context.sheet !== undefined) return many(context, context.sheet, work, options);
  const permission = { verb, noun, asks: false, facts: [], count: 1, first: undefined, words: () => [] };
  await permit(context, permission, options);
  const call = callFor(context, work)(values, await idOf(record));
  call.check(record?.find === undefined ? 'written' : undefined);
  await call.ready();
  const target = record?.given ?? work.target?.(values) ?? `new ${noun[0]}`;
  const { sendWatched } = await import('./send-watched.ts');
  const { result, failure, lost } = await sendWatched(context, call, target);
  if (failure !== undefined) {
    // What was made or changed is there, though not as it was meant: people and scripts need to know which.
    if (result.status !== 'unknown' && failure.code !== 'not_saved') throw failure;
    throw ended(context, failure, await unprinted(context.output.result(result)));
  }
  if (lost !== undefined) return afterLoss(context, work, call, result, lost);
  await answer(context, work, call, result);
};
