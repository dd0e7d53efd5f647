import { describe, expect, it } from 'vitest';
import { listCommands } from '../../src/cli/command.ts';
import { formatLongFlag } from '../../src/cli/flag.ts';
import { EMPTY_SETTINGS, LISTED_SETTINGS, resolveSettings, SETTINGS } from '../../src/config/settings.ts';
import { EXIT_MEANING } from '../../src/errors.ts';
import { type HelpPage, TOPICS } from '../../src/help/page.ts';
import { TOPIC_PAGES, VARIABLES } from '../../src/help/topics.ts';
import { createRateWindows } from '../../src/http/budget.ts';
import { RETRY_RULES } from '../../src/http/links.ts';
import { FORMAT_NAMES } from '../../src/output/formats/formats.ts';
import { runInProcess, words } from '../support/in-process.ts';
import { commandOf, loadProgram } from '../support/tree.ts';

/** The topics of help: each says what its source says, and names nothing that there is not. */

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

describe('the topics', () => {
  it('are those that are promised, and each is loaded by its name', async () => {
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

  it('are listed by help, and help says of itself how it is used', async () => {
    for (const line of ['--help', 'help', 'help help']) {
      const { stdout } = await runInProcess(line.split(' '));
      for (const { name, about } of TOPICS)
        expect(stdout).toMatch(new RegExp(`^ {2}${name} +${about}$`, 'm'));
    }
  });

  it.each(TOPICS.map(({ name }) => name))('%s names only flags that there are', async (name) => {
    const named = textOf(await pageOf(name)).match(/(?<![\w-])--[a-z][a-z-]*/g) ?? [];
    for (const flag of named) expect(flags, flag).toContain(flag);
  });

  it.each(TOPICS.map(({ name }) => name))('%s has only commands that parse', async (name) => {
    const page = await pageOf(name);
    const inWords = [...textOf(page).matchAll(/: (ttctl [a-z][^".]*[a-z])[".]/g)].map(
      ([, line]) => line ?? '',
    );
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
});

describe('the facts', () => {
  it('of environment are the table of variables, and the places', async () => {
    const page = await pageOf('environment');
    expect(entriesOf(page).slice(0, VARIABLES.length)).toEqual(VARIABLES);
    expect(entriesOf(page)).toContainEqual(['~/.config/ttctl', expect.any(String)]);
  });

  it('of exit-codes are the one table', async () => {
    expect(entriesOf(await pageOf('exit-codes'))).toEqual(Object.entries(EXIT_MEANING));
  });

  it('of output are all formats', async () => {
    const terms = entriesOf(await pageOf('output')).map(([term]) => term);
    expect(terms.slice(0, FORMAT_NAMES.length)).toEqual(FORMAT_NAMES);
  });

  it('of profiles are all members of a profile', async () => {
    const text = textOf(await pageOf('profiles'));
    for (const [, { member = 'workspace' }] of LISTED_SETTINGS) expect(text).toContain(member);
  });

  it('of limits are those of the settings, and of the service', async () => {
    const text = textOf(await pageOf('limits'));
    expect(text).toContain('150 requests in 60 s');
    expect(text).toContain('20 writes in 1 s');
    const [requests, writes] = createRateWindows(SETTINGS.rateLimit.usual);
    expect(text).toContain(
      `leaves ${requests.reserve} of the 150 requests and ${writes.reserve} of the 20 writes`,
    );
    expect([RETRY_RULES.not_sent.retries, RETRY_RULES.fault.retries]).toEqual([3, 3]);
    expect([
      RETRY_RULES.not_sent.repeats,
      RETRY_RULES.fault.repeats,
      RETRY_RULES.rate_limited.repeats,
    ]).toEqual(['any method', 'reads', 'any method']);
    expect(text.match(/up to 3 times/g)).toHaveLength(2);
  });

  it('of the defaults that flags show are the settings', () => {
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
});
