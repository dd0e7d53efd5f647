import { beforeEach, describe, expect, it } from 'vitest';
import { makeFolder } from '../support/folder.ts';
import { runInProcess } from '../support/in-process.ts';
import { type Answer, envelope, serviceEnv, startRecorder } from '../support/service.ts';

/** What is advised about rows that failed: some need correcting, the others are sent again by going on (R4, R5). */

let folder: string;
beforeEach(() => {
  folder = makeFolder();
});

const refused = (status: number, meta = {}): Answer => ({
  status,
  body: { success: false, message: `said ${status}`, error: null, meta },
});

/** Approves as many timesheets as there are answers, then goes on with a service that is well. */
const approve = async (...answers: readonly (Answer | undefined)[]) => {
  const sent: string[] = [];
  let isWell = false;
  const recorder = await startRecorder(({ line }) => {
    if (line.startsWith('GET /workspaces')) return { body: envelope([{ id: 8 }]) };
    const [, id = ''] = /timesheets\/(t\d+)/.exec(line) ?? [];
    if (id !== '') sent.push(id);
    return (isWell ? undefined : answers[Number(id.slice(1)) - 1]) ?? { body: envelope({}) };
  });
  const env = { ...serviceEnv(recorder), TTCTL_STATE_DIR: folder, TTCTL_MAX_WAIT: '0' };
  const run = (...args: string[]) => runInProcess([...args, '--json'], { env });
  const ended = await run('timesheets', 'approve', ...answers.map((_, i) => `t${i + 1}`), '--yes');
  const { error } = JSON.parse(ended.stderr.trimEnd().split('\n').at(-1) ?? '');
  const unfinished = JSON.parse((await run('jobs', 'list', '--state', 'unfinished')).stdout) as unknown[];
  const first = sent.splice(0);
  isWell = true;
  const resumed = await run('jobs', 'resume', error.job);
  await recorder.close();
  const statuses = (JSON.parse(ended.stdout) as { status: string }[]).map(({ status }) => status);
  return { exit: ended.exit, statuses, error, first, unfinished, resumed, again: sent };
};

describe('rows that failed', () => {
  it.each([429, 403])(
    'with %i are right as they are: going on sends them again, and only them',
    async (status) => {
      const { error, unfinished, resumed, again } = await approve(
        refused(status),
        undefined,
        refused(status),
      );
      expect(error.hint).toContain('Resume with: ttctl jobs resume');
      expect(error).not.toHaveProperty('failed_file');
      expect([unfinished.length, resumed.exit, again.sort()]).toEqual([1, 0, ['t1', 't3']]);
    },
  );

  it('because the service refused what they say are corrected and fed back', async () => {
    const { error, unfinished, resumed, again } = await approve(refused(400), undefined, refused(422));
    expect(error.hint).toContain('Correct the failed rows and retry with --from-file');
    expect(error.hint).not.toContain('Resume');
    expect([unfinished, resumed.exit, again]).toEqual([[], 8, []]);
  });

  it('are of both kinds', async () => {
    const { error, resumed, again } = await approve(refused(429), refused(400), undefined);
    expect(error.hint).toContain('Correct the failed rows');
    expect(error.hint).toContain('Resume with: ttctl jobs resume');
    expect([resumed.exit, again]).toEqual([8, ['t1']]);
  });
});

describe('a refusal that would hit every row ends the run', () => {
  const MANY = 60;
  it.each<[string, Answer, number]>([
    ['insufficient scope', refused(403, { required_scope: ['write'] }), 4],
    ['401', refused(401), 3],
    ['a workspace that the account is not in', refused(403), 4],
  ])('%s', async (_name, answer, exit) => {
    const ended = await approve(...Array.from({ length: MANY }, () => answer));
    expect([ended.exit, ended.statuses]).toEqual([exit, ['failed', ...Array(MANY - 1).fill('skipped')]]);
    expect(ended.first.length).toBeLessThan(MANY);
    expect(ended.error.hint).toMatch(/ttctl jobs resume \S+$/);
    expect(ended.error.hint).not.toMatch(/unchanged|--from-file/);
    expect(ended.error).not.toHaveProperty('failed_file');
    expect(ended.resumed.exit).toBe(0);
    expect(ended.again).toHaveLength(MANY);
  });
});
