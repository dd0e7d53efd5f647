import type { Row } from '../../api/page.ts';
import type { RunLog } from '../send-all.ts';
import type { SendResult } from '../send-result.ts';
import type { JobStep, RowState } from './record.ts';
import type { JobService, OpenJob } from './service.ts';

export interface JobLog extends RunLog {
  /** What a look-up showed of a row that had been on its way; undefined: it was not done. */
  logReconciled(n: number, sent: SendResult | undefined): Promise<void>;
}

/** What the journal keeps of a result, without secrets. */
export const toStep = (
  { result }: SendResult,
  redact: JobService['redact'],
): Pick<JobStep, 'state' | 'message' | 'error'> => {
  const { status, message, error } = result;
  return {
    state: status as RowState,
    ...(status === 'done' || message === undefined ? {} : { message: String(redact(message)) }),
    // A code is one of our own words, though its name is that of a secret.
    ...(error === undefined ? {} : { error: { ...(redact(error) as Row), code: error['code'] } }),
  };
};

/** Writes the steps of a run's rows into its journal (docs/requirements.md, E1). */
export const createJobLog = (
  job: OpenJob,
  service: Pick<JobService, 'redact'>,
  now: () => number,
): JobLog => {
  const sendingRows = new Map<number, Promise<void>>();
  const step = (n: number, state: RowState, more: Partial<JobStep> = {}): JobStep => ({
    type: 'step',
    n,
    state,
    at: now(),
    ...more,
  });
  const noteResult = (n: number, sent: SendResult): Promise<void> =>
    job.note({ type: 'step', n, at: now(), ...toStep(sent, service.redact) });
  return {
    logReconciled: (n, sent) => (sent === undefined ? job.note(step(n, 'planned')) : noteResult(n, sent)),
    beforeSend(n, before) {
      // What is sent again after a 429 has departed already.
      const known = sendingRows.get(n) ?? job.add(step(n, 'sending', { before }));
      sendingRows.set(n, known);
      return known;
    },
    async logResult(n, ended) {
      const { status } = ended.result;
      const sent = sendingRows.has(n);
      sendingRows.delete(n);
      if ((status === 'skipped' && ended.missing !== true) || status === 'planned') {
        if (sent) await job.note(step(n, 'planned'));
        return;
      }
      await noteResult(n, ended);
    },
  };
};
