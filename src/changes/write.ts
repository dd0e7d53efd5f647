import type { ApiCall } from '../api/client.ts';
import type { Row } from '../api/page.ts';
import type { Values } from '../api/plan.ts';
import { WEBHOOK_EVENTS } from '../api/records.ts';
import { Cancelled, UsageError } from '../errors.ts';
import { refuseWrite } from '../http/links.ts';
import { toText } from '../json.ts';
import { findNearest } from '../parsing/text.ts';
import type { Run } from '../run.ts';
import type { Change, Changes, RunWords, SendResult, Write } from './change.ts';
import { closeJob } from './jobs.ts';
import { createHead, createRunLog, createSingleLog, formatRunStart } from './log.ts';
import { countLooks } from './look.ts';
import { formatPaceNotice, type RunReport, reportOne, reportRun } from './report.ts';
import { checkCount, confirmChanges, listDistinct, noteWarnings, selectChanges } from './select.ts';
import { CircuitBreaker, NAMED_TWICE, type SendAllOptions, sendAll } from './send.ts';
import { keepsHistory, RunStore } from './store.ts';

/**
 * The one path that writes, for one record and for a thousand: what is meant is selected, confirmed, written down, sent,
 * and reported.
 */

/**
 * All that a write means is checked before the first request, then confirmed, then sent.
 * @param options `fromFile`, `all`, `ifMissing`, `skipMissing`, `exitCode` and `maxChanges` as commander parsed them
 * @throws as `writeChanges`
 */
export async function write(run: Run, options: Values, given: Write): Promise<void> {
  const { settings, output } = run;
  const exitCode = wantsExitCode(run, options);
  checkWritable(run);
  const isSingle = given.targets === undefined && options.fromFile === undefined;
  await output.checkNames(isSingle ? given.columns : undefined);
  const [ifMissing, skipMissing] = [options.ifMissing === true, options.skipMissing === true];
  const selectAndWrite = async (): Promise<void> => {
    const meant =
      options.fromFile === undefined
        ? await selectChanges(run, given, options)
        : await (await import('./input/select-rows.ts')).selectRows(run, given, options);
    // Before records are read for it.
    const open = meant.changes.filter(({ n }) => meant.knownResults?.has(n) !== true);
    if (given.extend) checkCount(given, listDistinct(open).length, options);
    const selection = (await given.extend?.(meant)) ?? meant;
    const { changes } = selection;
    const odd = changes.flatMap(({ after }) => [
      ...Object.entries(after).flatMap(([name, value]) => ODD_VALUES[name]?.(value) ?? []),
      ...findHiddenRate(run, after),
    ]);
    for (const text of new Set(odd)) output.warn(text);
    const confirmed = await confirmChanges(run, given, selection, options);
    if (changes.length === 0) output.note([selection.noneMessage, run.leftOut].filter(Boolean).join(' '));
    else if (run.leftOut !== undefined && settings.yes.value) output.note(run.leftOut);
    const warnings = settings.dryRun.value ? await noteWarnings(run, given, selection) : undefined;
    const isPreview = settings.dryRun.value && settings.plan === undefined && changes.length > 0;
    if (given.final !== undefined && isPreview && warnings === undefined) output.note(given.final);
    const single = isSingle ? given : undefined;
    await writeChanges(run, {
      ...{ ...given, ...selection, single, exitCode, skipMissing, ifMissing, confirmed, warnings },
    });
  };
  await (ifMissing ? makeInTurn(run, given.noun, selectAndWrite) : selectAndWrite());
}

/** Two that look at the same time would both find that a record is missing, and make it. */
export async function makeInTurn(
  run: Run,
  [noun]: RunWords['noun'],
  work: () => Promise<void>,
): Promise<void> {
  if (run.settings.dryRun.value) return work();
  await new RunStore(run).inTurn(`turn-${noun} ${await run.knownWorkspaceId()}`, work);
}

/** @throws UsageError where nothing is only planned */
export function wantsExitCode({ settings }: Run, { exitCode }: Values): boolean {
  if (exitCode !== true) return false;
  if (settings.dryRun.value) return true;
  throw new UsageError('--exit-code can only be used with --dry-run', {
    hint: 'The exit code of a write says whether it succeeded.',
  });
}

/** Before anything is selected, asked or written down. @throws UsageError for a profile that allows no writes */
export function checkWritable(run: Run): void {
  const { readOnly, dryRun } = run.settings;
  if (readOnly.value && !dryRun.value) refuseWrite(run.settings);
}

/**
 * Writes down, sends and reports changes that are right and agreed to. A run of more than one is a job: it can be gone
 * on with after whatever ends it.
 * @throws Failure when any of them failed or is unknown, after all results are printed; Cancelled when interrupted;
 *   UsageError where a job's place cannot be written
 */
