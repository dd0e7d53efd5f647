import { type ChildProcess, spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach } from 'vitest';
import type { Clock } from '../../src/clock.ts';
import { realClock } from '../../src/platform/machine.ts';
import { quickClock } from './clocks.ts';
import { atThisFileEnd, removeFolder } from './folder.ts';
import { type RunOptions, runInProcess, words } from './in-process.ts';
import { type BinaryOptions, cleanEnv, finished, startBinary } from './process.ts';
import { type Exchange, type SandboxServerOptions, startSandboxServer } from './sandbox-server.ts';
import * as service from './service.ts';
import { openTerminal, type SittingOptions, sitDown, type TerminalOptions } from './terminal.ts';

/**
 * The one harness (test/README.md): a place of its own for each test, with a folder, a service or a sandbox, and the
 * program in this process or as a process, all cleaned up by one hook.
 */

export type Row = Readonly<Record<string, unknown>>;
/** The records of a service by the last word of their path: `members`, `policies`. */
export type Lists = Record<string, readonly Row[]>;
export type Answering = (
  request: service.Recorded,
  index: number,
) => service.Answer | Promise<service.Answer>;
type Env = Readonly<Record<string, string>>;
/** `members list --name "a b"`, or its words. */
export type Line = string | readonly string[];

export interface RunMore extends RunOptions {
  /** In place of that of the test. */
  readonly clock?: Clock;
}

interface CliOptions {
  /** More of the environment, beside what points at the service. */
  readonly env?: Env;
  /** What the runs in this process have; default: the real one, and for a sandbox a quick one. */
  readonly clock?: Clock;
  /** One place for all tests of the file, or of the `describe`, in place of one each. */
  readonly shared?: boolean;
}

interface ServiceOptions extends CliOptions {
  /** What it answers, or the records that it has (`answerFrom`). Default: `plainAnswer`. */
  readonly service?: Answering | Lists;
}

interface SandboxOptions extends CliOptions {
  /** A seed by its name or its file: the embedded sandbox. Or a server in a process of its own. */
  readonly sandbox: string | SandboxServerOptions;
}

/** A place for each test of a file, or of a `describe`. What it has may be taken apart: `const { run } = useCli()`. */
export function useCli(options?: ServiceOptions): ServiceCli;
export function useCli(options: SandboxOptions): SandboxCli;
export function useCli(options: ServiceOptions | SandboxOptions = {}) {
  const cli = createCli(options);
  const [before, after] = options.shared ? [beforeAll, afterAll] : [beforeEach, afterEach];
  before(() => cli.open());
  after(() => cli.close());
  return cli;
}

/** A place for one test, where tests run beside each other or need several; it stays until the file ends. */
export function openCli(options?: ServiceOptions): Promise<ServiceCli>;
export function openCli(options: SandboxOptions): Promise<SandboxCli>;
export async function openCli(options: ServiceOptions | SandboxOptions = {}) {
  const cli = createCli(options);
  atThisFileEnd(() => cli.close());
  await cli.open();
  return cli;
}

/** One command line before a service of its own. @returns how it ended, all that it asked, and its writes */
export const ask = async (line: Line, answer?: Answering | Lists, options: RunMore = {}) => {
  const cli = new ServiceCli({ ...(answer && { service: answer }) });
  await cli.open();
  try {
    return { ...(await cli.run(line, options)), lines: cli.lines(), sent: cli.sent() };
  } finally {
    await cli.close();
  }
};

const createCli = (options: ServiceOptions | SandboxOptions) =>
  'sandbox' in options ? new SandboxCli(options) : new ServiceCli(options);

const toWords = (line: Line): readonly string[] => (typeof line === 'string' ? words(line) : line);

/** What both kinds have: a folder, an environment, and runs. */
class Place {
  folder = '';
  /** What the runs have; a test may change it. */
  env: Record<string, string> = {};
  #children: ChildProcess[] = [];
  readonly #options: CliOptions;
  readonly #clock: Clock;

  constructor(options: CliOptions, clock: Clock) {
    this.#options = options;
    this.#clock = options.clock ?? clock;
  }

