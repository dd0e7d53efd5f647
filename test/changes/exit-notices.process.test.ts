import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { words } from '../support/in-process.ts';
import { cleanHome, finished, type Home, startBinary } from '../support/process.ts';
import { onePage, type Recorder, serviceEnv, startRecorder } from '../support/service.ts';

/** A second signal leaves at once, and says what nobody knows then. */

let service: Recorder;
let home: Home;
let arrived: () => void;
let write: Promise<void>;
beforeEach(async () => {
  home = cleanHome();
  write = new Promise((resolve) => {
    arrived = resolve;
  });
  service = await startRecorder(({ line }) => {
    if (line.startsWith('GET')) return { body: onePage([]) };
    arrived();
    return { silent: true };
  });
});
afterEach(async () => {
  await service.close();
  home.remove();
});

const start = (line: string) => {
  const { TTCTL_STATE_DIR: _state, ...env } = serviceEnv(service, { ...home.env });
  const child = startBinary(words(line), { env });
  return { child, ended: finished(child) };
};

/** The second one comes when the first has been seen: then a list is no longer waited for. */
const twice = async (line: string, first: NodeJS.Signals, second: NodeJS.Signals) => {
  const { child, ended } = start(line);
  await write;
  child.kill(first);
  const again = setInterval(() => child.kill(second), 50);
  const outcome = await ended;
  clearInterval(again);
  return outcome;
};

describe('a second signal while a write is on its way', () => {
  it.each([
    ['timesheets approve a1 --yes', 'SIGINT', 'SIGINT', 130],
    ['timesheets approve a1 a2 --yes', 'SIGINT', 'SIGTERM', 143],
    ['members restore 17', 'SIGTERM', 'SIGTERM', 143],
  ] as const)('%s, %s and %s: %i, and how to look', async (line, first, second, exit) => {
    expect(await twice(line, first, second)).toEqual({
      exit,
      stdout: '',
      stderr:
        'error: stopped while a write was on its way; its outcome is unknown\n' +
        'hint: See what was sent: ttctl history list --status unknown\n',
    });
  });

  it('is an error in JSON too', async () => {
    const { exit, stderr } = await twice('timesheets approve a1 --yes --json', 'SIGINT', 'SIGINT');
    expect(JSON.parse(stderr).error).toMatchObject({ code: 'interrupted', exit });
  });
});

it('one signal is enough where the answer never comes, and how to look is said', async () => {
  const { child, ended } = start('timesheets approve a1 --yes --timeout 3');
  await write;
  child.kill('SIGINT');
  const { exit, stdout, stderr } = await ended;
  expect([exit, stdout]).toEqual([130, '? a1  unknown\n']);
  expect(stderr).toContain('It may have been carried out: the wait for it was interrupted.');
  expect(stderr).toMatch(/ only if it was not done: ttctl jobs resume \S+\n/);
});
