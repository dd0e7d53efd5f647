import type { Values } from '../api/plan.ts';
import type { Context } from '../context.ts';
import { EXIT, UsageError } from '../errors.ts';
import { stringifyJson } from '../json.ts';
import {
  type Change,
  type Changes,
  type Selection,
  toSingleChange,
  type Write,
  type WriteMany,
  type WriteOne,
} from './change.ts';
import type { InputRow } from './input/file.ts';
import type { SendResult } from './send-result.ts';

/**
 * How a write goes: select, describe, confirm, send, reconcile, report. Each is loaded when it is needed: help and reads
 * of the same noun need none of it.
 */

type Options = Readonly<Record<string, unknown>>;

export const wantsExitCode = ({ settings }: Context, { exitCode }: Options): boolean => {
  if (exitCode !== true) return false;
  if (settings.dryRun.value) return true;
  throw new UsageError('--exit-code can only be used with --dry-run', {
    hint: 'The exit code of a write says whether it succeeded.',
  });
};

/** Before anything is selected, asked or written down. @throws UsageError for a profile that allows no writes */
export const checkWritable = ({ settings, refuseWrite }: Context): void => {
  if (settings.readOnly.value && !settings.dryRun.value) refuseWrite();
};

/** Makes the call, and says once what is odd about its values. */
const withRemarks = <V>({ output }: Context, { call, remark }: Write<V>): Write<V>['call'] => {
  if (remark === undefined) return call;
  const warned = new Set<string>();
  return (id, values) => {
    const odd = remark(values);
    if (odd !== undefined && !warned.has(odd)) output.warn(odd);
    if (odd !== undefined) warned.add(odd);
    return call(id, values);
  };
};

export const writeChanges = async (context: Context, changes: Changes): Promise<void> =>
  (await import('./run.ts')).runChanges(context, changes);

const confirmSelection = async <V>(
  context: Context,
  work: Write<V>,
  selection: Selection,
  options: Options,
): Promise<Pick<Changes, 'changes' | 'input' | 'knownResults' | 'confirmed' | 'warnings'>> => {
  const { confirmChanges, noteWarnings } = await import('./confirm.ts');
  const { changes, input, repeatWarning, knownResults, noneMessage: none } = selection;
  const confirmed = await confirmChanges(context, work, selection, options);
  if (changes.length === 0) context.output.note(none);
  // A person is told once: in the question, or here. Who sends the same file every night knows.
  if (repeatWarning !== undefined && !confirmed && context.prompter.available)
    context.output.warn(repeatWarning);
  const warnings = context.settings.dryRun.value ? await noteWarnings(context, work, selection) : undefined;
  return { changes, input, knownResults, confirmed, warnings };
};

/** @throws UsageError for what says twice which targets are meant */
const checkAlone = <V>({ targets }: WriteMany<V>, options: Options): void => {
  if (options.all === true) throw new UsageError('--from-file cannot be used with --all');
  if (targets.length > 0) throw new UsageError('--from-file cannot be used with named targets');
};

/**
 * Carries out a write over targets: all are checked before the first request, then confirmed, then sent, and a
 * result is printed for each in the order given.
 * @param options `all` and `maxChanges` as commander parsed them
 * @throws as `writeChanges`
 */
export const writeMany = async <V>(context: Context, options: Options, work: WriteMany<V>): Promise<void> => {
  const exitCode = wantsExitCode(context, options);
  checkWritable(context);
  await context.output.checkNames();
  const select = async (): Promise<Selection> => {
    if (options.fromFile === undefined) {
      const { selectTargets } = await import('./select.ts');
      return selectTargets(context, work, options.all === true);
    }
    checkAlone(work, options);
    const { selectRows } = await import('./input/select-rows.ts');
    // The same id with other values is another write: a viewer on another project.
    return selectRows(context, work, {
      options,
      same: (row) => stringifyJson([row.id, row.values()]),
    });
  };
  const { verb, noun, next, formatSummary, hint } = work;
  const run = await confirmSelection(context, work, await select(), options);
  const skipMissing = options.skipMissing === true;
  await writeChanges(context, { verb, noun, next, formatSummary, hint, exitCode, skipMissing, ...run });
};

