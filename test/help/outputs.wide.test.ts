import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { describeOutput, listExitCodes } from '../../src/commands/outputs.ts';
import { makeFolder } from '../support/folder.ts';
import { runInProcess, words } from '../support/in-process.ts';
import { listProblems } from '../support/json-schemas.ts';
import {
  envelope,
  ofRequest,
  onePage,
  type Recorder,
  readsList,
  serviceEnv,
  startRecorder,
} from '../support/service.ts';
import { leaves } from '../support/tree.ts';

/** What help and schema say of a command's output and end, against what it prints and how it ends. */

const FILES = fileURLToPath(new URL('../support/files/', import.meta.url));
const argsOf = (line: string): string[] =>
  words(line)
    .slice(1)
    .map((word) => (/^\w+\.csv$/.test(word) ? join(FILES, word) : word));

const all = await leaves();
const commandOf = (path: string) => {
  const found = all.find((leaf) => leaf.path === path);
  if (found === undefined) throw new Error(`no command ${path}`);
  return found.command;
};
const operational = all
  .filter(({ command }) => command.operation !== undefined)
  .flatMap(({ path, command }) => command.examples.map((line) => [path, line] as const));

/** In JSON, whatever the example asks for. */
const asJson = (line: string): string[] => {
  const args = argsOf(line);
  const without = args.filter((word, i) => word !== '--output' && args[i - 1] !== '--output');
  return [...without.filter((word, i) => word !== '--columns' && without[i - 1] !== '--columns'), '--json'];
};

/** What of the results that are printed is not in their schema. */
const problemsIn = (printed: unknown): readonly string[] =>
  [printed].flat().flatMap((item) => (isResult(item) ? listProblems('result', item) : []));

const kindOf = (printed: unknown): string => {
  if (Array.isArray(printed)) return printed.every(isResult) && printed.length > 0 ? 'results' : 'list';
  return isResult(printed) ? 'result' : 'record';
};
const isResult = (value: unknown): boolean =>
  typeof value === 'object' &&
  value !== null &&
  'target' in value &&
  'status' in value &&
  'operation' in value;

describe('of a command on the service', () => {
  let status = 200;
  let recorder: Recorder;
  let written: object = {};
  beforeAll(async () => {
    // Text for some, numbers for others (docs/service.md, Ids).
    const text = /^\w+ \/(timesheets|time-requests|expenses|webhooks|leaves(?!\/(balances|policies)))/;
    recorder = await startRecorder((request) => {
      if (status !== 200) return { status, body: { success: false, message: 'No.', error: null, meta: {} } };
      const id = text.test(request.line) ? 'e17' : 17;
      const [, assigned = 17] = /\/assign\/(\d+)/.exec(request.line) ?? [];
      // What is written is what its answer shows, and what is read after it.
      if (!request.line.startsWith('GET ')) {
        const { assignees, ...fields } = Object(request.body) as { assignees?: readonly number[] };
        const users = assignees?.map((user_id) => ({ user_id }));
        written = users === undefined ? fields : { ...fields, assignees: users };
      }
      const record = {
        id,
        email: 'ana@example.com',
        name: 'Atlas',
        invitation_link: 'https://x',
        total_hours: 8,
        ...written,
        user_id: Number(assigned),
      };
      return { body: readsList(request) ? onePage([record]) : envelope(ofRequest(request, record)) };
    });
  });
  afterAll(() => recorder.close());
  const run = (args: readonly string[]) =>
    runInProcess([...args, '--yes', '--max-wait', '0'], {
      env: serviceEnv(recorder, { TTCTL_RATE_LIMIT: 'off' }),
    });

  it.each(operational)('%s has the shape that it names: %s', async (path, line) => {
    status = 200;
    const args = asJson(line).filter((word) => word !== '--dry-run' && word !== '--template');
    const { stdout, exit, stderr } = await run(args);
    expect(exit, stderr).toBe(0);
    const printed = JSON.parse(stdout);
    expect(problemsIn(printed)).toEqual([]);
    const answer = describeOutput(commandOf(path));
    // An --all that matches nothing, and a list, are arrays without results.
    if (args.includes('--all')) return expect(Array.isArray(printed)).toBe(true);
    const rows = args.includes('--from-file') && answer?.rows === true;
    expect(kindOf(printed)).toBe(rows ? 'results' : answer?.shape);
  });

  it.each(operational)('%s plans what the schema allows: %s', async (_path, line) => {
    status = 200;
    const args = asJson(line).filter((word) => word !== '--template');
    const { stdout, exit, stderr } = await run([...args, '--dry-run']);
    expect(exit, stderr).toBe(0);
    expect(problemsIn(JSON.parse(stdout))).toEqual([]);
  });

  it.each([
    [401, 3],
    [403, 4],
    [404, 5],
    [422, 6],
    [500, 7],
  ])('that the service answers with %i ends with a code that help names', async (answered, code) => {
    status = answered;
    for (const { path, command } of all.filter((leaf) => leaf.command.operation !== undefined)) {
      const args = asJson(command.examples[0] ?? '').filter((word) => word !== '--dry-run');
      const { exit, stderr } = await run(args);
      expect(listExitCodes(command), `${path}: ${stderr}`).toContain(exit);
      expect(exit, `${path}: ${stderr}`).toBe(code);
    }
  });
});

describe('of a command on this machine', () => {
  const folder = makeFolder();
  const env = { TTCTL_STATE_DIR: folder, TTCTL_CONFIG_DIR: folder, TTCTL_PROFILE: 'sandbox' };

  it.each([
    'workspaces use 101',
    'jobs list',
    'auth status',
    'auth token',
    'auth logout',
    'profile set --profile work --base-url https://api.example.com/api/v2 --workspace 7 --timezone UTC',
    'profile list',
    'profile show',
    'profile use work',
    'profile remove work --yes',
    'doctor',
    'webhooks received',
    'inbox',
    'sandbox webhooks deliveries',
    'sandbox webhooks trigger tracker.started',
    'sandbox clock show',
    'sandbox fault add members list --status 500',
    'sandbox fault list',
    'sandbox fault clear',
    'sandbox log --limit 3',
    'sandbox status',
    'sandbox reset --seed empty',
    'sandbox reset',
    'sandbox app create --name Nightly --grant client-credentials',
    'sandbox stop',
  ])('%s prints the members that it names, and no others', async (line) => {
    const path = all.map((leaf) => leaf.path).find((known) => `${line} `.startsWith(`${known} `)) ?? '';
    const { stdout, stderr, exit } = await runInProcess([...words(line), '--json'], { env });
    expect(listExitCodes(commandOf(path)), stderr).toContain(exit);
    const printed = JSON.parse(stdout);
    const { shape, fields = [] } = describeOutput(commandOf(path)) ?? {};
    expect(Array.isArray(printed)).toBe(shape === 'list');
    for (const row of [printed].flat()) {
      expect(fields).toEqual(expect.arrayContaining(Object.keys(row)));
    }
  });
});
