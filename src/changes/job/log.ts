import type { ApiCall } from '../../api/client.ts';
import type { Row } from '../../api/page.ts';
import type { Context, Names } from '../../context.ts';
import { isRecord } from '../../json/number.ts';
import { toText } from '../../json/stringify.ts';
import { findReconciler } from '../../resources/reconcile/of-operation.ts';
import type { Change } from '../change.ts';
import { describeRecord } from '../describe-change.ts';
import { predictEffect } from '../effect.ts';
import { isLasting } from '../lasting-words.ts';
import { findMadeId } from '../references.ts';
import type { RunLog } from '../run-log.ts';
import type { Observation, SendResult } from '../send-result.ts';
import type { JobEffect, JobStep, RowState } from './record.ts';
import type { JobStore, OpenJob } from './store.ts';

export interface JobLog extends RunLog {
  /** What a look-up showed of a row that had been on its way; undefined: it was not done. */
  logReconciled(n: number, sent: SendResult | undefined): Promise<void>;
}

/** What the journal keeps of a result, without secrets. */
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
  const known = Object.entries(names).map(([kind, source]) => [kind, { ...source, load: async () => {} }]);
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

/** What is known of a write without a request. */
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

/** Writes the steps of a run's rows into its journal. */
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
    const created = findMadeId(sendingRows.get(n)?.call, sent);
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
        const values = row.resolved && { values: redact(call.values) as Row };
        await job.add(step(n, 'sending', { before, effect, ...values }));
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
