import { execFile } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, it } from 'vitest';
import { makeFolder } from './support/folder.ts';
import { BIN, cleanHome, finished, startBinary } from './support/process.ts';
import { readSession, runSession, sessionPlace } from './support/session-runner.ts';

/** The same built file on every line of Node that is supported, and a plain word on one that is not. */

const CACHE = join(process.env.XDG_CACHE_HOME ?? join(homedir(), '.cache'), 'ttctl-nodes');
const run = promisify(execFile);

/** Path of a Node of this line, installed once; undefined where none can be had. */
const nodeOf = async (line: string): Promise<string | undefined> => {
  const folder = join(CACHE, line);
  const node = join(folder, 'node_modules/node/bin/node');
  if (existsSync(node)) return node;
  const args = ['install', '--no-save', '--no-audit', '--no-fund', `node@${line}`];
  try {
    mkdirSync(CACHE, { recursive: true });
    // Beside, and then whole in its place: others may be at it too.
    const fresh = mkdtempSync(join(CACHE, `.${line}-`));
    try {
      await run('npm', [...args, '--prefix', fresh], { timeout: 120_000 });
      renameSync(fresh, folder);
    } finally {
      rmSync(fresh, { recursive: true, force: true });
    }
  } catch (error) {
    process.stderr.write(
      `not tried on Node ${line}: npm install node@${line} failed (${String(error).split('\n')[0]})\n`,
    );
  }
  return existsSync(node) ? node : undefined;
};

const nodes = await Promise.all(['22', '24', '26'].map(async (line) => ({ line, node: await nodeOf(line) })));

describe.each(nodes)('on Node $line', ({ line, node }) => {
  it.skipIf(node === undefined)('the main job is done', async () => {
    const { stdout } = await run(node ?? '', ['--version']);
    expect(stdout).toMatch(new RegExp(`^v${line}\\.`));
    const place = sessionPlace({ TTCTL_PROFILE: 'sandbox' }, node);
    await runSession(readSession('timesheets').steps, place).finally(place.remove);
  });

  it.skipIf(node === undefined)('nothing is said about what Node will drop', async () => {
    const home = cleanHome({ TTCTL_PROFILE: 'sandbox', NODE_OPTIONS: '--pending-deprecation' });
    const child = startBinary(['members', 'list', '--quiet'], { env: home.env, ...(node && { node }) });
    const { stderr, exit } = await finished(child).finally(home.remove);
    expect({ stderr, exit }).toEqual({ stderr: '', exit: 0 });
  });
});

describe('on a Node that is too old', () => {
  const folder = makeFolder();

  const as = async (version: string) => {
    const fake = join(folder, `${version}.cjs`);
    writeFileSync(
      fake,
      `Object.defineProperty(process, 'versions', { value: { ...process.versions, node: '${version}' } });`,
    );
    return run(process.execPath, ['-r', fake, BIN, '--version']).then(
      ({ stdout, stderr }) => ({ stdout, stderr, exit: 0 }),
      ({ stdout, stderr, code }) => ({ stdout, stderr, exit: code }),
    );
  };

  it.each(['8.17.0', '18.20.4', '20.18.0'])('%s, it says which is needed', async (version) => {
    const { stdout, stderr, exit } = await as(version);
    expect(stdout).toBe('');
    expect(stderr).toBe(`error: ttctl needs Node.js 20.18.1 or later; this is ${version}.\n`);
    expect(exit).toBe(1);
  });

  it.each(['20.18.1', '20.19.0', '21.0.0', '100.0.0'])('%s is not', async (version) => {
    expect(await as(version)).toMatchObject({ stderr: '', exit: 0 });
  });
});
