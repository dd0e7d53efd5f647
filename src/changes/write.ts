import type { ApiCall } from '../api/client.ts';
import { Cancelled, UsageError } from '../errors.ts';
import type { Run } from '../run.ts';
import type { Change, Changes, RunWords, Selection, SendResult, Write } from './change.ts';
import { confirmChanges, noteWarnings } from './confirm.ts';
import { closeJob, createJobExitNotice } from './jobs.ts';
import { createHead, createJobLog, createSingleLog, formatRunStart } from './log.ts';
import { countLooks } from './look.ts';
import { formatInspectLine } from './proof.ts';
import { type RunReport, reportOne, reportRun } from './report.ts';
import { selectChanges } from './select.ts';
import { CircuitBreaker, NAMED_TWICE, type SendAllOptions, sendAll } from './send.ts';
import { keepsHistory, openRuns } from './store.ts';

/**
 * The one path that writes, for one record and for a thousand: what is meant is selected, confirmed, written down, sent,
 * and reported.
 */

type Options = Readonly<Record<string, unknown>>;

/**
 * Carries out a write: all that it means is checked before the first request, then confirmed, then sent; the record or
 * a result is printed for one, and a result for each of several in the order given.
 * @param options `fromFile`, `all`, `ifMissing`, `skipMissing`, `exitCode` and `maxChanges` as commander parsed them
 * @throws as `writeChanges`
 */
export async function write(run: Run, options: Options, given: Write): Promise<void> {
  const { settings, output } = run;
  const exitCode = wantsExitCode(run, options);
  checkWritable(run);
  const isSingle = given.targets === undefined && options.fromFile === undefined;
  await output.checkNames(isSingle ? given.columns : undefined);
  const { verb, noun, next, formatSummary, hint } = given;
  const work = { ...given, call: withRemarks(run, given) };
  const ifMissing = options.ifMissing === true;
  const selectAndWrite = async (): Promise<void> => {
    const selection = await select(run, work, options);
    const { changes, input, knownResults, repeatWarning, noneMessage } = selection;
    const confirmed = await confirmChanges(run, work, selection, options);
    if (changes.length === 0) output.note(noneMessage);
    // A person is told once: in the question, or here. Who sends the same file every night knows.
    if (repeatWarning !== undefined && !confirmed && run.prompter.available) output.warn(repeatWarning);
    const warnings = settings.dryRun.value ? await noteWarnings(run, work, selection) : undefined;
    const skipMissing = options.skipMissing === true;
    await writeChanges(run, {
      ...{ verb, noun, next, formatSummary, hint, exitCode, skipMissing, ifMissing, confirmed, warnings },
      ...{ changes, input, knownResults, single: isSingle ? given : undefined },
    });
  };
  await (ifMissing ? makeInTurn(run, noun, selectAndWrite) : selectAndWrite());
}

/** Two that look at the same time would both find that a record is missing, and make it. */
export async function makeInTurn(
  run: Run,
  [noun]: RunWords['noun'],
  work: () => Promise<void>,
): Promise<void> {
  if (run.settings.dryRun.value) return work();
  await openRuns(run).inTurn(`${noun} ${await run.knownWorkspaceId()}`, work);
}

async function select(run: Run, work: Write, options: Options): Promise<Selection> {
  if (options.fromFile === undefined) return selectChanges(run, work, options);
  const { selectRows } = await import('./input/select-rows.ts');
  return selectRows(run, work, options);
}

/** @throws UsageError where nothing is only planned */
export function wantsExitCode({ settings }: Run, { exitCode }: Options): boolean {
  if (exitCode !== true) return false;
  if (settings.dryRun.value) return true;
  throw new UsageError('--exit-code can only be used with --dry-run', {
    hint: 'The exit code of a write says whether it succeeded.',
  });
}

/** Before anything is selected, asked or written down. @throws UsageError for a profile that allows no writes */
export function checkWritable(run: Run): void {
  const { readOnly, dryRun } = run.settings;
  if (readOnly.value && !dryRun.value) run.refuseWrite();
}

/** Makes the call, and says once what is odd about its values. */
function withRemarks({ output }: Run, { call, remark }: Write): Write['call'] {
  if (remark === undefined) return call;
  const warned = new Set<string>();
  return (id, values) => {
    const odd = remark(values);
    if (odd !== undefined && !warned.has(odd)) output.warn(odd);
    if (odd !== undefined) warned.add(odd);
    return call(id, values);
  };
}

/**
 * Writes down, sends and reports changes that are right and agreed to. A run of more than one is a job: it can be gone
 * on with after whatever ends it.
 * @throws Failure when any of them failed or is unknown, after all results are printed; Cancelled when interrupted;
 *   UsageError where a job's place cannot be written
 */
