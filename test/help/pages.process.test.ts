import { describe, expect, it } from 'vitest';
import type { CommandNode } from '../../src/cli/command.ts';
import { formatFlagTerm, formatLongFlag, isNegated } from '../../src/cli/flag.ts';
import { describeOutput } from '../../src/commands/outputs.ts';
import { buildCommandPage } from '../../src/help/command-page.ts';
import {
  buildRootPage,
  buildShortRootPage,
  type HelpPage,
  renderHelpText,
  TOPICS,
} from '../../src/help/page.ts';
import { loadTopicPage } from '../../src/help/topics.ts';
import { runInProcess } from '../support/in-process.ts';
import { openScript } from '../support/terminal.ts';
import { leaves, loadProgram } from '../support/tree.ts';
import { openCli } from '../support/use-cli.ts';

/** Help over the whole tree: what every page has, how it is set, and that the built program answers the same. */

const program = await loadProgram();
const all = await leaves();
const everyOf = (node: CommandNode): readonly CommandNode[] => [
  node,
  ...(node.commands ?? []).flatMap(everyOf),
];
const topics = await Promise.all(
  TOPICS.map(async ({ name }) => [`help ${name}`, await loadTopicPage(name)] as const),
);

const pages = [
  ['', buildRootPage({})] as const,
  ['(nothing)', buildShortRootPage()] as const,
  ...program.commands.flatMap(everyOf).map((one) => [one.path, buildCommandPage(one)] as const),
  ...topics,
];

