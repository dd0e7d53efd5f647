import { describe, expect, it } from 'vitest';
import { runInProcess } from '../support/in-process.ts';
import { type Answer, envelope, onePage, serviceEnv, startRecorder } from '../support/recorder.ts';
import { words } from '../support/words.ts';

/**
 * Writes on viewers, projects, contracts and tasks whose answer is lost: what the service shows afterwards
 * decides, and nothing is sent twice.
 */

type Become = 'done' | 'failed' | 'unknown';

interface Case {
  readonly command: string;
  /** What reads answer before the write; default: the same as after it. */
  readonly before?: Answer;
  readonly after: Answer;
  readonly become: Become;
}

const list = (...rows: object[]): Answer => ({ body: onePage(rows) });
const one = (record: object): Answer => ({ body: envelope(record) });
const gone: Answer = { status: 404, body: { success: false, message: 'Not found.', meta: {} } };

const invite = 'viewers invite eve@c.example --firstname Eve --lastname Okafor';
const eve = { id: 31, email: 'EVE@c.example', firstname: 'Eve', lastname: 'Okafor' };
const project = 'projects create --name Site --budget 500 --deadline 2026-12-18';
const site = { id: 5, name: 'Site', budget_estimation: '500.00', deadline: '2026-12-18T00:00:00Z' };
const contract = 'contracts create --project 5 --member 12 --rate 75.5';
const row = { id: 40, project_id: 5, user_id: 12, rate: '75.50' };
const task = 'tasks create --project 5 --title Home --status done --assignee 12';
const home = { id: 55, title: 'Home', status: 20, project_id: 5, assignees: [12] };
const assigned = { id: 900, user_id: 12, task_id: 55 };

const CASES: readonly Case[] = [
  { command: invite, before: list(), after: list(eve), become: 'done' },
  { command: invite, before: list(), after: list(), become: 'failed' },
  { command: invite, before: list(eve), after: list(eve), become: 'failed' },
  { command: 'viewers archive 31 --yes', after: one({ id: 31, status: 'left' }), become: 'done' },
  { command: 'viewers archive 31 --yes', after: one({ id: 31, status: 'active' }), become: 'failed' },
  { command: 'viewers archive 31 --yes', after: gone, become: 'done' },
  { command: 'viewers restore 31', after: one({ id: 31, status: 'active' }), become: 'done' },
  { command: 'viewers restore 31', after: one({ id: 31, status: 'left' }), become: 'failed' },
  { command: 'viewers restore 31', after: gone, become: 'unknown' },
  { command: 'viewers assign 31 --project 5', after: one({ projects: [{ project_id: 5 }] }), become: 'done' },
  {
    command: 'viewers assign 31 --project 5',
    after: one({ projects: [{ project_id: 6 }] }),
    become: 'failed',
  },
  { command: 'viewers assign 31 --project 5', after: one({ id: 31 }), become: 'unknown' },
  { command: 'viewers unassign 31 --project 5', after: one({ projects: [] }), become: 'done' },
  {
    command: 'viewers unassign 31 --project 5',
    after: one({ projects: [{ project_id: 5 }] }),
    become: 'failed',
  },

  { command: project, before: list(), after: list(site), become: 'done' },
  { command: project, before: list(site), after: list(site), become: 'failed' },
  { command: project, before: list(site), after: list(site, { ...site, id: 6 }), become: 'done' },
  { command: project, before: list(), after: list({ ...site, deadline: '2027-01-01' }), become: 'unknown' },
  { command: 'projects update 5 --budget 500', after: one(site), become: 'done' },
  { command: 'projects update 5 --budget 501', after: one(site), become: 'failed' },
  { command: 'projects update 5 --budget 500', after: one({ id: 5, name: 'Site' }), become: 'unknown' },
  { command: 'projects update 5 --field colour=red', after: one(site), become: 'unknown' },
  { command: 'projects update 5 --field name=Pier', after: one(site), become: 'failed' },
  { command: 'projects archive 5 --yes', after: one({ ...site, deleted_at: '2026-11-20' }), become: 'done' },
  { command: 'projects archive 5 --yes', after: one({ ...site, deleted_at: null }), become: 'failed' },

  { command: contract, before: list(), after: list(row), become: 'done' },
  { command: contract, before: list(), after: list({ ...row, user_id: 13 }), become: 'failed' },
  { command: contract, before: list(row), after: list(row), become: 'failed' },
  { command: contract, before: list(), after: list({ id: 40, project_id: 5, user_id: 12 }), become: 'done' },
  { command: 'contracts update 40 --status paused', after: one({ status: 'paused' }), become: 'done' },
  { command: 'contracts update 40 --status paused', after: one({ status: 'active' }), become: 'failed' },
  { command: 'contracts archive 40 --yes', after: gone, become: 'done' },
  { command: 'contracts archive 40 --yes', after: one(row), become: 'failed' },

  { command: task, before: list(), after: list(home), become: 'done' },
  { command: task, before: list(home), after: list(home), become: 'failed' },
  { command: task, before: list(home), after: list(home, { ...home, id: 56 }), become: 'done' },
  { command: 'tasks update 55 --status done', after: one(home), become: 'done' },
  { command: 'tasks update 55 --status open', after: one(home), become: 'failed' },
  {
    command: 'tasks update 55 --assignee 12',
    after: one({ ...home, assignees: [assigned] }),
    become: 'done',
  },
  { command: 'tasks update 55 --assignee 12,13', after: one(home), become: 'failed' },
  { command: 'tasks archive 55 --yes', after: one({ ...home, deleted_at: '2026-11-20' }), become: 'done' },
  { command: 'tasks archive 55 --yes', after: one(home), become: 'failed' },
  { command: 'tasks assign 55 --project 5 --member 12', after: list(assigned), become: 'done' },
  { command: 'tasks assign 55 --project 5 --member 900', after: list(assigned), become: 'failed' },
  { command: 'tasks unassign 55 --project 5 --member 12', after: list(), become: 'done' },
  { command: 'tasks unassign 55 --project 5 --member 12', after: list(assigned), become: 'failed' },
];

/** What the run says of its one write. */
const saidBy = (stdout: string, exit: number): string => {
  const answer: unknown = stdout === '' ? undefined : JSON.parse(stdout);
  const result = (Array.isArray(answer) ? answer[0] : answer) as
    | { status?: string; operation?: string }
    | undefined;
  // A new record is the answer itself, and may have a status of its own.
  return (result?.operation && result.status) ?? (exit === 0 ? 'done' : 'failed');
};

describe('a write whose answer is lost', () => {
  it.each(CASES)('$command → $become', async ({ command, before, after, become }) => {
    let written = 0;
    const recorder = await startRecorder(({ line }) => {
      if (line.startsWith('GET')) return written === 0 ? (before ?? after) : after;
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
    const args = [...words(task), '--json', '--max-wait', '0', '--timeout', '0.2'];
    const { stdout, exit } = await runInProcess(args, { env: serviceEnv(recorder) });
    await recorder.close();
    expect([saidBy(stdout, exit), exit]).toEqual(['unknown', 7]);
  });
});
