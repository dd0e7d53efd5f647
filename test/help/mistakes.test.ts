import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { suggestWord } from '../../src/help/answer.ts';
import { runInProcess, words } from '../support/in-process.ts';
import { type Recorder, serviceEnv, startRecorder } from '../support/service.ts';

/** Typing errors: what was meant is named, all that is wrong is told together, and nothing runs. */

let recorder: Recorder;
beforeAll(async () => {
  recorder = await startRecorder();
});
afterAll(() => recorder.close());
let before = 0;
beforeEach(() => {
  before = recorder.requests.length;
});

const run = async (line: string) => {
  const ended = await runInProcess(words(line), { env: serviceEnv(recorder) });
  expect(recorder.requests.length).toBe(before);
  return ended;
};

const refused = async (line: string): Promise<string> => {
  const { stdout, stderr, exit } = await run(line);
  expect({ stdout, exit }).toEqual({ stdout: '', exit: 2 });
  return stderr;
};

describe('what was meant', () => {
  it.each([
    ['membrs', "error: unknown command 'membrs'\nhint: Did you mean members?\n"],
    ['member list', "error: unknown command 'member'\nhint: Did you mean members?\n"],
    ['members lst', "error: unknown command 'lst'\nhint: Did you mean list?\n"],
    ['-- members lst', "error: unknown command 'lst'\nhint: Did you mean list?\n"],
    ['members ls --role x', "error: unknown command 'ls'\nhint: Did you mean list?\n"],
    [
      'members show',
      "error: unknown command 'show'\nhint: Commands: list, get, invite, update, archive, restore.\n",
    ],
    ['sandbox app creat', "error: unknown command 'creat'\nhint: Did you mean create?\n"],
    ['login', "error: unknown command 'login'\nhint: Did you mean ttctl auth login?\n"],
    ['help members lst', "error: unknown command 'lst'\nhint: Did you mean list?\n"],
    ['membrs --help', "error: unknown command 'membrs'\nhint: Did you mean members?\n"],
    [
      'man',
      "error: unknown command 'man'\nhint: The manual is the help: ttctl help <command>, ttctl help <topic>.\n",
    ],
    [
      'members archive mei@example.com --with-open-items',
      "error: unknown option '--with-open-items'\nhint: Omit it: the question and --dry-run always show what is open.\n",
    ],
    ['jobs prune x', "error: unknown command 'prune'\nhint: Run ttctl history prune --older-than 180d\n"],
    [
      'close check --period last-week --save x',
      "error: unknown option '--save'\nhint: Keep ttctl timesheets list --period last-month --output csv in git, and look at its diff.\n",
    ],
    [
      'reports task-report',
      "error: unknown command 'reports'\nhint: It has no command of its own. Send the request: ttctl api /reports/tracked-hours -X GET -f start_date=2026-11-01 -f end_date=2026-11-30 (also daily-timeline, task-report and activity-level)\n",
    ],
    [
      'time-entries list',
      "error: unknown command 'time-entries'\nhint: It has no command of its own. Send the request: ttctl api /time-entries -X GET -f user_id=17 -f date=2026-11-20\n",
    ],
    [
      'tracker current',
      "error: unknown command 'current'\nhint: It has no command of its own. Send the request: ttctl api /time-tracking/current-data\n",
    ],
    ['xyzzy', "error: unknown command 'xyzzy'\nhint: Run ttctl --help for all commands.\n"],
    ['members list --rol x', "error: unknown option '--rol'\nhint: Did you mean --role?\n"],
    ['members list --out csv', "error: unknown option '--out'\nhint: Did you mean --output?\n"],
    ['inbox dcide', "error: too many arguments for 'inbox': dcide\nhint: Did you mean decide?\n"],
    ['--profil x members list', "error: unknown option '--profil'\nhint: Did you mean --profile?\n"],
    ['--limit 5 members list', "error: unknown option '--limit'\nhint: Put --limit after list.\n"],
    [
      'webhooks received --event x prune',
      "error: unknown option '--event'\nhint: Run ttctl webhooks received prune --help for all options.\n",
    ],
    [
      'members list -z=1',
      "error: unknown option '-z=1'\nhint: Run ttctl members list --help for all options.\n",
    ],
    [
      'members list --quiet=1',
      "error: option '--quiet' takes no value\nhint: Run ttctl members list --help for all options.\n",
    ],
    [
      'members update --max 3',
      "error: unknown option '--max'\nhint: Run ttctl members update --help for all options.\n",
    ],
    ['members list --csv', "error: unknown option '--csv'\nhint: Did you mean --output csv?\n"],
    [
      'members archive 3 -f',
      "error: unknown option '-f'\nhint: Run ttctl members archive --help for all options.\n",
    ],
    ['members list --verbose', "error: unknown option '--verbose'\nhint: Did you mean --debug?\n"],
    ['members list --fields id', "error: unknown option '--fields'\nhint: Did you mean --columns?\n"],
    ['members list --page-size 3', "error: unknown option '--page-size'\nhint: Did you mean --per-page?\n"],
    [
      'members get 3 --page-size 3',
      "error: unknown option '--page-size'\nhint: Run ttctl members get --help for all options.\n",
    ],
    ['members list -x', "error: unknown option '-x'\nhint: Run ttctl members list --help for all options.\n"],
    [
      'members list --status actve',
      'error: --status: "actve" is not one of active, inactive, left, unknown\nhint: Did you mean active?\n',
    ],
    [
      'members list --output jsn',
      'error: --output must be an output format, not "jsn"\nhint: Did you mean json?\n',
    ],
    [
      'members list --profile sandbx',
      'error: there is no profile "sandbx"\n  The name comes from --profile.\nhint: Profiles: sandbox. Create one with: ttctl auth login --profile sandbx\n',
    ],
    [
      'time-requests reject t1 --reason x',
      "error: unknown option '--reason'\nhint: Did you mean --comment?\n",
    ],
    ['leaves reject 1 --comment x', "error: unknown option '--comment'\nhint: Did you mean --reason?\n"],
    [
      'auth login --client-auth bsic',
      'error: --client-auth: "bsic" is not one of body, basic\nhint: Did you mean basic?\n',
    ],
    [
      'members get',
      "error: missing required argument 'member'\nhint: Run ttctl members get --help for all options.\n",
    ],
    [
      'members list help',
      "error: too many arguments for 'list': help\nhint: Run ttctl members list --help for all options.\n",
    ],
    [
      'members list --role --limit 3',
      "error: option '--role <role>' argument missing\nhint: Run ttctl members list --help for all options.\n",
    ],
  ])('by %j', async (line, told) => {
    expect(await refused(line)).toBe(told);
  });

  it('is the nearest word, or the only one that begins so', () => {
    expect(suggestWord('outp', ['output', 'outcome'])).toBe('output');
    expect(suggestWord('out', ['output', 'outcome'])).toBeUndefined();
    expect(suggestWord('x', ['y-and-more'])).toBeUndefined();
  });
});

