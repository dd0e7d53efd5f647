import type { ChildProcess } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach } from 'vitest';
import type { Clock } from '../../src/clock.ts';
import { realClock } from '../../src/platform/machine.ts';
import { quickClock } from './clocks.ts';
import { atThisFileEnd, removeFolder } from './folder.ts';
import { type Outcome, type RunOptions, runInProcess, words } from './in-process.ts';
import { type BinaryOptions, type Finished, finished, startBinary } from './process.ts';
import { type SandboxServerOptions, startSandboxServer } from './sandbox-server.ts';
import {
  type Answer,
  envelope,
  ofRequest,
  onePage,
  plainAnswer,
  type Recorded,
  type Recorder,
  readsList,
  startRecorder,
} from './service.ts';
import {
  openTerminal,
  type Sitting,
  type SittingOptions,
  sitDown,
  type Terminal,
  type TerminalOptions,
} from './terminal.ts';

/**
 * The one harness (test/README.md): a place of its own for each test, with a folder, a service or a sandbox, and the
 * program in this process or as a process, all cleaned up by one hook.
 */

export type Row = Readonly<Record<string, unknown>>;
/** The records of a service by the last word of their path: `members`, `policies`. */
export type Lists = Record<string, readonly Row[]>;
export type Answering = (request: Recorded, index: number) => Answer | Promise<Answer>;
type Env = Record<string, string>;
/** `members list --name "a b"`, or its words. */
export type Line = string | readonly string[];

export interface RunMore extends RunOptions {
  /** In place of that of the test. */
  readonly clock?: Clock;
}

export interface CliOptions {
  /** More of the environment, beside what points at the service. */
  readonly env?: Readonly<Env>;
  /** What the runs in this process have; default: the real one, and for a sandbox a quick one. */
  readonly clock?: Clock;
  /** One place for all tests of the file, or of the `describe`, in place of one each. */
  readonly shared?: boolean;
}

export interface ServiceOptions extends CliOptions {
  /** What it answers, or the records that it has (`answerFrom`). Default: `plainAnswer`. */
  readonly service?: Answering | Lists;
}

export interface SandboxOptions extends CliOptions {
  /** A seed by its name or its file: the embedded sandbox. Or a server in a process of its own. */
  readonly sandbox: string | Omit<SandboxServerOptions, 'proxy'>;
}

export type ServiceCli = ReturnType<typeof serviceCli>;
export type SandboxCli = ReturnType<typeof sandboxCli>;

