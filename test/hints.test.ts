import { chmodSync } from 'node:fs';
import { stripVTControlCharacters } from 'node:util';
import { beforeEach, expect, it } from 'vitest';
import type { Machine } from '../src/platform/machine.ts';
import { type Outcome, words } from './support/in-process.ts';
import { plainAnswer } from './support/service.ts';
import { type Answering, useCli } from './support/use-cli.ts';

/**
 * A command line that is printed to be copied goes where the command that printed it went: it repeats the profile and
 * the workspace that were given as flags. It is run as it is printed, in the state that printed it (R23).
 */

const t = useCli({ env: { TTCTL_MAX_WAIT: '0' } });
beforeEach(() => {
  const profiles = { home: {}, work: {} };
  const settings = JSON.stringify({ version: 1, current_profile: 'home', profiles });
  chmodSync(t.file('config/settings.json', settings), 0o600);
});

/** The command lines that a person at a terminal is shown. */
const told = async (line: string, flags: string, answer: Answering = plainAnswer) => {
  t.answer = answer;
  const { screen } = await t.sit(words(`${line} ${flags}`), () => '\x03', { columns: 400 });
  return stripVTControlCharacters(screen).match(/ttctl [a-z][^\n;)]*/g) ?? [];
};

const PLACE = '--profile work --workspace 9';
const no = (status: number) => ({ status, body: { success: false, message: 'No.', meta: {} } });
const breaks: Answering = () => no(500);
/** Refuses what writes. */
const refuses =
  (status: number): Answering =>
  (request) =>
    request.line.startsWith('GET ') ? plainAnswer(request) : no(status);

const DONE = [
  'members archive 17 --yes',
  'viewers assign 17 --project 5',
  'contracts create --project 5 --member 12',
  'tasks create --project 5 --title Home',
  'tasks assign 17 --project 5 --member 12',
  'expenses create --name Train --date 2026-11-20 --amount 48.60 --category 4',
  'webhooks create --url https://h.example/x --event tracker.started',
  'timesheets approve t1 --yes',
  'timesheets submit t1',
];

it.each(DONE)('goes where the command went: after %s', async (line) => {
  const lines = await told(line, PLACE);
  expect(lines).not.toEqual([]);
  for (const one of lines) expect(one).toContain(PLACE);
});

it.each<readonly [line: string, answer: Answering]>([
  ...[...DONE, 'members update 17 --firstname Ana'].map((line) => [line, breaks] as const),
  ['members archive 17 --yes', refuses(403)],
  ['timesheets approve t1 --yes', refuses(400)],
  ['tasks assign 17 --project 5 --member 12', refuses(422)],
  ['time-tracking stop', refuses(400)],
  ['members list', () => no(404)],
  ['members get nobody@example.com', plainAnswer],
  ['leaves list --policy Nothing', plainAnswer],
  ['expenses delete ID --yes', plainAnswer],
  ['tasks get word', plainAnswer],
])('goes where the command went: after a failure of %s', async (line, answer) => {
  const lines = await told(line, PLACE, answer);
  expect(lines).not.toEqual([]);
  for (const one of lines) expect(one).toContain(PLACE);
});

it('goes where the command went, though its workspace is not found', async () => {
  const lines = await told('members list', '--profile work -w Nowhere');
  expect(lines).toEqual([expect.stringContaining('--profile work')]);
});

it('names the workspace that a request brings itself', async () => {
  const archive = 'members archive 17 --yes --field workspace_id:=8';
  expect(await told(archive, '')).toEqual(['ttctl members restore 17 --workspace 8']);
  expect((await told(archive, '', breaks))[0]).toMatch(/^ttctl jobs resume /);
});

it('repeats nothing that was not given as a flag', async () => {
  expect(await told('members archive 17 --yes', '')).toEqual(['ttctl members restore 17']);
});

const own = useCli({
  sandbox: 'demo',
  env: { TTCTL_SETTLE: '0', TTCTL_MAX_WAIT: '0', NO_COLOR: '1', TTCTL_PROFILE: '' },
});

