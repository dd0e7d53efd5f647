import { afterEach, describe, expect, it } from 'vitest';
import { cleanHome, runBinary } from '../support/binary.ts';
import { runInProcess } from '../support/in-process.ts';
import { onePage, type Recorder, serviceEnv, startRecorder } from '../support/recorder.ts';
import { leaves } from '../support/tree.ts';
import { words } from '../support/words.ts';

/** `--query` chooses what is printed; beside `--all` it is taken for a filter, and is refused. */

const WRITES = (await leaves())
  .filter(
    ({ path, command }) => !path.startsWith('sandbox') && command.flags.some(({ name }) => name === 'all'),
  )
  .map(({ path }) => path);

let recorder: Recorder | undefined;
afterEach(async () => {
  await recorder?.close();
  recorder = undefined;
});

const QUERY = '[?total_hours <= `35`]';

const run = async (line: string, ...more: string[]) => {
  recorder = await startRecorder(() => ({ body: onePage([{ id: 5, name: 'Site', status: 'submitted' }]) }));
  const ended = await runInProcess([...words(line), ...more], { env: serviceEnv(recorder) });
  return { ...ended, requests: recorder.requests.length };
};

it('there are thirteen such writes', () => {
  expect(WRITES).toHaveLength(13);
});

describe.each(WRITES)('%s --all --query', (path) => {
  const past = {
    approve: 'approved',
    reject: 'rejected',
    archive: 'archived',
    submit: 'submitted',
    unsubmit: 'reopened',
  };
  it.each(['--yes', '--dry-run'])('is wrong usage before any request (%s)', async (flag) => {
    // The name of a project would be looked up.
    const filter = /tasks/.test(path) ? '--project Site ' : '';
    const { exit, stderr, stdout, requests } = await run(
      `${path} --all ${filter}${flag} --json`,
      '--query',
      QUERY,
    );
    expect([exit, stdout, requests]).toEqual([2, '', 0]);
    const { error } = JSON.parse(stderr);
    const verb = past[path.split(' ')[1] as keyof typeof past];
    expect(error.message).toBe(`--query changes what is printed, not what is ${verb}: use --where`);
    // Nothing that skips the question is suggested.
    expect(error.hint).toMatch(/^Preview with: ttctl .* --all .*--where 'total_hours <= `35`' --dry-run$/);
    expect(error.hint).not.toContain('--yes');
  });
});

it('the sandbox sends what waits, or what is named', async () => {
  const line = 'sandbox webhooks deliver --all --url http://127.0.0.1:1 --dry-run --json';
  const { exit, stderr, stdout } = await run(line, '--query', '[].id');
  expect([exit, stdout]).toEqual([2, '']);
  const { error } = JSON.parse(stderr);
  expect(error.message).toBe('--query changes what is printed, not what is done');
  expect(error.hint).toBe('Omit --query.');
});

it('every command that takes --all refuses a query beside it', async () => {
  const all = (await leaves()).filter(({ command }) => command.flags.some(({ name }) => name === 'all'));
  expect(all.map(({ path }) => path)).toEqual(expect.arrayContaining(['sandbox webhooks deliver']));
  for (const { path } of all) {
    const { exit, stderr } = await run(`${path} --all --yes --json`, '--query', QUERY);
    expect(exit, path).toBe(2);
    expect(stderr, path).toContain('--query changes what is printed');
    await recorder?.close();
  }
});

it('the way that is told is as narrow as what was asked for', async () => {
  const line =
    "timesheets reject --all --period last-week --reason 'two days are missing' --max-changes 5 --profile sandbox";
  expect((await run(line, '--query', QUERY)).stderr).toContain(
    "ttctl timesheets reject --max-changes 5 --all --period last-week --reason 'two days are missing' --where 'total_hours <= `35`' --dry-run --profile sandbox",
  );
});

it.each(['[].id', '[?status == `1`].id', '[?a][?b]', 'length(@)'])(
  'a query that is more than a filter is not taken for one: %s',
  async (query) => {
    const { exit, stderr, requests } = await run('timesheets approve --all --yes --json', '--query', query);
    expect([exit, requests]).toEqual([2, 0]);
    expect(JSON.parse(stderr).error.hint).toMatch(/^--where takes a condition/);
  },
);

it('a query changes what is printed of targets that are named', async () => {
  const { exit, stdout } = await run('timesheets approve t1 t2 --yes', '--query', '[].target');
  expect([exit, JSON.parse(stdout)]).toEqual([0, ['t1', 't2']]);
});

it.each(['--limit 3', '--page 1'])('%s is not for --all', async (flag) => {
  const { exit, requests } = await run(`timesheets approve --all --yes ${flag}`);
  expect([exit, requests]).toEqual([2, 0]);
});

it('the condition does what was meant', async () => {
  const home = cleanHome();
  const sheets = async () =>
    JSON.parse((await runBinary(['--profile', 'sandbox', 'timesheets', 'list', '--json'], home)).stdout) as {
      id: string;
      total_hours: number;
      status: string;
    }[];
  const before = await sheets();
  const waiting = before.filter(({ status }) => status === 'submitted');
  const most = Math.min(...waiting.map(({ total_hours }) => total_hours));
  const all = ['--profile', 'sandbox', 'timesheets', 'approve', '--all', '--yes', '--json'];
  const refused = await runBinary([...all, '--query', `[?total_hours <= \`${most}\`]`], home);
  const { hint } = JSON.parse(refused.stderr.trim().split('\n').at(-1) ?? '').error;
  const line = words(hint.slice(hint.indexOf('ttctl '))).filter((word) => word !== '--dry-run');
  const done = await runBinary([...line.slice(1), '--yes'], home);
  expect([refused.exit, done.exit], done.stderr).toEqual([2, 0]);
  const wanted = before.map((row) =>
    row.status === 'submitted' && row.total_hours <= most ? { ...row, status: 'approved' } : row,
  );
  expect((await sheets()).map(({ id, status }) => [id, status])).toEqual(
    wanted.map(({ id, status }) => [id, status]),
  );
  home.remove();
});