/** A place for each test of a file, or of a `describe`. What it has may be taken apart: `const { run } = useCli()`. */
export function useCli(options?: ServiceOptions): ServiceCli;
export function useCli(options: SandboxOptions): SandboxCli;
export function useCli(options: ServiceOptions | SandboxOptions = {}): ServiceCli | SandboxCli {
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
export const ask = async (line: Line, service: Answering | Lists = plainAnswer, options: RunMore = {}) => {
  const cli = serviceCli({ service });
  await cli.open();
  try {
    return { ...(await cli.run(line, options)), lines: cli.lines(), sent: cli.sent() };
  } finally {
    await cli.close();
  }
};

function createCli(options: ServiceOptions | SandboxOptions): ServiceCli | SandboxCli {
  return 'sandbox' in options ? sandboxCli(options) : serviceCli(options);
}

const toWords = (line: Line): readonly string[] => (typeof line === 'string' ? words(line) : line);

/** What both kinds have: a folder, an environment, and runs. */
function createPlace(options: CliOptions, defaultClock: Clock) {
  const clock = options.clock ?? defaultClock;
  let folder = '';
  let env: Env = {};
  let children: ChildProcess[] = [];

  const file = (name: string, text?: string | Uint8Array): string => {
    const path = join(folder, name);
    if (text === undefined) return path;
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, text);
    return path;
  };
  const run = (line: Line, { env: more, machine, clock: own, ...others }: RunMore = {}): Promise<Outcome> => {
    const all = { clock: own ?? clock, ...machine };
    return runInProcess(toWords(line), { ...others, env: { ...env, ...more }, machine: all });
  };
  /** @returns stdout of a run that ends well. @throws Error with all that it printed */
  const read = async (line: Line, more?: RunMore): Promise<string> => {
    const { stdout, stderr, exit } = await run(line, more);
    if (exit !== 0) throw new Error(`${toWords(line).join(' ')}: exit ${exit}\n${stdout}${stderr}`);
    return stdout;
  };
  /** What it prints with `--json`, however it ends. @throws Error with all that it printed, where it is no JSON */
  // biome-ignore lint/suspicious/noExplicitAny: tests read literal records
  const json = async (line: Line, more?: RunMore): Promise<any> => {
    const { stdout, stderr } = await run([...toWords(line), '--json'], more);
    try {
      return JSON.parse(stdout);
    } catch {
      throw new Error(`no JSON of ${toWords(line).join(' ')}: ${stdout}${stderr}`);
    }
  };
  const processEnv = (more: Readonly<Env> = {}): Env => ({
    ...{ HOME: folder, PATH: process.env['PATH'] ?? '', LANG: 'C.UTF-8', TZ: 'UTC' },
    ...env,
    ...more,
  });
  /** The built program, on its way; what still runs at the end is killed. */
  const start = (line: Line, more: Partial<BinaryOptions> = {}): ChildProcess => {
    const child = startBinary(toWords(line), { cwd: folder, ...more, env: processEnv(more.env) });
    children.push(child);
    return child;
  };
  const api = {
    run,
    read,
    json,
    /** The records that it prints; one record is a list of one. Fails where the run does. */
    rows: async (line: Line, more?: RunMore): Promise<readonly Row[]> =>
      [JSON.parse(await read([...toWords(line), '--json'], more))].flat(),
    /** A path in the folder of the test; with a text, it is written. */
    file,
    /** The text of a file of that folder. */
    text: (name: string): string => readFileSync(file(name), 'utf8'),
    /** The built program, to its end. */
    process: (line: Line, more: Partial<BinaryOptions> = {}): Promise<Finished> =>
      finished(start(line, more), more.input),
    start,
    /** In this process, at a terminal before which somebody sits and answers. */
    sit: (
      line: Line,
      answer: SittingOptions['answer'] = () => '\r',
      { env: more, columns }: { readonly env?: Readonly<Env>; readonly columns?: number } = {},
    ): Promise<Sitting> =>
      sitDown(toWords(line), { env: { ...env, ...more }, answer, clock, ...(columns && { columns }) }),
    /** The built program in a real terminal. */
    terminal: (line: Line, more: Partial<TerminalOptions> = {}): Terminal =>
      openTerminal(toWords(line), { ...more, env: processEnv(more.env) }),
    /** What a process has: that of the runs, and a home. */
    processEnv,
    get folder() {
      return folder;
    },
    /** What is stored between runs: jobs, history, the sandbox. */
    get state() {
      return env['TTCTL_STATE_DIR'] ?? '';
    },
    /** What the runs have; a test may change it. */
    get env() {
      return env;
    },
  };
  return {
    api,
    open: (own: Env): void => {
      folder = mkdtempSync(join(tmpdir(), 'ttctl-test-'));
      env = {
        TTCTL_STATE_DIR: join(folder, 'state'),
        TTCTL_CONFIG_DIR: join(folder, 'config'),
        TTCTL_RATE_LIMIT: 'off',
        ...own,
        ...options.env,
      };
    },
    close: async (): Promise<void> => {
      const running = children.filter(({ exitCode, signalCode }) => exitCode === null && signalCode === null);
      children = [];
      for (const child of running) child.kill('SIGKILL');
      removeFolder(folder);
    },
  };
}

/** Adds members, getters too. */
const withMembers = <A extends object, B extends object>(one: A, other: B): A & B =>
  Object.defineProperties(one, Object.getOwnPropertyDescriptors(other)) as A & B;

const isWrite = (line: string): boolean => !line.startsWith('GET');

