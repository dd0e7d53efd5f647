import { expect, it } from 'vitest';
import type { Output } from '../../src/output/output.ts';
import type { Result } from '../../src/output/results.ts';
import { capture } from './capture.ts';

const operation = 'timesheets.approve';
const MESSAGE = 'The timesheet has been approved.';
const DONE: Result = { target: '17', status: 'done', operation, message: MESSAGE, data: null };
const FAILED: Result = {
  ...{ target: '8c1f', status: 'failed', operation },
  error: {
    ...{ code: 'refused', exit: 6, message: 'Not submitted.\x1b', hint: 'Look.' },
    ...{ errors: { status: ['must be submitted'] }, status: 400, request: 'PUT /x' },
  },
};
const query = { workspace_id: '7' };
const path = '/timesheets/19/approve';
const request = { method: 'PUT', path, query, body: { workspace_id: 7 } } as const;
const PLANNED: Result = { target: '19', status: 'planned', operation, request };

const print = async (
  format: string,
  results: readonly Result[],
  about: Parameters<Output['results']>[1] = {},
  width?: number,
) => {
  const { output, stdout, stderr } = capture(format, { width });
  const come = async function* () {
    yield* results;
  };
  await output.results(come(), about);
  return { stdout: stdout(), stderr: stderr() };
};

it('results are lines for people, the reasons below, a summary on stderr', async () => {
  const { stdout, stderr } = await print('table', [DONE, FAILED, FAILED, PLANNED]);
  const failed = [
    '✗ 8c1f  failed  Not submitted.\\x1b',
    '    the service says: status: must be submitted',
    '    request: PUT /x (400)',
  ];
  expect(stdout.split('\n')).toEqual([
    '✓ 17  approved',
    ...failed,
    '    hint: Look.',
    ...failed,
    '→ 19    would PUT /timesheets/19/approve?workspace_id=7 {"workspace_id":7}',
    '',
  ]);
  expect(stderr).toBe('1 approved, 1 planned, 2 failed\n');
});

it('results say what the target is, as far as the line has room', async () => {
  const labelled = { ...DONE, label: '山田 太郎  2026-11-09 to 2026-11-15' };
  const at = async (width: number | undefined) => {
    const results = [labelled, { ...DONE, target: '18' }];
    const { stdout } = await print('table', results, { count: 2 }, width);
    return stdout.split('\n').slice(0, 2);
  };
  expect(await at(undefined)).toEqual([
    '✓ approved  山田 太郎  2026-11-09 to 2026-11-15  17',
    '✓ 18  approved',
  ]);
  expect((await at(52))[0]).toBe('✓ approved  山田 太郎  2026-11-09 to 2026-11-15  17');
  expect(await at(34)).toEqual(['✓ approved  山田 太郎', '    2026-11-09 to 2026-11-15  17']);
  // O23: a UUID says nothing beside a name.
  const known = { ...labelled, target: '8c1f2b3a-5d6e-4f70-8a9b-0c1d2e3f4a5b' };
  const { stdout } = await print('table', [known], { count: 1 });
  expect(stdout).toBe('✓ approved  山田 太郎  2026-11-09 to 2026-11-15\n');
});

const SKIPPED: Result = { ...DONE, target: '18', status: 'skipped', message: 'not sent' };
const LOST: Result = { target: '17', status: 'done', operation, message: 'The answer was lost.' };
const REQUEST = 'would PUT /timesheets/19/approve?workspace_id=7 {"workspace_id":7}';
const changes = async () => 'status: submitted → approved';

it.each<[what: string, results: readonly Result[], about: Parameters<typeof print>[2], text: string]>([
  [
    'of one target leave the reason to the error that ends the run',
    [FAILED],
    { count: 1 },
    '✗ 8c1f  failed\n',
  ],
  [
    'that were not begun stand in the summary alone',
    [DONE, SKIPPED],
    { count: 2, unsaid: new Set([SKIPPED]) },
    '✓ 17  approved\n',
  ],
  ['keep our own words on how a thing is known', [LOST], {}, '✓ 17  approved  The answer was lost.\n'],
  [
    'that are planned show the request too where it was asked for',
    [{ ...PLANNED, before: {} }],
    { count: 2, changes, requests: true },
    `→ 19  status: submitted → approved\n    ${REQUEST}\n`,
  ],
])('results %s; programs are told all', async (_what, results, about, text) => {
  expect((await print('table', results, about)).stdout).toBe(text);
  expect(JSON.parse((await print('json', results, about)).stdout)).toEqual(results);
});

it('results say in markdown what a dry run would send', async () => {
  expect((await print('markdown', [PLANNED])).stdout).toContain(REQUEST);
});

it('results are on stdout although the run was cut short', async () => {
  const { output, stdout } = capture('json');
  const cutShort = async function* () {
    yield DONE;
    throw new Error('interrupted');
  };
  await expect(output.results(cutShort())).rejects.toThrow('interrupted');
  expect(JSON.parse(stdout())).toEqual([DONE]);
});

it('results have fixed columns in CSV; ids are those to go on with', async () => {
  expect((await print('csv', [DONE])).stdout.split('\r\n')[0]).toBe(
    'target,status,operation,message,data,request,error,label,before,after',
  );
  expect((await print('ids', [DONE, FAILED, PLANNED])).stdout).toBe('17\n19\n');
});
