import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { makeFolder } from './support/folder.ts';
import { runBinary } from './support/process.ts';
import { openTerminal } from './support/terminal.ts';

/** `ttctl` alone: at a terminal with a profile that works it is `ttctl status`, otherwise help. It never fails. */

const folder = makeFolder();

const base = {
  PATH: process.env.PATH ?? '',
  HOME: folder,
  TERM: 'xterm-256color',
  TTCTL_STATE_DIR: join(folder, 'state'),
  TTCTL_CONFIG_DIR: join(folder, 'config'),
};

const HELP = 'Manage the workspaces of a time tracking service.';

/** @returns the screen, escape sequences taken away */
const open = async (
  env: Readonly<Record<string, string>>,
  redirect?: string,
  args: readonly string[] = [],
) => {
  const terminal = openTerminal(args, { env, ...(redirect === undefined ? {} : { redirect }) });
  const { exit, screen } = await terminal.ended;
  return { exit, screen };
};

describe('ttctl alone', () => {
  it('is help in a pipe, whatever is set up', async () => {
    const all: readonly Record<string, string>[] = [
      {},
      { TTCTL_PROFILE: 'sandbox' },
      { TTCTL_OUTPUT: 'json' },
    ];
    for (const more of all) {
      const { exit, stdout, stderr } = await runBinary([], { env: { ...base, ...more } });
      const help = await runBinary(['--help'], { env: base });
      expect([exit, stderr, stdout]).toEqual([0, '', help.stdout]);
    }
  });

  it('is help at a terminal where nothing is set up', async () => {
    const { exit, screen } = await open(base);
    expect([exit, screen.includes(HELP), screen.includes('No status')]).toEqual([0, true, false]);
  });

  it('is the status at a terminal with a profile', async () => {
    const { exit, screen } = await open({ ...base, TTCTL_PROFILE: 'sandbox' });
    expect([exit, screen.includes(HELP)]).toEqual([0, false]);
    expect(screen).toContain('Waiting for a decision');
    expect(screen).toContain('ttctl close check --period last-week');
  });

  it.each([[['--profile', 'sandbox']], [['-p', 'sandbox', '--workspace=101']], [['-psandbox']]])(
    'is the status of a profile that is named: %j',
    async (args) => {
      const { exit, screen } = await open(base, undefined, args);
      expect([exit, screen.includes(HELP)]).toEqual([0, false]);
      expect(screen).toContain('Waiting for a decision');
      const piped = await runBinary(args, { env: base });
      expect([piped.exit, piped.stdout]).toEqual([0, expect.stringContaining(HELP)]);
    },
  );

  it('is help and says so where there is no such profile', async () => {
    const { exit, screen } = await open(base, undefined, ['--profile', 'nope']);
    expect([exit, screen.includes(HELP)]).toEqual([0, true]);
    expect(screen).toMatch(/No status: \S+/);
  });

  it('is wrong usage with more than that', async () => {
    expect((await open(base, undefined, ['--profile', 'sandbox', '--json'])).exit).toBe(2);
    expect((await open(base, undefined, ['--profile'])).exit).toBe(2);
  });

  it('is help where stdout is not the terminal', async () => {
    const file = join(folder, 'out');
    const { exit, screen } = await open({ ...base, TTCTL_PROFILE: 'sandbox' }, `>${file}; cat ${file}`);
    expect([exit, screen.includes(HELP)]).toEqual([0, true]);
  });

  it.each([
    [
      'the service cannot be reached',
      { TTCTL_TOKEN: 't', TTCTL_WORKSPACE: '7', TTCTL_BASE_URL: 'http://127.0.0.1:9/api/v2' },
      /No status: cannot connect/,
    ],
    ['nobody is signed in', { TTCTL_PROFILE: 'work' }, /No status: \S+/],
  ])('is help and says so where %s', async (_what, more, note) => {
    const { exit, screen } = await open({ ...base, ...more });
    expect([exit, screen.includes(HELP)]).toEqual([0, true]);
    expect(screen).toMatch(note);
  });
});
