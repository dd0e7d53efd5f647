import { spawn } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { fridayClock, readDocument, sectionsOf } from './support/documents.ts';
import { type PipelineRun, runGithub, runGitlab, type Setting } from './support/pipeline-runner.ts';
import { finished } from './support/process.ts';
import { type SandboxServer, startSandboxServer } from './support/sandbox-server.ts';
import { type Place, sessionPlace } from './support/session-runner.ts';

/**
 * The pipelines of docs/ci.md and examples/, and the crontab: read as their systems read them, run in bash against a
 * sandbox.
 */

type Variables = Readonly<Record<string, string>>;

const blockOf = (heading: string, language: string): string => {
  const section = sectionsOf('docs/ci.md').find(({ name }) => name === `docs/ci.md: ${heading}`);
  const block = section?.blocks.find((one) => one.language === language);
  if (block === undefined) throw new Error(`no ${language} under ${heading}`);
  return block.text;
};

let server: SandboxServer;
let place: Place;
let ran: PipelineRun[] = [];
beforeEach(async () => {
  server = await startSandboxServer({}, fridayClock());
  place = sessionPlace(fridayClock());
});
afterEach(async () => {
  for (const run of ran) run.remove();
  ran = [];
  place?.remove();
  await server?.close();
});

/** What the project's settings hold. */
const settings = (): Variables =>
  Object.fromEntries(
    ['TTCTL_TOKEN', 'TTCTL_BASE_URL', 'TTCTL_WORKSPACE'].map((name) => [name, server.env[name] ?? '']),
  );

/** The token that only reads, the one that also writes: here the same. */
const variables = (): Variables => {
  const { TTCTL_TOKEN = '', ...others } = settings();
  return {
    ...others,
    TTCTL_TOKEN,
    TTCTL_READ_TOKEN: TTCTL_TOKEN,
    TTCTL_WRITE_TOKEN: TTCTL_TOKEN,
    TTCTL_PACKAGE: 'ttctl',
  };
};

type System = 'github' | 'gitlab';
const RUNNERS = { github: runGithub, gitlab: runGitlab };

const pipe = async (system: System, text: string, more: Partial<Setting> = {}): Promise<PipelineRun> => {
  const run = await RUNNERS[system](text, { variables: variables(), machine: fridayClock(), ...more });
  ran.push(run);
  return run;
};

const approvals = () => server.exchanges.filter(({ route = '' }) => route.endsWith('/approve'));
const writes = () => server.exchanges.filter(({ route = 'GET' }) => !route.startsWith('GET'));

/** Each line in a bash of its own that ends at the first failure, with no terminal. */
const run = async (lines: readonly string[], env: Variables): Promise<string> => {
  let printed = '';
  for (const line of lines) {
    const child = spawn('bash', ['-eo', 'pipefail', '-c', line], {
      cwd: place.folder,
      env: { ...place.env, ...env },
    });
    const { exit, stdout, stderr } = await finished(child);
    if (exit !== 0) throw new Error(`exit ${exit}: ${line}\n${stdout}\n${stderr}`);
    printed += stdout;
  }
  return printed;
};

const PAGE: Readonly<Record<System, string>> = {
  github: blockOf('GitHub Actions', 'yaml'),
  gitlab: blockOf('GitLab CI', 'yaml'),
};

describe('the pipelines of the page', () => {
  it.each(['github', 'gitlab'] as const)('%s approves last week, and keeps the results', async (system) => {
    const first = (await pipe(system, PAGE[system])).passed('approve');
    const results = JSON.parse(first.read('results.json')) as { status: string }[];
    expect(results.map(({ status }) => status)).toEqual(Array(7).fill('done'));
    expect(approvals()).toHaveLength(7);
    if (system === 'github') expect(first.read('summary.md')).toMatch(/^\| member \|/i);
    const again = (await pipe(system, PAGE[system])).passed('approve');
    expect(JSON.parse(again.read('results.json'))).toEqual([]);
    expect(writes()).toHaveLength(7);
  });

  it('try a script on a sandbox of its own, with a fault', async () => {
    const test = await pipe('gitlab', blockOf('Test your own script', 'yaml'), { variables: {} });
    expect(test.passed('test').stdout).toMatch(/The response was lost .* show that it was done/);
    expect(server.exchanges).toEqual([]);
  });
});