function serviceCli(options: ServiceOptions) {
  const { service = plainAnswer } = options;
  const place = createPlace(options, realClock);
  let recorder: Recorder;
  const own = {
    /** What it answers from now on. */
    answer: plainAnswer as Answering,
    /** Its records, where it was made of them: each test begins with those. */
    lists: {} as Lists,
    /** Requests that it answers with 403. */
    refused: undefined as RegExp | undefined,
    get requests(): readonly Recorded[] {
      return recorder.requests;
    },
    get baseUrl(): string {
      return recorder.baseUrl;
    },
    /** All that came: `PUT /members/17?workspace_id=7 {"workspace_id":7}`, to the letter. */
    lines: (): readonly string[] => recorder.lines(),
    /** The writes that came, to the letter. */
    sent: (): readonly string[] => recorder.lines().filter(isWrite),
    /** Method and path of the writes that came: `PUT /members/17`. */
    writes: (): readonly string[] =>
      recorder.requests.map(({ line }) => line.split('?')[0] ?? '').filter(isWrite),
    async open(): Promise<void> {
      own.answer = typeof service === 'function' ? service : (request) => answerFrom(own.lists, request);
      own.lists = typeof service === 'function' ? {} : { ...service };
      own.refused = undefined;
      recorder = await startRecorder((request, index) =>
        own.refused?.test(request.line) ? NOT_FOR_YOU : own.answer(request, index),
      );
      place.open({
        TTCTL_BASE_URL: recorder.baseUrl,
        TTCTL_TOKEN: 'token-of-the-test',
        TTCTL_WORKSPACE: '7',
        // What is lost is looked at once: no test waits for what never comes.
        TTCTL_SETTLE: '0',
      });
    },
    async close(): Promise<void> {
      await recorder.close();
      await place.close();
    },
  };
  return withMembers(own, place.api);
}

const NOT_FOR_YOU: Answer = { status: 403, body: { success: false, message: 'Not for you.', meta: {} } };

/**
 * A service of these records: its lists heed every filter that the records have a value for, a read of one finds it by its
 * id, and a write answers with the record and what was written, which changes nothing.
 */
export const answerFrom = (lists: Lists, request: Recorded): Answer => {
  const { pathname, searchParams } = new URL(request.line.replace(/^\w+ /, ''), 'http://h');
  const path = pathname.slice(1).split('/');
  if (readsList(request)) {
    const asked = [...searchParams].filter(([name]) => name !== 'workspace_id');
    const isAsked = (row: Row) =>
      asked.every(([name, value]) => !(name in row) || String(row[name]) === value);
    return { body: onePage((lists[path.at(-1) ?? ''] ?? []).filter(isAsked)) };
  }
  const found = (lists[path[0] ?? ''] ?? []).find(({ id }) => String(id) === path[1]);
  return { body: envelope({ ...found, ...ofRequest(request, { ...found, ...Object(request.body) }) }) };
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

function sandboxCli(options: SandboxOptions) {
  const { sandbox } = options;
  const isServer = typeof sandbox !== 'string';
  const place = createPlace(options, isServer ? realClock : sandboxClock);
  const { read, rows } = place.api;
  let server: Awaited<ReturnType<typeof startSandboxServer>> | undefined;
  const log = async () => (await rows('sandbox log')).filter(({ method }) => method !== 'GET');
  const own = {
    /** The writes as the service saw them, oldest first: `PUT /members/17?workspace_id=101 {"workspace_id":101}`. */
    sent: async (): Promise<readonly string[]> =>
      (await log()).map(({ method, path, query, body }) => {
        const asked = new URLSearchParams(Object(query)).toString();
        const text = body === null ? '' : ` ${JSON.stringify(body)}`;
        return `${method} ${path}${asked && '?'}${asked}${text}`;
      }),
    /** The same by method and path. */
    writes: async (): Promise<readonly string[]> =>
      (await log()).map(({ method, path }) => `${method} ${path}`),
    /** The entries of the history, the latest first. */
    entries: (flags = '') => rows(`history list --limit 1000 ${flags}`),
    /** Id of the latest entry. */
    latest: async (): Promise<string> => String((await rows('history list --limit 1'))[0]?.['id']),
    /** A new sandbox in place of this one, with a new history. */
    async renew(): Promise<void> {
      await own.close();
      await own.open();
    },
    async open(): Promise<void> {
      place.open({ TTCTL_PROFILE: 'sandbox' });
      if (!isServer) {
        if (sandbox !== 'demo') await read(['sandbox', 'reset', '--seed', sandbox]);
        return;
      }
      const { TTCTL_PROFILE: _, ...env } = place.api.processEnv();
      server = await startSandboxServer({ ...sandbox, proxy: false }, env);
      delete place.api.env['TTCTL_PROFILE'];
      // The tests say themselves what waits.
      Object.assign(place.api.env, server.env, { TTCTL_RATE_LIMIT: 'off' });
    },
    async close(): Promise<void> {
      await server?.close();
      server = undefined;
      await place.close();
    },
  };
  return withMembers(own, place.api);
}
