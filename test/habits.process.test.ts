import { describe, expect, it } from 'vitest';
import { type Flag, formatLongFlag } from '../src/cli/flag.ts';
import { words } from './support/in-process.ts';
import { envelope, keepsWrites, named, onePage, readsList } from './support/service.ts';
import { leaves, loadProgram } from './support/tree.ts';
import { openCli, useCli } from './support/use-cli.ts';

/** What people expect of any command line, where no other test says it. */

const all = await leaves();
const program = await loadProgram();
const ownFlags: readonly (readonly [path: string, flag: Flag])[] = all.flatMap(({ path, command }) =>
  command.flags.map((flag) => [path, flag] as const),
);

it('names of commands and flags are lower case with hyphens', () => {
  const names = [
    ...all.flatMap(({ path, command }) => [...path.split(' '), ...command.aliases]),
    ...program.commands.flatMap((noun) => noun.aliases),
    ...[...program.flags, ...ownFlags.map(([, flag]) => flag)].map(({ name }) => name),
  ];
  expect(names.filter((name) => !/^[a-z]+(-[a-z]+)*$/.test(name))).toEqual([]);
});

it('flags have long names everywhere; single letters are for every command alone', () => {
  const own = ownFlags.flatMap(([path, { short }]) => (short === undefined ? [] : [`${path} -${short}`]));
  // Those of `gh api`, and of `tail`.
  expect(own).toEqual(['api -X', 'api -f', 'api -F', 'api -H', 'api -i', 'sandbox log -f']);
  const letters = program.flags.flatMap(({ short = [] }) => short);
  expect(letters.sort()).toEqual(['V', 'n', 'o', 'p', 'q', 'w', 'y']);
});

it('a flag has a value in every command, or in none', () => {
  const valued = ownFlags.filter(([, { value }]) => value !== undefined).map(([, { name }]) => name);
  const bare = ownFlags.filter(([, { name, value }]) => value === undefined && valued.includes(name));
  expect(bare.map(([path, flag]) => `${path} ${formatLongFlag(flag)}`)).toEqual([]);
});

describe('a command line', () => {
  /** Whom the examples name. */
  const ana = { id: 17, email: 'ana@example.com' };
  const t = useCli({ service: keepsWrites(ana, [{ ...ana, user_id: 17 }]), shared: true });
  /** The last request of this method. */
  const sent = async (line: string, method = ''): Promise<string | undefined> => {
    expect((await t.run(line)).stderr).not.toContain('error');
    return t.lines().findLast((one) => one.startsWith(method));
  };

  it.each([
    'members list --status active --output json',
    'members list --status=active --output=json',
    'members list --output=json --status active',
    '--output json members list --status active',
    'members --output json list --status active',
    'members list -ojson --status active',
    'members list -qojson --status=active',
    'members list -nq --status active',
  ])('may be written as %j', async (line) => {
    expect(await sent(line)).toBe('GET /members?workspace_id=7&status=active&page=1&per_page=100');
  });

  it('may name a flag behind the target, and a target that begins with a hyphen behind --', async () => {
    const put = 'PUT /members/17?workspace_id=7 {"workspace_id":7,"weekly_hours_limit":32}';
    expect(await sent('members update 17 --weekly-hours-limit 32', 'PUT')).toBe(put);
    expect(await sent('members update --weekly-hours-limit 32 17', 'PUT')).toBe(put);
    expect(await sent('members get -- -5')).toBe('GET /members/-5?workspace_id=7');
    expect(await sent('projects create --name=-x --notes=-y')).toMatch(/"name":"-x","notes":"-y"/);
  });

  it.each([
    '--event tracker.started --event tracker.stopped',
    '--event tracker.started,tracker.stopped',
    '--event=tracker.started,tracker.stopped',
  ])('may give several values as %s', async (given) => {
    expect(await sent(`webhooks create --url https://h.example/x ${given}`)).toContain(
      '["tracker.started","tracker.stopped"]',
    );
  });

  it('of a write prints what became of it, for every write', async () => {
    for (const { path, command } of all) {
      const { operation, examples } = command;
      const line = examples.find((one) => !/\.csv|--dry-run/.test(one));
      if (operation === undefined || operation.method === 'GET' || line === undefined) continue;
      const { stdout, exit } = await t.run([...words(line).slice(1), '--yes']);
      expect([exit, stdout.trim() === ''], path).toEqual([0, false]);
    }
  });
});

it('records that have nothing of what is shown are rows of a table, for every list', async () => {
  const bare = { id: null, brand_new: { deep: [1] } };
  const { run, json } = await openCli({
    service: (request) => ({
      body: readsList(request)
        ? onePage([{}, bare, { id: 17, user_id: 17, ...named(request) }])
        : envelope({}),
    }),
  });
  const lists = all.filter(({ path, command }) => command.operation?.method === 'GET' && !/ get$/.test(path));
  expect(lists.length).toBeGreaterThan(15);
  for (const { path, command } of lists) {
    const { exit, stderr } = await run(words(command.examples[0] ?? '').slice(1));
    expect(exit, `${path}: ${stderr}`).toBe(0);
  }
  expect((await json('members list'))[1]).toEqual(bare);
});

