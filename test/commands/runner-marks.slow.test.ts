import { describe, expect, it } from 'vitest';
import { RECORDS } from '../../src/api/records.ts';
import { readCsv } from '../../src/changes/input/file.ts';
import { FORMAT_NAMES } from '../../src/output/formats/formats.ts';
import { type Outcome, runInProcess } from '../support/in-process.ts';
import { runBinary } from '../support/process.ts';
import { type Answer, envelope, onePage, type Recorded, readsList } from '../support/service.ts';
import { argsOf, leaves } from '../support/tree.ts';
import { useCli } from '../support/use-cli.ts';
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
const commands = (await leaves()).flatMap(({ path, command }) => {
  const { operation, examples } = command;
  const last = examples.at(-1);
  return operation === undefined || last === undefined ? [] : [[path, argsOf(last)] as const];
});

const ANSWERS: Readonly<Record<string, (request: Recorded) => Answer>> = {
  'records full of marks': (request) => ({ body: readsList(request) ? onePage([row]) : envelope(row) }),
  'ids that are marks': (request) => {
    const odd = { ...row, id: MARKS };
    return { body: readsList(request) ? onePage([odd]) : envelope(odd) };
  },
  'a refusal full of marks': () => ({
    status: 422,
    headers: { 'x-request-id': '##vso[task.header]' },
    body: { success: false, message: MARKS, errors: { '##[field]': [MARKS], '::field': MARKS } },
  }),
  'a 403 full of marks': () => ({
    status: 403,
    body: { success: false, message: MARKS, required_scope: [MARKS], granted_scope: [MARKS] },
  }),
  'text full of marks': () => ({ status: 502, headers: { 'content-type': 'text/html' }, body: MARKS }),
};

const DEBUG = ['--debug'];
const FAILED = [['table', []] as const, ['json', []] as const, ['table', DEBUG] as const];
/** The formats, and flags beside them. */
const RUNS: Readonly<Record<string, readonly (readonly [string, readonly string[]])[]>> = {
  // No id is a mark.
  'records full of marks': FORMAT_NAMES.flatMap((format) =>
    format === 'ids' ? [] : [[format, []] as const, [format, DEBUG] as const],
  ),
  'ids that are marks': [
    ['table', []],
    ['ids', []],
    ['csv', DEBUG],
  ],
  'a refusal full of marks': FAILED,
  'a 403 full of marks': FAILED,
  // Words of what is no answer of the API are shown by --debug alone.
  'text full of marks': [['table', DEBUG]],
};

describe.each(Object.entries(ANSWERS))('%s', (name, answer) => {
  const { run } = useCli({ service: answer, shared: true });

  it.each(RUNS[name] ?? [])('is inert in %s with %j, for every command', async (format, more) => {
    let shown = 0;
    for (const [path, args] of commands) {
      const line = [...args, '--yes', '--max-wait', '0', '--output', format, ...more];
      const outcome = await run(line);
      expectInert(outcome, `${path} -o ${format} ${more}`);
      if (/canary|task|CANARY/.test(outcome.stdout + outcome.stderr)) shown += 1;
    }
    // That the marks came as far as the output: else nothing is proved.
    expect(shown).toBeGreaterThan(commands.length / 4);
  });
});

describe('what was made inert', () => {
  const { read } = useCli({ service: () => ({ body: onePage([row]) }), shared: true });
  const list = (format: string) => read(`projects list --output ${format}`);

  it('parses to the same values in json and ndjson', async () => {
    expect(JSON.parse(await list('json'))).toEqual([row]);
    expect(JSON.parse(await list('ndjson'))).toEqual(row);
  });

  it('is what it was once the CSV is read by --from-file', async () => {
    const text = await list('csv');
    const [made] = readCsv(text);
    if (made === undefined || 'problem' in made) throw new Error('no row');
    const values = Object.fromEntries(made.names.map((name, i) => [name, made.cells[i]]));
    expect(values).toMatchObject({ name: MARKS, notes: MARKS, '##vso[task.key]': MARKS, id: '17' });
    expect(JSON.parse(String(values['::key']))).toEqual(row['::key']);
  });
});

describe('names that a person gave', () => {
  it.each([
    ['a command', ['##vso[task.x]y']],
    ['a flag', ['members', 'list', '--##[x]']],
    ['a file', ['members', 'archive', '--from-file', '##vso[x].csv', '--yes']],
    ['a target', ['members', 'archive', '##[error]x', '--yes']],
    ['a filter', ['members', 'list', '--role', '##[error]x']],
    ['a column', ['members', 'list', '--columns', '##vso[x]']],
    ['a profile', ['members', 'list', '--profile', '##vso[x]']],
    ['a query', ['members', 'list', '--query', '##vso[x]']],
  ])('are inert in the error about %s', async (_what, line) => {
    for (const format of ['table', 'json']) {
      const env = { TTCTL_TOKEN: 'x', TTCTL_WORKSPACE: '7', TTCTL_BASE_URL: 'http://127.0.0.1:9' };
      const outcome = await runInProcess([...line, '--output', format, '--max-wait', '0'], { env });
      expect(outcome.exit).toBeGreaterThan(0);
      expectInert(outcome, line.join(' '));
    }
  });
});

describe('on this machine', () => {
  const t = useCli();
  const env = () => ({ HOME: t.folder, PATH: process.env.PATH ?? '' });

  it('what the sandbox keeps and logs is inert in every format', async () => {
    const sandbox = (...line: string[]) => runBinary([...line, '--profile', 'sandbox'], { env: env() });
    const made = await sandbox('projects', 'create', '--name', MARKS, '--notes', MARKS, '--debug');
    expect(made).toMatchObject({ exit: 0, stdout: expect.stringContaining('canary') });
    expectInert(made, 'projects create');
    await sandbox('sandbox', 'snapshot', 'save', 'before');
    await sandbox('projects', 'create', '--name', `${MARKS}2`);
    for (const format of FORMAT_NAMES)
      for (const line of [
        'projects list',
        'sandbox log',
        'sandbox snapshot diff before',
        'sandbox fault list',
      ]) {
        const outcome = await sandbox(...line.split(' '), '--output', format, '--debug');
        expectInert(outcome, `${line} -o ${format}`);
        if (line === 'projects list' && format !== 'ids') expect(outcome.stdout).toMatch(/canary/);
      }
  });

  it('what a webhook brings, and what a command says of it, is inert in every format', async () => {
    const { url, child, ended, lines } = await startListener(['--exec', 'cat; cat >&2'], env());
    const headers = { 'webhook-id': '##vso[task.id]', 'x-evil': '##[error]canary' };
    await post(`${url}?##vso[x]=::y`, eventBody('##[event]', { name: MARKS }), headers);
    await post(url, MARKS, { ...headers, 'webhook-id': '::id', 'content-type': 'text/plain' });
    await post(url, `${'x'.repeat(200_000)}\n${MARKS}`, {
      'webhook-id': 'long',
      'content-type': 'text/plain',
    });
    await lines(3);
    child.kill('SIGINT');
    const outcome = await ended;
    expect(outcome.stderr).toContain('canary');
    expect(outcome.stderr.length).toBeGreaterThan(200_000);
    expectInert(outcome, 'webhooks listen');
    for (const format of FORMAT_NAMES)
      for (const line of [
        ['received'],
        ['received', '::id'],
        ['received', '##vso[task.id]'],
        ['replay', '::id', '--exec', 'cat'],
      ])
        expectInert(
          await runBinary(['webhooks', ...line, '--output', format], { env: env() }),
          `webhooks ${line.join(' ')} -o ${format}`,
        );
  });
});
