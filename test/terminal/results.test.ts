import { describe, expect, it } from 'vitest';
import type { TargetResult } from '../../src/context.ts';
import { OutputClosed } from '../../src/terminal/sink.ts';
import { capture, memorySink, resultsOf } from './capture.ts';

const DONE: TargetResult = {
  target: '17',
  status: 'done',
  operation: 'timesheets.approve',
  message: 'Approved.',
};
const FAILED: TargetResult = {
  target: '8c1f',
  status: 'failed',
  operation: 'timesheets.approve',
  error: {
    code: 'refused',
    exit: 6,
    message: 'Not submitted.\x1b',
    hint: 'Look.',
    errors: { status: ['must be submitted'] },
    status: 400,
    request: 'PUT /x',
  },
};
const PLANNED: TargetResult = {
  target: '19',
  status: 'planned',
  operation: 'timesheets.approve',
  request: {
    method: 'PUT',
    path: '/timesheets/19/approve',
    query: { workspace_id: '7' },
    body: { workspace_id: 7 },
  },
};

describe('results', () => {
  it('are lines for people, the reasons below, a summary on stderr', async () => {
    const { output, stdout, stderr } = capture('table');
    await output.results(resultsOf([DONE, FAILED, FAILED, PLANNED]));
    const failed = [
      '✗ 8c1f  failed  Not submitted.\\x1b',
      '    status: must be submitted',
      '    request: PUT /x (400)',
    ];
    expect(stdout().split('\n')).toEqual([
      '✓ 17  approved  Approved.',
      ...failed,
      '    hint: Look.',
      ...failed,
      '→ 19    would PUT /timesheets/19/approve?workspace_id=7 {"workspace_id":7}',
      '',
    ]);
    expect(stderr()).toBe('1 done, 1 planned, 2 failed\n');
  });

  it('have ASCII signs where the terminal has no other', async () => {
    const { output, stdout } = capture('table', { unicode: false });
    await output.results(resultsOf([DONE]));
    expect(stdout()).toBe('+ 17  approved  Approved.\n');
  });

  it('are an array in JSON with one target too; a single result is an object', async () => {
    const many = capture('json');
    await many.output.results(resultsOf([DONE]));
    expect(JSON.parse(many.stdout())).toEqual([DONE]);
    const one = capture('json');
    await one.output.result(DONE);
    expect(JSON.parse(one.stdout())).toEqual(DONE);
  });

  it('are on stdout although the run was cut short', async () => {
    const { output, stdout } = capture('json');
    const cutShort = async function* () {
      yield DONE;
      throw new Error('interrupted');
    };
    await expect(output.results(cutShort())).rejects.toThrow('interrupted');
    expect(JSON.parse(stdout())).toEqual([DONE]);
  });

  it('have fixed columns in CSV; ids are those to go on with', async () => {
    const csv = capture('csv');
    await csv.output.results(resultsOf([DONE]));
    expect(csv.stdout().split('\r\n')[0]).toBe('target,status,operation,message,data,request,error');
    const ids = capture('ids');
    await ids.output.results(resultsOf([DONE, FAILED, PLANNED]));
    expect(ids.stdout()).toBe('17\n19\n');
  });

  it.each([
    ['the reader has gone', new OutputClosed(undefined), false],
    ['the disk is full', new Error('full'), true],
  ])('never stop the work: %s', async (_name, error, told) => {
    const stdout = { ...memorySink(), write: () => Promise.reject(error) };
    const { output } = capture('table', { stdout });
    let worked = 0;
    const work = async function* () {
      for (; worked < 5; worked += 1) yield DONE;
    };
    const run = output.results(work());
    await (told ? expect(run).rejects.toBe(error) : run);
    expect(worked).toBe(5);
  });
});
