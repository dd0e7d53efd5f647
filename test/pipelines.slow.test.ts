import { spawn, spawnSync } from 'node:child_process';
import { chmodSync, cpSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { fridayClock, ROOT, readDocument, sectionsOf } from './support/documents.ts';
import { Job, runGithub, runGitlab, type Setting } from './support/pipeline-runner.ts';
import { finished } from './support/process.ts';
import { openCli, useCli } from './support/use-cli.ts';

/** The pipelines of docs/ci.md and examples/, read as their systems read them, and run against a sandbox. */

const t = useCli({ sandbox: {}, env: fridayClock() });

/** What the project's settings hold. */
const settings = ({ env } = t) => {
  const { TTCTL_TOKEN = '', TTCTL_BASE_URL = '', TTCTL_WORKSPACE = '' } = env;
  return { TTCTL_TOKEN, TTCTL_BASE_URL, TTCTL_WORKSPACE };
};

/** The machine of a person who has checked out what the documents tell to write. */
let own: Job;
beforeEach(() => {
  own = new Job({}, fridayClock());
  for (const [name, path] of [
    ['rules.json', 'docs/deciding.md'],
    ['payroll.sh', 'docs/ci.md'],
    ['people.sh', 'docs/ci.md'],
    ['joiners.csv', 'docs/ci.md'],
    ['contracts.csv', 'docs/ci.md'],
  ] as const) {
    const [, text] = new RegExp(`^cat > ${name} <<'END'\\n(.*?)^END$`, 'ms').exec(readDocument(path)) ?? [];
    if (text === undefined) throw new Error(`${path} writes no ${name}`);
    writeFileSync(join(own.folder, name), text);
  }
});

/** Runs the file of a system on its machines, which have that checked out. */
const pipe = (system: 'github' | 'gitlab', text: string, more: Partial<Setting> = {}) => {
  const { TTCTL_TOKEN } = settings();
  // A token that only reads, and one that also writes: here the same.
  const tokens = { TTCTL_READ_TOKEN: TTCTL_TOKEN, TTCTL_WRITE_TOKEN: TTCTL_TOKEN };
  const variables = { ...settings(), ...tokens, TTCTL_PACKAGE: 'ttctl' };
  const setting = { variables, machine: fridayClock(), repository: own.folder, ...more };
  return system === 'github' ? runGithub(text, setting) : runGitlab(text, setting);
};

/** Of docs/ci.md. */
const blockOf = (heading: string, language: string): string => {
  const section = sectionsOf('docs/ci.md').find(({ name }) => name === `docs/ci.md: ${heading}`);
  const block = section?.blocks.find((one) => one.language === language);
  if (block === undefined) throw new Error(`no ${language} under ${heading}`);
  return block.text;
};

describe.each([
  ['github', 'GitHub Actions', 'summary.md'],
  ['gitlab', 'GitLab CI', 'plan.md'],
] as const)('on %s', (system, heading, summary) => {
  const example = (name: string) => readDocument(`examples/${system}/${name}.yml`);

  it('the pipeline of the page approves last week, and keeps the results', async () => {
    const first = (await pipe(system, blockOf(heading, 'yaml'))).passed('approve');
    const results = JSON.parse(first.read('results.json')) as { status: string }[];
    expect(results.map(({ status }) => status)).toEqual(Array(5).fill('done'));
    if (system === 'github') expect(first.read('summary.md')).toMatch(/^\| member \|/i);
    const again = (await pipe(system, blockOf(heading, 'yaml'))).passed('approve');
    expect(JSON.parse(again.read('results.json'))).toEqual([]);
    expect(await t.writes()).toHaveLength(5);
  });

  it('the decisions of rules are sent once a person has read them, and once only', async () => {
    const weekly = example('weekly-decisions');
    const waiting = await pipe(system, weekly, { isReleased: false });
    expect([...waiting.keys()]).toEqual(['plan']);
    expect(waiting.passed('plan').read(summary)).toContain('status: submitted → approved');
    expect(await t.writes()).toEqual([]);
    const released = await pipe(system, weekly);
    const results = JSON.parse(released.passed('apply').read('results.json')) as { status: string }[];
    expect(results.map(({ status }) => status)).toEqual(Array(6).fill('done'));
    expect(await t.writes()).toHaveLength(6);
    const again = await pipe(system, weekly);
    expect(JSON.parse(again.passed('apply').read('results.json'))).toEqual([]);
    expect(await t.writes()).toHaveLength(6);
  });

  it('what payroll needs is written, and the job fails while something is open', async () => {
    const [job] = (await pipe(system, example('payroll'))).values();
    expect(job?.exit).toBe(10);
    expect(job?.read('findings.csv')).toContain('\r\narjun@lindenhof.example,Arjun Nair,rejected,');
    const leave = '\r\ntomasz@lindenhof.example,Tomasz Zieliński,Annual leave,yes,';
    expect(job?.read('leaves.csv')).toContain(leave);
    expect(job?.read('expenses.csv')).toContain('\r\nNora Lindqvist,"Oct 26, 2026",Typeface licence,');
    const hours = '\r\naoife@lindenhof.example,Aoife Byrne,2026-10-19,2026-10-25,41';
    expect(job?.read('hours.csv')).toContain(hours);
    expect(await t.writes()).toEqual([]);
  });

  it('a workspace is compared every night: a job fails that finds something, with what it is', async () => {
    await own.print(['ttctl workspaces export workspace'], settings());
    (await pipe(system, example('workspace'))).passed('drift');
    await own.print(['ttctl projects update 116 --budget 1234.5 --yes'], settings());
    const jobs = await pipe(system, example('workspace'));
    const drift = jobs.get('drift');
    expect([[...jobs.keys()], drift?.exit]).toEqual([['drift'], 10]);
    expect(system === 'github' ? drift?.read('summary.md') : drift?.stdout).toContain('1234.5');
  });

  it('its changes are reviewed as a plan, applied once they are merged, and once only', async () => {
    await own.print(['ttctl workspaces export workspace'], settings());
    const change = [`sed -i 's/,Mei,/,May,/' members.csv`, `echo ',Pier,,,,,,' >> projects.csv`];
    await own.print(change.map((line) => `cd workspace; ${line}`));
    const reviewed = await pipe(system, example('workspace'), { event: 'pull_request' });
    expect(reviewed.passed('plan').read(summary)).toContain('Mei → May');
    expect(await t.writes()).toEqual([]);
    const merged = (await pipe(system, example('workspace'), { event: 'push' })).passed('apply');
    expect(JSON.parse(merged.read('results.json'))).toMatchObject([{ status: 'done' }, { status: 'done' }]);
    expect(await t.writes()).toHaveLength(2);
    (await pipe(system, example('workspace'), { event: 'push' })).passed('apply');
    expect(await t.writes()).toHaveLength(2);
    (await pipe(system, example('workspace'))).passed('drift');
  });
});

it('a script of yours is tried on a sandbox of its own, with a fault', async () => {
  const test = await pipe('gitlab', blockOf('Test your own script', 'yaml'), { variables: {} });
  expect(test.passed('test').stdout).toMatch(/The response was lost .* show that it was done/);
  expect(await t.rows('sandbox log')).toEqual([]);
});

it('joiners and leavers are sent once, however often the files come, from a fresh machine too', async () => {
  writeFileSync(join(own.folder, 'leavers.txt'), 'arjun@lindenhof.example\n');
  await own.print(['sh ./people.sh'], settings());
  expect(await t.writes()).toHaveLength(3);
  await own.print(['sh ./people.sh'], settings());
  await new Job({}, fridayClock(), own.folder).print(['sh ./people.sh'], settings());
  expect(await t.writes()).toHaveLength(3);
});

it('the crontab has entries that cron takes, and that do their work with no terminal', async () => {
  // Minute, hour, day, month, day of the week; then the command.
  const entry = /^((?:(?:\*|\d+(?:-\d+)?)(?:\/\d+)? ){4}(?:\*|\d+(?:-\d+)?)) +(\S.*)$/;
  const entries = blockOf('Cron', 'crontab')
    .split('\n')
    .filter((line) => !/^[A-Z]+=\S+$/.test(line));
  const [soon = '', approve = '', list = '', ...others] = entries.map(
    (line) => entry.exec(line)?.[2] ?? line,
  );
  expect(others).toEqual([]);
  // A percent sign is a line break to cron.
  expect(soon + approve + list).not.toContain('%');
  const login = `printf '%s' "$TTCTL_TOKEN" | ttctl auth login --base-url "$TTCTL_BASE_URL" --token-stdin`;
  const { TTCTL_WORKSPACE: _, ...whose } = settings();
  await own.print([login], whose);
  expect(await own.print([soon, approve])).toMatch(/^(✓ approved .*\n){5}$/);
  expect(await own.print([list])).toMatch(/^MEMBER/);
  expect(await own.print([approve])).toBe('');
  expect(await t.writes()).toHaveLength(5);
  const later = soon.replace('--min-days 14', '--min-days 400');
  await expect(own.print([later])).rejects.toThrow(/^exit 10[\s\S]*days/);
});

describe.runIf(process.platform === 'linux')('the unit for systemd', () => {
  const folder = join(ROOT, 'examples/systemd');

  it.runIf(spawnSync('systemd-analyze', ['--version']).status === 0)('is what systemd takes', () => {
    const verify = ['verify', '--man=no', 'ttctl-approve.service', 'ttctl-approve.timer'];
    const { status, stdout, stderr } = spawnSync('systemd-analyze', verify, {
      cwd: folder,
      encoding: 'utf8',
    });
    // It may have something to say about other units of the machine.
    const told = `${stdout}${stderr}`.split('\n').filter((line) => line.includes('ttctl'));
    expect({ status, told }).toEqual({ status: 0, told: [] });
  });

  it('works as it restricts, and as a container does: not root, no HOME, no terminal, a disk to read', async () => {
    const place = await openCli({ sandbox: { seed: 'month-end' } });
    const state = place.file('disk/state');
    for (const part of ['bin', 'dist', 'package.json'])
      cpSync(join(ROOT, part), place.file(`disk/package/${part}`), { recursive: true });
    mkdirSync(state, { mode: 0o700 });
    mkdirSync(place.file('disk/path'));
    symlinkSync(place.file('disk/package/bin/ttctl.js'), place.file('disk/path/ttctl'));
    chmodSync(place.folder, 0o755);
    for (const name of ['disk/path', 'disk']) chmodSync(place.file(name), 0o555);
    onTestFinished(() => {
      for (const name of ['disk', 'disk/path']) chmodSync(place.file(name), 0o755);
    });
    // Words before a command that make it somebody else, who finds all but the state directory read-only.
    const nobody = ['setpriv', '--reuid', '65534', '--regid', '65534', '--clear-groups', '--no-new-privs'];
    const remount = 'mount --bind "$0" "$0" && mount -o remount,bind,ro / && exec "$@"';
    const mounted = ['unshare', '--mount', 'sh', '-c', remount, state];
    const isRoot = process.getuid?.() === 0;
    if (isRoot) spawnSync('chown', ['65534', state]);
    const canMount = isRoot && spawnSync('unshare', [...mounted.slice(1), 'true']).status === 0;
    const before = [...(canMount ? mounted : []), ...(isRoot ? nobody : [])];
    const run = (line: string, more = {}) => {
      const env = { PATH: `${place.file('disk/path')}:${process.env.PATH}`, ...settings(place), ...more };
      const [program = '', ...args] = [...before, 'sh', '-c', line];
      const stdio = ['ignore', 'pipe', 'pipe'] as const;
      return finished(
        spawn(program, args, { cwd: place.file('disk'), env, stdio: [...stdio], detached: true }),
      );
    };

    const look =
      'id -u; touch here; touch state/a && rm state/a; test -t 0 || echo "no terminal"; echo "[$HOME]"';
    const found = await run(look);
    expect(found.stdout).toMatch(/^[1-9]\d*\nno terminal\n\[\]\n$/);
    expect(found.stderr).toMatch(/^touch: [^\n]*'?here'?: (Read-only file system|Permission denied)\n$/);

    const update = await run('ttctl members update 108 --weekly-hours-limit 31 --yes --json');
    expect(update.exit, update.stderr).toBe(0);
    expect(JSON.parse(update.stdout)).toMatchObject({ status: 'done' });
    const rejected = await run('ttctl timesheets reject --all --reason Twice --max-changes 500 --yes');
    expect([rejected.exit, rejected.stderr]).toEqual([2, expect.stringContaining('TTCTL_STATE_DIR')]);

    const unit = readFileSync(join(folder, 'ttctl-approve.service'), 'utf8');
    const [, line = ''] = /^ExecStart=(.*)$/m.exec(unit) ?? [];
    const { stdout, stderr, exit } = await run(line, { TTCTL_STATE_DIR: state });
    expect(exit, stderr).toBe(0);
    expect(stdout).toMatch(/^✓ approved {2}\S/m);
    const jobs = await run('ttctl jobs list --json', { TTCTL_STATE_DIR: state });
    expect(JSON.parse(jobs.stdout)).toEqual([expect.objectContaining({ state: 'done', failed: 0 })]);
  });
});
