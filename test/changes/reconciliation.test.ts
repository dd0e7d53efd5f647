import { describe, expect, it } from 'vitest';
import { allOperations } from '../../src/api/operations.ts';
import { type Outcome, runInProcess } from '../support/in-process.ts';
import { SHOWN_NOWHERE, WRITES } from '../support/plannable-writes.ts';
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

const operationOf = ({ command }: Pick<Case, 'command'>): string => words(command).slice(0, 2).join('.');

const CASES: readonly Case[] = [
  ...membersAndSheets,
  ...peopleAndWork,
  ...timeAndMoney,
  ...WRITES.map(([command]): Case => ({ command, after: {}, become: 'unclear' })).filter((one) =>
    SHOWN_NOWHERE.has(operationOf(one)),
  ),
];

/** What the run says of its one write: silence is never no, so that what is not done is unknown too. */
const saidBy = ({ stdout, stderr, exit }: Outcome): Case['become'] => {
  if (exit === 0) return 'done';
  const [result] = [JSON.parse(stdout)].flat() as { status: string }[];
  const { hint } = JSON.parse(stderr.trim().split('\n').at(-1) ?? '').error as { hint: string };
  expect([exit, result?.status]).toEqual([7, 'unknown']);
  return hint.includes('may still be carried out') ? 'not done' : 'unclear';
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
    const ended = await runInProcess(args, { env: serviceEnv(recorder) });
    await recorder.close();
    expect(saidBy(ended)).toBe(become);
    expect(written).toBe(1);
  });

  it.each([blank, list(), list({ id: 17 })])(
    'and that no record shows is unknown, whatever is read (%#)',
    async (shown) => {
      const recorder = await startRecorder(({ line }) => (line.startsWith('GET') ? shown : { cut: true }));
      const args = ['time-tracking', 'stop', '--json', '--max-wait', '0'];
      const ended = await runInProcess(args, { env: serviceEnv(recorder) });
      await recorder.close();
      expect(saidBy(ended)).toBe('unclear');
    },
  );
});

describe('every write has a case that is done, one that is not, and one that nobody can tell:', () => {
  const writes = allOperations.flatMap(({ id, method }) => (method === 'GET' ? [] : [id]));

  it.each(writes)('%s', (id) => {
    const becomes = new Set(CASES.filter((one) => operationOf(one) === id).map(({ become }) => become));
    const wanted = SHOWN_NOWHERE.has(id) ? ['unclear'] : ['done', 'not done', 'unclear'];
    expect([...becomes].sort()).toEqual(wanted);
  });

  it('and no case is for anything else', () => {
    expect([...new Set(CASES.map(operationOf))].sort()).toEqual([...writes].sort());
  });
});
