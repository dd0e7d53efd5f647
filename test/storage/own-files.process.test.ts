import { execSync, spawnSync } from 'node:child_process';
import {
  chmodSync,
  chownSync,
  mkdirSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  truncateSync,
} from 'node:fs';
import { beforeEach, describe, expect, it } from 'vitest';
import { Failure } from '../../src/errors.ts';
import { appendText, openJournal, readFirstLine } from '../../src/storage/journal.ts';
import { judgeTrust, readOwnFile, readPrivate } from '../../src/storage/own-files.ts';
import { onePage } from '../support/service.ts';
import { useCli } from '../support/use-cli.ts';

/** H4: nothing is trusted that others could have written; each file is judged by its own owner and mode. */

const t = useCli({ service: () => ({ body: onePage([]) }) });
let path: string;
let warnings: string[];
beforeEach(() => {
  warnings = [];
  path = t.file('file.json', 'text');
  chmodSync(path, 0o600);
});

const mode = (): string => (statSync(path).mode & 0o7777).toString(8);
const warn = (text: string) => void warnings.push(text);

const failureOf = (action: () => unknown): Failure => {
  try {
    action();
  } catch (error) {
    expect(error).toBeInstanceOf(Failure);
    return error as Failure;
  }
  throw new Error('it did not fail');
};

/** Settings, plans; then credentials, journals, state. */
const READS = [
  ['settings', () => readOwnFile(path, { kind: 'settings', warn })?.toString()],
  ['a secret', () => readPrivate(path, warn)],
] as const;

describe.each(READS)('%s', (_kind, read) => {
  it.runIf(process.geteuid !== undefined)('that others can read is closed to them, with one warning', () => {
    chmodSync(path, 0o644);
    expect([read(), read()]).toEqual(['text', 'text']);
    expect(mode()).toBe('600');
    expect(warnings).toEqual([`${path} could be read by other users; its mode is now 0600`]);
  });

  it.runIf(process.geteuid !== undefined).each([0o620, 0o602, 0o666])(
    'that others can write is refused, with mode %o, and the line in the hint helps',
    (open) => {
      chmodSync(path, open);
      const { message, hint, code, exit } = failureOf(read);
      expect([message, code, exit]).toEqual([
        ...[`refusing to read ${path}: others can write to it`, 'unsafe_file', 2],
      ]);
      expect(mode()).toBe(open.toString(8));
      execSync(hint?.replace(/.*then run: /, '') ?? '');
      expect(read()).toBe('text');
    },
  );

  it('that is no regular file is refused without waiting for it', ({ skip }) => {
    rmSync(path);
    if (spawnSync('mkfifo', [path]).status !== 0) skip('no mkfifo here');
    expect(failureOf(read).message).toContain('it is not a regular file');
    rmSync(path);
    mkdirSync(path);
    expect(failureOf(read).hint).toBe(`Move it away: mv ${path} ${path}.old`);
  });

  it('that is far too large is not read', () => {
    truncateSync(path, 64 * 1024 * 1024 + 1);
    expect(failureOf(read).message).toContain('it is larger than 64 MiB');
  });
});

it('settings may be a link, and its target is judged', () => {
  renameSync(path, t.file('dotfile'));
  symlinkSync('dotfile', path);
  expect(readOwnFile(path, { kind: 'settings' })?.toString()).toBe('text');
  chmodSync(path, 0o666);
  expect(failureOf(() => readOwnFile(path, { kind: 'settings' })).code).toBe('unsafe_file');
});

it('a secret is no link, wherever that leads', () => {
  for (const target of [path, t.file('nothing')]) {
    const link = t.file('link');
    rmSync(link, { force: true });
    symlinkSync(target, link);
    const { message, code } = failureOf(() => readPrivate(link));
    expect([message, code]).toEqual([`refusing to read ${link}: it is a symbolic link`, 'unsafe_file']);
  }
});

it.runIf(process.geteuid?.() === 0)(
  'root takes settings of others with a warning, their secrets never',
  () => {
    chownSync(path, 12345, 12345);
    expect(readOwnFile(path, { kind: 'settings', warn })?.toString()).toBe('text');
    expect(warnings).toEqual([`${path} belongs to another user`]);
    const { message, hint } = failureOf(() => readPrivate(path, warn));
    expect(message).toContain('it belongs to another user');
    expect(hint).toContain('chown');
  },
);

it('what is root’s is everybody’s, what is a third one’s is nobody’s', () => {
  expect(judgeTrust({ uid: 0, mode: 0o644 }, 1000)).toBeUndefined();
  expect(judgeTrust({ uid: 1000, mode: 0o644 }, 1000)).toBeUndefined();
  expect(judgeTrust({ uid: 1001, mode: 0o600 }, 1000)).toBe('owner');
  expect(judgeTrust({ uid: 1000, mode: 0o620 }, 1000)).toBe('writable');
});

it.runIf(process.geteuid !== undefined)('no line is added to a journal of others, nor through a link', () => {
  const link = t.file('link');
  symlinkSync(path, link);
  for (const action of [() => appendText(link, '', false), () => openJournal(link)])
    expect(failureOf(action).details.errno).toBe('ELOOP');
  chmodSync(path, 0o666);
  for (const action of [() => appendText(path, '', false), () => openJournal(path)])
    expect(failureOf(action).code).toBe('unsafe_file');
  expect(statSync(path).size).toBe('text'.length);
  expect(readFirstLine(path)).toBeUndefined();
});

it.runIf(process.geteuid !== undefined)(
  'a token goes to no address that others could have written',
  async () => {
    const file = t.file(
      'config/settings.json',
      JSON.stringify({ profiles: { default: { base_url: t.baseUrl } } }),
    );
    chmodSync(file, 0o664);
    const env = { TTCTL_BASE_URL: '', TTCTL_TOKEN: 'canary-3f1c77', TTCTL_WORKSPACE: '7' };
    const run = (line: string) => t.process(line, { env });
    const refused = await run('members list --json');
    expect(refused).toMatchObject({ exit: 2, stdout: '' });
    expect(refused.stderr).toContain(`refusing to read ${file}: others can write to it`);
    expect(refused.stderr).not.toContain('canary');
    expect(t.lines()).toEqual([]);
    const advice = expect.stringContaining('chmod 600');
    const finding = expect.objectContaining({ check: 'settings file', state: 'problem', advice });
    expect(JSON.parse((await run('doctor --json')).stdout)).toContainEqual(finding);
    // Completion changes nothing, and offers nothing of it.
    expect((await run('__complete fish --profile ""')).stdout).not.toContain('default');
    expect(statSync(file).mode & 0o777).toBe(0o664);
    chmodSync(file, 0o600);
    expect(await run('members list --json')).toEqual({ exit: 0, stdout: '[]\n', stderr: '' });
  },
);
