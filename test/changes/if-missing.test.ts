import { readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { samples } from '../samples.ts';
import { bulkFiles, copyRun, runFile } from '../support/runs.ts';
import { leaves } from '../support/tree.ts';
import { useCli } from '../support/use-cli.ts';

/** `--if-missing`: a creation that may run any number of times, in the sandbox. */

const sandbox = useCli({ sandbox: 'demo' });
const { run, read, json, rows, writes } = sandbox;

/** All that a runner keeps from one run to the next is gone, but the service itself. */
const forgetEverything = () => {
  for (const name of readdirSync(sandbox.state))
    if (name !== 'sandbox') rmSync(join(sandbox.state, name), { recursive: true });
};

const CREATIONS = samples.filter(({ other }) => other !== undefined);

it('has a sample of another record for every creation that takes it (test/samples.ts)', async () => {
  const takesIt = ({ command }: Awaited<ReturnType<typeof leaves>>[number]) =>
    command.flags.some(({ name }) => name === 'if-missing');
  const all = (await leaves()).filter(takesIt).map(({ path }) => path);
  const tried = CREATIONS.map(({ operation }) => operation.replace('.', ' '));
  expect(all.sort()).toEqual(tried.sort());
});

it.each(CREATIONS)('$operation makes what is missing once, and prints what is there', async (sample) => {
  const { line, other, operation } = sample;
  const key = operation === 'members.invite' ? 'user_id' : 'id';
  const made = await json(`${line} --if-missing`);
  expect(await writes()).toHaveLength(1);
  forgetEverything();
  const second = await run(`${line} --if-missing --json`);
  expect([second.exit, second.stderr, JSON.parse(second.stdout)[key]]).toEqual([0, '', made[key]]);
  expect(await writes()).toHaveLength(1);
  const [another] = await rows(`${other} --if-missing`);
  expect(another?.[key]).not.toBe(made[key]);
  expect(await writes()).toHaveLength(2);
});

describe('rows of a file', () => {
  const create = (...names: readonly string[]) =>
    `projects create --from-file ${sandbox.file('rows.csv', `name\n${names.join('\n')}\n`)}`;

  it('two equal rows are two records, but with the switch one, as jobs show says too', async () => {
    const twins = await rows(`${create('Twin', 'Twin')} --yes`);
    expect(twins.map(({ status }) => status)).toEqual(['done', 'done']);
    const [made, found, other] = await rows(`${create('Single', 'single ', 'Other')} --if-missing --yes`);
    const statuses = [made, found, other].map((row) => row?.['status']);
    expect(statuses).toEqual(['done', 'unchanged', 'done']);
    expect(found).toMatchObject({ data: { id: Object(made?.['data']).id } });
    expect(await writes()).toHaveLength(4);
    const [job] = await rows('jobs list');
    expect((await rows(`jobs show ${job?.['id']}`)).map(({ status }) => status)).toEqual(statuses);
  });

  it('a second run sends no write, whatever is left of the first', async () => {
    const line = `${create('A', 'B', 'Harbour website')} --if-missing --yes`;
    expect(await run(line)).toMatchObject({ exit: 0, stderr: '2 created, 1 unchanged\n' });
    forgetEverything();
    await read('sandbox log --clear');
    expect(await run(line)).toMatchObject({ exit: 0, stderr: '3 unchanged\n' });
    // One list for all rows.
    expect(await rows('sandbox log')).toMatchObject([{ method: 'GET', path: '/projects' }]);
  });

  it('a job that is gone on with makes only what is missing still', async () => {
    await read(`${create('A', 'B', 'b')} --if-missing --yes`);
    const sent = await writes();
    const id = '20260101-0000-abc';
    copyRun(bulkFiles(sandbox.state)[0] ?? '', runFile(sandbox.state, id), { steps: 0, head: { id } });
    expect(await run(`jobs resume ${id}`)).toMatchObject({ exit: 0, stderr: '3 unchanged\n' });
    expect(await writes()).toEqual(sent);
    const statuses = (await rows(`jobs show ${id}`)).map(({ status }) => status);
    expect(statuses).toEqual(['unchanged', 'unchanged', 'unchanged']);
  });

  it('a dry run and a plan have only what is missing', async () => {
    const line = `${create('Harbour website', 'New pier')} --if-missing`;
    const { exit, stdout } = await run(`${line} --dry-run --exit-code --json`);
    expect([exit, JSON.parse(stdout)]).toMatchObject([10, [{ status: 'unchanged' }, { status: 'planned' }]]);
    const plan = await read('projects create --name "Harbour website" --if-missing --plan -');
    expect(plan.trim().split('\n')).toHaveLength(1);
    expect(await writes()).toEqual([]);
  });
});

it('what cannot be looked up is not made', async () => {
  await read('sandbox fault add projects list --status 403 --times 5');
  expect((await run('projects create --name "New pier" --if-missing')).exit).toBe(4);
  expect(await writes()).toEqual([]);
});

it('people are told that nothing was sent', async () => {
  const { exit, stderr } = await run('projects create --name "harbour website" --if-missing');
  expect([exit, stderr]).toEqual([0, 'The project already exists. Nothing was sent.\n']);
});