const example = (path: string): string => readDocument(`examples/${path}`);

/** What a project has checked out: files that the documents write. */
const repository = (): string => {
  for (const [name, path] of [
    ['rules.json', 'docs/deciding.md'],
    ['payroll.sh', 'docs/ci.md'],
    ['people.sh', 'docs/ci.md'],
    ['joiners.csv', 'docs/ci.md'],
    ['contracts.csv', 'docs/ci.md'],
  ] as const) {
    const [, text] = new RegExp(`^cat > ${name} <<'END'\\n(.*?)^END$`, 'ms').exec(readDocument(path)) ?? [];
    if (text === undefined) throw new Error(`${path} writes no ${name}`);
    writeFileSync(join(place.folder, name), text);
  }
  return place.folder;
};

describe.each(['github', 'gitlab'] as const)('the examples for %s', (system) => {
  it('send the decisions of the rules once a person has read them, and once only', async () => {
    const weekly = example(`${system}/weekly-decisions.yml`);
    const waiting = await pipe(system, weekly, { repository: repository(), isReleased: false });
    expect([...waiting.jobs.keys()]).toEqual(['plan']);
    const page = waiting.passed('plan').read(system === 'github' ? 'summary.md' : 'plan.md');
    expect(page).toContain('status: submitted → approved');
    expect(writes()).toEqual([]);

    const released = await pipe(system, weekly, { repository: repository() });
    const results = JSON.parse(released.passed('apply').read('results.json')) as { status: string }[];
    expect(results.map(({ status }) => status)).toEqual(Array(6).fill('done'));
    expect(writes()).toHaveLength(6);

    const again = await pipe(system, weekly, { repository: repository() });
    expect(JSON.parse(again.passed('apply').read('results.json'))).toEqual([]);
    expect(writes()).toHaveLength(6);
  });

  it('write what payroll needs, and fail while something is open', async () => {
    const payroll = example(`${system}/payroll.yml`);
    const { jobs } = await pipe(system, payroll, { repository: repository() });
    const [job] = [...jobs.values()];
    expect(job?.exit).toBe(10);
    expect(job?.read('findings.csv')).toContain('\r\narjun@lindenhof.example,Arjun Nair,rejected,');
    expect(job?.read('leaves.csv')).toContain(
      '\r\ntomasz@lindenhof.example,Tomasz Zieliński,Annual leave,yes,',
    );
    expect(job?.read('expenses.csv')).toContain('\r\nNora Lindqvist,"Oct 26, 2026",Typeface licence,');
    expect(job?.read('hours.csv')).toContain(
      '\r\naoife@lindenhof.example,Aoife Byrne,2026-10-19,2026-10-25,41',
    );
    expect(writes()).toEqual([]);
  });
});

describe.each(['github', 'gitlab'] as const)('a workspace in a repository of %s', (system) => {
  const exported = async (): Promise<string> => {
    const { TTCTL_TOKEN = '', ...others } = settings();
    await run(['ttctl workspaces export workspace'], { ...others, TTCTL_TOKEN });
    return place.folder;
  };
  const text = example(`${system}/workspace.yml`);

  it('is compared every night: a job fails that finds something, with what it is', async () => {
    const repository = await exported();
    (await pipe(system, text, { repository })).passed('drift');
    await run(['ttctl projects update 116 --budget 1234.5 --yes'], settings());
    const { jobs } = await pipe(system, text, { repository });
    const drift = jobs.get('drift');
    expect([[...jobs.keys()], drift?.exit]).toEqual([['drift'], 10]);
    expect(system === 'github' ? drift?.read('summary.md') : drift?.stdout).toContain('1234.5');
  });

  it('is reviewed as a plan, applied once it is merged, and once only', async () => {
    const repository = await exported();
    await run(
      [`sed -i 's/,Mei,/,May,/' workspace/members.csv`, `echo ',Pier,,,,,,' >> workspace/projects.csv`],
      {},
    );
    const reviewed = (await pipe(system, text, { repository, event: 'pull_request' })).passed('plan');
    expect(reviewed.read(system === 'github' ? 'summary.md' : 'plan.md')).toContain('Mei → May');
    expect(writes()).toEqual([]);
    const merged = (await pipe(system, text, { repository, event: 'push' })).passed('apply');
    expect(JSON.parse(merged.read('results.json'))).toMatchObject([{ status: 'done' }, { status: 'done' }]);
    expect(writes()).toHaveLength(2);
    (await pipe(system, text, { repository, event: 'push' })).passed('apply');
    expect(writes()).toHaveLength(2);
    (await pipe(system, text, { repository })).passed('drift');
  });
});

