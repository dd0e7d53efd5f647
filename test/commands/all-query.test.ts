import { describe, expect, it } from 'vitest';
import { runInProcess, words } from '../support/in-process.ts';
import { onePage, serviceEnv, startRecorder } from '../support/service.ts';
import { leaves } from '../support/tree.ts';

/** `--query` chooses what is printed; beside `--all` it is taken for a filter, and is refused. */

const WRITES = (await leaves())
  .filter(
    ({ path, command }) => !path.startsWith('sandbox') && command.flags.some(({ name }) => name === 'all'),
  )
  .map(({ path }) => path);

const QUERY = '[?total_hours <= `35`]';

/** @param more words of the line that have blanks in them */
const run = async (line: string, ...more: string[]) => {
  const recorder = await startRecorder(() => ({
    body: onePage([{ id: 5, name: 'Site', status: 'submitted' }]),
  }));
  const ended = await runInProcess([...words(line), ...more], { env: serviceEnv(recorder) });
  await recorder.close();
  return { ...ended, requests: recorder.requests.length };
};

describe.each(WRITES)('%s --all --query', (path) => {
  const past = {
    approve: 'approved',
    reject: 'rejected',
    archive: 'archived',
    submit: 'submitted',
    unsubmit: 'reopened',
  };
  it('is wrong usage before any request', async () => {
    // The name of a project would be looked up.
    const filter = /tasks/.test(path) ? '--project Site ' : '';
    const { exit, stderr, stdout, requests } = await run(
      `${path} --all ${filter}--yes --json`,
      '--query',
      QUERY,
    );
    expect([exit, stdout, requests]).toEqual([2, '', 0]);
    const { error } = JSON.parse(stderr);
    const verb = past[path.split(' ')[1] as keyof typeof past];
    expect(error.message).toBe(`--query changes what is printed, not what is ${verb}: use --where`);
    expect(error.hint).toContain('--where takes a condition for one record');
  });
});

it('a query changes what is printed of targets that are named', async () => {
  const { exit, stdout } = await run('timesheets approve t1 t2 --yes', '--query', '[].target');
  expect([exit, JSON.parse(stdout)]).toEqual([0, ['t1', 't2']]);
});

it.each(['--limit 3', '--page 1'])('%s is not for --all', async (flag) => {
  const { exit, requests } = await run(`timesheets approve --all --yes ${flag}`);
  expect([exit, requests]).toEqual([2, 0]);
});
