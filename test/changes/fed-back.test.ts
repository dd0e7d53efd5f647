import { describe, expect, it } from 'vitest';
import type { Api, ApiCall } from '../../src/api/client.ts';
import type { Operation } from '../../src/api/operation.ts';
import { operations } from '../../src/api/operations.ts';
import { groupByOperation, readBefore } from '../../src/changes/proof.ts';
import { CircuitBreaker, sendAll } from '../../src/changes/send.ts';
import { EXIT, Failure } from '../../src/errors.ts';
import { commandLine } from '../../src/parsing/shell-word.ts';
import { ExitNotices } from '../../src/platform/machine.ts';
import type { Run } from '../../src/run.ts';
import { type Answer, envelope } from '../support/service.ts';
import { useCli } from '../support/use-cli.ts';

/**
 * Rows that failed: some need correcting and are fed back, the others are sent again by going on (R4, R5); what ends a
 * run; rows of several operations.
 */

const t = useCli({ env: { TTCTL_MAX_WAIT: '0' } });

const refused = (status: number, meta = {}): Answer => ({
  status,
  body: { success: false, message: `said ${status}`, error: null, meta },
});

/** Approves as many timesheets as there are answers, then goes on with a service that is well. */
const approve = async (...answers: readonly (Answer | undefined)[]) => {
  const sent: string[] = [];
  let isWell = false;
  t.answer = ({ line }) => {
    if (line.startsWith('GET /workspaces')) return { body: envelope([{ id: 8 }]) };
    const [, id = ''] = /timesheets\/(t\d+)/.exec(line) ?? [];
    if (id !== '') sent.push(id);
    return (isWell ? undefined : answers[Number(id.slice(1)) - 1]) ?? { body: envelope({}) };
  };
  const ids = answers.map((_, i) => `t${i + 1}`);
  const { exit, stdout, stderr } = await t.run(['timesheets', 'approve', ...ids, '--yes', '--json']);
  const { error } = JSON.parse(stderr.trimEnd().split('\n').at(-1) ?? '');
  const statuses: readonly string[] = JSON.parse(stdout).map(({ status }: { status: string }) => status);
  const unfinished = await t.rows('jobs list --state unfinished');
  const first = sent.splice(0);
  isWell = true;
  const resumed = await t.run(`jobs resume ${error.job} --json`);
  return { exit, statuses, error, first, unfinished, resumed, again: sent };
};

it.each<[answers: string, again: readonly string[], exit: number]>([
  ['429 200 429', ['t1', 't3'], 0],
  ['403 200 403', ['t1', 't3'], 0],
  ['400 200 422', [], 8],
  ['429 400 200', ['t1'], 8],
])(
  '%s: what was refused for what it says is fed back, going on sends the others: %j',
  async (answers, again, exit) => {
    const {
      error,
      unfinished,
      resumed,
      again: sent,
    } = await approve(
      ...answers.split(' ').map((status) => (status === '200' ? undefined : refused(Number(status)))),
    );
    expect(/Correct the failed rows/.test(error.hint)).toBe(exit === 8);
    expect('failed_file' in error).toBe(exit === 8);
    expect(/Resume with: ttctl jobs resume/.test(error.hint)).toBe(again.length > 0);
    expect([unfinished.length, resumed.exit, sent.sort()]).toEqual([again.length > 0 ? 1 : 0, exit, again]);
  },
);

it.each<[string, Answer, number]>([
  ['insufficient scope', refused(403, { required_scope: ['write'] }), 4],
  ['401', refused(401), 3],
  ['a workspace that the account is not in', refused(403), 4],
])('a run ends with a refusal that would hit every row: %s', async (_name, answer, exit) => {
  const many = Array.from({ length: 60 }, () => answer);
  const ended = await approve(...many);
  expect([ended.exit, ended.statuses]).toEqual([exit, ['failed', ...Array(59).fill('skipped')]]);
  expect(ended.first.length).toBeLessThan(60);
  expect(ended.error.hint).toMatch(/ttctl jobs resume \S+$/);
  expect(ended.error.hint).not.toMatch(/unchanged|--from-file/);
  expect(ended.error).not.toHaveProperty('failed_file');
  expect([ended.resumed.exit, ended.again.length]).toEqual([0, 60]);
});

