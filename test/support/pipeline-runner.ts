import { spawn } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse as parseYaml } from 'yaml';
import { atThisFileEnd, makeFolder } from './folder.ts';
import { finished } from './process.ts';
import { type Place, sessionPlace } from './session-runner.ts';

/**
 * Stands in for the runners of GitHub and GitLab, as far as our pipelines need them: jobs one after another, each on a
 * machine of its own (nothing stored, no terminal), with variables, conditions, and files handed on. What it does not
 * know is an error: no pipeline is run in part and found good.
 */

export type Variables = Readonly<Record<string, string>>;
// biome-ignore lint/suspicious/noExplicitAny: what a file of YAML holds
type Yaml = Readonly<Record<string, any>>;

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

const linesOf = (value: unknown): readonly string[] =>
  (Array.isArray(value) ? value.map(String) : String(value ?? '').split('\n')).filter(Boolean);

const checkKeys = (what: string, value: object, known: string): void => {
  const strange = Object.keys(value).filter((key) => !known.split(' ').includes(key));
  if (strange.length > 0) throw new Error(`${what}: the tests' runner does not know ${strange.join()}`);
};

/** A machine of its own: a folder, `ttctl` on PATH, nothing stored, no terminal. */
export class Job {
  readonly place: Place;
  /** What it keeps; of a job on GitHub its summary too. */
  readonly kept = makeFolder();
  readonly env: Variables;
  /** Of the first step that failed; else 0. */
  exit = 0;
  stdout = '';
  stderr = '';

  constructor(env: Variables, { machine, repository }: Pick<Setting, 'machine' | 'repository'>) {
    this.place = sessionPlace(machine);
    atThisFileEnd(this.place.remove);
    this.env = { GITHUB_STEP_SUMMARY: join(this.kept, 'summary.md'), ...env };
    if (repository !== undefined) cpSync(repository, this.place.folder, { recursive: true });
  }

  /** In a bash of its own that ends at the first failure. What would be installed is what is tried. */
  async run(line: string, more: Variables = {}): Promise<void> {
    if (line.startsWith('npm install --global ')) return;
    const env = { ...this.place.env, CI: 'true', ...this.env, ...more };
    const child = spawn('bash', ['-eo', 'pipefail', '-c', line], { cwd: this.place.folder, env });
    const { exit, stdout, stderr } = await finished(child);
    this.exit ||= exit;
    this.stdout += stdout;
    this.stderr += stderr;
  }

  /** Lines one after another. @returns what they print @throws Error with it at the first that fails */
  async print(lines: readonly string[], more: Variables = {}): Promise<string> {
    Object.assign(this, { exit: 0, stdout: '', stderr: '' });
    for (const line of lines) {
      await this.run(line, more);
      if (this.exit !== 0) throw new Error(`exit ${this.exit}: ${line}\n${this.stdout}\n${this.stderr}`);
    }
    return this.stdout;
  }

  keep(names: readonly string[], to = this.kept): void {
    for (const name of names.map((one) => one.trim()))
      if (existsSync(join(this.place.folder, name)))
        cpSync(join(this.place.folder, name), join(to, name), { recursive: true });
  }

  read(name: string): string {
    return readFileSync(join(this.kept, name), 'utf8');
  }
}

/** Those of its jobs that were run, in order. */
export class PipelineRun {
  readonly jobs = new Map<string, Job>();
  /** Files that jobs hand on, by the name of the artifact. */
  readonly artifacts = makeFolder();

  /** The job of that name. @throws Error with what was printed where it failed, or was not run */
  passed(name: string): Job {
    const job = this.jobs.get(name);
    if (job === undefined) throw new Error(`${name} was not run`);
    if (job.exit !== 0) throw new Error(`${name}: exit ${job.exit}\n${job.stdout}\n${job.stderr}`);
    return job;
  }
}

/** @throws Error where a value asks for what is not there */
const fill = (values: Yaml = {}, variables: Variables): Variables =>
  Object.fromEntries(
    Object.entries(values).map(([key, text]) => [
      key,
      String(text).replace(/\$\{\{ (?:vars|secrets)\.(\w+) \}\}/g, (_whole, name: string) => {
        if (variables[name] === undefined) throw new Error(`${key}: no ${name}`);
        return variables[name];
      }),
    ]),
  );

const useAction = (run: PipelineRun, job: Job, step: Yaml): void => {
  const action = String(step['uses']).split('@')[0];
  const artifact = join(run.artifacts, step['with']?.name ?? 'artifact');
  if (action === 'actions/upload-artifact') {
    mkdirSync(artifact, { recursive: true });
    for (const to of [artifact, job.kept]) job.keep(linesOf(step['with']?.path), to);
  } else if (action === 'actions/download-artifact') cpSync(artifact, job.place.folder, { recursive: true });
  else if (action !== 'actions/setup-node' && action !== 'actions/checkout')
    throw new Error(`the tests' runner has no ${action}`);
};

