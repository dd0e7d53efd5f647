import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { describeOutput, listExitCodes } from '../../src/commands/outputs.ts';
import { words } from '../support/in-process.ts';
import { listProblems } from '../support/json-schemas.ts';
import { envelope, ofRequest, onePage, readsList } from '../support/service.ts';
import { leaves } from '../support/tree.ts';
import { type Answering, useCli } from '../support/use-cli.ts';

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
  ['target', 'status', 'operation'].every((name) => Object.hasOwn(Object(value), name));

describe('of a command on the service', () => {
  // Text for some, numbers for others (docs/service.md, Ids).
  const TEXT = /^\w+ \/(timesheets|time-requests|expenses|webhooks|leaves(?!\/(balances|policies)))/;
  const atlas = { email: 'ana@example.com', name: 'Atlas', invitation_link: 'https://x', total_hours: 8 };
  let written: object = {};
  const answer: Answering = (request) => {
    const [, assigned = 17] = /\/assign\/(\d+)/.exec(request.line) ?? [];
    // What is written is what its answer shows, and what is read after it.
    if (!request.line.startsWith('GET ')) {
      const { assignees, ...fields } = Object(request.body) as { assignees?: readonly number[] };
      const users = assignees?.map((user_id) => ({ user_id }));
      written = users === undefined ? fields : { ...fields, assignees: users };
    }
    const id = TEXT.test(request.line) ? 'e17' : 17;
    const record = { id, ...atlas, ...written, user_id: Number(assigned) };
    return { body: readsList(request) ? onePage([record]) : envelope(ofRequest(request, record)) };
  };
  const t = useCli({ service: answer, shared: true });
  const run = (args: readonly string[]) => t.run([...args, '--yes', '--max-wait', '0']);

  it.each(operational)('%s has the shape that it names: %s', async (path, line) => {
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
    t.answer = () => ({
      status: answered,
      body: { success: false, message: 'No.', error: null, meta: {} },
    });
    for (const { path, command } of all.filter((leaf) => leaf.command.operation !== undefined)) {
      const args = asJson(command.examples[0] ?? '').filter((word) => word !== '--dry-run');
      const { exit, stderr } = await run(args);
      expect(listExitCodes(command), `${path}: ${stderr}`).toContain(exit);
      expect(exit, `${path}: ${stderr}`).toBe(code);
    }
  });
});

describe('of a command on this machine', () => {
  const t = useCli({ sandbox: 'demo', shared: true });

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
    const { stdout, stderr, exit } = await t.run(`${line} --json`);
    expect(listExitCodes(commandOf(path)), stderr).toContain(exit);
    const printed = JSON.parse(stdout);
    const { shape, fields = [] } = describeOutput(commandOf(path)) ?? {};
    expect(Array.isArray(printed)).toBe(shape === 'list');
    for (const row of [printed].flat()) {
      expect(fields).toEqual(expect.arrayContaining(Object.keys(row)));
    }
  });
});
