import { cpSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { makeFolder } from '../support/folder.ts';
import { runInProcess, words } from '../support/in-process.ts';
import { envelope, ofRequest, onePage, type Recorder, readsList, startRecorder } from '../support/service.ts';

/** `--dry-run` of every command that has no operation of the API: settings, sign-ins, runs (README). */

/** Each would change something if it were carried out. */
const ACTS: readonly string[] = [
  'api PUT /members/17 --field weekly_hours_limit:=32',
  'workspaces use "Northwind Studio"',
  'history prune --older-than 1ms',
  'auth login --profile new --token-stdin --base-url BASE',
  'auth login --profile new --base-url BASE --client-id 12',
  'auth login --profile new --client-credentials --base-url BASE',
  'auth refresh --profile work',
  'auth logout --profile work',
  'profile set --profile new --workspace 7',
  'profile use work',
  'profile remove work',
];

let recorder: Recorder;
let folder: string;
let made: string;
const places = (root: string) => ({
  TTCTL_CONFIG_DIR: join(root, 'config'),
  TTCTL_STATE_DIR: join(root, 'state'),
  TTCTL_RATE_LIMIT: 'off',
});

beforeAll(async () => {
  recorder = await startRecorder((request) => ({
    body: readsList(request)
      ? onePage([{ id: 7, workspace_name: 'Northwind Studio' }])
      : envelope(ofRequest(request, { id: 17 })),
  }));
  made = makeFolder();
  const run = async (line: string) => {
    const done = await runInProcess(words(line), { env: places(made), stdin: 'secret-token' });
    expect(done.exit, done.stderr).toBe(0);
    return done.stdout.trim();
  };
  for (const name of ['default', 'work'])
    await run(`auth login --profile ${name} --token-stdin --base-url ${recorder.baseUrl}`);
  await run('members restore 17 18 --workspace 7 --yes --json');
});
afterAll(async () => {
  await recorder.close();
});
beforeEach(() => {
  folder = makeFolder();
  cpSync(made, folder, { recursive: true });
});

const filesIn = (root: string): Record<string, string> =>
  Object.fromEntries(
    readdirSync(root, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile() && !entry.parentPath.endsWith('.lock'))
      .map(({ parentPath, name }) => join(parentPath, name))
      .sort()
      .map((file) => [file.slice(root.length), readFileSync(file, 'utf8')]),
  );

describe('a dry run', () => {
  it.each(ACTS)('of %s changes nothing, starts nothing, and says so', async (line) => {
    const before = filesIn(folder);
    const sent = recorder.requests.length;
    const text = line.replace('BASE', recorder.baseUrl);
    const env = places(folder);
    const dry = (...flags: string[]) =>
      runInProcess(['--dry-run', ...flags, ...words(text)], { env, stdin: 'secret-token' });
    const { exit, stdout, stderr } = await dry('--json');
    expect(exit, stderr).toBe(0);
    expect(JSON.stringify(JSON.parse(stdout))).toMatch(/"planned":true|"status":"planned"/);
    const read = await dry();
    expect(read.stdout).toMatch(/^planned\b|would PUT/m);
    expect(read.stderr).not.toMatch(/Try it|is now|not shown again/);
    expect(filesIn(folder)).toEqual(before);
    expect(recorder.requests.slice(sent).filter((request) => !request.line.startsWith('GET'))).toEqual([]);
  });

  it.each([
    'sandbox reset --seed month-end',
    'sandbox exec -- touch FOLDER/ran',
    'sandbox clock advance 15d',
    'sandbox stop',
    'sandbox start --port 0 --detach',
    'sandbox token create --as nora@lindenhof.example',
  ])('of %s is refused, and nothing is done', async (line) => {
    const env = { ...places(folder), TTCTL_PROFILE: 'sandbox' };
    const before = filesIn(folder);
    const { exit, stderr } = await runInProcess(['--dry-run', ...words(line.replace('FOLDER', folder))], {
      env,
    });
    expect([exit, stderr]).toEqual([2, expect.stringContaining('sandbox commands have no --dry-run')]);
    expect(filesIn(folder)).toEqual(before);
  });
});
