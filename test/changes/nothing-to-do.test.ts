import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { makeFolder } from '../support/folder.ts';
import { runInProcess } from '../support/in-process.ts';
import { plainAnswer, type Recorder, serviceEnv, startRecorder } from '../support/service.ts';
import { leaves } from '../support/tree.ts';

/** Nothing to do is success: a note, and in JSON an empty list; for every command that takes many. */

const folder = makeFolder();

let service: Recorder;
beforeEach(async () => {
  service = await startRecorder(plainAnswer);
});
afterEach(() => service.close());

const run = (args: readonly string[], stdin?: string) =>
  runInProcess(args, {
    env: serviceEnv(service, { TTCTL_STATE_DIR: join(folder, 'state') }),
    ...(stdin === undefined ? {} : { stdin }),
  });

const tree = await leaves();
const takesFile = tree.filter(({ command }) => command.flags.some(({ name }) => name === 'from-file'));
const takesStdin = tree.filter(({ command }) =>
  [...command.positionals, ...command.flags].some(({ about }) => about.includes('- to read them from stdin')),
);
/** What a command needs beside its targets. */
const NEEDED: Readonly<Record<string, readonly string[]>> = {
  'tasks archive': ['--project', '5'],
  'tasks assign': ['17', '--project', '5'],
  'tasks unassign': ['17', '--project', '5'],
  'timesheets reject': ['--reason', 'x'],
  'leaves reject': ['--reason', 'x'],
  'time-requests reject': ['--comment', 'x'],
  'viewers assign': ['--project', '5'],
  'viewers unassign': ['--project', '5'],
  'webhooks replay': ['--exec', 'false'],
  'sandbox webhooks redeliver': ['--profile', 'sandbox'],
};
const lineOf = (path: string, ...more: readonly string[]) => [
  ...path.split(' '),
  ...(NEEDED[path] ?? []),
  ...(NEEDED[path]?.includes('17') === true ? ['--member', ...more] : more),
];

const writes = () => service.lines().filter((line) => !line.startsWith('GET'));

it('is tried with every command that takes many', () => {
  expect(takesFile.length).toBeGreaterThan(25);
  expect(takesStdin.length).toBeGreaterThan(15);
});

describe.each(takesStdin.map(({ path }) => path))('%s', (path) => {
  it('ends well with an empty stdin', async () => {
    for (const stdin of ['', '\n \n', '\uFEFF\r\n']) {
      const { exit, stdout, stderr } = await run([...lineOf(path, '-'), '--json'], stdin);
      expect([exit, JSON.parse(stdout), stderr]).toEqual([0, [], '']);
    }
    const { exit, stdout, stderr } = await run(lineOf(path, '-'), '');
    expect([exit, stdout]).toEqual([0, '']);
    expect(stderr).not.toBe('');
    expect(stderr).not.toContain('error');
    expect(writes()).toEqual([]);
  });
});

describe.each(takesFile.map(({ path }) => path))('%s', (path) => {
  it('ends well with a file that has no rows', async () => {
    const { stdout: heading } = await run([...path.split(' '), '--template']);
    const files = { 'a.csv': heading, 'b.csv': '', 'c.json': '[]', 'd.json': ' [ ]\n', 'e.ndjson': '\n\n' };
    for (const [name, text] of Object.entries(files)) {
      const file = join(folder, name);
      writeFileSync(file, text);
      const { exit, stdout, stderr } = await run([...path.split(' '), '--from-file', file, '--json']);
      expect([exit, JSON.parse(stdout), stderr], name).toEqual([0, [], '']);
      const piped = await run([...path.split(' '), '--from-file', '-', '--output', 'ndjson'], text);
      expect([piped.exit, piped.stdout, piped.stderr], name).toEqual([0, '', '']);
    }
    const { exit, stderr } = await run([...path.split(' '), '--from-file', '-'], heading);
    expect([exit, stderr]).toEqual([0, 'stdin has no rows.\n']);
    expect(service.lines()).toEqual([]);
  });
});

it('is no success where nothing was named', async () => {
  for (const path of ['timesheets approve', 'members archive', 'webhooks replay --exec false']) {
    const { exit, stderr } = await run([...path.split(' '), '--yes']);
    expect([exit, stderr]).toEqual([
      2,
      expect.stringMatching(/^error: no (timesheet|member|delivery) given/),
    ]);
  }
});