describe('joiners and leavers', () => {
  it('are sent once, however often the files come, from a fresh machine too', async () => {
    repository();
    writeFileSync(join(place.folder, 'leavers.txt'), 'arjun@lindenhof.example\n');
    await run(['sh ./people.sh'], settings());
    const sent = writes().length;
    expect(sent).toBe(3);
    await run(['sh ./people.sh'], settings());
    const fresh = sessionPlace(fridayClock());
    const { exit } = await finished(
      spawn('sh', ['./people.sh'], { cwd: place.folder, env: { ...fresh.env, ...settings() } }),
    );
    fresh.remove();
    expect([exit, writes().length]).toEqual([0, sent]);
  });
});

/** Minute, hour, day, month, day of the week; then the command. */
const ENTRY = /^((?:(?:\*|\d+(?:-\d+)?)(?:\/\d+)? ){4}(?:\*|\d+(?:-\d+)?)) +(\S.*)$/;

describe('the crontab', () => {
  it('has entries that cron takes, and that do their work with no terminal', async () => {
    const [assignments, entries] = [/^[A-Z]+=\S+$/, blockOf('Cron', 'crontab').split('\n')];
    const commands = entries.filter((line) => !assignments.test(line)).map((line) => ENTRY.exec(line)?.[2]);
    expect(commands).toHaveLength(3);
    // A percent sign is a line break to cron.
    expect(commands.filter((line) => line === undefined || line.includes('%'))).toEqual([]);
    const lines = commands.flatMap((line) => line ?? []);
    const login = `printf '%s' "$TOKEN" | ttctl auth login --base-url "$BASE" --token-stdin`;
    const { TTCTL_TOKEN: TOKEN = '', TTCTL_BASE_URL: BASE = '' } = settings();
    await run([login], { TOKEN, BASE });
    expect(await run(lines.slice(0, 2), {})).toMatch(/^(✓ .* approved\n){7}$/);
    expect(await run(lines.slice(2), {})).toMatch(/^MEMBER/);
    expect(await run(lines.slice(1, 2), {})).toBe('');
    expect(approvals()).toHaveLength(7);
    const soon = lines[0]?.replace('--min-days 14', '--min-days 400') ?? '';
    await expect(run([soon], {})).rejects.toThrow(/^exit 10[\s\S]*days/);
  });
});

/** Where nothing waits: pipelines of the documents, each with what has to be done before it. */
describe('a quiet week', () => {
  const PIPED = ['README.md', 'docs/bulk.md'].flatMap((file) =>
    sectionsOf(file).flatMap(({ name, blocks }) =>
      blocks
        .filter(({ language }) => language === 'sh')
        .map(({ text }) => text.replaceAll('|\n', '|'))
        .filter((text) => /\| *ttctl [a-z -]+ - /.test(text))
        .map((text): [string, string[]] => [
          name,
          text
            .split('\n')
            .filter((line) => !/ [0-9a-f]{8}-[0-9a-f]{4}-/.test(line) && !/^npm |^#/.test(line)),
        ]),
    ),
  );

  it('has the pipelines of every document', () => {
    expect(new Set(PIPED.map(([name]) => name.split(':')[0]))).toEqual(
      new Set(['README.md', 'docs/bulk.md']),
    );
  });

  it.each(PIPED)('ends well: %s', async (_name, lines) => {
    const env = { ...settings(), CI: 'true' };
    await run(
      ['timesheets', 'leaves', 'time-requests'].map((noun) => `ttctl ${noun} approve --all --yes`),
      env,
    );
    const before = approvals().length;
    const piped = lines.filter((line) => /\| *ttctl |plan\.json/.test(line));
    await run(piped, env);
    expect(approvals()).toHaveLength(before);
  });
});
