import { describe, expect, it } from 'vitest';
import type { SendResult } from '../../src/changes/change.ts';
import { CircuitBreaker } from '../../src/changes/send.ts';
import { EXIT, type ExitCode, Failure } from '../../src/errors.ts';

/** When a run stops because going on is of no use. */

const ended = (exit?: ExitCode): SendResult => ({
  ...{ target: 't', operation: 'things.approve', status: exit === undefined ? 'done' : 'failed' },
  ...(exit === undefined ? {} : { failure: new Failure(`exit ${exit}`, { code: 'refused', exit }) }),
});

const seen = (...sents: readonly SendResult[]) => {
  const breaker = new CircuitBreaker();
  for (const sent of sents) breaker.record(sent, sent.failure?.exit === EXIT.signedOut);
  return breaker.tripped;
};

const times = (count: number, sent: SendResult): SendResult[] => Array.from({ length: count }, () => sent);
const [silent, refused, done] = [ended(EXIT.tryLater), ended(EXIT.refused), ended()];

describe('a run', () => {
  it('stops after ten rows in a row to which the service did not answer, and not before', () => {
    expect(seen(...times(9, silent))).toBeUndefined();
    expect(seen(...times(10, silent))).toBe(silent.failure);
    expect(seen(...times(11, silent))).toBe(silent.failure);
  });

  it.each([
    ['done', done],
    ['refused', refused],
  ])('begins to count again after a row that is %s', (_name, answered) => {
    expect(seen(...times(9, silent), answered, ...times(9, silent))).toBeUndefined();
    expect(seen(...times(9, silent), answered, ...times(10, silent))).toBe(silent.failure);
  });

  it('does not stop for what the service refuses, however often', () => {
    expect(seen(...times(50, refused))).toBeUndefined();
  });

  it('stops at once when the sign-in has ended', () => {
    const signedOut = ended(EXIT.signedOut);
    expect(seen(done, signedOut)).toBe(signedOut.failure);
  });
});
