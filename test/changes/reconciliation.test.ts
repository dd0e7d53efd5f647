import { describe, expect, it } from 'vitest';
import { allOperations } from '../../src/api/operations.ts';
import { runInProcess } from '../support/in-process.ts';
import { quickClock } from '../support/quick-clock.ts';
import { serviceEnv, startRecorder } from '../support/recorder.ts';
import { words } from '../support/words.ts';
import { answerTo, blank, type Case, list } from './lost-answers/case.ts';
import { membersAndSheets } from './lost-answers/members-and-sheets.ts';
import { peopleAndWork } from './lost-answers/people-and-work.ts';
import { timeAndMoney } from './lost-answers/time-and-money.ts';

/**
 * Writes whose answer is lost: what the service shows afterwards decides, and nothing is sent twice. Every write that there is has a case in which it is shown done, one in which it is shown not
 * done, and one that nobody can tell.
 */

const CASES: readonly Case[] = [...membersAndSheets, ...peopleAndWork, ...timeAndMoney];

/** No record shows a tracker: whatever can be read, nobody can tell. */
const SHOWN_NOWHERE: ReadonlySet<string> = new Set(['time-tracking.stop']);

const operationOf = ({ command }: Case): string => words(command).slice(0, 2).join('.');

/** What the run says of its one write. */
const saidBy = (stdout: string, exit: number): string => {
  const answer: unknown = stdout === '' ? undefined : JSON.parse(stdout);
  const result = (Array.isArray(answer) ? answer[0] : answer) as
    | { status?: string; operation?: string }
    | undefined;
  // A new record is the answer itself, and may have a status of its own.
  return (result?.operation && result.status) ?? (exit === 0 ? 'done' : 'failed');
};

const pathOf = (line: string): string => line.replace(/^GET ([^?]*).*$/, '$1');

describe('a write whose answer is lost', () => {
  it.each(CASES)('$command → $become', async ({ command, before, after, become }) => {
    let written = 0;
    const recorder = await startRecorder(({ line }) => {
      if (line.startsWith('GET')) return answerTo(pathOf(line), written === 0 ? (before ?? blank) : after);
      written += 1;
      return { cut: true };
    });
    const args = [...words(command), '--json', '--max-wait', '0'];
    const { stdout, exit } = await runInProcess(args, { env: serviceEnv(recorder) });
    await recorder.close();
    expect(saidBy(stdout, exit)).toBe(become);
    expect(exit).toBe(become === 'done' ? 0 : 7);
    expect(written).toBe(1);
  });

  it('is no duplicate either when it only timed out: a create that is not there yet stays unknown', async () => {
    const recorder = await startRecorder(({ line }) => (line.startsWith('GET') ? list() : { silent: true }));
    const task = 'tasks create --project 5 --title Home --status done --assignee 12';
    const args = [...words(task), '--json', '--max-wait', '0', '--timeout', '50'];
    const options = { env: serviceEnv(recorder), machine: { clock: quickClock } };
    const { stdout, exit } = await runInProcess(args, options);
    await recorder.close();
    expect([saidBy(stdout, exit), exit]).toEqual(['unknown', 7]);
  });

  it.each([blank, list(), list({ id: 17 })])(
    'and that no record shows is unknown, whatever is read (%#)',
    async (shown) => {
      const recorder = await startRecorder(({ line }) => (line.startsWith('GET') ? shown : { cut: true }));
      const args = ['time-tracking', 'stop', '--json', '--max-wait', '0'];
      const { stdout, exit } = await runInProcess(args, { env: serviceEnv(recorder) });
      await recorder.close();
      expect([saidBy(stdout, exit), exit]).toEqual(['unknown', 7]);
    },
  );
});

describe('every write has a case that is done, one that is not, and one that nobody can tell:', () => {
  const writes = allOperations().flatMap(({ id, method }) => (method === 'GET' ? [] : [id]));

  it.each(writes)('%s', (id) => {
    const becomes = new Set(CASES.filter((one) => operationOf(one) === id).map(({ become }) => become));
    const wanted = SHOWN_NOWHERE.has(id) ? ['unknown'] : ['done', 'failed', 'unknown'];
    expect([...becomes].sort()).toEqual(wanted);
  });

  it('and no case is for anything else', () => {
    expect([...new Set(CASES.map(operationOf))].sort()).toEqual([...writes].sort());
  });
});
