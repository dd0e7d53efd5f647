import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { makeFolder } from '../support/folder.ts';
import { runInProcess } from '../support/in-process.ts';
import { runFiles } from '../support/runs.ts';
import { type Recorder, serviceEnv, startRecorder } from '../support/service.ts';

/** A write without a workspace is wrong usage like any other: found before a request, and no run is begun. */

let service: Recorder;
let state: string;
beforeEach(async () => {
  service = await startRecorder();
  state = makeFolder();
});
afterEach(() => service.close());

const run = (line: string, more: Readonly<Record<string, string>> = {}) =>
  runInProcess(line.split(' '), {
    env: serviceEnv(service, { TTCTL_WORKSPACE: '', TTCTL_STATE_DIR: state, ...more }),
  });

const jobs = (): readonly string[] => runFiles(state);

const HINT = 'Pass --workspace, set TTCTL_WORKSPACE, or choose a default: ttctl workspaces use <workspace>';

it.each([
  'members archive 1 2 --yes',
  'members archive 1 --yes',
  'members archive 1 --dry-run',
  'timesheets approve a1 --yes',
  'timesheets approve a1 a2 --yes --no-journal',
  'timesheets submit a1',
  'projects create --name Kiosk',
  'members update 17 --role regular-user',
  'members archive ana@x.example --yes',
  'members archive --from-file FILE --yes',
  'members invite --from-file NEW --yes',
])('%s says so, and does nothing', async (line) => {
  writeFileSync(join(state, 'some.csv'), 'id\n1\n2\n');
  writeFileSync(join(state, 'new.csv'), 'email,firstname,lastname,role\na@x.example,A,B,regular-user\n');
  const words = line.replace('FILE', join(state, 'some.csv')).replace('NEW', join(state, 'new.csv'));
  const told = await run(words);
  expect(told).toEqual({ exit: 2, stdout: '', stderr: `error: no workspace\nhint: ${HINT}\n` });
  const json = await run(`${words} --json`);
  expect(json.stdout).toBe('');
  expect(JSON.parse(json.stderr).error).toMatchObject({ code: 'missing_workspace', exit: 2, hint: HINT });
  expect([service.lines(), jobs()]).toEqual([[], []]);
});

it('does not make a mistake of the file out of it', async () => {
  writeFileSync(join(state, 'some.csv'), 'email\na@x.example\nb@x.example\n');
  const { exit, stderr } = await run(`members archive --from-file ${join(state, 'some.csv')} --yes`);
  expect([exit, stderr]).toEqual([2, `error: no workspace\nhint: ${HINT}\n`]);
});

it('is not asked of what takes none, or brings its own', async () => {
  expect((await run('time-tracking stop')).exit).toBe(0);
  expect((await run('members restore 17 --field workspace_id:=7')).exit).toBe(0);
  expect(service.lines()).toEqual([
    'POST /time-tracking/stop',
    'POST /members/17/restore?workspace_id=7 {"workspace_id":7}',
  ]);
});

it('is looked for by its name before a job is begun, and only after somebody has agreed', async () => {
  const named = { TTCTL_WORKSPACE: 'Nowhere' };
  expect(await run('members archive 1 2', named)).toMatchObject({
    exit: 2,
    stderr: expect.stringContaining('needs confirmation'),
  });
  expect(service.lines()).toEqual([]);
  for (const line of ['members archive 1 2 --yes', 'members archive 1 --yes', 'timesheets submit a1']) {
    const { exit, stdout, stderr } = await run(line, named);
    expect([exit, stdout]).toEqual([5, '']);
    expect(stderr).toContain('error: no workspace "Nowhere"\n');
  }
  expect(jobs()).toEqual([]);
});