it.each<[sign: string, isOver: boolean]>([
  ['-'.repeat(9), false],
  ['-'.repeat(10), true],
  ['-'.repeat(11), true],
  [`${'-'.repeat(9)}+${'-'.repeat(9)}`, false],
  [`${'-'.repeat(9)}+${'-'.repeat(10)}`, true],
  [`${'-'.repeat(9)}x${'-'.repeat(9)}`, false],
  [`${'-'.repeat(9)}x${'-'.repeat(10)}`, true],
  ['x'.repeat(50), false],
])(
  'a run ends after ten rows in a row to which the service did not answer, and not before: %s (x refused, + done): %s',
  (signs, isOver) => {
    const breaker = new CircuitBreaker();
    for (const sign of signs) {
      const result = { target: 't', operation: 'things.approve' };
      const exit = sign === '-' ? EXIT.tryLater : EXIT.refused;
      const failure = new Failure('x', { code: 'refused', exit });
      breaker.record(
        sign === '+' ? { ...result, status: 'done' } : { ...result, status: 'failed', failure },
        false,
      );
    }
    expect(breaker.tripped !== undefined).toBe(isOver);
  },
);

const { contracts, projects, tasks } = operations;
const callOf = (operation: Operation, values: object, send?: () => Promise<never>): ApiCall => {
  const redact = (value: unknown) => value;
  return { operation, values, commandLine, redact, check: () => {}, send } as unknown as ApiCall;
};

it('what is known before a write is good for a minute, then read again', async () => {
  let [reads, now] = [0, 1_000_000];
  const rows: object[] = [];
  const call = () => ({
    async *pages() {
      reads += 1;
      yield { rows: [...rows], total: rows.length };
    },
  });
  const calls = ['Kiosk', 'Other'].map((name) => callOf(projects.create, { name }));
  const group = (await groupByOperation(calls.map((one) => ({ call: one })))).get('projects.create');
  const read = (n: number) =>
    group && readBefore({ call } as unknown as Api, group, calls[n] as ApiCall, now);
  expect(await read(0)).toEqual([]);
  rows.push({ id: 1, name: 'other' });
  now += 59_999;
  expect([await read(1), reads]).toEqual([[], 1]);
  now += 1;
  expect([await read(1), reads]).toEqual([['1'], 2]);
});

it('what rests on rows that ended the run is not sent', async () => {
  const sent: string[] = [];
  const changes = [contracts.update, tasks.update].map((operation, n) => {
    const call = callOf(operation, { id: n }, async () => {
      sent.push(operation.id);
      throw new Failure('not signed in', { code: 'not_signed_in', exit: EXIT.signedOut });
    });
    return { n, key: String(n), target: String(n), columns: {}, after: {}, call };
  });
  const run = {
    clock: { now: () => 0 },
    interrupted: new AbortController().signal,
    machine: { exitNotices: new ExitNotices() },
    settings: { dryRun: { value: false } },
    api: { call: () => ({}) },
    lists: { records: new Map() },
  } as unknown as Run;
  const begun: boolean[] = [];
  for await (const { unbegun } of sendAll(run, { changes })) begun.push(unbegun !== true);
  expect([sent, begun]).toEqual([['contracts.update'], [true, false]]);
});

const FILE = `operation,id,reason,comment,error
timesheets.approve,t1,,,Too late.
leaves.reject,l1,No cover,,Too late.
time-requests.reject,r1,,Twice,Too late.`;

describe('a file of rows for several commands', () => {
  it.each([
    ['timesheets approve', 'PUT /timesheets/t1/approve?workspace_id=7 {"workspace_id":7}'],
    ['leaves reject', 'PUT /leaves/l1/reject?workspace_id=7 {"workspace_id":7,"reason":"No cover"}'],
    [
      'time-requests reject',
      'POST /time-requests/r1/reject?workspace_id=7 {"workspace_id":7,"comment":"Twice"}',
    ],
  ])('%s takes its own, and tells of the others', async (line, request) => {
    const { exit, stderr } = await t.run(`${line} --from-file - --yes`, { stdin: FILE });
    expect([exit, t.lines()], stderr).toEqual([0, [request]]);
    expect(stderr).toContain('Skipped 2 rows for other commands.');
  });

  it.each([
    // None of it is for the command.
    ['leaves approve', FILE, ['stdin has no rows for this command']],
    // A row that says no operation is its own.
    [
      'leaves reject',
      'operation,id,reason\nleaves.reject,l1,\n,l2,\n',
      ['stdin:2: missing reason', 'stdin:3: missing reason'],
    ],
    // Without the column, other columns are not known.
    ['leaves reject', 'id,reason,comment\nl1,No,\n', ['unknown column "comment"']],
  ])('%s of %j is refused before the first request', async (line, text, told) => {
    const { exit, stderr } = await t.run(`${line} --from-file - --yes`, { stdin: text });
    expect([exit, t.lines()]).toEqual([2, []]);
    for (const one of told) expect(stderr).toContain(one);
  });
});