describe('all that is wrong', () => {
  it('with the words of a line is told together', async () => {
    expect(await refused('members list --outptu x --rol y --timeout soon --status gone --limit')).toBe(
      [
        "error: unknown option '--outptu'. Did you mean --output?",
        "  unknown option '--rol'. Did you mean --role?",
        "  option '--limit <n>' argument missing. Run ttctl members list --help for all options.",
        '',
      ].join('\n'),
    );
  });

  it('is one JSON object in JSON', async () => {
    const { error } = JSON.parse(await refused('members list --json --rol x --limt 3'));
    expect(error).toMatchObject({ code: 'usage', exit: 2 });
    expect(error.message).toBe(
      "unknown option '--rol'. Did you mean --role?\nunknown option '--limt'. Did you mean --limit?",
    );
  });
});

describe('a noun alone, and the program with flags alone', () => {
  it('show what there is on stderr, and end as wrong usage', async () => {
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
});

describe('help', () => {
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
  ])('wins in %j', async (line) => {
    const { stdout } = await runInProcess(['members', 'list', '--help']);
    expect(await run(line)).toEqual({ stdout, stderr: '', exit: 0 });
  });

  it('is not asked for behind --, nor as part of a value', async () => {
    expect((await refused('profile use -- -h')).split('\n')[0]).toBe('error: there is no profile "-h"');
    const line = 'timesheets reject t1 --reason=-h --dry-run --json';
    const { stdout } = await runInProcess(words(line), { env: serviceEnv(recorder) });
    expect(JSON.parse(stdout)).toMatchObject([{ request: { body: { reason: '-h' } } }]);
  });
});

describe('the version', () => {
  it.each(['--version', '-V', 'version', 'members --version', 'version -q', '-q version', '-p x version'])(
    '%s is one line',
    async (line) => {
      expect(await run(line)).toEqual({ stdout: 'ttctl 0.0.0-test\n', stderr: '', exit: 0 });
    },
  );

  it.each(['version --json', '--version --json', '-V -o json', 'version --output=json'])(
    '%s says what a report needs',
    async (line) => {
      const { stdout, exit } = await run(line);
      expect(exit).toBe(0);
      expect(JSON.parse(stdout)).toEqual({
        version: '0.0.0-test',
        node: process.versions.node,
        platform: 'linux',
        install_path: process.cwd(),
      });
    },
  );
});
