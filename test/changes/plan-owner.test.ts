import {
  chmodSync,
  chownSync,
  existsSync,
  linkSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { useCli } from '../support/use-cli.ts';

/**
 * What a run writes over, or adds to, is ours and of its own kind: a plan that somebody else could have written is neither
 * applied nor written over, and no output is a file that is read.
 */

const sandbox = useCli({ sandbox: 'demo' });
const { run, read, writes } = sandbox;
let folder: string;
let plan: string;
/** That a command is refused: for these reasons, and with this hint. */
const expectRefused = async (line: string, why: string, hint: string) => {
  const { exit, stdout, stderr } = await run(line);
  expect([exit, stdout, stderr.split('\n')[0]], line).toEqual([2, '', `error: refusing to ${why}`]);
  expect(stderr).toContain(`\nhint: ${hint}\n`);
};
const CHANGE = 'members update 106 --weekly-hours-limit 32';

beforeEach(async () => {
  folder = sandbox.folder;
  plan = sandbox.file('plan.ndjson');
  await read(`${CHANGE} --plan ${plan}`);
});
afterEach(() => vi.restoreAllMocks());

describe.runIf(process.platform === 'linux')('S7: a plan', () => {
  it('is 0600 whatever the umask, and replaced by another', async () => {
    const old = process.umask(0);
    try {
      rmSync(plan);
      await read(`${CHANGE} --plan ${plan}`);
      expect(statSync(plan).mode & 0o777).toBe(0o600);
      await read(`${CHANGE} --timezone Asia/Tokyo --plan ${plan}`);
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
      await read(`plan show ${plan}`);
      expect(await writes()).toEqual([]);
      chmodSync(plan, 0o600);
      await read(`plan apply ${plan} --yes`);
    },
  );

  it.runIf(process.geteuid?.() === 0)('of another user is not applied and not replaced', async () => {
    chownSync(plan, 65_534, 65_534);
    vi.spyOn(process, 'geteuid').mockReturnValue(12_345);
    const hint = `Check its contents, then use a copy of your own: cp ${plan} ${plan}.copy`;
    await expectRefused(`plan apply ${plan} --yes`, `read ${plan}: it belongs to another user`, hint);
    await expectRefused(`${CHANGE} --plan ${plan}`, `write to ${plan}: it belongs to another user`, hint);
    expect(await writes()).toEqual([]);
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
    await read(`plan apply ${plan} --yes`);
    expect(statSync(plan).mode & 0o777).toBe(0o644);
  });

  it('replaces nothing but a plan, or what is empty', async () => {
    const notes = sandbox.file('notes.txt', 'mine');
    await expectRefused(
      `${CHANGE} --plan ${notes}`,
      `write to ${notes}: it is not a plan`,
      'Name another file.',
    );
    expect(readFileSync(notes, 'utf8')).toBe('mine');
    writeFileSync(notes, '');
    await read(`${CHANGE} --plan ${notes}`);
  });
});

describe.runIf(process.platform === 'linux')('S5: --plan and --log follow a link', () => {
  const link = () => join(folder, 'link');
  const refusals = [`${CHANGE} --plan LINK`, 'members list --log LINK'] as const;

  it('to a file of ours', async () => {
    const log = sandbox.file('log', '');
    chmodSync(log, 0o600);
    symlinkSync(log, link());
    await read(`members list --log ${link()}`);
    expect(readFileSync(log, 'utf8')).not.toBe('');
    rmSync(link());
    symlinkSync(plan, link());
    await read(`${CHANGE} --timezone Asia/Tokyo --plan ${link()}`);
    expect(readFileSync(plan, 'utf8')).toContain('Asia/Tokyo');
  });

  it.each(refusals)('not to nothing: %s', async (line) => {
    symlinkSync(join(folder, 'made'), link());
    await run(line.replace('LINK', link()));
    expect(existsSync(join(folder, 'made'))).toBe(false);
  });

  it.each(refusals)('not to a file that others may write: %s', async (line) => {
    const file = sandbox.file('theirs', '');
    chmodSync(file, 0o666);
    symlinkSync(file, link());
    expect((await run(line.replace('LINK', link()))).exit).toBe(2);
    expect(readFileSync(file, 'utf8')).toBe('');
  });

  it.runIf(process.geteuid?.() === 0).each(refusals)('not to a file of another user: %s', async (line) => {
    const file = sandbox.file('theirs', '');
    chownSync(file, 65_534, 65_534);
    symlinkSync(file, link());
    expect((await run(line.replace('LINK', link()))).exit).toBe(2);
    expect(readFileSync(file, 'utf8')).toBe('');
  });
});

const ROWS = 'id,weekly_hours_limit\n1,20\n';

it.each([
  ['by its name', () => {}],
  ['through a symbolic link', symlinkSync],
  ['through a hard link', linkSync],
] as const)('an output that is an input is refused %s', async (how, link) => {
  const list = sandbox.file('list.csv', ROWS);
  const output = how === 'by its name' ? list : `${list}.other`;
  link(list, output);
  const line = `members update --from-file ${list}`;
  for (const [flags, told] of [
    [`--plan ${output}`, `refusing to write to ${output}: it is not a plan`],
    [`--yes --log ${output}`, `cannot write the log to ${output}: it is not a log`],
    [`--plan ${join(folder, 'new')} --log ${join(folder, 'new')}`, 'it is not a plan'],
  ]) {
    const { exit, stderr } = await run(`${line} ${flags}`);
    expect([exit, stderr]).toEqual([2, expect.stringContaining(told ?? '')]);
  }
  // Nor is a log appended to one that a group shares, as a umask of 002 makes files.
  if (how === 'by its name') chmodSync(list, 0o664);
  expect((await run(`${line} --yes --log ${output}`)).stderr).toContain('cannot write the log to');
  expect([readFileSync(list, 'utf8'), await writes()]).toEqual([ROWS, []]);
});