  /** What is stored between runs: jobs, history, the sandbox. */
  get state(): string {
    return this.env['TTCTL_STATE_DIR'] ?? '';
  }
  /** A path in the folder of the test; with a text, it is written. */
  file = (name: string, text?: string | Uint8Array): string => {
    const path = join(this.folder, name);
    if (text === undefined) return path;
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, text);
    return path;
  };
  /** The text of a file of that folder. */
  text = (name: string): string => readFileSync(this.file(name), 'utf8');

  run = (line: Line, { env, machine, clock = this.#clock, ...others }: RunMore = {}) =>
    runInProcess(toWords(line), {
      ...others,
      env: { ...this.env, ...env },
      machine: { clock, ...machine },
    });
  /** @returns stdout of a run that ends well. @throws Error with all that it printed */
  read = async (line: Line, more?: RunMore): Promise<string> => {
    const { stdout, stderr, exit } = await this.run(line, more);
    if (exit !== 0) throw new Error(`${toWords(line).join(' ')}: exit ${exit}\n${stdout}${stderr}`);
    return stdout;
  };
  /** What it prints with `--json`, however it ends. @throws Error with all that it printed, where it is no JSON */
  // biome-ignore lint/suspicious/noExplicitAny: tests read literal records
  json = async (line: Line, more?: RunMore): Promise<any> => {
    const { stdout, stderr } = await this.run([...toWords(line), '--json'], more);
    try {
      return JSON.parse(stdout);
    } catch {
      throw new Error(`no JSON of ${toWords(line).join(' ')}: ${stdout}${stderr}`);
    }
  };
  /** The records that it prints; one record is a list of one. Fails where the run does. */
  rows = async (line: Line, more?: RunMore): Promise<readonly Row[]> =>
    [JSON.parse(await this.read([...toWords(line), '--json'], more))].flat();

  /** What a process has: that of the runs, a home, and `ttctl` on PATH. */
  processEnv = (more: Env = {}, node?: string) => ({ ...cleanEnv(this.folder, node), ...this.env, ...more });
  /** The built program, on its way; what still runs at the end is killed. */
  start = (line: Line, more: Partial<BinaryOptions> = {}): ChildProcess =>
    this.#kept(startBinary(toWords(line), { cwd: this.folder, ...more, env: this.processEnv(more.env) }));
  /** The built program, to its end. */
  process = (line: Line, more: Partial<BinaryOptions> = {}) => finished(this.start(line, more), more.input);
  /** A script in the folder of the test, with `ttctl` on PATH, to its end. @param more `node` runs ttctl; default of `shell`: sh */
  shell = (script: string, more: Partial<BinaryOptions> & { readonly shell?: string } = {}) => {
    const env = this.processEnv(more.env, more.node);
    const options = { cwd: more.cwd ?? this.folder, env };
    return finished(this.#kept(spawn(more.shell ?? 'sh', ['-c', script], options)), more.input);
  };
  #kept(child: ChildProcess): ChildProcess {
    this.#children.push(child);
    return child;
  }

  /** In this process, at a terminal before which somebody sits and answers. */
  sit = (
    line: Line,
    answer: SittingOptions['answer'] = () => '\r',
    { env, columns }: { readonly env?: Env; readonly columns?: number } = {},
  ) =>
    sitDown(toWords(line), {
      env: { ...this.env, ...env },
      answer,
      clock: this.#clock,
      ...(columns && { columns }),
    });
  /** The built program in a real terminal. */
  terminal = (line: Line, more: Partial<TerminalOptions> = {}) =>
    openTerminal(toWords(line), { ...more, env: this.processEnv(more.env) });

  openWith(own: Env): void {
    this.folder = mkdtempSync(join(tmpdir(), 'ttctl-test-'));
    this.env = {
      TTCTL_STATE_DIR: join(this.folder, 'state'),
      TTCTL_CONFIG_DIR: join(this.folder, 'config'),
      TTCTL_RATE_LIMIT: 'off',
      ...own,
      ...this.#options.env,
    };
  }
  async close(): Promise<void> {
    for (const child of this.#children.splice(0))
      if (child.exitCode === null && child.signalCode === null) child.kill('SIGKILL');
    removeFolder(this.folder);
  }
}

const isWrite = (line: string): boolean => !line.startsWith('GET');

export class ServiceCli extends Place {
  /** What it answers from now on. */
  answer: Answering = service.plainAnswer;
  /** Its records, where it was made of them: each test begins with those. */
  lists: Lists = {};
  /** Requests that it answers with 403. */
  refused: RegExp | undefined;
  readonly #service: Answering | Lists;
  #recorder: service.Recorder | undefined;

  constructor({ service: own = service.plainAnswer, ...options }: ServiceOptions) {
    super(options, realClock);
    this.#service = own;
  }

  get requests(): readonly service.Recorded[] {
    return this.#recorder?.requests ?? [];
  }
  get baseUrl(): string {
    return this.#recorder?.baseUrl ?? '';
  }
  /** All that came: `PUT /members/17?workspace_id=7 {"workspace_id":7}`, to the letter. */
  lines = (): readonly string[] => this.#recorder?.lines() ?? [];
  /** The writes that came, to the letter. */
  sent = (): readonly string[] => this.lines().filter(isWrite);
  /** Method and path of the writes that came: `PUT /members/17`. */
  writes = (): readonly string[] => this.requests.map(({ line }) => line.split('?')[0] ?? '').filter(isWrite);

  async open(): Promise<void> {
    const own = this.#service;
    this.lists = typeof own === 'function' ? {} : { ...own };
    this.answer = typeof own === 'function' ? own : (request) => answerFrom(this.lists, request);
    this.refused = undefined;
    this.#recorder = await service.startRecorder((request, index) =>
      this.refused?.test(request.line) ? NOT_FOR_YOU : this.answer(request, index),
    );
    this.openWith({
      TTCTL_BASE_URL: this.baseUrl,
      TTCTL_TOKEN: 'token-of-the-test',
      TTCTL_WORKSPACE: '7',
      // What is lost is looked at once: no test waits for what never comes.
      TTCTL_SETTLE: '0',
    });
  }
  override async close(): Promise<void> {
    await this.#recorder?.close();
    await super.close();
  }
}

const NOT_FOR_YOU = { status: 403, body: { success: false, message: 'Not for you.', meta: {} } };

/**
 * A service of these records: its lists heed every filter that the records have a value for, a read of one finds it by its
 * id, and a write answers with the record and what was written, which changes nothing.
 */
export const answerFrom = (lists: Lists, request: service.Recorded): service.Answer => {
  const { pathname, searchParams } = new URL(request.line.replace(/^\w+ /, ''), 'http://h');
  const path = pathname.slice(1).split('/');
  if (service.readsList(request)) {
    const asked = [...searchParams].filter(([name]) => name !== 'workspace_id');
    const isAsked = (row: Row) =>
      asked.every(([name, value]) => !(name in row) || String(row[name]) === value);
    return { body: service.onePage((lists[path.at(-1) ?? ''] ?? []).filter(isAsked)) };
  }
  const found = (lists[path[0] ?? ''] ?? []).find(({ id }) => String(id) === path[1]);
  const answer = service.ofRequest(request, { ...found, ...Object(request.body) });
  return { body: service.envelope({ ...found, ...answer }) };
};

const DAY_MS = 86_400_000;
/** No test runs over midnight: periods are meant by days. */
const LAG_MS = Date.now() % DAY_MS > DAY_MS - 1_200_000 ? 2_400_000 : 0;
/** Of a sandbox: waits pass quickly, and chance is chance. */
export const sandboxClock: Clock = {
  ...quickClock,
  random: realClock.random,
  now: () => realClock.now() - LAG_MS,
};

export class SandboxCli extends Place {
  readonly #sandbox: string | SandboxServerOptions;
  /** What went through the proxy of a server, where it has one. */
  exchanges: readonly Exchange[] = [];
  #closeServer = async (): Promise<void> => {};

  constructor(options: SandboxOptions) {
    super(options, typeof options.sandbox === 'string' ? sandboxClock : realClock);
    this.#sandbox = options.sandbox;
  }

  #log = async () => (await this.rows('sandbox log')).filter(({ method }) => method !== 'GET');
  /** The writes as the service saw them, oldest first: `PUT /members/17?workspace_id=101 {"workspace_id":101}`. */
  sent = async (): Promise<readonly string[]> =>
    (await this.#log()).map(({ method, path, query, body }) => {
      const asked = new URLSearchParams(Object(query)).toString();
      const text = body === null ? '' : ` ${JSON.stringify(body)}`;
      return `${method} ${path}${asked && '?'}${asked}${text}`;
    });
  /** The same by method and path. */
  writes = async (): Promise<readonly string[]> =>
    (await this.#log()).map(({ method, path }) => `${method} ${path}`);
  /** The entries of the history, the latest first. */
  entries = (flags = '') => this.rows(`history list --limit 1000 ${flags}`);
  /** Id of the latest entry. */
  latest = async (): Promise<string> => String((await this.rows('history list --limit 1'))[0]?.['id']);
  /** A new sandbox in place of this one, with a new history. */
  renew = async (): Promise<void> => {
    await this.close();
    await this.open();
  };

  async open(): Promise<void> {
    if (typeof this.#sandbox === 'string') {
      this.openWith({ TTCTL_PROFILE: 'sandbox' });
      if (this.#sandbox !== 'demo') await this.read(['sandbox', 'reset', '--seed', this.#sandbox]);
      return;
    }
    this.openWith({});
    const server = await startSandboxServer(this, this.#sandbox);
    this.exchanges = server.exchanges;
    this.#closeServer = server.close;
    // The tests say themselves what waits.
    Object.assign(this.env, server.env, { TTCTL_RATE_LIMIT: 'off' });
  }
  override async close(): Promise<void> {
    await this.#closeServer();
    this.#closeServer = async () => {};
    await super.close();
  }
}
