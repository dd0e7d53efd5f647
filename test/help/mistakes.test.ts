import { readdirSync, readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { type CommandNode, Line } from '../../src/cli/command.ts';
import { type Flag, formatLongFlag } from '../../src/cli/flag.ts';
import { findMistakes, suggestWord } from '../../src/help/answer.ts';
import { TOPICS } from '../../src/help/page.ts';
import { loadTopicPage } from '../../src/help/topics.ts';
import { words } from '../support/in-process.ts';
import { leaves, loadProgram } from '../support/tree.ts';
import { useCli } from '../support/use-cli.ts';

/** Typing errors: what was meant is named, all that is wrong is told together, and nothing runs. */

const cli = useCli();

/** What comes of a line that sends nothing. */
const run = async (line: string) => {
  const ended = await cli.run(line);
  expect(cli.lines()).toEqual([]);
  return ended;
};

const refused = async (line: string) => {
  const { stdout, stderr, exit } = await run(line);
  expect({ stdout, exit }).toEqual({ stdout: '', exit: 2 });
  return stderr;
};

const all = (command: string) => `Run ttctl ${command} --help for all options.`;
const api = (line: string) => `It has no command of its own. Send the request: ttctl api ${line}`;
const NO_REPORTS =
  'The documented API has no reports or invoices. For hours by person: ttctl timesheets list --period last-month --group-by user_id --sum total_hours';
const meant = (words: string) => `Did you mean ${words}?`;

it.each([
  ['membrs', "unknown command 'membrs'", meant('members')],
  ['member list', "unknown command 'member'", meant('members')],
  ['members lst', "unknown command 'lst'", meant('list')],
  ['-- members lst', "unknown command 'lst'", meant('list')],
  ['members ls --role x', "unknown command 'ls'", meant('list')],
  ['members show', "unknown command 'show'", meant('get')],
  ['sandbox app creat', "unknown command 'creat'", meant('create')],
  ['login', "unknown command 'login'", meant('ttctl auth login')],
  ['help members lst', "unknown command 'lst'", meant('list')],
  ['membrs --help', "unknown command 'membrs'", meant('members')],
  ['man', "unknown command 'man'", 'Run ttctl help <command>, or ttctl help <topic>.'],
  ['jobs prune x', "unknown command 'prune'", 'Run ttctl history prune --older-than 180d'],
  // Guesses that the API cannot do, or that go elsewhere (O9).
  ['reports task-report', "unknown command 'reports'", NO_REPORTS],
  ['report', "unknown command 'report'", NO_REPORTS],
  [
    'approve --all',
    "unknown command 'approve'",
    'Run ttctl inbox for everything that is waiting, or ttctl timesheets approve, ttctl leaves approve, ttctl time-requests approve.',
  ],
  [
    'timesheets list --project Harbour',
    "unknown option '--project'",
    "The API's timesheets have no project. For who works on one: ttctl contracts list --project <project>",
  ],
  [
    'timesheets --team Design',
    "unknown option '--team'",
    'The API has no filter by team. For its members: ttctl members list --where "team_name == \'Design\'"',
  ],
  ['timesheets list --from 2026-11-01', "unknown option '--from'", meant('--date-from')],
  ['timesheets --from 2026-11-01', "unknown option '--from'", meant('list --date-from')],
  ['timesheets --status submitted', "unknown option '--status'", 'Put --status after list.'],
  ['timesheets export', "unknown command 'export'", meant('list --output csv')],
  ['timesheets late', "unknown command 'late'", 'To list who has not submitted: ttctl timesheets missing'],
  ['leaves unapprove x', "unknown command 'unapprove'", 'The API cannot reverse a decision.'],
  ['people list', "unknown command 'people'", meant('members')],
  ['whoami', "unknown command 'whoami'", meant('auth status')],
  ['close check last-month', "too many arguments for 'check': last-month", meant('--period last-month')],
  ['expenses list --until today', "unknown option '--until'", meant('--date-to')],
  [
    'contracts update 120 --rate 50 --from 2026-12-01',
    "unknown option '--from'",
    'Rates and hours have no date in the API: a change takes effect at once. For later, make a plan for that day: --plan <file> --at <day>',
  ],
  ['projects update 5 --from x', "unknown option '--from'", all('projects update')],
  [
    'inbox list',
    "too many arguments for 'inbox': list",
    'To list what is waiting: ttctl inbox --output table',
  ],
  [
    'auth login --token abc',
    "unknown option '--token'",
    "A token in a command line stays in the shell's history. Use --token-stdin, which asks for it.",
  ],
  [
    'time-entries list',
    "unknown command 'time-entries'",
    api('/time-entries -X GET -f user_id=17 -f date=2026-11-20'),
  ],
  ['tracker current', "unknown command 'current'", api('/time-tracking/current-data')],
  ['xyzzy', "unknown command 'xyzzy'", 'Run ttctl --help for all commands.'],
  ['members list --rol x', "unknown option '--rol'", meant('--role')],
  ['members list --out csv', "unknown option '--out'", meant('--output')],
  ['inbox dcide', "too many arguments for 'inbox': dcide", meant('decide')],
  ['--profil x members list', "unknown option '--profil'", meant('--profile')],
  ['--limit 5 members list', "unknown option '--limit'", 'Put --limit after list.'],
  ['webhooks received --event x prune', "unknown option '--event'", all('webhooks received prune')],
  ['members list -z=1', "unknown option '-z=1'", all('members list')],
  ['members list --quiet=1', "option '--quiet' takes no value", all('members list')],
  ['members update --max 3', "unknown option '--max'", all('members update')],
  ['members list --csv', "unknown option '--csv'", meant('--output csv')],
  ['members archive 3 -f', "unknown option '-f'", all('members archive')],
  ['members list --verbose', "unknown option '--verbose'", meant('--debug')],
  ['members list --fields id', "unknown option '--fields'", meant('--columns')],
  ['members list --page-size 3', "unknown option '--page-size'", meant('--per-page')],
  ['members get 3 --page-size 3', "unknown option '--page-size'", all('members get')],
  ['members list -x', "unknown option '-x'", all('members list')],
  [
    'members list --status actve',
    '--status: "actve" is not one of active, inactive, left, unknown',
    meant('active'),
  ],
  // What another list calls so, and not the state that looks alike.
  ...[
    ['timesheets list', 'not-submitted', 'open, submitted, rejected, approved', ''],
    ['timesheets list', 'missing', 'open, submitted, rejected, approved', ''],
    ['timesheets list', 'pending', 'open, submitted, rejected, approved', 'submitted'],
    ['leaves list', 'submitted', 'pending, approved, rejected', 'pending'],
    ['members list', 'archived', 'active, inactive, left, unknown', 'left'],
  ].map(([list, word, choices, near = '']) => [
    `${list} --status ${word}`,
    `--status: "${word}" is not one of ${choices}`,
    near === '' ? 'To list who has not submitted: ttctl timesheets missing' : meant(near),
  ]),
  ['members list --output jsn', '--output must be an output format, not "jsn"', meant('json')],
  [
    'members list --profile sandbx',
    'there is no profile "sandbx"\n  The name comes from --profile.',
    'Profiles: sandbox. Create one with: ttctl auth login --profile sandbx',
  ],
  ['time-requests reject t1 --reason x', "unknown option '--reason'", meant('--comment')],
  ['leaves reject 1 --comment x', "unknown option '--comment'", meant('--reason')],
  ['auth login --client-auth bsic', '--client-auth: "bsic" is not one of body, basic', meant('basic')],
  ['members get', "missing required argument 'member'", all('members get')],
  ['members list help', "too many arguments for 'list': help", all('members list')],
  ['members list --role --limit 3', "option '--role <role>' argument missing", all('members list')],
])('what was meant by %j: %s', async (line, what, hint) => {
  expect(await refused(line)).toBe(`error: ${what}\nhint: ${hint}\n`);
});

it('what was meant is the nearest word, or the only one that begins so', () => {
  expect(suggestWord('outp', ['output', 'outcome'])).toBe('output');
  expect(suggestWord('out', ['output', 'outcome'])).toBeUndefined();
  expect(suggestWord('x', ['y-and-more'])).toBeUndefined();
});

it('all that is wrong with the words of a line is told together', async () => {
  expect(await refused('members list --outptu x --rol y --timeout soon --status gone --limit')).toBe(
    "error: unknown option '--outptu'. Did you mean --output?\n" +
      "  unknown option '--rol'. Did you mean --role?\n" +
      "  option '--limit <n>' argument missing. Run ttctl members list --help for all options.\n",
  );
});

it('all that is wrong is one JSON object in JSON', async () => {
  const { error } = JSON.parse(await refused('members list --json --rol x --limt 3'));
  expect(error).toMatchObject({ code: 'usage', exit: 2 });
  expect(error.message).toBe(
    "unknown option '--rol'. Did you mean --role?\nunknown option '--limt'. Did you mean --limit?",
  );
});

it('a noun alone, and the program with flags alone show what there is on stderr, and end as wrong usage', async () => {
  const noun = await refused('sandbox token');
  expect(noun).toBe(
    'Manage tokens of the sandbox.\n\nCommands:\n  create          create a token of the sandbox and print it\n  list            list the tokens of the sandbox, without their secrets\n  revoke <token>  revoke a token of the sandbox\n\n' +
      'error: no command given\nhint: Run ttctl sandbox token --help for all commands.\n',
  );
  expect(await refused('--quiet')).toMatch(
    /\n {2}members +invite, update.*\n[\s\S]*\nerror: no command given\nhint: Run ttctl --help for all commands.\n$/,
  );
  expect(JSON.parse(await refused('members --json')).error).toMatchObject({ code: 'usage', exit: 2 });
});

it.each([
  'members list --limit -h',
  'members list --nope x -h',
  'members list --output tabel --help',
  '--profile nowhere members list -h',
  'members list -h --',
  '-h members list',
  'members -h list',
  'members --role x list -h',
  'members list extra words -h',
  'members list -qh',
])('help wins in %j', async (line) => {
  const { stdout } = await cli.run('members list --help');
  expect(await run(line)).toEqual({ stdout, stderr: '', exit: 0 });
});

it('help is not asked for behind --, nor as part of a value', async () => {
  expect((await refused('profile use -- -h')).split('\n')[0]).toBe('error: there is no profile "-h"');
  const line = 'timesheets reject t1 --reason=-h --dry-run --json';
  const { stdout } = await cli.run(line);
  expect(JSON.parse(stdout)).toMatchObject([{ request: { body: { reason: '-h' } } }]);
});

it.each(['--version', '-V', 'version', 'members --version', '-q version', '-p x version'])(
  '%s is one line',
  async (line) => {
    expect(await run(line)).toEqual({ stdout: 'ttctl 0.0.0-test\n', stderr: '', exit: 0 });
  },
);

it.each(['version --json', '-V -o json', 'version --output=json'])(
  '%s says what a report needs',
  async (line) => {
    const { stdout, exit } = await run(line);
    const place = { platform: 'linux', install_path: process.cwd() };
    expect([exit, JSON.parse(stdout)]).toEqual([
      ...[0, { version: '0.0.0-test', node: process.versions.node, ...place }],
    ]);
  },
);

const DESTRUCTIVE = words(
  'archive delete remove unassign approve reject submit unsubmit stop reset clear logout revoke',
);

/** Words that a slip of the finger makes of it, and beginnings of it. */
const slips = (word: string): readonly string[] => [
  ...[...word].flatMap((letter, i) => [
    word.slice(0, i) + word.slice(i + 1),
    word.slice(0, i) + letter + word.slice(i),
    word.slice(0, i) + word.slice(i + 1, i + 2) + letter + word.slice(i + 2),
    ...[...'aenorstx'].map((other) => word.slice(0, i) + other + word.slice(i + 1)),
  ]),
  ...[...word].map((_, i) => word.slice(0, i)).slice(3),
];

const commands = await leaves();
const whole = await loadProgram();

const hintsOf = async (args: readonly string[]) =>
  findMistakes(new Line<Flag, CommandNode>(whole, args), whole)
    .map(({ hint = '' }) => hint)
    .join('\n');

it.each([
  ['members list --not-submitted', 'To list who has not submitted: ttctl timesheets missing'],
  ['budget', 'The API has no hours by project'],
  ['projects --over-budget', 'ttctl projects list --columns name,estimation,budget_estimation'],
  ['contracts update --all --rate 95', 'First: ttctl contracts list --output csv > contracts.csv'],
  ['members update --where x --role y', 'First: ttctl members list --output csv > members.csv'],
  ['members update mei@x.example --rate 60', 'A rate belongs to a contract.'],
  ['profile set cron --only x', meant('--allow')],
  ['auth login --allow x', "ttctl profile set <name> --allow 'timesheets approve'"],
  ['close --period last-month', meant('ttctl close check --period last-month')],
  ['expenses duplicates', 'For overlaps and double entries: ttctl close check --period last-month'],
  ['timesheets overtime', "--where 'total_hours > member.weekly_hours_limit'"],
  ['expenses create --member x', 'The API books every expense in your own name.'],
  ['leaves cancel 3', 'The API cannot create, change or cancel leaves.'],
  ['expenses restore 3', 'For the entries: ttctl history list'],
  ['logout', 'To sign out: ttctl auth logout'],
  ['members update 3 --hours 32', meant('--weekly-hours-limit')],
  ['leaves list --upcoming', 'To list who is away and when: ttctl leaves away'],
  ['timesheets list --last-week', meant('--period last-week')],
  ['sandbox reset agency', 'ttctl sandbox reset --seed agency'],
  ['projects close 3', 'archive it: ttctl projects archive <project> --dry-run'],
  ['members list --search mei', 'ttctl members list --where "contains(firstname, \'Mei\')"'],
])('a guess leads on, to a line that is in order: %s', async (line, hint) => {
  const told = await hintsOf(words(line));
  expect(told).toContain(hint);
  const next = /: ttctl ([^:>]*)$|: ttctl (.*) > /.exec(told);
  expect(
    findMistakes(new Line<Flag, CommandNode>(whole, words(next?.[1] ?? next?.[2] ?? '')), whole),
  ).toEqual([]);
});

it('a flag that is none is never answered with one that skips a question or widens what is done', async () => {
  // The switches that skip no question, widen nothing that is done or shown, and keep every safeguard.
  const harmless = [
    '--json --excel --no-header --no-input --dry-run --quiet --debug --no-color --template --billable',
    '--no-billable --answer-after-handler --create --token-stdin --require-signature --paginate',
    '--client-secret-stdin --no-browser --client-credentials --read-only --detach --limits',
    '--after-commit --follow --long --exit-code --all-or-nothing --clean --include --if-missing --strict --version',
  ].flatMap((line) => line.split(' '));
  // All others, and what takes a value and does so.
  const unsafe = [
    ...['--max-changes', '--host', '--allow-webhooks-to', '--ignore-columns'],
    ...[...commands.flatMap(({ command }) => command.flags), ...whole.flags]
      .filter(({ value }) => value === undefined)
      .map(formatLongFlag)
      .filter((long) => !harmless.includes(long)),
  ];
  const foreign = [
    '-f',
    '-a',
    ...['web', 'force', 'assume-yes', 'confirm', 'everything', 'recursive'].map((name) => `--${name}`),
  ];
  let seen = 0;
  for (const { path, command } of commands) {
    const known = [...command.flags, ...whole.flags].map(formatLongFlag);
    const near = unsafe
      .filter((flag) => known.includes(flag))
      .flatMap((flag) => slips(flag.slice(2)).map((slip) => `--${slip}`));
    for (const word of [...new Set([...near, ...foreign])].filter((one) => !known.includes(one))) {
      const hint = await hintsOf([...path.split(' '), word]);
      seen += 1;
      const offered = /Did you mean (\S+?)[? ]/.exec(hint)?.[1] ?? '';
      expect(unsafe, `${path} ${word}: ${hint}`).not.toContain(offered);
    }
  }
  expect(seen).toBeGreaterThan(10_000);
});

it.each([
  'members list --web',
  'members archive 3 -f',
  'members archive 3 --force',
  'members archive 3 --ye',
])('a flag that is none has nothing that it might mean: %s', async (line) => {
  expect(await hintsOf(words(line))).toBe('');
});

it('a command that is none is never answered with one that destroys or decides', async () => {
  const undoing = ['unarchive', 'deactivate', 'unapprove', 'disapprove', 'destroy', 'purge'];
  const groups = [...new Set(commands.map(({ path }) => path.split(' ').slice(0, -1).join(' ')))];
  for (const group of groups)
    for (const verb of [...DESTRUCTIVE, ...undoing])
      for (const word of [verb, ...slips(verb)]) {
        const hint = await hintsOf([...group.split(' ').filter(Boolean), word]);
        for (const offered of /^Did you mean (.*)\?$/.exec(hint)?.[1]?.split(', or ') ?? [])
          expect(DESTRUCTIVE, `${group} ${word}: ${hint} (DESTRUCTIVE in src/help/answer.ts)`).not.toContain(
            offered.split(' ').at(-1),
          );
      }
});

it.each([
  ['members unarchive', 'Commands: list, get, invite, update, archive, restore.'],
  ['members restor', 'Did you mean restore?'],
])('a command that is none is answered with what there is: %s', async (line, hint) => {
  expect(await hintsOf(words(line))).toBe(hint);
});

it.each<[string, (line: string) => boolean]>([
  [
    'destroys all that match: it looks first',
    (line) => / (archive|delete|remove|unassign) .*--all\b/.test(line) && !line.includes('--dry-run'),
  ],
  [
    'decides on all of a workspace without a question',
    (line) =>
      / --all( |$)/.test(line) &&
      / --yes\b/.test(line) &&
      !/ --(period|member|status|policy|project|role|email|id|date-from|name)\b/.test(line),
  ],
  [
    'archives those who have been invited and have not come',
    (line) => /archive .*--status inactive/.test(line),
  ],
])('nothing that is shown as an example %s', async (_what, isWrong) => {
  const docs = readdirSync('docs').flatMap((name) => (name.endsWith('.md') ? [`docs/${name}`] : []));
  const files = ['README.md', 'CHANGELOG.md', 'scripts/tour.mjs', ...docs];
  const lines = [
    ...commands.flatMap(({ command }) => command.examples),
    ...(await Promise.all(TOPICS.map(({ name }) => loadTopicPage(name)))).flatMap(
      (page) => page.join('\n').match(/^\$ .*/gm) ?? [],
    ),
    ...files.flatMap((name) => readFileSync(name, 'utf8').match(/\bttctl [^\n`]*/g) ?? []),
  ].flatMap((line) => line.split(/ #|&&|\|\|?|;/).filter((part) => part.includes('ttctl ')));
  expect(lines.length).toBeGreaterThan(200);
  expect(lines.filter(isWrong)).toEqual([]);
});
