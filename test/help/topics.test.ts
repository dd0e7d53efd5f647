import { readdirSync, readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { ARCHIVES, type Move, RESTORES } from '../../src/api/operation.ts';
import { allOperations } from '../../src/api/operations.ts';
import { type Command, listCommands } from '../../src/cli/command.ts';
import { formatLongFlag } from '../../src/cli/flag.ts';
import { LISTED_SETTINGS, SETTINGS } from '../../src/config/settings.ts';
import { ERROR_CODES } from '../../src/error-codes.ts';
import { EXIT_MEANING } from '../../src/errors.ts';
import { type HelpPage, TOPICS } from '../../src/help/page.ts';
import { loadTopicPage, VARIABLES } from '../../src/help/topics.ts';
import { createRateWindows } from '../../src/http/budget.ts';
import { RETRY_RULES } from '../../src/http/links.ts';
import { FORMAT_NAMES } from '../../src/output/formats/formats.ts';
import { runInProcess, words } from '../support/in-process.ts';
import { commandOf, loadProgram } from '../support/tree.ts';

/** The topics of help, `ttctl schema` and the codes of errors: each says what its source says, and no more. */

const pages = new Map<string, HelpPage>();
for (const { name } of TOPICS) pages.set(name, await loadTopicPage(name));
const linesOf = (topic: string) =>
  (pages.get(topic) ?? []).slice(1).flatMap((section) => section.split('\n'));
const entriesOf = (topic: string) =>
  linesOf(topic).flatMap((line) => (line.includes(' :: ') ? [line.split(' :: ')] : []));
const textOf = (topic: string) => linesOf(topic).join('"\n');

const program = await loadProgram();
const commands = listCommands(program);
const isWrite = ({ operation }: Command) => operation?.scope === 'write';

it('the topics are those that are promised, and each is loaded by its name', async () => {
  expect(TOPICS.map(({ name }) => name)).toEqual(
    expect.arrayContaining(['agents', 'environment', 'exit-codes', 'output', 'profiles', 'limits', 'bulk']),
  );
  const nouns = program.commands.flatMap((noun) => [noun.name, ...noun.aliases]);
  for (const { name } of TOPICS) {
    expect(nouns, name).not.toContain(name);
    const { stdout, exit } = await runInProcess(['help', name]);
    expect([exit, stdout.startsWith(pages.get(name)?.[0] ?? '-')], name).toEqual([0, true]);
  }
});

it('the topics are listed by help, and help says of itself how it is used', async () => {
  for (const line of ['--help', 'help', 'help help']) {
    const { stdout } = await runInProcess(line.split(' '));
    for (const { name, about } of TOPICS) expect(stdout).toMatch(new RegExp(`^ {2}${name} +${about}$`, 'm'));
  }
});

it.each(TOPICS)('the topic $name names only flags that there are', ({ name }) => {
  const flags = [...program.flags, ...commands.flatMap((command) => command.flags)].map(formatLongFlag);
  const named = textOf(name).match(/(?<![\w-])--[a-z][a-z-]*/g) ?? [];
  expect([...flags, '--help']).toEqual(expect.arrayContaining(named));
});

it.each(TOPICS)('the topic $name has only commands that parse', async ({ name }) => {
  const shown = linesOf(name).flatMap((line) => (line.startsWith('$ ') ? line.slice(2) : []));
  const inWords = [...textOf(name).matchAll(/: (ttctl [a-z][^".]*[a-z])[".]/g)].map(([, line = '']) => line);
  const entries = entriesOf(name).map(([term = '']) => term);
  const parts = [...shown, ...inWords, ...entries].flatMap((line) => line.split(/ (?:\||\|\||&&|2?>) |;/));
  for (const part of parts.filter((one) => one.startsWith('ttctl '))) {
    const args = words(part).slice(1);
    if (args[0] === 'help') expect((await runInProcess(args)).exit, part).toBe(0);
    else expect(await commandOf(args), part).not.toBe('');
  }
});

it('the facts of environment are the table of variables, and the places', () => {
  expect(entriesOf('environment').slice(0, VARIABLES.length)).toEqual(VARIABLES);
  expect(entriesOf('environment')).toContainEqual(['~/.config/ttctl', expect.any(String)]);
});

it('the facts of output are all formats, of profiles all members of a profile', () => {
  const terms = entriesOf('output').map(([term]) => term);
  expect(terms.slice(0, FORMAT_NAMES.length)).toEqual(FORMAT_NAMES);
  for (const [, { member = 'workspace' }] of LISTED_SETTINGS) expect(textOf('profiles')).toContain(member);
});

it.each([
  ['exit-codes', EXIT_MEANING],
  ['errors', ERROR_CODES],
])('the facts of %s are the one table', (topic, table) => {
  expect(entriesOf(topic)).toEqual(Object.entries(table));
});

it('O25: the lists of agents are all commands that read, write, and cannot be undone, by their records', () => {
  const text = (pages.get('agents') ?? []).join('\n');
  const sectionOf = (title: string) => text.split(`# ${title}\n`)[1]?.split('\n# ')[0] ?? '';
  const pathsOf = (title: string) =>
    sectionOf(title)
      .split('\n')
      .flatMap((line) => {
        const [noun = '', verbs] = line.split(' :: ');
        return (verbs ?? '').split(', ').map((verb) => `${noun} ${verb}`);
      });
  const found = (holds: (command: Command) => boolean) =>
    commands.filter((command) => command.operation && holds(command)).map(({ path }) => path);
  const [reads, writes] = [found((command) => !isWrite(command)), found(isWrite)];
  expect(pathsOf('Read')).toEqual(expect.arrayContaining(reads));
  expect(pathsOf('Write')).toEqual(expect.arrayContaining([...writes, 'inbox decide', 'plan apply']));
  for (const path of writes) expect(pathsOf('Read')).not.toContain(path);
  const final = found(({ operation }) => operation?.undo?.kind === 'none');
  expect(pathsOf('What cannot be undone').filter((path) => final.includes(path))).toEqual(final);
  expect(pathsOf('What asks')).toEqual(
    expect.arrayContaining(['members archive', 'expenses delete', 'timesheets approve']),
  );
});

it('the facts of limits are those of the settings, and of the service', () => {
  const text = textOf('limits');
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

it('the facts of the defaults that flags show (`usual` in src/cli/flag.ts) are the settings', () => {
  const shown = program.flags.flatMap(({ name, usual }) =>
    usual === undefined ? [] : [[`--${name}`, usual]],
  );
  const flags = new Set(program.flags.map(({ name }) => `--${name}`));
  const counts = LISTED_SETTINGS.flatMap(([, { flag = '', usual }]) =>
    typeof usual === 'number' && flags.has(flag) ? [[flag, String(usual)]] : [],
  );
  expect(Object.fromEntries(shown)).toEqual({
    '--output': SETTINGS.output.usual.name,
    ...Object.fromEntries(counts),
  });
});

it('the codes of errors are in alphabetical order, in snake_case, each with a phrase', () => {
  const names = Object.keys(ERROR_CODES);
  expect(names).toEqual([...names].sort());
  for (const [name, meaning] of Object.entries(ERROR_CODES)) {
    expect(name).toMatch(/^[a-z]+(_[a-z]+)*$/);
    expect(meaning).toMatch(/^[a-z][^\n]*[^.]$/);
  }
});

it('the codes of errors are all given by some error', () => {
  const source = readdirSync('src', { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.ts'))
    .map((file) => readFileSync(`src/${file}`, 'utf8').replace(/const ERROR_CODES = \{[^}]*\}/, ''))
    .join('\n');
  const isGiven = (name: string) => source.includes(`'${name}'`) || source.includes(`\n  ${name}: {`);
  expect(Object.keys(ERROR_CODES).filter((name) => !isGiven(name))).toEqual([]);
});

const resources = program.commands.filter((noun) => listCommands(noun).some(isWrite));
it.each(resources)('the line of $path names all its commands that write, and no others', (noun) => {
  const verbs = new Set(commands.filter(isWrite).map(({ name }) => name));
  const named = (noun.about.match(/[a-z]+/g) ?? []).filter((word) => verbs.has(word));
  const own = listCommands(noun)
    .filter(isWrite)
    .map(({ name }) => name);
  if (noun.about.startsWith('manage ')) expect(own).toEqual(expect.arrayContaining(named));
  else expect(named.sort()).toEqual(own.sort());
});

const forGood = allOperations.filter(({ undo }) => undo?.kind === 'none');
it.each(forGood)('$id cannot be undone: no operation of its noun leads back', ({ id, noun, moves }) => {
  const leadsBack = (move: Move) => {
    if (moves === undefined) return move.to === null || move.to === ARCHIVES.to;
    return moves.to === ARCHIVES.to ? move.to === RESTORES.to : moves.to !== null && move.from === moves.to;
  };
  const others = allOperations.filter((one) => one.noun === noun && one.id !== id);
  expect(others.filter((one) => one.moves && leadsBack(one.moves)).map((one) => one.id)).toEqual([]);
});

const printed = async (...args: string[]) => {
  const { stdout, exit, stderr } = await runInProcess(['schema', ...args]);
  expect({ exit, stderr }).toEqual({ exit: 0, stderr: '' });
  return JSON.parse(stdout);
};

it('schema prints every command there is, with what it prints and how it can end', async () => {
  const tree = await printed();
  const seen: string[] = [];
  const walk = (node: typeof tree, path: string): void => {
    for (const child of node.commands ?? []) walk(child, `${path} ${child.name}`);
    // A command may have others below it.
    const { prints, exit_codes, writes } = node;
    if (exit_codes === undefined) return;
    seen.push(path);
    expect(prints.shape, path).toMatch(/^(list|record|result|results|text|document)$/);
    expect(exit_codes, path).toEqual(expect.arrayContaining([0, 1, 2, 129, 130, 143]));
    expect(writes, path).toEqual(expect.any(Boolean));
    expect(Object.keys(tree.exit_code_meanings)).toEqual(expect.arrayContaining(exit_codes.map(String)));
  };
  walk(tree, 'ttctl');
  expect(seen.sort()).toEqual(commands.map(({ path }) => `ttctl ${path}`).sort());
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
