import { expect, it } from 'vitest';
import { RECORDS } from '../../src/api/records.ts';
import { readCsv } from '../../src/changes/input/file.ts';
import { FORMAT_NAMES } from '../../src/output/formats/formats.ts';
import type { Outcome } from '../support/in-process.ts';
import { type Answer, envelope, onePage, type Recorded, readsList } from '../support/service.ts';
import { argsOf, leaves } from '../support/tree.ts';
import { openCli, useCli } from '../support/use-cli.ts';
import { eventBody, post, startListener } from '../support/webhooks.ts';

/**
 * CI runners obey what a job prints, in both streams: GitHub lines that begin with `::`, GitHub and Azure `##[…]`, Azure
 * `##vso[…]`, TeamCity `##teamcity[…]` anywhere in a line, GitLab sections of its log. Data is full of that here.
 */

const MARKS = [
  '::set-env name=CANARY::x',
  'a\n::add-mask::canary\r\n  ::stop-commands::canary\r::error::canary',
  '##[error]canary',
  'canary ##vso[task.setvariable variable=CANARY]x ##VSO[task.complete]',
  '##teamcity[buildStatus text=|canary]',
  '###[group]canary ::x',
  'section_start:1560896352:canary\r\x1b[0K',
  "'::warning::canary #'#[error]canary ''",
].join('\n');

