import { describe, expect, it } from 'vitest';
import type { Api, ApiCall } from '../../src/api/client.ts';
import type { Operation } from '../../src/api/operation.ts';
import { operations } from '../../src/api/operations.ts';
import { groupByOperation, readBefore } from '../../src/changes/proof.ts';
import { sendAll } from '../../src/changes/send.ts';
import { EXIT, Failure } from '../../src/errors.ts';
import { commandLine } from '../../src/parsing/shell-word.ts';
import { ExitNotices } from '../../src/platform/machine.ts';
import type { Run } from '../../src/run.ts';
import { runInProcess } from '../support/in-process.ts';
import { plainAnswer, serviceEnv, startRecorder } from '../support/service.ts';

/** A run of several operations: what is read before, and its failed rows fed back. */

const { contracts, projects, tasks } = operations;

const callOf = (operation: Operation, values: object, more: Partial<ApiCall> = {}): ApiCall => {
  const redact = (value: unknown) => value;
  return { operation, values, commandLine, redact, check: () => {}, ...more } as unknown as ApiCall;
};

describe('what is known before a write', () => {
  it('is good for a minute, then read again', async () => {
    let reads = 0;
    let now = 1_000_000;
    const rows: object[] = [];
    const list = () => ({
      async *pages() {
        reads += 1;
        yield { rows: [...rows], total: rows.length };
      },
    });
    const api = { call: list } as unknown as Api;
    const [kiosk, other] = [
      callOf(projects.create, { name: 'Kiosk' }),
      callOf(projects.create, { name: 'Other' }),
    ];
    const group = (await groupByOperation([{ call: kiosk }, { call: other }])).get('projects.create');
    const read = (call: ApiCall) => group && readBefore(api, group, call, now);
    expect(await read(kiosk)).toEqual([]);
    rows.push({ id: 1, name: 'other' });
    now += 59_999;
    expect([await read(other), reads]).toEqual([[], 1]);
    now += 1;
    expect([await read(other), reads]).toEqual([['1'], 2]);
  });
});

it('what rests on rows that ended the run is not sent', async () => {
  const sent: string[] = [];
  const changeOf = (n: number, operation: Operation) => {
    const send = async () => {
      sent.push(operation.id);
      throw new Failure('not signed in', { code: 'not_signed_in', exit: EXIT.signedOut });
    };
    const call = callOf(operation, { id: n }, { send });
    return { n, key: String(n), target: String(n), columns: {}, after: {}, call };
  };
  const context = {
    clock: { now: () => 0 },
    interrupted: new AbortController().signal,
    machine: { exitNotices: new ExitNotices() },
    settings: { dryRun: { value: false } },
  } as unknown as Run;
  const rows = [changeOf(0, contracts.update), changeOf(1, tasks.update)];
  const begun: boolean[] = [];
  for await (const { unbegun } of sendAll(context, { changes: rows })) begun.push(unbegun !== true);
  expect([sent, begun]).toEqual([['contracts.update'], [true, false]]);
});

const FILE = [
  'operation,id,reason,comment,error',
  'timesheets.approve,t1,,,Too late.',
  'leaves.reject,l1,No cover,,Too late.',
  'time-requests.reject,r1,,Twice,Too late.',
].join('\n');

const feed = async (args: string, text = FILE) => {
  const recorder = await startRecorder(plainAnswer);
  try {
    const words = [...args.split(' '), '--from-file', '-', '--yes'];
    const outcome = await runInProcess(words, { env: serviceEnv(recorder), stdin: text });
    return { ...outcome, lines: recorder.lines() };
  } finally {
    await recorder.close();
  }
};

describe('a file of rows for several commands', () => {
  it.each([
    ['timesheets approve', 'PUT /timesheets/t1/approve?workspace_id=7 {"workspace_id":7}'],
    ['leaves reject', 'PUT /leaves/l1/reject?workspace_id=7 {"workspace_id":7,"reason":"No cover"}'],
    [
      'time-requests reject',
      'POST /time-requests/r1/reject?workspace_id=7 {"workspace_id":7,"comment":"Twice"}',
    ],
  ])('%s takes its own, and tells of the others', async (args, line) => {
    const { exit, stderr, lines } = await feed(args);
    expect([exit, lines], stderr).toEqual([0, [line]]);
    expect(stderr).toContain('Skipped 2 rows for other commands.');
  });

  it('that has none for the command is refused before the first request', async () => {
    const { exit, stderr, lines } = await feed('leaves approve');
    expect([exit, lines]).toEqual([2, []]);
    expect(stderr).toContain('stdin has no rows for this command');
  });

  it('checks its own rows, and a row that says no operation is its own', async () => {
    const { exit, stderr, lines } = await feed(
      'leaves reject',
      'operation,id,reason\nleaves.reject,l1,\n,l2,\n',
    );
    expect([exit, lines]).toEqual([2, []]);
    expect(stderr).toContain('stdin:2: missing reason');
    expect(stderr).toContain('stdin:3: missing reason');
  });

  it('is the only one that may have columns of other commands', async () => {
    const { exit, stderr } = await feed('leaves reject', 'id,reason,comment\nl1,No,\n');
    expect(exit).toBe(2);
    expect(stderr).toContain('unknown column "comment"');
  });
});
