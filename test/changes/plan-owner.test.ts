import {
  chmodSync,
  chownSync,
  existsSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { makeFolder } from '../support/folder.ts';
import { runInProcess, words } from '../support/in-process.ts';

/** Whose plan it is: one that somebody else could have written is neither applied nor written over. */

let folder: string;
let plan: string;
const run = (line: string) =>
  runInProcess(words(line), {
    env: {
      TTCTL_STATE_DIR: join(folder, 'state'),
      TTCTL_CONFIG_DIR: join(folder, 'config'),
      TTCTL_PROFILE: 'sandbox',
      TTCTL_RATE_LIMIT: 'off',
    },
  });
/** That a command is refused: for these reasons, and with this hint. */
const expectRefused = async (line: string, why: string, hint: string) => {
  const { exit, stdout, stderr } = await run(line);
  expect([exit, stdout, stderr.split('\n')[0]], line).toEqual([2, '', `error: refusing to ${why}`]);
  expect(stderr).toMatch(/\nhint: .*\n$/);
  expect(stderr).toContain(`\nhint: ${hint}\n`);
};
const CHANGE = 'members update 106 --weekly-hours-limit 32';

beforeEach(async () => {
  folder = makeFolder();
  plan = join(folder, 'plan.ndjson');
  await run('sandbox reset --seed demo');
  expect((await run(`${CHANGE} --plan ${plan}`)).exit).toBe(0);
});
afterEach(() => vi.restoreAllMocks());

const readLog = async () => JSON.parse((await run('sandbox log --json')).stdout) as { method: string }[];
const countWrites = async () => (await readLog()).filter(({ method }) => method !== 'GET').length;

describe.runIf(process.platform === 'linux')('S7: a plan', () => {
  it('is 0600 whatever the umask, and replaced by another', async () => {
    const old = process.umask(0);
    try {
      rmSync(plan);
      expect((await run(`${CHANGE} --plan ${plan}`)).exit).toBe(0);
      expect(statSync(plan).mode & 0o777).toBe(0o600);
      expect((await run(`${CHANGE} --timezone Asia/Tokyo --plan ${plan}`)).exit).toBe(0);
      expect(readFileSync(plan, 'utf8')).toContain('Asia/Tokyo');
    } finally {
      process.umask(old);
    }
  });

  it.each([0o620, 0o602, 0o666])(
    'that others may write (%o) is not applied and not replaced',
    async (mode) => {
      chmodSync(plan, mode);
      const before = readFileSync(plan);
      const hint = `Check its contents, then run: chmod 600 ${plan}`;
      await expectRefused(`plan apply ${plan} --yes`, `read ${plan}: others can write to it`, hint);
      await expectRefused(`${CHANGE} --plan ${plan}`, `write to ${plan}: others can write to it`, hint);
      expect(readFileSync(plan)).toEqual(before);
      // It may be looked at.
      expect((await run(`plan show ${plan}`)).exit).toBe(0);
      expect(await countWrites()).toBe(0);
      chmodSync(plan, 0o600);
      expect((await run(`plan apply ${plan} --yes`)).exit).toBe(0);
    },
  );

  it.runIf(process.geteuid?.() === 0)('of another user is not applied and not replaced', async () => {
    chownSync(plan, 65_534, 65_534);
    vi.spyOn(process, 'geteuid').mockReturnValue(12_345);
    const hint = `Check its contents, then use a copy of your own: cp ${plan} ${plan}.copy`;
    await expectRefused(`plan apply ${plan} --yes`, `read ${plan}: it belongs to another user`, hint);
    await expectRefused(`${CHANGE} --plan ${plan}`, `write to ${plan}: it belongs to another user`, hint);
    expect(await countWrites()).toBe(0);
  });

  it.runIf(process.geteuid?.() === 0)('of another user is applied by root, with a warning', async () => {
    chownSync(plan, 65_534, 65_534);
    expect((await run(`${CHANGE} --plan ${plan}`)).exit).toBe(2);
    const { exit, stderr } = await run(`plan apply ${plan} --yes`);
    expect([exit, stderr]).toEqual([
      0,
      expect.stringContaining(`warning: ${plan} belongs to another user\n`),
    ]);
  });

  it('keeps the mode that whoever keeps it gave it', async () => {
    chmodSync(plan, 0o644);
    expect((await run(`plan apply ${plan} --yes`)).exit).toBe(0);
    expect(statSync(plan).mode & 0o777).toBe(0o644);
  });

  it('replaces nothing but a plan, or what is empty', async () => {
    const notes = join(folder, 'notes.txt');
    writeFileSync(notes, 'mine');
    await expectRefused(
      `${CHANGE} --plan ${notes}`,
      `write to ${notes}: it is not a plan`,
      'Name another file.',
    );
    expect(readFileSync(notes, 'utf8')).toBe('mine');
    writeFileSync(notes, '');
    expect((await run(`${CHANGE} --plan ${notes}`)).exit).toBe(0);
  });
});

describe.runIf(process.platform === 'linux')('S5: --plan and --log follow a link', () => {
  const link = () => join(folder, 'link');
  const refusals = [`${CHANGE} --plan LINK`, 'members list --log LINK'] as const;

  it('to a file of ours', async () => {
    const log = join(folder, 'log');
    writeFileSync(log, '', { mode: 0o600 });
    symlinkSync(log, link());
    expect((await run(`members list --log ${link()}`)).exit).toBe(0);
    expect(readFileSync(log, 'utf8')).not.toBe('');
    rmSync(link());
    symlinkSync(plan, link());
    expect((await run(`${CHANGE} --timezone Asia/Tokyo --plan ${link()}`)).exit).toBe(0);
    expect(readFileSync(plan, 'utf8')).toContain('Asia/Tokyo');
  });

  it.each(refusals)('not to nothing: %s', async (line) => {
    symlinkSync(join(folder, 'made'), link());
    await run(line.replace('LINK', link()));
    expect(existsSync(join(folder, 'made'))).toBe(false);
  });

  it.each(refusals)('not to a file that others may write: %s', async (line) => {
    const file = join(folder, 'theirs');
    writeFileSync(file, '');
    chmodSync(file, 0o666);
    symlinkSync(file, link());
    expect((await run(line.replace('LINK', link()))).exit).toBe(2);
    expect(readFileSync(file, 'utf8')).toBe('');
  });

  it.runIf(process.geteuid?.() === 0).each(refusals)('not to a file of another user: %s', async (line) => {
    const file = join(folder, 'theirs');
    writeFileSync(file, '');
    chownSync(file, 65_534, 65_534);
    symlinkSync(file, link());
    expect((await run(line.replace('LINK', link()))).exit).toBe(2);
    expect(readFileSync(file, 'utf8')).toBe('');
  });
});