it.each([80, 60])('every page fits %i columns, but for words that are longer', (width) => {
  const wide = pages.flatMap(([path, page]) =>
    renderHelpText(page, width, false)
      .split('\n')
      .filter((line) => line.length > width && !(width < 80 && line.startsWith('  ttctl ')))
      .filter((line) => !/^ *(?:--[a-z-]+ )?(?:\S+|"[^"]+")(?: \\)?$/.test(line))
      .map((line) => `${path}: ${line}`),
  );
  expect(wide).toEqual([]);
});

it('every page has nothing that steers a terminal, no heading within a section, and bold ones where there is colour', () => {
  for (const [path, page] of pages) {
    expect(renderHelpText(page, 80, false), path).not.toMatch(/\p{Cc}(?<!\n)|^ *# [A-Z]/mu);
  }
  const bold = renderHelpText(buildCommandPage(all[0]?.command ?? program), 80, true);
  expect(bold).toContain('\u001b[1mUsage:\u001b[22m\n');
  // biome-ignore lint/suspicious/noControlCharactersInRegex: what makes headings bold
  const plain = bold.replace(/\u001b\[\d+m/g, '');
  expect(plain).toBe(renderHelpText(buildCommandPage(all[0]?.command ?? program), 80, false));
});

it.each(all)(
  'the page of $path: examples, what its own flags mean, and where the others stand',
  async ({ path, command }) => {
    const text = renderHelpText(buildCommandPage(command), 80, false);
    expect(text).toMatch(/^[A-Z][^\n]*(?:\n\S[^\n]*)*\.\n\nUsage:\n {2}ttctl /);
    expect(text).toMatch(/\nExamples:\n {2}ttctl /);
    expect(describeOutput(command), 'say in its facts what it prints (cli/command.ts, Prints)').toBeDefined();
    const flat = text.replace(/\s+/g, ' ');
    expect(flat).toMatch(
      /\(ttctl --help\)\. See also: (?:ttctl help bulk, )?ttctl help output, ttctl help exit-codes $/,
    );
    const topic = (await loadTopicPage('flags')).join('\n');
    const [, common = ''] = /More flags: (.*) \(ttctl help flags\)/.exec(flat) ?? [];
    for (const flag of command.flags) {
      const long = formatLongFlag(flag);
      expect(flag.about, `${path} ${long}`).not.toBe('');
      if (common.split(', ').includes(long))
        expect(topic).toContain(`${formatFlagTerm(flag)} :: ${flag.about}`);
      else expect(flat).toContain(`${formatFlagTerm(flag)} ${flag.about}`);
      if (flag.default !== undefined && !isNegated(flag)) expect(flat).toContain(`default ${flag.default}`);
    }
    for (const { about } of command.positionals) expect(flat).toContain(about);
  },
);

// What is sent, whether that writes, with which scope, and who may: written from docs/service.md, Roles and Scopes.
it.each([
  [
    'timesheets approve',
    `Sends PUT /timesheets/{timesheetId}/approve (writes; scope: write). Owners and Executive Managers only. `,
  ],
  [
    'tasks create',
    'Sends POST /tasks (writes; scope: write). Owners, Executive Managers, Project Managers and Team Managers only. ',
  ],
  ['members list', 'Sends GET /members (reads; scope: read). More flags'],
  ['viewers list', 'Sends GET /project-viewers (reads; scope: read). More flags'],
  ['api', 'without confirmation, even a DELETE'],
  ['api', '--paginate fetch all pages and print one array'],
  ['jobs resume', 'ttctl jobs show <job> --json'],
  ['webhooks listen', 'its output goes to stderr'],
])('the page of a command %s says what one has to know: %s', async (command, words) => {
  const { stdout, exit } = await runInProcess([...command.split(' '), '--help']);
  expect(exit).toBe(0);
  expect(stdout.replace(/\s+/g, ' ')).toContain(words);
});

it.each([
  [
    'https://example.com',
    'https://example.com/bugs',
    /\nWeb: https:\/\/example\.com\n\nReport bugs at: https:\/\/example\.com\/bugs\n$/,
  ],
  ['', '', /^(?!.*(Web:|Report bugs)).*$/s],
])('the page of the program says where faults are reported: %j', async (homepage, bugs, says) => {
  const { stdout } = await runInProcess(['--help'], { machine: { addresses: { homepage, bugs } } });
  expect(stdout).toMatch(says);
});

it('the words of commands, flags, positionals, nouns and topics are phrases: lower case, no full stop, one line', () => {
  const nouns = program.commands.flatMap(everyOf);
  const phrases = [
    program.about,
    ...nouns.map(({ about }) => about),
    ...TOPICS.map(({ about }) => about),
    ...program.flags.map(({ about }) => about),
    ...all.flatMap(({ command: { flags, positionals } }) =>
      [...flags, ...positionals].map(({ about }) => about),
    ),
  ];
  const NAMES = /^(CSV|JSON|IANA|OAuth2|GET|JMESPath|TTCTL_|Owner|E-mail|PKCE|OpenAPI|the|an?) ?|^an? /;
  for (const phrase of phrases) {
    if (!NAMES.test(phrase)) expect(phrase).toMatch(/^[a-z]/);
    expect(phrase).not.toMatch(/[.!:]$|\n| {2}|e\.g\.|i\.e\.|\bplease\b/i);
  }
});

it('O20: what is decided is on the screen: a page of an approval has 40 lines at most', async () => {
  const { stdout } = await runInProcess(['timesheets', 'approve', '--help']);
  expect(stdout.split('\n').length - 1).toBeLessThanOrEqual(40);
});

it('O20: help wraps words between 32 and 100 columns, and breaks no command where it cannot be copied', () => {
  const words = 'ab '.repeat(60).trim();
  const wrap = (columns?: number) => renderHelpText([words], columns, false).split('\n')[0]?.length;
  expect([wrap(), wrap(200), wrap(50), wrap(10)]).toEqual([80, 98, 50, 32]);
  const page = [
    'Lead.',
    `# Some\n${words.slice(0, 29)} one\u00a0two three\n$ ttctl api GET /a --param "x y=1 -b" --yes | wc`,
  ];
  expect(renderHelpText(page, 36, false)).toBe(
    `Lead.\n\nSome:\n  ${words.slice(0, 29)}\n  one two three\n\n  ttctl api GET /a \\\n      --param "x y=1 -b" --yes \\\n      | wc\n`,
  );
});

it('the built program answers the same, however it is asked', async () => {
  const t = await openCli();
  for (const line of ['--help', 'help bulk', 'help members list', 'members list --nope -h', '']) {
    const { stdout } = await t.run(line || '--help');
    expect(await t.process(line), line).toEqual({ stdout, stderr: '', exit: 0 });
  }
  for (const line of ['help nonsense', 'help members constructor', 'help _'])
    expect(await t.process(line), line).toMatchObject({ exit: 2, stdout: '' });
});

/** What needs a service, or a job. */
const NOT_RUN = /^ttctl (auth login|(jobs show|jobs resume|undo) <job>)/;

const recipesOf = (page: HelpPage) =>
  page.flatMap((section) =>
    section
      .split('\n')
      .flatMap((line) => (/^\$ /.test(line) && !NOT_RUN.test(line.slice(2)) ? line.slice(2) : [])),
  );

// Run as written, on a sandbox, at a terminal.
describe.concurrent('the recipes of', () => {
  it.each(topics)('%s', async (_topic, page) => {
    const t = await openCli({ sandbox: 'demo' });
    t.file('people.csv', 'email,firstname,lastname\nana@example.com,Ana,Sousa\n');
    t.file('approve-all.sh', 'ttctl timesheets approve --all --yes\n');
    // `people.csv` is a heading alone once a recipe has written it.
    const lines = recipesOf(page).map((line) =>
      line.endsWith('> people.csv') ? line.replace('people', 'heading') : line,
    );
    const file = t.file('recipes', ['cd "$(dirname "$0")"', ...lines].join('\n'));
    const { exit, screen } = await openScript(file, t.processEnv(), [[/\(y\/N\)/, 'y\r']]).ended;
    expect(exit, screen).toBe(0);
  });

  it('all of them are more than a few', () => {
    expect(topics.flatMap(([, page]) => recipesOf(page)).length).toBeGreaterThan(8);
  });
});
