import { spawnSync } from 'node:child_process';
import { mkdirSync, readFileSync, rmSync, statfsSync, statSync, writeFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { openEmbedded } from '../../src/sandbox-host/embedded.ts';
import { sandboxClock, useCli } from '../support/use-cli.ts';

/** The file of the embedded sandbox, which commands share and leave to the next. */

const t = useCli({ sandbox: 'demo' });
const file = () => t.file('state/sandbox/world.json');
/** The state as it was last written whole, and the changes since. */
const lines = () => readFileSync(file(), 'utf8').split('\n');
const projects = async () => (await t.rows('projects list')).map(({ id, name }) => `${id} ${name}`);

/** A command that is killed before its end: what it asked is answered, and nothing is put in order. */
const dying = async () => {
  const sandbox = openEmbedded(file(), sandboxClock, new AbortController().signal);
  const headers = { authorization: `Bearer ${await sandbox.ownerToken()}` };
  const asking = { base: '', query: [['workspace_id', '101']], headers } as const;
  const ask = (method: 'GET' | 'POST', path: string, body?: object) =>
    sandbox.transport({ ...asking, method, path, ...(body && { body }) });
  return { ask, headers };
};
/** Each by a command of its own that dies. @returns as `projects` lists them */
const makeProjects = async (...names: readonly string[]): Promise<string[]> => {
  const made: string[] = [];
  for (const name of names) {
    const { ask } = await dying();
    // What is refused between changes nothing.
    await ask('POST', '/projects', {});
    made.push(`${JSON.parse((await ask('POST', '/projects', { name })).body).data.id} ${name}`);
  }
  return made;
};

it('is written only when something changed, private, and at the end of a command whole', async () => {
  const [id] = (await t.read('timesheets list --status submitted -o ids')).split('\n');
  const before = lines();
  await t.run('members list');
  expect((await t.run('api POST /projects')).exit).toBe(6);
  expect(lines()).toEqual(before);
  await t.read(`timesheets approve ${id} --yes`);
  expect(statSync(file()).mode & 0o777).toBe(0o600);
  expect(lines()).toEqual([expect.not.stringContaining(before[0] ?? '')]);
});

it('after kills is as the answers said, in the order of the changes', async () => {
  const seeded = await projects();
  const [before] = lines();
  const made = await makeProjects('One', 'Two', 'Three');
  expect(lines()).toEqual([before, ...made.map(() => expect.stringContaining('/projects'))]);
  expect(await projects()).toEqual([...seeded, ...made]);
});

it('passes over a line that was torn off', async () => {
  const made = await makeProjects('Kept');
  writeFileSync(file(), `${lines().join('\n')}\n{"now":"`);
  made.push(...(await makeProjects('Next')));
  expect((await projects()).slice(-2)).toEqual(made);
  await t.read('projects create --name Last');
  expect(lines()).toHaveLength(1);
  expect((await projects()).slice(-3, -1)).toEqual(made);
});

it('says so where a change cannot be repeated', async () => {
  await makeProjects('Kept');
  writeFileSync(file(), lines().join('\n').replace('/v2/projects', '/v2/nothing'));
  const stderr = expect.stringContaining('the state of the sandbox is damaged');
  expect(await t.run('projects list')).toMatchObject({ exit: 1, stderr });
});

it.each(['{"version":1', '[]', 'null', '{"version":2}', ''])('says how to mend %j', async (text) => {
  t.file('state/sandbox/world.json', text);
  const stderr = expect.stringContaining('Start over: ttctl --profile sandbox sandbox reset');
  expect(await t.run('members list')).toMatchObject({ exit: 1, stderr });
  await t.read('sandbox reset');
  expect(await t.rows('members list')).toHaveLength(14);
});

it('O21: a reset says what there is now, and takes what was written out of the history', async () => {
  await t.read('members update 108 --weekly-hours-limit 32');
  expect(await t.rows('history list')).toMatchObject([{ target: '108', sandbox: true }]);
  const told = 'Reset to agency: 60 people, 25 projects, 84 requests waiting.\n';
  expect(await t.read('sandbox reset --seed agency')).toBe(told);
  expect(await t.rows('history list')).toEqual([]);
  expect(await t.read('sandbox reset --help')).toMatch(/^ {2}month-end +45 people; 180 timesheets/m);
});

it('counts limits over commands, where it was told to have some', async () => {
  const list = () => t.run('members list', { env: { TTCTL_MAX_WAIT: '0' } });
  expect(await t.json('sandbox status')).toMatchObject({ rate_limit: 'off' });
  await t.read('sandbox reset --limits');
  const { ask } = await dying();
  for (let n = 0; n < 149; n += 1) expect((await ask('GET', '/members')).status).toBe(200);
  expect((await list()).exit).toBe(0);
  expect((await list()).exit).toBe(7);
  await t.read('sandbox clock advance 60s');
  expect((await list()).exit).toBe(0);
});

it('has a valid token of its owner at any time, and the same one until it ends', async () => {
  const { headers: first } = await dying();
  expect((await dying()).headers).toEqual(first);
  await t.read('sandbox clock advance 190d');
  expect((await dying()).headers).not.toEqual(first);
  expect((await t.run('members list')).exit).toBe(0);
});

it('on a full disk is the whole old one, and then the whole new one', async ({ skip }) => {
  const folder = t.file('state');
  mkdirSync(folder, { mode: 0o700 });
  if (spawnSync('mount', ['-t', 'tmpfs', '-o', 'size=2m', 'tmpfs', folder]).status !== 0)
    skip('no tmpfs can be mounted here (not root)');
  try {
    const rename = (name: string, notes = '') =>
      t.run(['projects', 'update', '114', '--name', name, '--notes', notes, '--yes', '--no-history']);
    expect((await rename('First')).exit).toBe(0);
    const [before, state] = [await projects(), readFileSync(file())];
    const { bavail, bsize } = statfsSync(folder);
    // Room for a lock, and for no more.
    const filler = t.file('state/filler', Buffer.alloc((bavail - 8) * bsize));
    const full = { exit: 1, stderr: expect.stringMatching(/cannot (write|replace) /) };
    expect(await t.run('sandbox reset --seed agency')).toMatchObject(full);
    expect(await rename('Second', 'x'.repeat(60_000))).toMatchObject(full);
    expect(readFileSync(file())).toEqual(state);
    rmSync(filler);
    expect(await projects()).toEqual(before);
    expect((await rename('Third')).exit).toBe(0);
    expect(await projects()).toContain('114 Third');
  } finally {
    spawnSync('umount', [folder]);
  }
});
