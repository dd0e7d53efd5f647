import type { Verdict } from '../proofs/proof.ts';
import type { RunLog } from '../send-rows.ts';
import type { JobDesk, OpenJob } from './desk.ts';
import type { RowState, Step } from './record.ts';

export interface JobLog extends RunLog {
  /** What a look-up showed of a row that had been on its way. */
  settled(n: number, verdict: Verdict): Promise<void>;
}

/** Writes the steps of a run's rows into its journal (E1). */
export const createLog = (job: OpenJob, desk: Pick<JobDesk, 'redact'>, now: () => number): JobLog => {
  const departed = new Map<number, Promise<void>>();
  const step = (n: number, state: RowState, more: Partial<Step> = {}): Step => ({
    type: 'step',
    n,
    state,
    at: now(),
    ...more,
  });
  return {
    settled: (n, verdict) => job.note(step(n, verdict === 'not-done' ? 'planned' : verdict)),
    departs(n, before) {
      // What is sent again after a 429 has departed already.
      const known = departed.get(n) ?? job.add(step(n, 'sending', { before }));
      departed.set(n, known);
      return known;
    },
    async ended(n, { result }) {
      const { status, message, error } = result;
      const sent = departed.has(n);
      departed.delete(n);
      if (status === 'skipped' || status === 'planned') {
        if (sent) await job.note(step(n, 'planned'));
        return;
      }
      const masked = error === undefined ? {} : { error: desk.redact(error) as Step['error'] };
      const said =
        status === 'done' || message === undefined ? {} : { message: String(desk.redact(message)) };
      await job.note(step(n, status, { ...said, ...masked } as Partial<Step>));
    },
  };
};