describe('at a terminal', () => {
  it.each(['members archive -', 'members invite --from-file -', 'projects create --input -'])(
    '%s does not wait for what nobody pipes in',
    async (line) => {
      const { terminal } = await openCli();
      const { exit, screen } = await terminal(`--profile sandbox ${line}`).ended;
      expect(exit).toBe(2);
      expect(screen).toContain('stdin is a terminal');
      expect(screen).toMatch(/Pipe the input in, or use a file\./);
    },
  );

  it('a list that takes long says how far it has come, while its rows go elsewhere', async () => {
    const page = (n: number) =>
      envelope([{ id: n }], { pagination: { total: 3, per_page: 1, current_page: n, last_page: 3 } });
    const { terminal } = await openCli({
      service: ({ line }) => ({ body: page(Number(/[?&]page=(\d)/.exec(line)?.[1])), delayMs: 800 }),
    });
    const list = terminal('members list --per-page 1 --json', { redirect: '>/dev/null' });
    const { exit, screen } = await list.ended;
    expect([exit, screen]).toEqual([0, expect.stringContaining('reading members: 1 of 3')]);
  });

  it('one request that takes long is told while it lasts, unless nobody is to be told', async () => {
    const { terminal } = await openCli({
      service: ({ line }) => ({ body: envelope(line.startsWith('GET') ? { id: 17 } : null), delayMs: 1_600 }),
    });
    const get = 'projects get 17 --json';
    const [read, write, quiet, ci, pipe] = await Promise.all([
      terminal(get).ended,
      terminal('time-tracking stop').ended,
      terminal(`${get} --quiet`).ended,
      terminal(get, { env: { CI: '1' } }).ended,
      terminal(get, { redirect: '2>&1 | cat' }).ended,
    ]);
    expect(read.screen).toContain('\r\x1b[2Kwaiting for the service, 1 s: GET /projects/17\r\x1b[2K{');
    expect(write.screen).toContain(' s: POST /time-tracking/stop\r\x1b[2K');
    for (const { screen } of [quiet, ci, pipe]) expect(screen).not.toContain('waiting');
    for (const { exit } of [read, write, quiet, ci, pipe]) expect(exit).toBe(0);
  });

  it('a locale without UTF-8 gets signs that it has', async () => {
    const t = await openCli({ sandbox: 'demo', env: { LANG: 'C' } });
    expect((await t.process('members archive 106 --yes')).stdout).toMatch(
      /^\+ archived {2}Mei Tanaka .*106\n$/,
    );
  });
});

/** `ttctl` alone: at a terminal with a profile that works it is `ttctl status`, otherwise help. It never fails. */
describe('ttctl alone', () => {
  const HELP = 'Manage the workspaces of a time tracking service.';
  const t = useCli({
    env: { TTCTL_BASE_URL: '', TTCTL_TOKEN: '', TTCTL_WORKSPACE: '', TTCTL_RATE_LIMIT: '' },
  });

  it.each<Record<string, string>>([{}, { TTCTL_PROFILE: 'sandbox' }, { TTCTL_OUTPUT: 'json' }])(
    'is help in a pipe, whatever is set up: %j',
    async (env) => {
      const { stdout } = await t.process('--help');
      expect(await t.process('', { env })).toEqual({ exit: 0, stderr: '', stdout });
    },
  );

  it.each<[line: string, env: Record<string, string>]>([
    ['', { TTCTL_PROFILE: 'sandbox' }],
    ['--profile sandbox', {}],
    ['-p sandbox --workspace=101', {}],
    ['-psandbox', {}],
  ])('is the status at a terminal with a profile, help in a pipe: %j %j', async (line, env) => {
    const { exit, screen } = await t.terminal(line, { env }).ended;
    expect([exit, screen]).toEqual([0, expect.not.stringContaining(HELP)]);
    for (const text of ['Waiting for a decision', 'ttctl timesheets missing']) expect(screen).toContain(text);
    const piped = await t.process(line, { env });
    expect([piped.exit, piped.stdout]).toEqual([0, expect.stringContaining(HELP)]);
  });

  it.each(['--profile sandbox --json', '--profile'])(
    'is wrong usage with more than that: %s',
    async (line) => {
      expect((await t.terminal(line).ended).exit).toBe(2);
    },
  );

  it('is help where stdout is not the terminal', async () => {
    const [env, file] = [{ TTCTL_PROFILE: 'sandbox' }, t.file('out')];
    const { exit, screen } = await t.terminal('', { env, redirect: `>${file}; cat ${file}` }).ended;
    expect([exit, screen]).toEqual([0, expect.stringContaining(HELP)]);
  });

  it.each<[what: string, line: string, env: Record<string, string>, note: RegExp]>([
    ['nothing is set up', '', {}, /^(?![\s\S]*No status)/],
    [
      ...(['the service cannot be reached', ''] as const),
      { TTCTL_TOKEN: 't', TTCTL_WORKSPACE: '7', TTCTL_BASE_URL: 'http://127.0.0.1:9/api/v2' },
      /No status: cannot connect/,
    ],
    ['nobody is signed in', '', { TTCTL_PROFILE: 'work' }, /No status: \S+/],
    ['there is no such profile', '--profile nope', {}, /No status: \S+/],
  ])('is help, and says so, where %s', async (_what, line, env, note) => {
    const { exit, screen } = await t.terminal(line, { env }).ended;
    expect([exit, screen]).toEqual([0, expect.stringContaining(HELP)]);
    expect(screen).toMatch(note);
  });
});
