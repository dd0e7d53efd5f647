import { spawn } from 'node:child_process';
import { cpSync, existsSync, mkdtempSync, readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parse as parseYaml } from 'yaml';
import { removeFolder } from './folder.ts';
import { type Finished, finished } from './process.ts';
import { type Place, sessionPlace } from './session-runner.ts';

/**
 * Stands in for the runners of GitHub and GitLab, as far as our pipelines need them: jobs one after another, each on a
 * machine of its own (nothing stored, no terminal), with variables, conditions, and files handed on. What it does not
 * know is an error: no pipeline is run in part and found good.
 */

export type Variables = Readonly<Record<string, string>>;
type Json = Readonly<Record<string, unknown>>;

export interface Setting {
  /** A folder: what the runner checks out. */
  readonly repository?: string;
  /** Of the project: GitHub's vars and secrets, GitLab's CI/CD variables. */
  readonly variables: Variables;
  /** What its machines have in their environment. */
  readonly machine: Variables;
  readonly event?: 'schedule' | 'push' | 'pull_request';
  /** Whether a person starts what waits for one. */
  readonly isReleased?: boolean;
}

export interface JobRun {
  /** Of the first step that failed; else 0. */
  readonly exit: number;
  readonly stdout: string;
  readonly stderr: string;
  /** A file that the job kept; the summary of a job on GitHub is `summary` with `.md`. */
  read(name: string): string;
}

export interface PipelineRun {
  /** Those that were run, in order. */
  readonly jobs: ReadonlyMap<string, JobRun>;
  /** The job of that name. @throws Error with what was printed where it failed, or was not run */
  passed(name: string): JobRun;
  remove(): void;
}

/** Changes the machine. What it would install is what is tried. */
const INSTALLS = /^npm install --global /;

/** As a runner has it: a bash of its own that ends at the first failure. */
const runStep = (line: string, place: Place, env: Variables): Promise<Finished> =>
  finished(
    spawn('bash', ['-eo', 'pipefail', '-c', line], { cwd: place.folder, env: { ...place.env, ...env } }),
  );

const recordOf = (value: unknown): Json => (value ?? {}) as Json;
const listOf = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : []);
const linesOf = (value: unknown): readonly string[] =>
  Array.isArray(value) ? value.map(String) : String(value ?? '').split('\n');

const checkKeys = (what: string, value: Json, known: readonly string[]): void => {
  const strange = Object.keys(value).filter((key) => !known.includes(key));
  if (strange.length > 0) throw new Error(`${what}: the tests' runner does not know ${strange.join()}`);
};

/** The files of jobs: what one keeps, and others get. */
const openShelf = () => {
  const folder = mkdtempSync(join(tmpdir(), 'ttctl-kept-'));
  const copy = (from: string, to: string, names: readonly string[]) => {
    for (const name of names.map((one) => one.trim()).filter((one) => one !== ''))
      if (existsSync(join(from, name))) cpSync(join(from, name), join(to, name), { recursive: true });
  };
  return { folder, copy, remove: () => removeFolder(folder) };
};

class Job {
  readonly place: Place;
  readonly kept: string;
  readonly env: Variables;
  exit = 0;
  stdout = '';
  stderr = '';

  constructor(kept: string, env: Variables, machine: Variables) {
    this.place = sessionPlace(machine);
    this.kept = kept;
    this.env = env;
  }

  async run(line: string, more: Variables = {}): Promise<void> {
    if (INSTALLS.test(line)) return;
    const { exit, stdout, stderr } = await runStep(line, this.place, { CI: 'true', ...this.env, ...more });
    this.exit ||= exit;
    this.stdout += stdout;
    this.stderr += stderr;
  }

  read(name: string): string {
    return readFileSync(join(this.kept, name), 'utf8');
  }
}

type Shelf = ReturnType<typeof openShelf>;

const toRun = (jobs: ReadonlyMap<string, Job>, shelf: Shelf): PipelineRun => ({
  jobs,
  passed: (name) => {
    const job = jobs.get(name);
    if (job === undefined) throw new Error(`${name} was not run`);
    if (job.exit !== 0) throw new Error(`${name}: exit ${job.exit}\n${job.stdout}\n${job.stderr}`);
    return job;
  },
  remove: () => {
    for (const job of jobs.values()) job.place.remove();
    shelf.remove();
  },
});

/** @throws Error where a value asks for what is not there */
const filler = (variables: Variables) => (value: unknown) =>
  Object.fromEntries(
    Object.entries(recordOf(value)).map(([key, text]) => [
      key,
      String(text).replace(/\$\{\{ (?:vars|secrets)\.(\w+) \}\}/g, (_whole, name: string) => {
        if (variables[name] === undefined) throw new Error(`${key}: no ${name}`);
        return variables[name];
      }),
    ]),
  );

const EVENT_IS = /^github\.event_name == '(\w+)'$/;

interface GithubStep {
  readonly uses?: string;
  readonly run?: string;
  readonly if?: string;
  readonly name?: string;
  readonly with?: Readonly<Record<string, string>>;
  readonly env?: Variables;
}

const useAction = (job: Job, shelf: Shelf, step: GithubStep, repository: string | undefined): void => {
  const [action = ''] = (step.uses ?? '').split('@');
  const artifact = join(shelf.folder, step.with?.['name'] ?? 'artifact');
  if (action === 'actions/checkout') {
    if (repository !== undefined) cpSync(repository, job.place.folder, { recursive: true });
  } else if (action === 'actions/upload-artifact') {
    const names = linesOf(step.with?.['path']);
    shelf.copy(job.place.folder, artifact, names);
    shelf.copy(job.place.folder, job.kept, names);
  } else if (action === 'actions/download-artifact') {
    cpSync(artifact, job.place.folder, { recursive: true });
  } else if (action !== 'actions/setup-node') throw new Error(`the tests' runner has no ${action}`);
};

