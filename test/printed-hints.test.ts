import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { beforeEach, expect, it } from 'vitest';
import type { Machine } from '../src/platform/machine.ts';
import { makeFolder } from './support/folder.ts';
import { type Outcome, runInProcess, words } from './support/in-process.ts';

/** A hint that names a command line is run as it is printed, in the state that printed it (R23). */

let folder: string;
let env: Readonly<Record<string, string>>;
beforeEach(() => {
  folder = makeFolder();
  env = {
    TTCTL_STATE_DIR: join(folder, 'state'),
    TTCTL_CONFIG_DIR: join(folder, 'config'),
    TTCTL_SETTLE: '0',
    TTCTL_MAX_WAIT: '0',
    NO_COLOR: '1',
  };
});

/** `{tasks list}` stands for the first id of that list. */
const run = async (line: string, machine: Partial<Machine> = {}): Promise<Outcome> => {
  const [, list] = /\{(.*?)\}/.exec(line) ?? [];
  if (list !== undefined)
    return run(line.replace(`{${list}}`, (await run(`${list} -o ids`)).stdout.split('\n')[0] ?? ''), machine);
  const own = /--profile|^profile|^doctor/.test(line) ? [] : ['--profile', 'sandbox'];
  return runInProcess([...own, ...words(line.replaceAll('FOLDER', folder))], { env, machine });
};

/** The command lines in a text, without the words around them; those with something to fill in are no command lines. */
const hintsIn = (text: string): readonly string[] =>
  [
    ...text.matchAll(
      /(?:[`:] ?| {2}|with |under |first: |See )ttctl ([a-z-][^\n`]*?)(?=`|[.,;] |\.?$|\)| \(|\n)/gm,
    ),
  ]
    .map(([, line = '']) => line)
    .filter((line) => !line.includes('<') && !line.startsWith('help'));

/** What is to be so before, then the line whose hints are run, then what those may end with beside 0. */
type Case = readonly [line: string, before?: readonly string[], exits?: readonly number[]];

const CASES: readonly Case[] = [
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
  ['members list', ['FOLDER/config/settings.json {']],
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
];

it.each(CASES.map((one) => [one[0], one] as const))(
  'R23: the hints of %s',
  async (_, [line, before = [], exits = []]) => {
    for (const one of before) {
      if (one.startsWith('FOLDER')) {
        const [file = '', text = ''] = one.replace('FOLDER', folder).split(' ');
        mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
        writeFileSync(file, text, { mode: 0o600 });
        continue;
      }
      const { exit, stderr } = await run(one);
      expect(exit, `${one}\n${stderr}`).toBe(0);
    }
    let stderr = '';
    const write = async (text: string | Uint8Array) => {
      stderr += text;
    };
    // Some are for terminals alone.
    const { stdout } = await run(line, { stderr: { isTTY: true, write }, width: 300 });
    const hints = hintsIn(`${stderr}\n${stdout}`);
    expect(hints, stderr + stdout).not.toEqual([]);
    for (const hint of hints) {
      // Nothing is added: it goes where the command went.
      const follow = (more: string) => runInProcess(words(`${hint}${more}`), { env });
      const asked = await follow('');
      const ended = asked.stderr.includes('needs confirmation') ? await follow(' --yes') : asked;
      expect([0, ...exits], `${hint}\n${ended.stderr}`).toContain(ended.exit);
    }
  },
);
