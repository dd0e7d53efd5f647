import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { cleanHome, type Home } from '../support/binary.ts';
import { runInProcess } from '../support/in-process.ts';

/** Where nothing can be written to the history (docs/changes.md, History). */

let home: Home;
const run = (...args: readonly string[]) =>
  runInProcess(['--profile', 'sandbox', ...args, '--yes'], {
    env: { ...home.env, TTCTL_STATE_DIR: join(home.folder, 'state'), TTCTL_RATE_LIMIT: 'off' },
  });

beforeEach(() => {
  home = cleanHome();
  mkdirSync(join(home.folder, 'state'), { mode: 0o700 });
  writeFileSync(join(home.folder, 'state/jobs'), 'in the way of the directory');
});
afterEach(() => home.remove());

describe('where the history cannot be written', () => {
  it('a single write goes on, and its warning comes once', async () => {
    const { stderr, exit } = await run('members', 'archive', 'elif@lindenhof.example');
    expect(exit).toBe(0);
    expect(stderr.match(/not written to the history/g)).toHaveLength(1);
  });

  it('a run over many does not begin', async () => {
    const targets = ['elif@lindenhof.example', 'mei@lindenhof.example'];
    expect(await run('members', 'archive', ...targets)).toMatchObject({ exit: 2, stdout: '' });
    const { stdout } = await run('members', 'list', '--output', 'csv', '--columns', 'email');
    for (const target of targets) expect(stdout).toContain(target);
  });
});
