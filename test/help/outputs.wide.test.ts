import { join } from 'node:path';
import { expect, it } from 'vitest';
import { describeOutput, listExitCodes } from '../../src/commands/outputs.ts';
import { words } from '../support/in-process.ts';
import { listProblems } from '../support/json-schemas.ts';
import { envelope, named, ofRequest, onePage, readsList } from '../support/service.ts';
import { leaves } from '../support/tree.ts';
import { useCli } from '../support/use-cli.ts';

/** What help and schema say of a command's output and end, against what it prints and how it ends. */

const all = await leaves();
const operational = all.filter(({ command }) => command.operation !== undefined);
const examples = operational.flatMap((leaf) => leaf.command.examples.map((line) => ({ ...leaf, line })));

/** In JSON, whatever the example asks for, and without what sends nothing. */
const asJson = (line: string) => {
  const args = words(line).filter((word) => word !== '--dry-run' && word !== '--template');
  const isOf = (word = '') => word === '--output' || word === '--columns';
  const plain = args.slice(1).filter((word, i) => !isOf(word) && !isOf(args[i]));
  return [
    ...plain.map((word) => (/^\w+\.csv$/.test(word) ? join('test/support/files', word) : word)),
    '--json',
  ];
};

const isResult = (value: unknown) =>
  ['target', 'status', 'operation'].every((name) => Object.hasOwn(Object(value), name));
/** What of the results that are printed is not in their schema. */
const problemsIn = (printed: unknown) =>
  [printed].flat().flatMap((item) => (isResult(item) ? listProblems('result', item) : []));

// Ids are text for some, numbers for others (docs/service.md, Ids).
const TEXT = /^\w+ \/(timesheets|time-requests|expenses|webhooks|leaves(?!\/(balances|policies)))/;
let written: object = {};
const t = useCli({
  shared: true,
  service: (request) => {
    // What is written is what its answer shows, and what is read after it.
    if (!request.line.startsWith('GET ')) {
      const { assignees, ...fields } = Object(request.body) as { assignees?: readonly number[] };
      const users = assignees?.map((user_id) => ({ user_id }));
      written = users === undefined ? fields : { ...fields, assignees: users };
    }
    const [, assigned = 17] = /\/assign\/(\d+)/.exec(request.line) ?? [];
    const atlas = { ...named(request), invitation_link: 'https://x', total_hours: 8 };
    const id = TEXT.test(request.line) ? 'e17' : 17;
    const record = { id, ...atlas, ...written, user_id: Number(assigned) };
    const row = { ...record, ...named(request) };
    return { body: readsList(request) ? onePage([row]) : envelope(ofRequest(request, record)) };
  },
});
const run = (...args: readonly string[]) => t.run([...args, '--yes', '--max-wait', '0']);

it.each(examples)('of the service: $path has the shape that it names: $line', async ({ command, line }) => {
  const args = asJson(line);
  const { stdout, exit, stderr } = await run(...args);
  expect(exit, stderr).toBe(0);
  const printed = JSON.parse(stdout);
  expect(problemsIn(printed)).toEqual([]);
  const isList = Array.isArray(printed);
  // An --all that matches nothing, and a list, are arrays without results.
  if (args.includes('--all')) return expect(isList).toBe(true);
  const { shape, rows = false } = describeOutput(command) ?? {};
  const one = isResult(printed) ? 'result' : 'record';
  const several = printed.length > 0 && isList && printed.every(isResult) ? 'results' : 'list';
  expect(isList ? several : one).toBe(rows && args.includes('--from-file') ? 'results' : shape);
});

it.each(examples)('of the service: $path plans what the schema allows: $line', async ({ line }) => {
  const { stdout, exit, stderr } = await run(...asJson(line), '--dry-run');
  expect(exit, stderr).toBe(0);
  expect(problemsIn(JSON.parse(stdout))).toEqual([]);
});

it.each([
  [401, 3],
  [403, 4],
  [404, 5],
  [422, 6],
  [500, 7],
])('what the service answers with %i ends with a code that help names', async (status, code) => {
  t.answer = () => ({ status, body: { success: false, message: 'No.', error: null, meta: {} } });
  for (const { path, command } of operational) {
    const { exit, stderr } = await run(...asJson(command.examples[0] ?? ''));
    expect(listExitCodes(command), `${path}: ${stderr}`).toContain(exit);
    expect(exit, `${path}: ${stderr}`).toBe(code);
  }
});

const sandbox = useCli({ sandbox: 'demo', shared: true });
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
])('on this machine: %s prints the members that it names, and no others', async (line) => {
  const leaf = all.find(({ path }) => `${line} `.startsWith(`${path} `));
  if (leaf === undefined) throw new Error('no such command');
  const { stdout, stderr, exit } = await sandbox.run(`${line} --json`);
  expect(listExitCodes(leaf.command), stderr).toContain(exit);
  const printed = JSON.parse(stdout);
  const { shape, fields = [] } = describeOutput(leaf.command) ?? {};
  expect(Array.isArray(printed)).toBe(shape === 'list');
  for (const row of [printed].flat()) expect(fields).toEqual(expect.arrayContaining(Object.keys(row)));
});
