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
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { useCli } from '../support/use-cli.ts';

/**
 * What a run writes over, or adds to, is ours and of its own kind: a plan that somebody else could have written is neither
 * applied nor written over, and no output is a file that is read.
 */

const { run, read, writes, file, text } = useCli({ sandbox: 'demo' });

const CHANGE = 'members update 106 --weekly-hours-limit 32';
let plan: string;
beforeEach(async () => {
  plan = file('plan.ndjson');
  await read(`${CHANGE} --plan ${plan}`);
});
afterEach(() => vi.restoreAllMocks());

const isRoot = process.geteuid?.() === 0;
const NOBODY = 65_534;

describe.runIf(process.platform === 'linux')('S7: a plan', () => {
  /** It is neither applied nor replaced, and nothing is sent. */
  const expectRefused = async (why: string, hint: string) => {
    const before = readFileSync(plan);
    for (const [line, what] of [
      [`plan apply ${plan} --yes`, 'read'],
      [`${CHANGE} --plan ${plan}`, 'write to'],
    ]) {
      const told = `error: refusing to ${what} ${plan}: ${why}\n  path: ${plan}\nhint: ${hint}\n`;
      expect(await run(String(line))).toEqual({ exit: 2, stdout: '', stderr: told });
    }
    expect([readFileSync(plan), await writes()]).toEqual([before, []]);
  };

  it('is 0600 whatever the umask, and replaced by another', async () => {
    const old = process.umask(0);
    try {
      rmSync(plan);
      await read(`${CHANGE} --plan ${plan}`);
      expect(statSync(plan).mode & 0o777).toBe(0o600);
      await read(`${CHANGE} --timezone Asia/Tokyo --plan ${plan}`);
      expect(text('plan.ndjson')).toContain('Asia/Tokyo');
    } finally {
      process.umask(old);
    }
  });

  it.each([0o620, 0o602, 0o666])('that others may write (%o) is only looked at', async (mode) => {
    chmodSync(plan, mode);
    const hint = `Check its contents, then run: chmod 600 ${plan}`;
    await expectRefused('others can write to it', hint);
    await read(`plan show ${plan}`);
    chmodSync(plan, 0o600);
    await read(`plan apply ${plan} --yes`);
  });

  it.runIf(isRoot)('of another user is not applied and not replaced', async () => {
    chownSync(plan, NOBODY, NOBODY);
    vi.spyOn(process, 'geteuid').mockReturnValue(12_345);
    const hint = `Check its contents, then use a copy of your own: cp ${plan} ${plan}.copy`;
    await expectRefused('it belongs to another user', hint);
  });

  it.runIf(isRoot)('of another user is applied by root, with a warning', async () => {
    chownSync(plan, NOBODY, NOBODY);
    expect((await run(`${CHANGE} --plan ${plan}`)).exit).toBe(2);
    const { exit, stderr } = await run(`plan apply ${plan} --yes`);
    const told = `warning: ${plan} belongs to another user\n`;
    expect([exit, stderr]).toEqual([0, expect.stringContaining(told)]);
  });

  it('keeps the mode that whoever keeps it gave it', async () => {
    chmodSync(plan, 0o644);
    await read(`plan apply ${plan} --yes`);
    expect(statSync(plan).mode & 0o777).toBe(0o644);
  });

  it('replaces nothing but a plan, or what is empty', async () => {
    const notes = file('notes.txt', 'mine');
    const stderr = `error: refusing to write to ${notes}: it is not a plan\n  path: ${notes}\nhint: Name another file.\n`;
    expect(await run(`${CHANGE} --plan ${notes}`)).toEqual({ exit: 2, stdout: '', stderr });
    expect(text('notes.txt')).toBe('mine');
    writeFileSync(notes, '');
    await read(`${CHANGE} --plan ${notes}`);
  });
});

describe.runIf(process.platform === 'linux')('S5: through a link', () => {
  it('--plan and --log go to a file of ours', async () => {
    const [log, link] = [file('log', ''), file('link')];
    chmodSync(log, 0o600);
    symlinkSync(log, link);
    await read(`members list --log ${link}`);
    expect(text('log')).not.toBe('');
    rmSync(link);
    symlinkSync(plan, link);
    await read(`${CHANGE} --timezone Asia/Tokyo --plan ${link}`);
    expect(text('plan.ndjson')).toContain('Asia/Tokyo');
  });

  it.each([`${CHANGE} --plan`, 'members list --log'])('%s goes to no file that is not ours', async (line) => {
    const nothing = file('nothing');
    symlinkSync(nothing, file('dangling'));
    await run(`${line} ${file('dangling')}`);
    expect(existsSync(nothing)).toBe(false);
    const [theirs, link] = [file('theirs', ''), file('link')];
    symlinkSync(theirs, link);
    chmodSync(theirs, 0o666);
    expect((await run(`${line} ${link}`)).exit).toBe(2);
    chmodSync(theirs, 0o600);
    if (isRoot) {
      chownSync(theirs, NOBODY, NOBODY);
      expect((await run(`${line} ${link}`)).exit).toBe(2);
    }
    expect(text('theirs')).toBe('');
  });
});

it.each([
  ['by its name', () => {}],
  ['through a symbolic link', symlinkSync],
  ['through a hard link', linkSync],
] as const)('an output that is an input is refused %s', async (how, link) => {
  const rows = 'id,weekly_hours_limit\n1,20\n';
  const list = file('list.csv', rows);
  const output = how === 'by its name' ? list : file('other');
  link(list, output);
  const line = `members update --from-file ${list}`;
  for (const [flags, told] of [
    [`--plan ${output}`, `refusing to write to ${output}: it is not a plan`],
    [`--yes --log ${output}`, `cannot write the log to ${output}: it is not a log`],
    [`--plan ${file('new')} --log ${file('new')}`, 'it is not a plan'],
  ]) {
    const { exit, stderr } = await run(`${line} ${flags}`);
    expect([exit, stderr]).toEqual([2, expect.stringContaining(told ?? '')]);
  }
  // Nor is a log appended to one that a group shares, as a umask of 002 makes files.
  if (how === 'by its name') chmodSync(list, 0o664);
  expect((await run(`${line} --yes --log ${output}`)).stderr).toContain('cannot write the log to');
  expect([text('list.csv'), await writes()]).toEqual([rows, []]);
});