const runSteps = async (
  run: PipelineRun,
  name: string,
  steps: readonly Yaml[],
  variables: Variables,
): Promise<void> => {
  const one = run.jobs.get(name) as Job;
  for (const step of steps) {
    checkKeys(name, step, 'uses run if name with env');
    if ((step['if'] ?? 'always()') !== 'always()') throw new Error(`${name}: no step if: ${step['if']}`);
    if (one.exit !== 0 && step['if'] === undefined) continue;
    if (step['run'] === undefined) useAction(run, one, step);
    else await one.run(step['run'], fill(step['env'], variables));
  }
};

/** Runs a workflow of GitHub Actions. */
export const runGithub = async (text: string, setting: Setting): Promise<PipelineRun> => {
  const workflow: Yaml = parseYaml(text);
  checkKeys('workflow', workflow, 'name on permissions env jobs');
  const { variables, event = 'schedule', isReleased = true } = setting;
  const run = new PipelineRun();
  for (const [name, job] of Object.entries<Yaml>(workflow['jobs'])) {
    checkKeys(name, job, 'needs runs-on concurrency environment env steps if');
    const asked = /^github\.event_name == '(\w+)'$/.exec(job['if'] ?? `github.event_name == '${event}'`)?.[1];
    if (asked === undefined) throw new Error(`${name}: the tests' runner does not know if: ${job['if']}`);
    const isOn = asked === event && linesOf(job['needs']).every((other) => run.jobs.get(other)?.exit === 0);
    if (!isOn || (job['environment'] !== undefined && !isReleased)) continue;
    const env = { ...fill(workflow['env'], variables), ...fill(job['env'], variables) };
    const checksOut = job['steps'].some(({ uses }: Yaml) => uses?.startsWith('actions/checkout'));
    const { repository: _, ...bare } = setting;
    const one = new Job(env, checksOut ? setting : bare);
    run.jobs.set(name, one);
    await runSteps(run, name, job['steps'], variables);
  }
  return run;
};

const SOURCE_IS = /^\$CI_PIPELINE_SOURCE == "(\w+)"( && \$CI_COMMIT_BRANCH == \$CI_DEFAULT_BRANCH)?$/;
const SOURCES = { schedule: 'schedule', push: 'push', pull_request: 'merge_request_event' } as const;

/** How a job is started, by the first of its rules that is true; undefined: not at all. */
const startOf = (name: string, rules: readonly Yaml[] | undefined, source: string): string | undefined => {
  if (rules === undefined) return 'on_success';
  for (const rule of rules) {
    checkKeys(name, rule, 'if when');
    const asked = SOURCE_IS.exec(rule['if'])?.[1];
    if (asked === undefined) throw new Error(`${name}: the tests' runner does not know if: ${rule['if']}`);
    if (asked === source) return rule['when'] ?? 'on_success';
  }
  return undefined;
};

/** Runs a pipeline of GitLab CI. */
export const runGitlab = async (text: string, setting: Setting): Promise<PipelineRun> => {
  const { stages = ['test'], default: common, ...jobs }: Yaml = parseYaml(text);
  const { variables, event = 'schedule', isReleased = true } = setting;
  const run = new PipelineRun();
  const stageOf = ([, job]: readonly [string, Yaml]) => stages.indexOf(job['stage'] ?? 'test');
  for (const [name, own] of Object.entries<Yaml>(jobs).toSorted((a, b) => stageOf(a) - stageOf(b))) {
    const job = { ...common, ...own };
    checkKeys(name, job, 'image stage rules variables before_script script artifacts resource_group');
    const start = startOf(name, job.rules, SOURCES[event]);
    const isOn = start !== undefined && [...run.jobs.values()].every(({ exit }) => exit === 0);
    if (!isOn || (start === 'manual' && !isReleased)) continue;
    const given = Object.entries<unknown>(job.variables ?? {}).map(([key, value]) => [
      key,
      String(value).replace(/\$(\w+)/g, (_whole, variable: string) => variables[variable] ?? ''),
    ]);
    const one = new Job({ ...variables, ...Object.fromEntries(given) }, setting);
    for (const { kept } of run.jobs.values()) cpSync(kept, one.place.folder, { recursive: true });
    run.jobs.set(name, one);
    for (const line of [...linesOf(job.before_script), ...linesOf(job.script)])
      if (one.exit === 0) await one.run(line);
    if (one.exit === 0 || job.artifacts?.when === 'always') one.keep(linesOf(job.artifacts?.paths));
  }
  return run;
};