const STEP_KEYS = ['uses', 'run', 'if', 'name', 'with', 'env'];
const checkStep = (job: string, step: GithubStep): void => {
  checkKeys(job, recordOf(step), STEP_KEYS);
  if (step.if !== undefined && step.if !== 'always()') throw new Error(`${job}: no step if: ${step.if}`);
};

/** Whether a job is for this event. */
const isAsked = (name: string, { if: condition }: Json, event: string): boolean => {
  if (condition === undefined) return true;
  const asked = EVENT_IS.exec(String(condition));
  if (asked === null) throw new Error(`${name}: the tests' runner does not know if: ${condition}`);
  return asked[1] === event;
};

const JOB_KEYS = ['needs', 'runs-on', 'concurrency', 'environment', 'env', 'steps', 'if'];

/** Runs a workflow of GitHub Actions. */
export const runGithub = async (text: string, setting: Setting): Promise<PipelineRun> => {
  const workflow = recordOf(parseYaml(text));
  checkKeys('workflow', workflow, ['name', 'on', 'permissions', 'env', 'jobs']);
  const { repository, variables, event = 'schedule', isReleased = true } = setting;
  const fill = filler(variables);
  const shelf = openShelf();
  const jobs = new Map<string, Job>();
  for (const [name, value] of Object.entries(recordOf(workflow['jobs']))) {
    const job = recordOf(value);
    checkKeys(name, job, JOB_KEYS);
    const needed = job['needs'] === undefined ? [] : linesOf(job['needs']);
    const isOn = isAsked(name, job, event) && needed.every((other) => jobs.get(other)?.exit === 0);
    if (!isOn || (job['environment'] !== undefined && !isReleased)) continue;
    const kept = mkdtempSync(join(shelf.folder, `${name}-`));
    const env = { ...fill(workflow['env']), ...fill(job['env']) };
    const one = new Job(kept, { ...env, GITHUB_STEP_SUMMARY: join(kept, 'summary.md') }, setting.machine);
    jobs.set(name, one);
    for (const step of listOf(job['steps']) as readonly GithubStep[]) {
      checkStep(name, step);
      if (one.exit !== 0 && step.if === undefined) continue;
      if (step.run === undefined) useAction(one, shelf, step, repository);
      else await one.run(step.run, fill(step.env));
    }
  }
  return toRun(jobs, shelf);
};

const SOURCE_IS = /^\$CI_PIPELINE_SOURCE == "(\w+)"( && \$CI_COMMIT_BRANCH == \$CI_DEFAULT_BRANCH)?$/;
const SOURCES = { schedule: 'schedule', push: 'push', pull_request: 'merge_request_event' } as const;
const GITLAB_KEYS = [
  ...['image', 'stage', 'rules', 'variables', 'before_script', 'script', 'artifacts', 'resource_group'],
];

/** How a job is started, by the first of its rules that is true; undefined: not at all. */
const startOf = (name: string, rules: unknown, source: string): string | undefined => {
  if (rules === undefined) return 'on_success';
  for (const rule of listOf(rules).map(recordOf)) {
    checkKeys(name, rule, ['if', 'when']);
    const asked = SOURCE_IS.exec(String(rule['if']));
    if (asked === null) throw new Error(`${name}: the tests' runner does not know if: ${rule['if']}`);
    if (asked[1] === source) return String(rule['when'] ?? 'on_success');
  }
  return undefined;
};

/** Runs a pipeline of GitLab CI. */
export const runGitlab = async (text: string, setting: Setting): Promise<PipelineRun> => {
  const { stages = ['test'], default: common, ...others } = recordOf(parseYaml(text));
  const { repository, variables, event = 'schedule', isReleased = true } = setting;
  const shelf = openShelf();
  const jobs = new Map<string, Job>();
  const order = listOf(stages).map(String);
  const stageOf = (job: Json) => order.indexOf(String(job['stage'] ?? 'test'));
  const all = Object.entries(others).map(([name, value]) => [name, recordOf(value)] as const);
  for (const [name, own] of all.toSorted(([, a], [, b]) => stageOf(a) - stageOf(b))) {
    const job = { ...recordOf(common), ...own };
    checkKeys(name, job, GITLAB_KEYS);
    const start = startOf(name, job['rules'], SOURCES[event]);
    const isOn = start !== undefined && [...jobs.values()].every(({ exit }) => exit === 0);
    if (!isOn || (start === 'manual' && !isReleased)) continue;
    const given = Object.entries(recordOf(job['variables'])).map(([key, value]) => [
      key,
      String(value).replace(/\$(\w+)/g, (_whole, variable: string) => variables[variable] ?? ''),
    ]);
    const kept = mkdtempSync(join(shelf.folder, `${name}-`));
    const one = new Job(kept, { ...variables, ...Object.fromEntries(given) }, setting.machine);
    if (repository !== undefined) cpSync(repository, one.place.folder, { recursive: true });
    for (const { kept: before } of jobs.values()) cpSync(before, one.place.folder, { recursive: true });
    jobs.set(name, one);
    for (const line of [...listOf(job['before_script']), ...listOf(job['script'])].map(String))
      if (one.exit === 0) await one.run(line);
    const artifacts = recordOf(job['artifacts']);
    if (one.exit === 0 || artifacts['when'] === 'always')
      shelf.copy(one.place.folder, kept, linesOf(artifacts['paths']));
  }
  return toRun(jobs, shelf);
};
