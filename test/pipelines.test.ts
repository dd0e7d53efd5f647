import { spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseYaml } from '@redocly/openapi-core';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { finished } from './support/binary.ts';
import { readDocument, sectionsOf } from './support/document.ts';
import { type SandboxServer, startSandboxServer } from './support/sandbox-server.ts';
import { type Place, sessionPlace } from './support/session-runner.ts';

/** The pipelines and the crontab of docs/ci.md: read as their systems read them, run in bash against a sandbox. */

type Json = Readonly<Record<string, unknown>>;
type Variables = Readonly<Record<string, string>>;

/** Changes the machine. What it would install is what is tried. */
const INSTALLS = /^npm install --global /;

const blockOf = (heading: string, language: string): string => {
  const section = sectionsOf('docs/ci.md', readDocument('docs/ci.md')).find(
    ({ name }) => name === `docs/ci.md: ${heading}`,
  );
  const block = section?.blocks.find((one) => one.language === language);
  if (block === undefined) throw new Error(`no ${language} under ${heading}`);
  return block.text;
};

const pipeline = (heading: string): Json => parseYaml(blockOf(heading, 'yaml')) as Json;

let server: SandboxServer;
let place: Place;
beforeEach(async () => {
  server = await startSandboxServer();
  place = sessionPlace({});
});
afterEach(async () => {
  place?.remove();
  await server?.close();
});

/** What the project's settings hold. */
const settings = (): Variables =>
  Object.fromEntries(
    ['TTCTL_TOKEN', 'TTCTL_BASE_URL', 'TTCTL_WORKSPACE'].map((name) => [name, server.env[name] ?? '']),
  );

/** Each line as a runner has it: a bash of its own that ends at the first failure, and no terminal. */
const run = async (lines: readonly string[], env: Variables): Promise<string> => {
  let printed = '';
  for (const line of lines.filter((one) => !INSTALLS.test(one))) {
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

const written = (name: string): string => readFileSync(join(place.folder, name), 'utf8');
const results = (): readonly Json[] => JSON.parse(written('results.json'));
const approvals = () => server.exchanges.filter(({ route = '' }) => route.endsWith('/approve'));

const listOf = (value: unknown): readonly Json[] => (Array.isArray(value) ? value : []);
/** The lines of a GitLab job, in their order. */
const scriptOf = (job: Json | undefined): readonly string[] =>
  [...listOf(job?.['before_script']), ...listOf(job?.['script'])].map(String);

const isFilled = (text: string): boolean => !/\$\{\{/.test(text);

describe('GitHub Actions', () => {
  it('approves last week, and leaves a summary and the results', async () => {
    const workflow = pipeline('GitHub Actions');
    expect(Object.keys(workflow)).toEqual(['name', 'on', 'jobs']);
    const { approve } = workflow['jobs'] as Record<string, Json>;
    const steps = listOf(approve?.['steps']);
    expect(steps.filter((step) => 'run' in step === 'uses' in step)).toEqual([]);
    const fill = (text: string) =>
      text.replace(/\$\{\{ (?:vars|secrets)\.(\w+) \}\}/g, (whole, name) => settings()[name] ?? whole);
    const env = Object.fromEntries(
      Object.entries((approve?.['env'] ?? {}) as Variables).map(([name, text]) => [name, fill(text)]),
    );
    expect(Object.values(env).filter((text) => !isFilled(text))).toEqual([]);
    const lines = steps.flatMap(({ run: line }) => (typeof line === 'string' ? [line] : []));
    await run(lines, { ...env, CI: 'true', GITHUB_STEP_SUMMARY: join(place.folder, 'summary.md') });
    expect(written('summary.md').split('\n')[0]).toMatch(/^\| waiting since \|/i);
    expect(results().map(({ status }) => status)).toEqual(Array(7).fill('done'));
    expect(approvals()).toHaveLength(7);
    const kept = steps.find(({ uses }) => String(uses).startsWith('actions/upload-artifact@'));
    expect(kept?.['with']).toMatchObject({ path: 'results.json' });
  });
});

describe('GitLab CI', () => {
  it('approves last week, and keeps the results', async () => {
    const { approve } = pipeline('GitLab CI') as Record<string, Json>;
    await run(scriptOf(approve), { ...settings(), CI: 'true' });
    expect(results().map(({ status }) => status)).toEqual(Array(7).fill('done'));
    expect(approve?.['artifacts']).toMatchObject({ paths: ['results.json'] });
  });

  it('tries a script on a sandbox of its own, with a fault', async () => {
    const { test } = pipeline('Test your own script') as Record<string, Json>;
    expect(await run(scriptOf(test), { CI: 'true' })).toMatch(
      /The response was lost .* show that it was done/,
    );
    expect(server.exchanges).toEqual([]);
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
    expect(await run(lines.slice(2), {})).toMatch(/^WAITING SINCE/);
    const soon = lines[0]?.replace('--min-days 14', '--min-days 400') ?? '';
    await expect(run([soon], {})).rejects.toThrow(/^exit 10[\s\S]*days/);
  });
});

/** Where nothing waits: the same lines once more, after all of it is done. */
describe('a quiet week', () => {
  it('ends well on GitHub, on GitLab, and in cron', async () => {
    const { approve } = pipeline('GitHub Actions')['jobs'] as Record<string, Json>;
    const steps = listOf(approve?.['steps']).flatMap(({ run: line }) =>
      typeof line === 'string' ? [line] : [],
    );
    const gitlab = scriptOf((pipeline('GitLab CI') as Record<string, Json>)['approve']);
    const env = { ...settings(), CI: 'true', GITHUB_STEP_SUMMARY: join(place.folder, 'summary.md') };
    await run(['ttctl timesheets approve --all --yes'], env);
    for (const lines of [steps, gitlab]) {
      await run(lines, env);
      expect(results()).toEqual([]);
    }
    const [, approveAll = ''] = blockOf('Cron', 'crontab')
      .split('\n')
      .flatMap((line) => ENTRY.exec(line)?.[2] ?? []);
    await run([approveAll], env);
    expect(approvals()).toHaveLength(7);
  });

  /** Pipelines of the documents and the help, each with what has to be done before it. */
  const PIPED = ['README.md', 'docs/bulk.md', 'docs/webhooks.md'].flatMap((file) =>
    sectionsOf(file, readDocument(file)).flatMap(({ name, blocks }) =>
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
      new Set(['README.md', 'docs/bulk.md', 'docs/webhooks.md']),
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
