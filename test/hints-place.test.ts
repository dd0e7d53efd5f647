import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { stripVTControlCharacters } from 'node:util';
import { afterEach, describe, expect, it } from 'vitest';
import { makeFolder } from './support/folder.ts';
import { runInProcess, words } from './support/in-process.ts';
import {
  type Answer,
  plainAnswer,
  type Recorded,
  type Recorder,
  serviceEnv,
  startRecorder,
} from './support/service.ts';
import { sitDown } from './support/terminal.ts';

/**
 * A command line that is printed to be copied goes where the command that printed it went: it repeats the profile and
 * the workspace that were given as flags.
 */

const folder = makeFolder();
writeFileSync(
  join(folder, 'settings.json'),
  JSON.stringify({ version: 1, current_profile: 'home', profiles: { home: {}, work: {} } }),
  { mode: 0o600 },
);

let recorder: Recorder | undefined;
afterEach(async () => {
  await recorder?.close();
  recorder = undefined;
});

/** The command lines that a person at a terminal is shown. */
const told = async (
  line: string,
  flags: readonly string[],
  answer: (request: Recorded) => Answer,
): Promise<readonly string[]> => {
  recorder = await startRecorder(answer);
  const env = { ...serviceEnv(recorder), TTCTL_CONFIG_DIR: folder, TTCTL_MAX_WAIT: '0' };
  const { screen } = await sitDown([...words(line), ...flags], { env, answer: () => '\x03', columns: 400 });
  return stripVTControlCharacters(screen).match(/ttctl [a-z][^\n;)]*/g) ?? [];
};

const FLAGS = ['--profile', 'work', '--workspace', '9'];
const PLACE = '--profile work --workspace 9';

const reads = ({ line }: Recorded): boolean => line.startsWith('GET ');
const breaks = (request: Recorded): Answer =>
  reads(request) ? { status: 500, body: {} } : { status: 500, body: { success: false, message: 'No.' } };
const refuses =
  (status: number, message = 'No.') =>
  (request: Recorded): Answer =>
    reads(request) ? plainAnswer(request) : { status, body: { success: false, message, meta: {} } };
const none = (): Answer => ({ status: 404, body: { success: false, message: 'No.', meta: {} } });
const TASK = 'tasks create --project 5 --title Home';

const DONE = [
  'members archive 17 --yes',
  'viewers assign 17 --project 5',
  'contracts create --project 5 --member 12',
  TASK,
  'tasks assign 17 --project 5 --member 12',
  'expenses create --name Train --date 2026-11-20 --amount 48.60 --category 4',
  'webhooks create --url https://h.example/x --event tracker.started',
  'timesheets approve t1 --yes',
  'timesheets submit t1',
];

const WRONG: readonly (readonly [line: string, answer: (request: Recorded) => Answer])[] = [
  ...[...DONE, 'members update 17 --firstname Ana'].map((line): [string, typeof breaks] => [line, breaks]),
  ['members archive 17 --yes', refuses(403)],
  ['timesheets approve t1 --yes', refuses(400)],
  ['tasks assign 17 --project 5 --member 12', refuses(422)],
  ['time-tracking stop', refuses(400)],
  ['members list', none],
  ['members get nobody@example.com', plainAnswer],
  ['leaves list --policy Nothing', plainAnswer],
  ['expenses delete ID --yes', plainAnswer],
  ['tasks get word', plainAnswer],
];

describe('goes where the command went:', () => {
  it.each(DONE)('after %s', async (line) => {
    const lines = await told(line, FLAGS, plainAnswer);
    expect(lines).not.toEqual([]);
    for (const one of lines) expect(one).toContain(PLACE);
  });

  it.each(WRONG)('after a failure of %s', async (line, answer) => {
    const lines = await told(line, FLAGS, answer);
    expect(lines).not.toEqual([]);
    for (const one of lines) expect(one).toContain(PLACE);
  });

  it('where the workspace is one that is not found', async () => {
    const lines = await told('members list', ['--profile', 'work', '-w', 'Nowhere'], plainAnswer);
    expect(lines).toEqual([expect.stringContaining('--profile work')]);
  });
});

it('names the workspace that a request brings itself', async () => {
  const archive = 'members archive 17 --yes --field workspace_id:=8';
  expect(await told(archive, [], plainAnswer)).toEqual(['ttctl members restore 17 --workspace 8']);
  await recorder?.close();
  expect((await told(archive, [], breaks))[0]).toMatch(/^ttctl jobs resume /);
});

it('repeats nothing that was not given as a flag', async () => {
  expect(await told('members archive 17 --yes', [], plainAnswer)).toEqual(['ttctl members restore 17']);
});

it('says what the command after a refusal is for', async () => {
  recorder = await startRecorder(refuses(400));
  const { stderr } = await runInProcess(words('tasks assign 17 --project 5 --member 12'), {
    env: serviceEnv(recorder),
  });
  expect(stderr).toContain('To add this member: ttctl contracts create --project 5 --member 12\n');
});