export async function writeChanges(run: Run, given: Changes): Promise<void> {
  const { settings, clock } = run;
  const work = given.confirmed === true ? { seenAt: clock.now(), ...given } : given;
  const { changes, knownResults, plan } = work;
  const left = changes.filter(({ n }) => knownResults?.has(n) !== true);
  const toSend = listDistinct(left).length;
  const counts = { count: listDistinct(changes).length, toSend, looks: await countLooks(run, left) };
  if (settings.plan !== undefined) {
    const { savePlan } = await import('./plan.ts');
    const planned: { readonly sent: SendResult; readonly change: Change }[] = [];
    await sendAndReport(run, work, {
      ...counts,
      onResult: (sent, change) => {
        if (sent.status === 'planned') planned.push({ sent, change });
      },
      silent: settings.plan === '-',
      close: async () => ({ hint: 'No plan was written. Correct these first.' }),
    });
    return savePlan(run, settings.plan, planned);
  }
  const isJob = toSend > 1 || (plan !== undefined && toSend > 0);
  if (!isJob || settings.dryRun.value || !keepsHistory(run)) {
    const log = left[0] && (await createSingleLog(run, work, left[0]));
    return sendAndReport(run, work, { ...counts, log });
  }
  // From here on the credential is known, and masked.
  await run.accessToken();
  const head = await createHead(run, work.account, work);
  const known = new Map(knownResults);
  const keys = new Set<string>();
  for (const { n, key, target, call } of changes) {
    // The second of two that are the same write is not sent.
    if (keys.has(key) && !known.has(n))
      known.set(n, { target, operation: call.operation.id, status: 'skipped', message: NAMED_TWICE });
    keys.add(key);
  }
  await new RunStore(run).create(
    (id) => formatRunStart(run, head, id, changes, known),
    (id, steps) => {
      const log = createRunLog(run, id, head, steps);
      return sendAndReport(run, work, { ...counts, log, close: async () => closeJob(run, id) });
    },
  );
}

const BULK_FROM = 20;

export async function sendAndReport(
  run: Run,
  work: Changes,
  /** How many of its rows are sent, and the requests beside those. */
  options: RunReport & SendAllOptions & { readonly toSend?: number; readonly looks?: number },
): Promise<void> {
  const { breaker = new CircuitBreaker(), onResult, count, toSend = count, looks = 0 } = options;
  const { single, confirmed } = work;
  const [first] = work.changes;
  const sent = sendAll(run, work, { ...options, breaker });
  if (single !== undefined && first !== undefined && onResult === undefined) {
    for await (const one of sent) return reportOne(run, work, first, one);
  }
  if (!run.settings.dryRun.value) {
    const paceNotice = confirmed === true ? undefined : formatPaceNotice(run, toSend + looks);
    if (paceNotice !== undefined) run.output.note(paceNotice);
    if (toSend > BULK_FROM) await run.bulk();
  }
  await reportRun(run, work, sent, { ...options, breaker });
}

/**
 * Sends a write that nobody is asked about, and writes it down; the caller tells of it.
 * @param due the record, where it is still to be done after Ctrl-C, whether it can be written down or not
 */
export async function writeAlone(
  run: Run,
  words: RunWords,
  call: ApiCall,
  target: string,
  due?: Row,
): Promise<SendResult> {
  const change = { n: 0, key: target, target, before: due, after: {}, call, columns: {} };
  const log = await createSingleLog(run, words, change).catch((error: unknown) => {
    if (due !== undefined && error instanceof Cancelled) return undefined;
    throw error;
  });
  const after = due ? { afterwards: run.afterwards() } : {};
  for await (const sent of sendAll(run, { changes: [change] }, { log, ...after })) {
    run.requests.result(sent, sent.requestId);
    return sent;
  }
  throw new Error('a change without a result');
}

/** Of a contract whose project is known from the look-up of its name (docs/service.md, Rates). */
function findHiddenRate({ names }: Run, { rate, project_id: id }: Row): readonly string[] {
  const project = rate == null || id == null ? undefined : names.project.record(id);
  return project?.is_billable === false
    ? [`${toText(project.name)} is not billable: the service shows no rate on its contracts`]
    : [];
}

const HOURS_PER_WEEK = 168;

/** By field: what the service takes, though it is most likely a slip: 400 for 40 hours, a mistyped event. */
export const ODD_VALUES: Readonly<Record<string, (value: unknown) => readonly string[]>> = {
  weekly_hours_limit: (limit) =>
    typeof limit === 'number' && limit > HOURS_PER_WEEK
      ? [`a weekly limit of ${limit} hours has no effect: a week has ${HOURS_PER_WEEK}`]
      : [],
  events(events) {
    const known: readonly string[] = WEBHOOK_EVENTS;
    const unknown = (Array.isArray(events) ? events : []).filter((event) => !known.includes(event));
    return unknown.map((event) => {
      const nearest = findNearest(event, known);
      if (nearest) return `${event} is not a documented event. Did you mean ${nearest}?`;
      const noun = String(event).split('.')[0] ?? '';
      const none = known.some((one) => one.startsWith(`${noun}.`)) ? '' : `: the API has no ${noun} events`;
      return `${event} is not documented and may never be delivered${none}. Known events: ${known.join(', ')}`;
    });
  },
};