// The line whose hints are run, what is to be so before, and what those may end with beside 0.
it.each<[line: string, before?: readonly string[], exits?: readonly number[]]>([
  // What is not there.
  ['members get nobody@example.com'],
  ['viewers get nope'],
  ['projects get Nowhere'],
  ['webhooks get nope'],
  ['expenses delete nope --yes'],
  ['timesheets approve nobody@example.com --yes'],
  ['history show nope'],
  ['undo nope --yes'],
  ['jobs show nope'],
  ['jobs resume nope'],
  ['profile use nope'],
  ['profile remove nope'],
  ['workspaces use nope'],
  ['workspaces diff FOLDER/nowhere'],
  ['sandbox token revoke nope'],
  ['sandbox token create --as nobody@example.com'],
  ['sandbox snapshot restore nope'],
  ['sandbox fault clear 99'],
  ['sandbox webhooks redeliver nope'],
  ['webhooks received nope --store FOLDER'],
  // What the service refuses.
  ['timesheets approve {timesheets list --status open} --yes'],
  [
    'tasks assign {tasks list --project 114} --project 114 --member {members list --role team-manager}',
    [],
    [6],
  ],
  ['time-tracking stop', ['time-tracking stop']],
  ['api DELETE', [], [5]],
  // What stands in the way.
  ['members archive {members list --role regular-user} --yes', ['profile set --profile sandbox --read-only']],
  ['members list', ['sandbox fault add members list --status 403']],
  ['members list', ['damaged config/settings.json']],
  ['auth login --profile other --client-credentials --base-url https://x.example.com/api/v2'],
  // What was done, and what was not.
  ['members archive {members list --role regular-user} --yes'],
  ['viewers archive {viewers list} --yes'],
  ['viewers unassign {viewers list} --project 114', ['viewers assign {viewers list} --project 114']],
  ['members invite new@example.com --firstname New --lastname One --role regular-user'],
  ['expenses create --name Taxi --date 2026-11-02 --amount 5 --category {expenses categories}'],
  ['webhooks create --url https://hooks.example.com/a --event tracker.started'],
  ['tasks create --project 114 --title Dredge'],
  ['timesheets submit {timesheets list --status open}'],
  ['timesheets approve --all --yes'],
  [
    'timesheets approve {timesheets list --status submitted} --yes',
    ['sandbox fault add timesheets approve --drop before'],
  ],
  ['timesheets approve --all --yes', ['sandbox fault add timesheets approve --status 503 --times 3'], [7, 8]],
  ['timesheets approve --all --yes --plan FOLDER/plan'],
  [
    'plan apply FOLDER/plan --yes',
    ['leaves approve --all --plan FOLDER/plan', 'plan apply FOLDER/plan --yes'],
  ],
  ['undo {history list} --yes', ['timesheets approve {timesheets list --status submitted} --yes']],
  ['status', [], [10]],
])('R23: the hints of %s', async (line, before = [], exits = []) => {
  /** `{tasks list}` stands for the first id of that list. */
  const runIn = async (one: string, machine: Partial<Machine> = {}): Promise<Outcome> => {
    const [whole = '', list] = /\{(.*?)\}/.exec(one) ?? [];
    if (list !== undefined) {
      const [id = ''] = (await runIn(`${list} -o ids`)).stdout.split('\n');
      return runIn(one.replace(whole, id), machine);
    }
    const profile = /--profile|^profile|^doctor/.test(one) ? '' : '--profile sandbox';
    return own.run(`${profile} ${one.replaceAll('FOLDER', own.folder)}`, { machine });
  };
  for (const one of before) {
    if (one.startsWith('damaged ')) chmodSync(own.file(one.slice('damaged '.length), '{'), 0o600);
    else expect(await runIn(one), one).toMatchObject({ exit: 0 });
  }
  const said: string[] = [];
  const write = async (text: string | Uint8Array) => void said.push(String(text));
  // Some are for terminals alone.
  const { stdout } = await runIn(line, { stderr: { isTTY: true, write }, width: 300 });
  const text = `${said.join('')}\n${stdout}`;
  // Without the words around them; those with something to fill in are no command lines.
  const hints = [
    ...text.matchAll(
      /(?:[`:] ?| {2}|with |under |first: |See )ttctl ([a-z-][^\n`]*?)(?=`|[.,;] |\.?$|\)| \(|\n)/gm,
    ),
  ].flatMap(([, hint = '']) => (/<|^help/.test(hint) ? [] : hint));
  expect(hints, text).not.toEqual([]);
  for (const hint of hints) {
    // Nothing is added: it goes where the command went.
    const asked = await own.run(hint);
    const ended = asked.stderr.includes('needs confirmation') ? await own.run(`${hint} --yes`) : asked;
    expect([0, ...exits], `${hint}\n${ended.stderr}`).toContain(ended.exit);
  }
});
