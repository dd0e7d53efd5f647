import { readdirSync, readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { listCommands } from '../../src/cli/command.ts';
import { formatLongFlag } from '../../src/cli/flag.ts';
import { EMPTY_SETTINGS, LISTED_SETTINGS, resolveSettings, SETTINGS } from '../../src/config/settings.ts';
import { ERROR_CODES } from '../../src/error-codes.ts';
import { EXIT_MEANING } from '../../src/errors.ts';
import { type HelpPage, TOPICS } from '../../src/help/page.ts';
import { TOPIC_PAGES, VARIABLES } from '../../src/help/topics.ts';
import { createRateWindows } from '../../src/http/budget.ts';
import { RETRY_RULES } from '../../src/http/links.ts';
import { FORMAT_NAMES } from '../../src/output/formats/formats.ts';
import { runInProcess, words } from '../support/in-process.ts';
import { commandOf, leaves, loadProgram } from '../support/tree.ts';

/** The topics of help, `ttctl schema` and the codes of errors: each says what its source says, and no more. */

const pageOf = async (name: string): Promise<HelpPage> => {
  const page = Object.entries(TOPIC_PAGES).find(([topic]) => topic === name)?.[1];
  if (page === undefined) throw new Error(`no topic ${name}`);
  return page;
};

const linesOf = (page: HelpPage) => page.slice(1).flatMap((section) => section.split('\n'));
const entriesOf = (page: HelpPage) =>
  linesOf(page).flatMap((line) => (line.includes(' :: ') ? [line.split(' :: ')] : []));
const commandsOf = (page: HelpPage) =>
  linesOf(page).flatMap((line) => (line.startsWith('$ ') ? line.slice(2) : []));
const textOf = (page: HelpPage) => linesOf(page).join('"\n');

const program = await loadProgram();
const flags = new Set(
  [...program.flags, ...listCommands(program).flatMap((command) => command.flags)].map(formatLongFlag),
).add('--help');

it('the topics are those that are promised, and each is loaded by its name', async () => {
  expect(TOPICS.map(({ name }) => name)).toEqual(
    expect.arrayContaining(['environment', 'exit-codes', 'output', 'profiles', 'limits', 'bulk']),
  );
  const nouns = program.commands.flatMap((noun) => [noun.name, ...noun.aliases]);
  for (const { name } of TOPICS) {
    expect(nouns, name).not.toContain(name);
    const { stdout, exit } = await runInProcess(['help', name]);
    expect(exit).toBe(0);
    expect(stdout.startsWith((await pageOf(name))[0] ?? '-')).toBe(true);
  }
});

it('the topics are listed by help, and help says of itself how it is used', async () => {
  for (const line of ['--help', 'help', 'help help']) {
    const { stdout } = await runInProcess(line.split(' '));
    for (const { name, about } of TOPICS) expect(stdout).toMatch(new RegExp(`^ {2}${name} +${about}$`, 'm'));
  }
});

it.each(TOPICS.map(({ name }) => name))('the topics %s names only flags that there are', async (name) => {
  const named = textOf(await pageOf(name)).match(/(?<![\w-])--[a-z][a-z-]*/g) ?? [];
  for (const flag of named) expect(flags, flag).toContain(flag);
});

it.each(TOPICS.map(({ name }) => name))('the topics %s has only commands that parse', async (name) => {
  const page = await pageOf(name);
  const inWords = [...textOf(page).matchAll(/: (ttctl [a-z][^".]*[a-z])[".]/g)].map(([, line]) => line ?? '');
  const entries = entriesOf(page).flatMap(([term = '']) => (term.startsWith('ttctl ') ? [term] : []));
  for (const line of [...commandsOf(page), ...inWords, ...entries]) {
    for (const part of line.split(/ (?:\||\|\||&&|2?>) |;/).filter((one) => one.startsWith('ttctl '))) {
      const args = words(part).slice(1);
      if (args[0] === 'help') {
        expect((await runInProcess(args)).exit, part).toBe(0);
        continue;
      }
      expect(await commandOf(args), part).not.toBe('');
    }
  }
});

it('the facts of environment are the table of variables, and the places', async () => {
  const page = await pageOf('environment');
  expect(entriesOf(page).slice(0, VARIABLES.length)).toEqual(VARIABLES);
  expect(entriesOf(page)).toContainEqual(['~/.config/ttctl', expect.any(String)]);
});

it('the facts of exit-codes are the one table', async () => {
  expect(entriesOf(await pageOf('exit-codes'))).toEqual(Object.entries(EXIT_MEANING));
});

it('the facts of output are all formats', async () => {
  const terms = entriesOf(await pageOf('output')).map(([term]) => term);
  expect(terms.slice(0, FORMAT_NAMES.length)).toEqual(FORMAT_NAMES);
});

it('the facts of profiles are all members of a profile', async () => {
  const text = textOf(await pageOf('profiles'));
  for (const [, { member = 'workspace' }] of LISTED_SETTINGS) expect(text).toContain(member);
});

it('the facts of limits are those of the settings, and of the service', async () => {
  const text = textOf(await pageOf('limits'));
  expect(text).toContain('150 requests in 60 s');
  expect(text).toContain('20 writes in 1 s');
  const [requests, writes] = createRateWindows(SETTINGS.rateLimit.usual);
  expect(text).toContain(
    `leaves ${requests.reserve} of the 150 requests and ${writes.reserve} of the 20 writes`,
  );
  expect([RETRY_RULES.not_sent.retries, RETRY_RULES.fault.retries]).toEqual([3, 3]);
  const { not_sent, fault, rate_limited } = RETRY_RULES;
  const repeats = [not_sent, fault, rate_limited].map((rule) => rule.repeats);
  expect(repeats).toEqual(['any method', 'reads', 'any method']);
  expect(text.match(/up to 3 times/g)).toHaveLength(2);
});

it('the facts of the defaults that flags show are the settings', () => {
  const settings = resolveSettings({ flags: {}, env: {}, file: EMPTY_SETTINGS });
  const shown = Object.fromEntries(
    program.flags.flatMap(({ name, usual }) => (usual === undefined ? [] : [[`--${name}`, usual]])),
  );
  expect(shown).toEqual({
    '--output': settings.output.value.name,
    '--timeout': String(settings.timeoutSeconds.value),
    '--max-wait': String(settings.maxWaitSeconds.value),
  });
});

const sources = readdirSync('src', { recursive: true, encoding: 'utf8' })
  .filter((file) => file.endsWith('.ts'))
  .map((file) => readFileSync(`src/${file}`, 'utf8').replace(/const ERROR_CODES = \{[^}]*\}/, ''));
const codes = Object.entries(ERROR_CODES);

it('the codes of errors are in alphabetical order, in snake_case, each with a phrase', () => {
  const names = codes.map(([name]) => name);
  expect(names).toEqual([...names].sort());
  for (const [name, meaning] of codes) {
    expect(name).toMatch(/^[a-z]+(_[a-z]+)*$/);
    expect(meaning).toMatch(/^[a-z][^\n]*[^.]$/);
  }
});

it('the codes of errors are all given by some error', () => {
  const isGiven = (name: string) =>
    sources.some((text) => text.includes(`'${name}'`) || text.includes(`\n  ${name}: {`));
  expect(codes.map(([name]) => name).filter((name) => !isGiven(name))).toEqual([]);
});

it('the codes of errors are listed by help', async () =>
  expect(entriesOf(await pageOf('errors'))).toEqual(codes));

const printed = async (...args: string[]) => {
  const { stdout, exit, stderr } = await runInProcess(['schema', ...args]);
  expect({ exit, stderr }).toEqual({ exit: 0, stderr: '' });
  return JSON.parse(stdout);
};

interface Node {
  readonly name: string;
  readonly commands?: readonly Node[];
  readonly [key: string]: unknown;
}

/** A command may have others below it: what tells how a node can end is run by itself. */
const pathsOf = (node: Node, above: readonly string[] = []): string[] => {
  const path = [...above, node.name];
  return [
    ...(node['exit_codes'] === undefined ? [] : [path.join(' ')]),
    ...(node.commands ?? []).flatMap((child) => pathsOf(child, path)),
  ];
};

const leavesOf = (node: Node): readonly Node[] => node.commands?.flatMap(leavesOf) ?? [node];

it('schema prints every command there is, with what it prints and how it can end', async () => {
  const tree: Node = await printed();
  const wanted = (await leaves()).map(({ path }) => `ttctl ${path}`);
  expect(pathsOf(tree)).toEqual(wanted);
  for (const { name, prints, exit_codes, writes } of leavesOf(tree)) {
    expect(Object(prints).shape, name).toMatch(/^(list|record|result|results|text|document)$/);
    expect(exit_codes, name).toEqual(expect.arrayContaining([0, 1, 2, 129, 130, 143]));
    expect(typeof writes, name).toBe('boolean');
    for (const code of exit_codes as readonly number[])
      expect(tree.exit_code_meanings).toHaveProperty(String(code));
  }
  expect(tree.global_options).toContainEqual(
    expect.objectContaining({ flags: '-w, --workspace <id or name>', type: 'string' }),
  );
});

it('schema tells of a command all that a program needs to call it', async () => {
  const path = '/timesheets/{timesheetId}/reject';
  expect(await printed('timesheets', 'reject')).toMatchObject({
    ...{ name: 'reject', description: 'reject submitted timesheets with a reason', writes: true },
    examples: [expect.stringContaining('ttctl timesheets reject ')],
    arguments: [{ name: 'id', required: false, variadic: true }],
    operation: { id: 'timesheets.reject', method: 'PUT', path, scope: 'write', roles: 'managers' },
  });
  const { options, writes } = await printed('members', 'list');
  expect(writes).toBe(false);
  expect(options).toContainEqual({
    flags: '--status <status>',
    description: expect.stringContaining('only members with this status'),
    type: 'string',
    choices: ['active', 'inactive', 'left', 'unknown'],
    parameter: { operation: 'members.list', name: 'status' },
  });
  expect((await printed('api')).writes).toBe(true);
  const start = await printed('sandbox', 'start');
  expect(start.options).toContainEqual(expect.objectContaining({ flags: '--no-limits', type: 'boolean' }));
  expect(start.options).toContainEqual(expect.objectContaining({ flags: '--port <n>', default: '4747' }));
});