/** The lines that a runner would obey, by what the runners' documentation says. */
const obeyed = (text: string): readonly string[] =>
  text
    .split(/\r\n|[\n\r\v\f\u0085\u2028\u2029]/)
    .filter((line) => /^\s*::|##\w*\[/i.test(line))
    // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what makes it a section
    .concat([...text.matchAll(/section_(start|end):\d+:[^\r\n]*\r\x1b\[0K/g)].map(([section]) => section));

const expectInert = ({ stdout, stderr }: Pick<Outcome, 'stdout' | 'stderr'>, line: string): void => {
  expect(obeyed(stdout), `stdout of ${line}`).toEqual([]);
  expect(obeyed(stderr), `stderr of ${line}`).toEqual([]);
};

/** Every field that any record has, full of marks; one more whose name is one. */
const fields = Object.fromEntries(
  Object.values(RECORDS).flatMap((record) => Object.keys(record).map((name) => [name, MARKS])),
);
const row = {
  ...fields,
  ...{ id: 17, workspace_id: 7, user_id: 17, project_id: 17, deleted_at: null, workspace_name: MARKS },
  ...{ '##vso[task.key]': MARKS, '::key': [MARKS, { '##[key]': MARKS }] },
};

/** One example of each command that asks the service: its last, which says most. */
const commands = (await leaves()).flatMap(({ command: { operation, examples } }) =>
  operation === undefined ? [] : examples.slice(-1).map(argsOf),
);

const t = useCli();
const recordsOf = (record: object) => (request: Recorded) => ({
  body: readsList(request) ? onePage([record]) : envelope(record),
});

type Case = [what: string, format: string, flag: string, answer: (request: Recorded) => Answer];
it.each<Case>([
  // No id is a mark.
  ...FORMAT_NAMES.filter((format) => format !== 'ids').flatMap((format): Case[] => [
    ['records', format, '', recordsOf(row)],
    ['records', format, '--debug', recordsOf(row)],
  ]),
  ['ids', 'table', '', recordsOf({ ...row, id: MARKS })],
  ['ids', 'ids', '', recordsOf({ ...row, id: MARKS })],
  ['ids', 'csv', '--debug', recordsOf({ ...row, id: MARKS })],
  ...[['table'], ['json'], ['table', '--debug']].flatMap(([format = '', flag = '']): Case[] => [
    [
      ...(['a refusal', format, flag] as const),
      () => ({
        status: 422,
        headers: { 'x-request-id': '##vso[task.header]' },
        body: { success: false, message: MARKS, errors: { '##[field]': [MARKS], '::field': MARKS } },
      }),
    ],
    [
      ...(['a 403', format, flag] as const),
      () => ({
        status: 403,
        body: { success: false, message: MARKS, required_scope: [MARKS], granted_scope: [MARKS] },
      }),
    ],
  ]),
  // Words of what is no answer of the API are shown by --debug alone.
  [
    ...(['text', 'table', '--debug'] as const),
    () => ({ status: 502, headers: { 'content-type': 'text/html' }, body: MARKS }),
  ],
])('%s full of marks is inert in %s %s, for every command', async (_what, format, flag, answer) => {
  t.answer = answer;
  let shown = 0;
  for (const args of commands) {
    const line = [
      ...args,
      '--yes',
      '--max-wait',
      '0',
      '--output',
      format,
      ...flag.split(' ').filter(Boolean),
    ];
    const outcome = await t.run(line);
    expectInert(outcome, line.join(' '));
    if (/canary|task|CANARY/.test(outcome.stdout + outcome.stderr)) shown += 1;
  }
  // That the marks came as far as the output: else nothing is proved.
  expect(shown).toBeGreaterThan(commands.length / 4);
});

it('what was made inert parses to the same values in json and ndjson', async () => {
  t.answer = recordsOf(row);
  expect(await t.json('projects list')).toEqual([row]);
  expect(JSON.parse(await t.read('projects list -o ndjson'))).toEqual(row);
});

it('what was made inert is what it was once the CSV is read by --from-file', async () => {
  t.answer = recordsOf(row);
  const [made] = readCsv(await t.read('projects list -o csv'));
  if (made === undefined || 'problem' in made) throw new Error('no row');
  const values = Object.fromEntries(made.names.map((name, i) => [name, made.cells[i]]));
  expect(values).toMatchObject({ name: MARKS, notes: MARKS, '##vso[task.key]': MARKS, id: '17' });
  expect(JSON.parse(String(values['::key']))).toEqual(row['::key']);
});

it.each([
  ['a command', '##vso[task.x]y'],
  ['a flag', 'members list --##[x]'],
  ['a file', 'members archive --from-file ##vso[x].csv --yes'],
  ['a target', 'members archive ##[error]x --yes'],
  ['a filter', 'members list --role ##[error]x'],
  ['a column', 'members list --columns ##vso[x]'],
  ['a profile', 'members list --profile ##vso[x]'],
  ['a query', 'members list --query ##vso[x]'],
])('names that a person gave are inert in the error about %s', async (_what, line) => {
  t.answer = () => ({ cut: true });
  for (const format of ['table', 'json']) {
    const outcome = await t.run(`${line} --output ${format} --max-wait 0`);
    expect(outcome.exit).toBeGreaterThan(0);
    expectInert(outcome, line);
  }
});

it('what the sandbox keeps and logs is inert in every format', async () => {
  const { process } = await openCli({ sandbox: 'demo' });
  const sandbox = (args: readonly string[]) => process([...args, '--debug']);
  const made = await sandbox(['projects', 'create', '--name', MARKS, '--notes', MARKS]);
  expect(made).toMatchObject({ exit: 0, stdout: expect.stringContaining('canary') });
  expectInert(made, 'projects create');
  await sandbox(['sandbox', 'snapshot', 'save', 'before']);
  await sandbox(['projects', 'create', '--name', `${MARKS}2`]);
  for (const format of FORMAT_NAMES)
    for (const line of [
      'projects list',
      'sandbox log',
      'sandbox snapshot diff before',
      'sandbox fault list',
    ]) {
      const outcome = await sandbox([...line.split(' '), '--output', format]);
      expectInert(outcome, `${line} -o ${format}`);
      if (line === 'projects list' && format !== 'ids') expect(outcome.stdout).toMatch(/canary/);
    }
});

it('what a webhook brings, and what a command says of it, is inert in every format', async () => {
  const { url, child, ended, lines } = await startListener(['--exec', 'cat; cat >&2'], t.processEnv());
  const text = { 'x-evil': '##[error]canary', 'content-type': 'text/plain' };
  const headers = { 'x-evil': '##[error]canary', 'webhook-id': '##vso[task.id]' };
  await post(`${url}?##vso[x]=::y`, eventBody('##[event]', { name: MARKS }), headers);
  await post(url, MARKS, { ...text, 'webhook-id': '::id' });
  await post(url, `${'x'.repeat(200_000)}\n${MARKS}`, { ...text, 'webhook-id': 'long' });
  await lines(3);
  child.kill('SIGINT');
  const outcome = await ended;
  expect(outcome.stderr).toContain('canary');
  expect(outcome.stderr.length).toBeGreaterThan(200_000);
  expectInert(outcome, 'webhooks listen');
  for (const format of FORMAT_NAMES)
    for (const line of ['received', 'received ::id', 'received ##vso[task.id]', 'replay ::id --exec cat'])
      expectInert(await t.process(`webhooks ${line} --output ${format}`), `${line} -o ${format}`);
});
