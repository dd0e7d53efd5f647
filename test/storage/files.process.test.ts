import { execFileSync, execSync, spawnSync } from 'node:child_process';
import {
  chmodSync,
  chownSync,
  lstatSync,
  mkdirSync,
  readFileSync,
  readlinkSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { basename, dirname } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { appendText, openJournal, readFirstLine } from '../../src/storage/journal.ts';
import {
  findWriteProblem,
  judgeTrust,
  readOwnFile,
  readPrivate,
  replaceNamed,
} from '../../src/storage/own-files.ts';
import { failureOf } from '../support/in-process.ts';
import { BIN } from '../support/process.ts';
import { runFile, runFiles } from '../support/runs.ts';
import { onePage } from '../support/service.ts';
import { useCli } from '../support/use-cli.ts';

/**
 * Files of ours that are something else: no command waits for a pipe, none takes a word from another user's file. And
 * files that somebody named: only a file is replaced, and what is none keeps its place.
 */

const NOWHERE = { TTCTL_BASE_URL: '', TTCTL_TOKEN: '', TTCTL_WORKSPACE: '' };
const t = useCli({
  env: { ...NOWHERE, TTCTL_STATE_DIR: '', TTCTL_CONFIG_DIR: '' },
  service: () => ({ body: onePage([]) }),
});
const run = t.process;
const onUnix = describe.runIf(process.platform !== 'win32');
const READ = '--profile sandbox members list -o ids';
const WORLD = '.local/state/ttctl/sandbox/world.json';

onUnix('files of ours', () => {
  it.each<[string, string, number]>([
    ['.config/ttctl/settings.json', 'members list', 2],
    ['.config/ttctl/credentials.json', 'auth status', 2],
    [WORLD, READ, 2],
    ['.local/state/ttctl/sandbox.json', 'sandbox status', 2],
    ['.local/state/ttctl/runs/2026-03/20260318-1000-abc.jsonl', 'jobs show 20260318-1000-abc', 2],
    [WORLD, '__complete fish --profile sandbox members get ""', 0],
  ])('a pipe in the place of %s is not waited for: %s', async (name, line, exit) => {
    // The embedded sandbox makes its folders.
    await run(READ);
    const path = t.file(name);
    mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
    rmSync(path, { force: true });
    execFileSync('mkfifo', [path]);
    const ended = await run(line);
    expect({ ...ended, stdout: '' }).toEqual({ exit, stdout: '', stderr: expect.any(String) });
    if (exit !== 0) expect(ended.stderr).toContain(`refusing to read ${path}: it is not a regular file`);
    else expect(ended.stderr).not.toContain('error');
  });
});

onUnix('a run that cannot be read', () => {
  const ID = '20260318-1000-';
  const file = (id: string) => runFile(t.file('.local/state/ttctl'), id);
  /** One run of two writes as it was, and copies of its journal that are not. */
  let good: string;
  beforeEach(async () => {
    const archived = await run('--profile sandbox members archive 108 109 --yes');
    expect(archived.exit, archived.stderr).toBe(0);
    good = basename(runFiles(t.file('.local/state/ttctl'))[0] ?? '', '.jsonl');
    const lines = readFileSync(file(good), 'utf8').split(/(?<=\n)/);
    mkdirSync(dirname(file(`${ID}pip`)), { recursive: true, mode: 0o700 });
    execFileSync('mkfifo', [file(`${ID}pip`)]);
    symlinkSync(file(good), file(`${ID}lnk`));
    const write = (id: string, rest: readonly string[]) =>
      writeFileSync(file(id), rest.join(''), { mode: 0o600 });
    write(`${ID}hdl`, lines.slice(1));
    write(
      `${ID}row`,
      lines.filter((line) => !line.startsWith('{"n":1,"operation"')),
    );
    // A step of the second row is damaged.
    write(
      `${ID}stp`,
      lines.map((line) => line.replace('{"n":2,"step":"sending"', '{"n":2,"step":"pending"')),
    );
  });

  it('is named with its file, and the others are listed', async () => {
    const list = async (line: string) => {
      const { exit, stdout, stderr } = await run(`${line} --json`);
      expect(exit, line).toBe(0);
      const named = [...stderr.matchAll(/^warning: the journal of (\S+) is damaged.*\1\.jsonl$/gm)];
      return { rows: JSON.parse(stdout), damaged: named.map(([, id]) => id?.slice(ID.length)).sort() };
    };
    const unread = ['hdl', 'lnk', 'pip', 'row'];
    expect(await list('jobs list')).toMatchObject({
      rows: [{ id: good }, { id: `${ID}stp` }],
      damaged: unread,
    });
    for (const line of ['history list', 'history list --target nothing'])
      expect((await list(line)).damaged, line).toEqual([...unread, 'stp']);
    const rows = [{ id: `${good}-2` }, { id: `${good}-1` }, { id: `${ID}stp-1`, status: 'done' }];
    expect(await list('history list')).toMatchObject({ rows });
    expect((await list(`history list --run ${ID}stp`)).rows).toMatchObject(rows.slice(2));
    expect((await list('history list --date-from 2026-03-20')).damaged).toEqual([]);
  });

  it.each([
    ['pip', 'it is not a regular file', 'Move it away: mv '],
    ['lnk', 'it is a symbolic link', 'Replace the link with the file.'],
    ['hdl', `the journal of ${ID}hdl is damaged`, `${ID}hdl.jsonl`],
    ['row', `the journal of ${ID}row is damaged`, `${ID}row.jsonl`],
    ['stp-2', `the journal of ${ID}stp is damaged`, `${ID}stp.jsonl`],
  ])('is not undone: %s, %s', async (id, why, advice) => {
    const { exit, stdout, stderr } = await run(`--profile sandbox undo ${ID}${id} --yes`);
    expect({ exit, stdout }).toEqual({ exit: 2, stdout: '' });
    for (const told of [why, advice]) expect(stderr).toContain(told);
    expect(stderr).not.toContain('has sent nothing');
  });
});

it.runIf(process.geteuid?.() === 0)(
  'what another user put there is not the running sandbox: its secret goes nowhere',
  async () => {
    await run(READ);
    const url = new URL(t.baseUrl).origin;
    const facts = {
      url,
      base_url: `${url}/api/v2`,
      auth_url: url,
      token_url: url,
      port: Number(new URL(url).port),
    };
    const about = { pid: process.pid, started_at: '2026-03-18T10:00:00Z', state: null, secret: 's' };
    const locator = t.file('.local/state/ttctl/sandbox.json');
    writeFileSync(locator, JSON.stringify({ ...facts, ...about }), { mode: 0o600 });
    await run('sandbox status');
    const asked = t.requests.length;
    expect(asked).toBeGreaterThan(0);
    chownSync(locator, 65_534, 65_534);
    const { exit, stderr } = await run('sandbox status');
    expect([exit, stderr]).toEqual([2, expect.stringContaining('it belongs to another user')]);
    expect(t.requests).toHaveLength(asked);
  },
);

onUnix('a file that is named', () => {
  const file = () => t.file('plan');
  const mode = () => statSync(file()).mode & 0o7777;

  it('through a link: that stays, and its target is written', () => {
    const target = t.file('elsewhere/target', 'old');
    symlinkSync('elsewhere/target', t.file('between'));
    symlinkSync('between', file());
    expect(findWriteProblem(file())).toBeUndefined();
    for (const text of ['new', 'newer']) replaceNamed(file(), text);
    expect([readlinkSync(file()), readFileSync(target, 'utf8')]).toEqual(['between', 'newer']);
    expect(lstatSync(target).isSymbolicLink()).toBe(false);
  });

  it('is no pipe: that is refused, and stays', () => {
    execFileSync('mkfifo', [file()]);
    expect(() => replaceNamed(file(), 'new')).toThrow(`cannot write to ${file()}: it is not a file`);
    expect(lstatSync(file()).isFIFO()).toBe(true);
  });

  it('keeps its mode where it is there; a new one is private', () => {
    replaceNamed(file(), 'first');
    expect(mode()).toBe(0o600);
    chmodSync(file(), 0o640);
    replaceNamed(file(), 'new');
    expect([mode(), t.text('plan')]).toEqual([0o640, 'new']);
    replaceNamed(file(), 'newer', { mode: 0o600 });
    expect(mode()).toBe(0o600);
  });

  it.runIf(process.platform === 'linux' || process.geteuid?.() !== 0)(
    'is refused where it may not be written',
    () => {
      chmodSync(t.file('plan', 'old'), 0o444);
      // Root may write everything, unless that is taken from him.
      const mortal = process.geteuid?.() === 0 ? ['setpriv', '--bounding-set=-dac_override'] : [];
      const line = `${BIN} --profile sandbox --json members update 1 --weekly-hours-limit 1 --plan ${file()}`;
      const [program = '', ...args] = [...mortal, process.execPath, ...line.split(' ')];
      const { status, stderr } = spawnSync(program, args, { env: t.processEnv(), encoding: 'utf8' });
      const refusal = `--plan: cannot write to ${file()}: no permission to write there`;
      expect([status, JSON.parse(stderr).error.message, t.text('plan')]).toEqual([2, refusal, 'old']);
    },
  );
});

describe('H4: nothing is trusted that others could have written', () => {
  let path: string;
  let warnings: string[];
  beforeEach(() => {
    warnings = [];
    path = t.file('file.json', 'text');
    chmodSync(path, 0o600);
  });

  const mode = (): string => (statSync(path).mode & 0o7777).toString(8);
  const warn = (text: string) => void warnings.push(text);

  // Settings, plans; then credentials, journals, state.
  describe.each([
    ['settings', () => readOwnFile(path, { kind: 'settings', warn })?.toString()],
    ['a secret', () => readPrivate(path, warn)],
  ] as const)('%s', (_kind, read) => {
    it.runIf(process.geteuid !== undefined)(
      'that others can read is closed to them, with one warning',
      () => {
        chmodSync(path, 0o644);
        expect([read(), read()]).toEqual(['text', 'text']);
        expect(mode()).toBe('600');
        expect(warnings).toEqual([`${path} could be read by other users; its mode is now 0600`]);
      },
    );

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

  it.runIf(process.geteuid !== undefined)(
    'no line is added to a journal of others, nor through a link',
    () => {
      const link = t.file('link');
      symlinkSync(path, link);
      for (const action of [() => appendText(link, '', false), () => openJournal(link)])
        expect(failureOf(action).details.errno).toBe('ELOOP');
      chmodSync(path, 0o666);
      for (const action of [() => appendText(path, '', false), () => openJournal(path)])
        expect(failureOf(action).code).toBe('unsafe_file');
      expect(statSync(path).size).toBe('text'.length);
      expect(readFirstLine(path)).toBeUndefined();
    },
  );

  it.runIf(process.geteuid !== undefined)(
    'a token goes to no address that others could have written',
    async () => {
      const file = t.file(
        'config/settings.json',
        JSON.stringify({ profiles: { default: { base_url: t.baseUrl } } }),
      );
      chmodSync(file, 0o664);
      const env = { TTCTL_CONFIG_DIR: t.file('config'), TTCTL_TOKEN: 'canary-3f1c77', TTCTL_WORKSPACE: '7' };
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
});
