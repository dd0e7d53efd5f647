import type { Row } from '../../api/page.ts';
import type { SendResult } from '../send.ts';
import type { RunLog } from '../send-all.ts';
import type { JobStep, RowState } from './record.ts';
import type { JobService, OpenJob } from './service.ts';

export interface JobLog extends RunLog {
  /** What a look-up showed of a row that had been on its way; undefined: it was not done. */
  settled(n: number, sent: SendResult | undefined): Promise<void>;
}

/** What the journal keeps of a result, without secrets. */
const toNote = ({ result }: SendResult, redact: JobService['redact']): Partial<JobStep> => {
  const { status, message, error } = result;
  return {
    ...(status === 'done' || message === undefined ? {} : { message: String(redact(message)) }),
    // A code is one of our own words, though its name is that of a secret.
    ...(error === undefined ? {} : { error: { ...(redact(error) as Row), code: error['code'] } }),
  } as Partial<JobStep>;
};

/** Writes the steps of a run's rows into its journal (docs/requirements.md, E1). */
export const createJobLog = (
  job: OpenJob,
  service: Pick<JobService, 'redact'>,
  now: () => number,
): JobLog => {
  const departed = new Map<number, Promise<void>>();
  const step = (n: number, state: RowState, more: Partial<JobStep> = {}): JobStep => ({
    type: 'step',
    n,
    state,
    at: now(),
    ...more,
  });
  const become = (n: number, sent: SendResult): Promise<void> =>
    job.note(step(n, sent.result.status as RowState, toNote(sent, service.redact)));
  return {
    settled: (n, sent) => (sent === undefined ? job.note(step(n, 'planned')) : become(n, sent)),
    beforeSend(n, before) {
      // What is sent again after a 429 has departed already.
      const known = departed.get(n) ?? job.add(step(n, 'sending', { before }));
      departed.set(n, known);
      return known;
    },
    async ended(n, ended) {
      const { status } = ended.result;
      const sent = departed.has(n);
      departed.delete(n);
      if (status === 'skipped' || status === 'planned') {
        if (sent) await job.note(step(n, 'planned'));
        return;
      }
      await become(n, ended);
    },
  };
};
