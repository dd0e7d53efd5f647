import type { ApiCall } from '../../api/client.ts';
import type { Row } from '../../api/page.ts';
import { openCredentials } from '../../auth/credentials.ts';
import type { Context } from '../../context.ts';
import { Failure } from '../../errors.ts';
import { isRecord, stringifyJson, toText } from '../../json.ts';
import type { Names } from '../../resources/names.ts';
import { findReconciler } from '../../resources/registry.ts';
import { findCreatedId } from '../accepted.ts';
import type { Change, Changes, Observation, RunLog, RunWords, SendResult } from '../change.ts';
import { describeRecord, isLasting } from '../describe-change.ts';
import { predictEffect } from '../look.ts';
import { formatResumeCommand, readDestination } from './destination.ts';
import type { JobEffect, JobHeader, JobRow, JobStep, RowState } from './record.ts';
import type { JobStore, OpenJob } from './store.ts';

export interface JobLog extends RunLog {
  /** What a look-up showed of a row that had been on its way; undefined: it was not done. */
  logReconciled(n: number, sent: SendResult | undefined): Promise<void>;
}

export const toStep = (
  { result, lostAt }: SendResult,
  redact: JobStore['redact'],
): Pick<JobStep, 'state' | 'message' | 'error' | 'lost'> => {
  const { status, message, error } = result;
  return {
    state: status as RowState,
    ...(lostAt === undefined ? {} : { lost: lostAt }),
    ...(status === 'done' || message === undefined ? {} : { message: String(redact(message)) }),
    // A code is one of our own words, though its name is that of a secret.
    ...(error === undefined ? {} : { error: { ...(redact(error) as Row), code: error['code'] } }),
  };
};

/** Of whose records a write is, where its values or the record name one member. */
const findMember = ({ operation, values }: ApiCall, { record }: Observation): string | undefined => {
  const own = operation.id.startsWith('members.') ? values.memberId : undefined;
  const id = own ?? values.userId ?? values.user_id ?? record?.['user_id'];
  return id == null ? undefined : toText(id);
};

/** What a creation makes; its ids by the names that are known already. */
const describeCreation = async (
  { names }: Context,
  { operation, values }: ApiCall,
): Promise<Row | undefined> => {
  const known = Object.entries(names).map(([kind, source]) => [
    kind,
    { load: async () => {}, of: (id: unknown) => source.of(id) },
  ]);
  return (await findReconciler(operation))?.fields?.(values, Object.fromEntries(known) as Names);
};

/** Which record it is, in words that are known already and stay true. */
const describeLasting = (
  context: Context,
  { call, target, labelColumns }: Change,
  record: Row,
): Promise<string | undefined> =>
  describeRecord(context, { call, target, labelColumns: labelColumns?.filter(isLasting) }, record, {
    load: false,
  });

const describeEntry = async (context: Context, row: Change, observation: Observation): Promise<JobEffect> => {
  const { record, before, after = await describeCreation(context, row.call), old } = observation;
  const member = findMember(row.call, observation);
  const label = row.label ?? (record && (await describeLasting(context, row, record)));
  return {
    ...(label === undefined ? {} : { label }),
    ...(member === undefined ? {} : { member }),
    ...(before === undefined ? {} : { before }),
    ...(after === undefined ? {} : { after }),
    ...(old === undefined ? {} : { old }),
  };
};

/** What of a new record shows later whether somebody has changed it: no times, no counts of other records, no secrets. */
const pickMade = ({ data }: SendResult['result'], redact: JobStore['redact']): { made?: Row } => {
  const shown = redact(data);
  if (!isRecord(data) || !isRecord(shown)) return {};
  const isKept = ([name, value]: [string, unknown]) =>
    !/_(?:at|count)$/.test(name) && (value === null || typeof value !== 'object') && shown[name] === value;
  return { made: Object.fromEntries(Object.entries(data).filter(isKept)) };
};

/** A row that was looked at and passed over stays so: nothing is left to do for it. */
const isSettled = ({ result, missing, moved }: SendResult): boolean =>
  result.status !== 'planned' && (result.status !== 'skipped' || missing === true || moved === true);

