import { readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { samples } from '../samples.ts';
import { bulkFiles, copyRun, runFile } from '../support/runs.ts';
import { leaves } from '../support/tree.ts';
import { type Row, useCli } from '../support/use-cli.ts';

/** `--if-missing`: a creation that may run any number of times, in the sandbox. */

const sandbox = useCli({ sandbox: 'demo' });
const { run, rows: readRows } = sandbox;

/** Requests since the last call, oldest first. */
let seen = 0;
const listRequests = async (): Promise<readonly string[]> => {
  const rows = await readRows('sandbox log');
  const fresh = rows.slice(seen);
  seen = rows.length;
  return fresh.map(({ method, path }) => `${method} ${path}`);
};
const listWrites = async () => (await listRequests()).filter((line) => !line.startsWith('GET'));
beforeEach(() => {
  seen = 0;
});

/** All that a runner keeps from one run to the next is gone, but the service itself. */
const forgetEverything = () => {
  const state = sandbox.state;
  for (const name of readdirSync(state))
    if (name !== 'sandbox') rmSync(join(state, name), { recursive: true });
};

const CREATIONS = samples.filter(({ other }) => other !== undefined);

it('has a sample of another record for every creation that takes it (test/samples.ts)', async () => {
  const all = (await leaves()).filter(({ command }) =>
    command.flags.some(({ name }) => name === 'if-missing'),
  );
  const tried = CREATIONS.map(({ operation }) => operation.replace('.', ' '));
  expect(all.map(({ path }) => path).sort()).toEqual(tried.sort());
});

describe.each(CREATIONS)('$operation --if-missing', ({ operation, line, other }) => {
  it('makes what is missing once, and prints what is there', async () => {
    const first = await run(`${line} --if-missing --json`);
    expect(first.exit).toBe(0);
    expect(await listWrites()).toHaveLength(1);
    forgetEverything();
    const second = await run(`${line} --if-missing --json`);
    expect([second.exit, second.stderr, await listWrites()]).toEqual([0, '', []]);
    const [made, found] = [JSON.parse(first.stdout), JSON.parse(second.stdout)];
    const key = operation === 'members.invite' ? 'user_id' : 'id';
    expect([typeof found[key], found[key]]).toEqual([typeof made[key], made[key]]);
    const another = await run(`${other} --if-missing --json`);
    expect([another.exit, (await listWrites()).length]).toEqual([0, 1]);
    expect(JSON.parse(another.stdout)[key]).not.toBe(made[key]);
  });
});

const rowsOf = (names: readonly string[]) => `name\n${names.join('\n')}\n`;

describe('rows of a file', () => {
  it('two equal rows are two records, but with the switch one', async () => {
    const file = sandbox.file('rows.csv', rowsOf(['Twin', 'Twin']));
    const plain = await run(`projects create --from-file ${file} --yes --json`);
    expect(JSON.parse(plain.stdout).map(({ status }: Row) => status)).toEqual(['done', 'done']);
    const other = sandbox.file('rows.csv', rowsOf(['Single', 'single ']));
    const once = await run(`projects create --from-file ${other} --if-missing --yes --json`);
    const [made, found] = JSON.parse(once.stdout);
    expect([once.exit, made.status, found.status]).toEqual([0, 'done', 'unchanged']);
    expect(found.data.id).toBe(made.data.id);
    expect((await listWrites()).length).toBe(3);
  });

  it('jobs show says of an equal row what the run said', async () => {
    const file = sandbox.file('rows.csv', rowsOf(['Single', 'single ', 'Other']));
    const once = await run(`projects create --from-file ${file} --if-missing --yes --json`);
    const [job] = await readRows('jobs list');
    const told = [JSON.parse(once.stdout), await readRows(`jobs show ${job?.['id']}`)].map((rows) =>
      rows.map(({ status }: Row) => status),
    );
    expect(told).toEqual(Array(2).fill(['done', 'unchanged', 'done']));
  });

  it('a second run sends no write, whatever is left of the first', async () => {
    const file = sandbox.file('rows.csv', rowsOf(['A', 'B', 'Harbour website']));
    const first = await run(`projects create --from-file ${file} --if-missing --yes`);
    expect([first.exit, first.stderr]).toEqual([0, '2 created, 1 unchanged\n']);
    await listRequests();
    forgetEverything();
    const second = await run(`projects create --from-file ${file} --if-missing --yes`);
    expect([second.exit, second.stderr]).toEqual([0, '3 unchanged\n']);
    // One list for all rows.
    expect(await listRequests()).toEqual(['GET /projects']);
  });

  it('a job that is gone on with makes only what is missing still', async () => {
    const file = sandbox.file('rows.csv', rowsOf(['A', 'B', 'b']));
    await run(`projects create --from-file ${file} --if-missing --yes`);
    await listRequests();
    const state = sandbox.state;
    const id = '20260101-0000-abc';
    copyRun(bulkFiles(state)[0] ?? '', runFile(state, id), { steps: 0, head: { id } });
    const { exit, stderr } = await run(`jobs resume ${id}`);
    expect([exit, stderr]).toEqual([0, '3 unchanged\n']);
    expect(await listWrites()).toEqual([]);
    expect((await readRows(`jobs show ${id}`)).map(({ status }) => status)).toEqual(
      Array(3).fill('unchanged'),
    );
  });

  it('a dry run and a plan have only what is missing', async () => {
    const file = sandbox.file('rows.csv', rowsOf(['Harbour website', 'New pier']));
    const dry = await run(`projects create --from-file ${file} --if-missing --dry-run --exit-code --json`);
    expect(dry.exit).toBe(10);
    expect(JSON.parse(dry.stdout).map(({ status }: Row) => status)).toEqual(['unchanged', 'planned']);
    const plan = await run(`projects create --name "Harbour website" --if-missing --plan -`);
    expect([plan.exit, plan.stdout.trim().split('\n').length]).toEqual([0, 1]);
    expect(await listWrites()).toEqual([]);
  });

  it('what cannot be looked up is not made', async () => {
    await run('sandbox fault add projects list --status 403 --times 5');
    const { exit } = await run('projects create --name "New pier" --if-missing');
    expect(exit).toBe(4);
    expect(await listWrites()).toEqual([]);
  });

  it('people are told that nothing was sent', async () => {
    const { exit, stderr } = await run('projects create --name "harbour website" --if-missing');
    expect([exit, stderr]).toEqual([0, 'The project already exists. Nothing was sent.\n']);
  });
});
