import { spawn } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse as parseYaml } from 'yaml';
import { makeFolder } from './folder.ts';
import { cleanHome, finished } from './process.ts';

/**
 * Stands in for the runners of GitHub and GitLab, as far as our pipelines need them: jobs one after another, each on a
 * machine of its own (nothing stored, no terminal), with variables, conditions, and files handed on. What it does not
 * know is an error: no pipeline is run in part and found good.
 */

type Variables = Readonly<Record<string, string>>;
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

/** The part of a condition that changes. @throws Error for one that is not understood */
const readCondition = (name: string, condition: string, form: RegExp): string => {
  const [, asked] = form.exec(condition) ?? [];
  if (asked === undefined) throw new Error(`${name}: the tests' runner does not know if: ${condition}`);
  return asked;
};

/** A machine of its own: `ttctl` on PATH, nothing stored, no terminal. */
export class Job {
  /** Where its lines are run. */
  readonly folder: string;
  /** What it keeps; of a job on GitHub its summary too. */
  readonly kept = makeFolder();
  readonly env: Variables;
  /** Of the first line that failed; else 0. */
  exit = 0;
  stdout = '';
  stderr = '';

  constructor(env: Variables, machine: Variables, repository?: string) {
    const home = cleanHome({ TTCTL_RATE_LIMIT: 'off', CI: 'true', ...machine });
    this.folder = join(home.folder, 'work');
    mkdirSync(this.folder);
    if (repository !== undefined) cpSync(repository, this.folder, { recursive: true });
    this.env = { ...home.env, GITHUB_STEP_SUMMARY: join(this.kept, 'summary.md'), ...env };
  }

  /** In a bash of its own that ends at the first failure. What would be installed is what is tried. */
  async run(line: string, more: Variables = {}): Promise<void> {
    if (line.startsWith('npm install --global ')) return;
    const options = { cwd: this.folder, env: { ...this.env, ...more } };
    const ended = await finished(spawn('bash', ['-eo', 'pipefail', '-c', line], options));
    this.exit ||= ended.exit;
    this.stdout += ended.stdout;
    this.stderr += ended.stderr;
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

  keep(names: unknown, to = this.kept): void {
    for (const name of linesOf(names).map((one) => one.trim())) {
      const path = join(this.folder, name);
      if (existsSync(path)) cpSync(path, join(to, name), { recursive: true });
    }
  }

  read(name: string): string {
    return readFileSync(join(this.kept, name), 'utf8');
  }
}

/** The jobs that were run, in order. */
class PipelineRun extends Map<string, Job> {
  /** The job of that name. @throws Error with what was printed where it failed, or was not run */
  passed(name: string): Job {
    const job = this.get(name);
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

/** @param artifacts folder of what jobs hand on, by the name of the artifact */
const useAction = (job: Job, step: Yaml, artifacts: string): void => {
  const action = String(step['uses']).split('@')[0];
  const artifact = join(artifacts, step['with']?.name ?? 'artifact');
  if (action === 'actions/upload-artifact') {
    mkdirSync(artifact, { recursive: true });
    for (const to of [artifact, job.kept]) job.keep(step['with']?.path, to);
  } else if (action === 'actions/download-artifact') cpSync(artifact, job.folder, { recursive: true });
  else if (action !== 'actions/setup-node' && action !== 'actions/checkout')
    throw new Error(`the tests' runner has no ${action}`);
};

/** Runs a workflow of GitHub Actions. */
export const runGithub = async (text: string, setting: Setting): Promise<PipelineRun> => {
  const workflow: Yaml = parseYaml(text);
  checkKeys('workflow', workflow, 'name on permissions env jobs');
  const { variables, event = 'schedule', isReleased = true } = setting;
  const [ran, artifacts] = [new PipelineRun(), makeFolder()];
  for (const [name, job] of Object.entries<Yaml>(workflow['jobs'])) {
    checkKeys(name, job, 'needs runs-on concurrency environment env steps if');
    const condition = job['if'] ?? `github.event_name == '${event}'`;
    const isAsked = readCondition(name, condition, /^github\.event_name == '(\w+)'$/) === event;
    const isReady = linesOf(job['needs']).every((other) => ran.get(other)?.exit === 0);
    if (!isAsked || !isReady || (job['environment'] !== undefined && !isReleased)) continue;
    const env = { ...fill(workflow['env'], variables), ...fill(job['env'], variables) };
    const checksOut = job['steps'].some(({ uses }: Yaml) => uses?.startsWith('actions/checkout'));
    const one = new Job(env, setting.machine, checksOut ? setting.repository : undefined);
    ran.set(name, one);
    for (const step of job['steps']) {
      checkKeys(name, step, 'uses run if name with env');
      readCondition(name, step['if'] ?? 'always()', /^(always\(\))$/);
      if (one.exit !== 0 && step['if'] === undefined) continue;
      if (step['run'] === undefined) useAction(one, step, artifacts);
      else await one.run(step['run'], fill(step['env'], variables));
    }
  }
  return ran;
};

const SOURCE_IS = /^\$CI_PIPELINE_SOURCE == "(\w+)"(?: && \$CI_COMMIT_BRANCH == \$CI_DEFAULT_BRANCH)?$/;
const SOURCES = { schedule: 'schedule', push: 'push', pull_request: 'merge_request_event' };

/** Runs a pipeline of GitLab CI. */
export const runGitlab = async (text: string, setting: Setting): Promise<PipelineRun> => {
  const { stages = ['test'], default: common, ...jobs }: Yaml = parseYaml(text);
  const { variables, event = 'schedule', isReleased = true, repository } = setting;
  const ran = new PipelineRun();
  const stageOf = ([, job]: readonly [string, Yaml]) => stages.indexOf(job['stage'] ?? 'test');
  for (const [name, own] of Object.entries<Yaml>(jobs).toSorted((a, b) => stageOf(a) - stageOf(b))) {
    const job = { ...common, ...own };
    checkKeys(name, job, 'image stage rules variables before_script script artifacts resource_group');
    // The first of its rules that is true says how it is started.
    const rule = job.rules?.find((one: Yaml) => {
      checkKeys(name, one, 'if when');
      return readCondition(name, one['if'], SOURCE_IS) === SOURCES[event];
    });
    const isAsked = job.rules === undefined || (rule && (rule.when !== 'manual' || isReleased));
    if (!isAsked || [...ran.values()].some(({ exit }) => exit !== 0)) continue;
    const given = Object.entries<unknown>(job.variables ?? {}).map(([key, value]) => [
      key,
      String(value).replace(/\$(\w+)/g, (_whole, variable: string) => variables[variable] ?? ''),
    ]);
    const one = new Job({ ...variables, ...Object.fromEntries(given) }, setting.machine, repository);
    for (const { kept } of ran.values()) cpSync(kept, one.folder, { recursive: true });
    ran.set(name, one);
    for (const line of [...linesOf(job.before_script), ...linesOf(job.script)])
      if (one.exit === 0) await one.run(line);
    if (one.exit === 0 || job.artifacts?.when === 'always') one.keep(job.artifacts?.paths);
  }
  return ran;
};