export const createJobLog = (
  context: Context,
  job: Pick<OpenJob, 'add' | 'note'>,
  { redact }: Pick<JobStore, 'redact'>,
): JobLog => {
  const { now } = context.clock;
  const sendingRows = new Map<number, { readonly call: ApiCall; readonly written: Promise<void> }>();
  const step = (n: number, state: RowState, more: Partial<JobStep> = {}): JobStep => {
    return { type: 'step', n, state, at: now(), ...more };
  };
  const noteResult = (n: number, sent: SendResult): Promise<void> => {
    const created = sent.created ?? findCreatedId(sendingRows.get(n)?.call, sent.result.data);
    const made = created && { created, ...pickMade(sent.result, redact) };
    return job.note(step(n, 'done', { ...toStep(sent, redact), ...made }));
  };
  return {
    logReconciled: (n, sent) => (sent === undefined ? job.note(step(n, 'planned')) : noteResult(n, sent)),
    beforeSend(row, { before, observation: seen }) {
      const { n, call } = row;
      const write = async (): Promise<void> => {
        const observation = seen?.after === undefined ? { ...seen, ...(await predictEffect(call)) } : seen;
        const effect = redact(await describeEntry(context, row, observation)) as JobEffect;
        await job.add(step(n, 'sending', { before, effect }));
      };
      // What is sent again after a 429 has departed already.
      const written = sendingRows.get(n)?.written ?? write();
      sendingRows.set(n, { call, written });
      return written;
    },
    async logResult(n, ended) {
      const isSent = sendingRows.has(n);
      if (isSettled(ended)) await noteResult(n, ended);
      else if (isSent) await job.note(step(n, 'planned', { message: toStep(ended, redact).message }));
      sendingRows.delete(n);
    },
  };
};

/** What is written down of a run before anything is sent: its head, and its rows. */

type Run = Pick<Changes, 'verb' | 'noun' | 'input' | 'account' | 'plan' | 'undoes' | 'ifMissing'>;

/** The account of a stored sign-in: nothing is asked of the service for it. */
const readAccount = async (context: Context): Promise<string | null> => {
  const { kind, profile } = await context.identity();
  if (kind === 'environment' || kind === 'sandbox') return null;
  return openCredentials(context).read(profile)?.account ?? null;
};

export const createJobHeader = async (
  context: Context,
  { verb, noun, input, plan, undoes, ifMissing, ...run }: Run,
  rows: number,
): Promise<(id: string) => JobHeader> => {
  const { command } = await context.jobs();
  const destination = await readDestination(context);
  const account = run.account ?? (await readAccount(context));
  const started_at = new Date(context.clock.now()).toISOString();
  return (id) => ({
    type: 'job',
    version: 1,
    id,
    started_at,
    command,
    verb,
    noun,
    account,
    ...destination,
    input: input ?? null,
    ...(ifMissing === true && { if_missing: true }),
    ...(plan === undefined ? {} : { plan }),
    ...(undoes === undefined ? {} : { undoes }),
    rows,
  });
};

/** Values that a secret stands in are not stored: they could not be sent again with it masked. */
const toStorableValues = (values: JobRow['values'], redact: JobStore['redact']): JobRow['values'] =>
  stringifyJson(redact(values)) === stringifyJson(values) ? values : null;

export type WrittenChange = Pick<Change, 'target' | 'call'> & Partial<Change>;

export const toJobRow = (
  { n = 0, target, key = target, call, columns = {}, label, seen, unset }: WrittenChange,
  redact: JobStore['redact'],
): JobRow => ({
  type: 'row',
  n,
  target: String(redact(target)),
  key: String(redact(key)),
  operation: call.operation.id,
  values: toStorableValues(call.values, redact),
  columns: redact(columns) as JobRow['columns'],
  ...(label === undefined ? {} : { words: String(redact(label)) }),
  ...(seen === undefined ? {} : { seen: redact(seen) as Row }),
  ...(unset === undefined ? {} : { unset }),
});

/** The history of a write that is not one of several. */

export interface SingleLog extends RunLog {
  readonly id: string;
  /** Looks at what became of it, and sends it again only where it is shown not done. */
  readonly resumeLine: string;
}

/**
 * Writes a single write down when it is sent. Where that cannot be, people are told, and the write goes on.
 * @returns undefined where none is wanted
 */
export const createSingleLog = async (
  context: Context,
  words: RunWords,
  change: WrittenChange,
): Promise<SingleLog | undefined> => {
  const store = await context.jobs();
  if (!store.wanted || context.settings.dryRun.value) return undefined;
  // From here on the credential is known, and masked.
  await context.accessToken();
  const row = toJobRow(change, store.redact);
  const header = await createJobHeader(context, words, 1);
  const single = store.single((id) => [header(id), row]);
  const log = createJobLog(context, single, store);
  let isLost = false;
  const attempt = async (work: () => Promise<void>): Promise<void> => {
    if (isLost) return;
    try {
      await work();
    } catch (error) {
      if (!(error instanceof Failure)) throw error;
      isLost = true;
      context.output.warn(
        `not written to the history: ${[error.message, error.reason].filter(Boolean).join(': ')}`,
      );
    }
  };
  let isSent = false;
  return {
    id: single.id,
    resumeLine: formatResumeCommand(header(single.id)),
    beforeSend(change, known) {
      isSent = true;
      return attempt(() => log.beforeSend(change, known));
    },
    // What was not sent is no write.
    logResult: async (n, sent) => (isSent ? attempt(() => log.logResult(n, sent)) : undefined),
  };
};