const writeRows = async <V>(context: Context, given: WriteOne<V>, options: Options): Promise<void> => {
  const { verb, noun, record, target, once } = given;
  if (record?.given !== undefined) {
    throw new UsageError(`--from-file cannot be used with a named ${record.name}`);
  }
  const work = { ...given, call: withRemarks(context, given) };
  const getName = (row: InputRow) => target?.(row.values() as V)?.toLowerCase();
  const getOnceKey = record === undefined ? getName : (row: InputRow) => row.id;
  const { selectRows } = await import('./input/select-rows.ts');
  const selection = await selectRows(context, work, {
    options,
    isUpdate: record !== undefined,
    name: target,
    once: record !== undefined || once === true ? getOnceKey : undefined,
  });
  const exitCode = wantsExitCode(context, options);
  const run = await confirmSelection(context, work, selection, options);
  const [skipMissing, ifMissing] = [options.skipMissing === true, options.ifMissing === true];
  await writeChanges(context, { verb, noun, exitCode, skipMissing, ifMissing, ...run });
};

const resolveRecordId = async <V>({ record, resolve, findId }: WriteOne<V>): Promise<string> => {
  if (record === undefined) return '';
  const { given, name } = record;
  if (given === undefined) throw new UsageError(`missing <${name}>`, { code: 'missing_value' });
  const id = (await resolve?.(given)) ?? given;
  return findId?.(id) ?? id;
};

/** What is there already of the like that a creation would make, whole; undefined where nothing is. */
const findKnownResult = async (
  { api }: Context,
  change: Pick<Change, 'target' | 'call'>,
): Promise<SendResult | undefined> => {
  const { createAlikeResult, findLikes, readLike } = await import('./if-missing.ts');
  const row = (await findLikes(api, [change.call]))(change.call);
  return row && createAlikeResult(change, await readLike(api, change.call, row));
};

/**
 * Sends one write and prints its record or its result; with `--from-file` a write for each row.
 * @param options `maxChanges` as commander parsed it
 * @throws the failure, after a result of an unknown outcome has been printed; as `writeChanges` for a file
 */
export const writeOne = async <V>(context: Context, options: Options, work: WriteOne<V>): Promise<void> => {
  const { noun, columns } = work;
  wantsExitCode(context, options);
  checkWritable(context);
  await context.output.checkNames(options.fromFile === undefined ? columns : undefined);
  const write = () => (options.fromFile === undefined ? writeSingle : writeRows)(context, work, options);
  if (options.ifMissing !== true || context.settings.dryRun.value) return write();
  // Two that look at the same time would both find that it is missing.
  const workspace = await context.knownWorkspaceId();
  await (await context.jobs()).inTurn(`${noun[0]} ${workspace}`, write);
};

const writeSingle = async <V>(context: Context, work: WriteOne<V>, options: Options): Promise<void> => {
  const { values, record, noun } = work;
  const exitCode = wantsExitCode(context, options);
  const { checkCount } = await import('./confirm.ts');
  checkCount(work, 1, options);
  const id = await resolveRecordId(work);
  const target = record?.given ?? work.target?.(values) ?? `new ${noun[0]}`;
  const call = withRemarks(context, work)(id, values);
  call.check(work.resolve === undefined ? 'written' : undefined);
  await call.requireWorkspace();
  const change = toSingleChange(call, target, values as Values);
  const known = options.ifMissing === true ? await findKnownResult(context, change) : undefined;
  if (context.settings.plan !== undefined) {
    const { verb } = work;
    return writeChanges(context, {
      verb,
      noun,
      exitCode,
      changes: [change],
      ...(known && { knownResults: new Map([[0, known]]) }),
    });
  }
  const { reportOne } = await import('./report.ts');
  if (known !== undefined) return reportOne(context, work, change, known);
  const [{ createLazyLook, withLabel }, { sendSingle }] = await Promise.all([
    import('./send.ts'),
    import('./send-single.ts'),
  ]);
  const dryRun = context.settings.dryRun.value;
  const look = createLazyLook(context, [call]);
  const takesAlike = options.ifMissing === true;
  const sent = await sendSingle(context, work, change, {
    look: (anew) => look(change, anew),
    dryRun,
    takesAlike,
  });
  await reportOne(context, work, change, await withLabel(context, change, sent));
  if (exitCode && sent.result.status === 'planned') context.exit(EXIT.found);
};