export async function writeChanges(context: Run, given: Changes): Promise<void> {
  const { settings, clock } = context;
  const run = given.confirmed === true ? { seenAt: clock.now(), ...given } : given;
  const { changes, knownResults } = run;
  // Nothing is sent for those of which it is known what has become of them.
  const left = changes.filter(({ n }) => knownResults?.has(n) !== true);
  const looks = await countLooks(context, left);
  const counts = { count: countDistinct(changes), toSend: countDistinct(left), looks };
  if (settings.plan !== undefined) return planChanges(context, run, counts, settings.plan);
  const isJob = counts.toSend > 1 || (run.plan !== undefined && counts.toSend > 0);
  if (isJob && !settings.dryRun.value && keepsHistory(context)) return runJob(context, run, counts);
  const [first] = changes;
  const log = left[0] && (await createSingleLog(context, run, left[0]));
  await sendAndReport(context, run, {
    ...counts,
    log,
    inspectLine: first === undefined || counts.count > 1 ? undefined : formatInspectLine(first),
  });
}

function countDistinct(changes: readonly Change[]): number {
  return new Set(changes.map(({ key }) => key)).size;
}

/** How a run is written down, and what is said of it beside its results. */
interface RunOptions extends SendAllOptions, Omit<RunReport, 'stopped'> {
  readonly refused?: readonly SendResult[];
  readonly onResult?: (sent: SendResult, change: Change) => void;
}

/** The breaker, the log and the report of a run meet here. @throws as `writeChanges` */
export async function sendAndReport(
  context: Run,
  run: Changes,
  { breaker = new CircuitBreaker(), refused = [], onResult, ...options }: RunOptions,
): Promise<void> {
  const { changes, single, warnings } = run;
  const sent = sendAll(context, run, { ...options, breaker });
  const [first] = changes;
  if (single !== undefined && first !== undefined && onResult === undefined) {
    for await (const one of sent) return reportOne(context, run, first, one);
  }
  async function* listResults(): AsyncGenerator<SendResult> {
    yield* refused;
    const all = changes.values();
    for await (const one of sent) {
      const change = all.next().value as Change;
      onResult?.(one, change);
      yield { ...one, result: { ...one.result, ...warnings?.get(change.key) } };
    }
  }
  await reportRun(context, run, listResults(), { ...options, stopped: () => breaker.tripped });
}

/** `--plan`: what a dry run would send is written to a file. */
async function planChanges(
  context: Run,
  run: Changes,
  counts: Pick<RunReport, 'count' | 'toSend' | 'looks'>,
  file: string,
): Promise<void> {
  const { savePlan } = await import('./plan.ts');
  const planned: { readonly sent: SendResult; readonly change: Change }[] = [];
  await sendAndReport(context, run, {
    ...counts,
    onResult: (sent, change) => {
      if (sent.result.status === 'planned') planned.push({ sent, change });
    },
    silent: file === '-',
    close: async () => ({ hint: 'No plan was written. Correct these first.' }),
  });
  await savePlan(context, file, planned);
}

async function runJob(
  context: Run,
  run: Changes,
  counts: Pick<RunReport, 'count' | 'toSend' | 'looks'>,
): Promise<void> {
  // From here on the credential is known, and masked.
  await context.accessToken();
  const head = await createHead(context, run);
  const { changes } = run;
  const known = findKnownResults(run);
  await openRuns(context).create(
    (id) => formatRunStart(context, head, { id, changes, known }),
    (id, steps) =>
      context.exitNotices.during(
        () => createJobExitNotice(id, head.run),
        () =>
          sendAndReport(context, run, {
            ...counts,
            log: createJobLog(context, id, head, steps),
            close: async () => closeJob(context, id),
          }),
      ),
  );
}

/** By place: what is known of changes before anything is sent. The second of two that are the same write is not sent. */
function findKnownResults({ changes, knownResults }: Changes): ReadonlyMap<number, SendResult> {
  const known = new Map<number, SendResult>();
  const keys = new Set<string>();
  for (const { n, key, target, call } of changes) {
    const result = { target, operation: call.operation.id, status: 'skipped', message: NAMED_TWICE } as const;
    const sent = knownResults?.get(n) ?? (keys.has(key) ? { result } : undefined);
    if (sent !== undefined) known.set(n, sent);
    keys.add(key);
  }
  return known;
}

/**
 * Sends a write that nobody is asked about, and writes it down; the caller tells of it.
 * @param isDue whether it is still to be done after Ctrl-C, whether it can be written down or not
 */
export async function writeAlone(
  run: Run,
  words: RunWords,
  call: ApiCall,
  target: string,
  isDue = false,
): Promise<SendResult> {
  const change = { n: 0, key: target, target, after: {}, call, columns: {} };
  const log = await createSingleLog(run, words, change).catch((error: unknown) => {
    if (isDue && error instanceof Cancelled) return undefined;
    throw error;
  });
  const after = isDue ? { afterwards: run.afterwards() } : {};
  for await (const sent of sendAll(run, { changes: [change] }, { log, ...after })) {
    run.events.result(sent.result, sent.requestId);
    return sent;
  }
  throw new Error('a change without a result');
}
