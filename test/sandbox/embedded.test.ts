import { spawnSync } from 'node:child_process';
import { readFileSync, rmSync, statfsSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { Failure } from '../../src/errors.ts';
import type { HttpRequest } from '../../src/http/transport.ts';
import { type EmbeddedSandbox, locateSandbox, openEmbedded } from '../../src/sandbox-host/embedded.ts';
import { makeFolder } from '../support/folder.ts';
import { NOW } from './bench.ts';

let directory: string;
let now: number;
beforeEach(() => {
  directory = makeFolder();
  now = NOW;
});

const state = () => join(directory, 'sandbox-state.json');
const clock = {
  now: () => now,
  sleep: () => new Promise<void>((resolve) => setTimeout(resolve, 1)),
  random: () => 0.123456 * ((now % 7) + 1),
};
const interrupt = new AbortController().signal;
const open = (file = state()): EmbeddedSandbox => openEmbedded(file, clock, interrupt);
/** The state as it was last written whole, and the changes since. */
const lines = () => readFileSync(state(), 'utf8').split('\n');

const ask = async (
  sandbox: EmbeddedSandbox,
  method: HttpRequest['method'],
  path: string,
  more: Partial<HttpRequest> = {},
) => {
  const response = await sandbox.transport({
    method,
    base: 'http://localhost/api/v2',
    path,
    query: [['workspace_id', String(await sandbox.workspaceId())]],
    headers: { authorization: `Bearer ${await sandbox.ownerToken()}` },
    ...more,
  });
  return { status: response.status, body: JSON.parse(response.body) };
};

describe('embedded', () => {
  it('keeps the state for the next process, and writes it only when it changed', async () => {
    const first = open();
    const { body } = await ask(first, 'GET', '/timesheets', {
      query: [
        ['workspace_id', '101'],
        ['status', 'submitted'],
      ],
    });
    const id = body.data[0].id;
    const before = lines();
    await ask(first, 'GET', '/members');
    await ask(first, 'PUT', '/timesheets/none/approve', { body: { workspace_id: 101 } });
    expect(lines()).toEqual(before);
    expect(
      (await ask(first, 'PUT', `/timesheets/${id}/approve`, { body: { workspace_id: 101 } })).status,
    ).toBe(200);
    expect(lines()).toEqual([...before, expect.stringContaining('/approve')]);
    const second = open();
    expect((await ask(second, 'PUT', `/timesheets/${id}/approve`)).body.message).toMatch(/approved/);
    expect((await ask(first, 'PUT', `/timesheets/${id}/approve`)).status).toBe(400);
    await first.close();
    expect(statSync(state()).mode & 0o777).toBe(0o600);
    const after = lines();
    expect([after.length, after[0] === before[0]]).toEqual([1, false]);
    await second.close();
    expect(lines()).toEqual(after);
    expect((await ask(open(), 'PUT', `/timesheets/${id}/approve`)).status).toBe(400);
  });

  const create = async (sandbox: EmbeddedSandbox, name: string): Promise<number> =>
    (await ask(sandbox, 'POST', '/projects', { body: { workspace_id: 101, name } })).body.data.id;
  const listProjects = async (sandbox = open()): Promise<string[]> =>
    (await ask(sandbox, 'GET', '/projects')).body.data.map((row: { name: string; id: number }) =>
      [row.id, row.name].join(' '),
    );

  it('after a kill is as its answers said, whoever made the changes, and what was refused between', async () => {
    const [first, second] = [open(), open()];
    const seeded = await listProjects();
    const [before] = lines();
    const made: string[] = [];
    for (const [index, sandbox] of [first, second, first, first, second].entries()) {
      await ask(sandbox, 'POST', '/projects', { body: { workspace_id: 101 } });
      await ask(first, 'POST', '/members', { body: { email: 'z@z.example' } });
      made.push(`${await create(sandbox, `Project ${index}`)} Project ${index}`);
    }
    for (const sandbox of [open(), first, second, open()])
      expect(await listProjects(sandbox)).toEqual([...seeded, ...made]);
    expect(lines()[0]).toBe(before);
  });

  it('passes over a line that was torn off', async () => {
    const sandbox = open();
    const kept = `${await create(sandbox, 'Kept')} Kept`;
    writeFileSync(state(), `${readFileSync(state(), 'utf8')}\n{"now":"`);
    const next = `${await create(open(), 'Next')} Next`;
    expect((await listProjects()).slice(-2)).toEqual([kept, next]);
    await sandbox.close();
    expect(lines()).toHaveLength(1);
    expect((await listProjects()).slice(-2)).toEqual([kept, next]);
  });

  it('says so where a change cannot be repeated', async () => {
    await create(open(), 'Kept');
    writeFileSync(state(), readFileSync(state(), 'utf8').replace('/v2/projects', '/v2/nothing'));
    await expect(listProjects()).rejects.toMatchObject({ exit: 1, code: 'sandbox_damaged' });
  });

  /** From now on the limits apply. */
  const limit = () => open().control.reset({ seed: 'demo', limits: true });

  it('counts limits over processes, where it was told to have some', async () => {
    const list = async () => (await ask(open(), 'GET', '/members')).status;
    const hasLimits = async () => (await open().state.peek())?.limits === true;
    expect(await hasLimits()).toBe(false);
    await limit();
    for (let request = 0; request < 150; request += 1) expect(await list()).toBe(200);
    expect(await list()).toBe(429);
    now += 60_000;
    expect(await list()).toBe(200);
    expect(await hasLimits()).toBe(true);
  });

  it('has a valid token of the owner at any time, and the same one until it ends', async () => {
    const token = await open().ownerToken();
    expect(await open().ownerToken()).toBe(token);
    now = Date.parse('2026-09-18T10:00:00Z');
    const next = open();
    expect(await next.ownerToken()).not.toBe(token);
    expect((await ask(next, 'GET', '/members')).status).toBe(200);
  });

  it('says of an owner who may use the API no more why there is no token', async () => {
    await open().state.use((world, save) => {
      for (const membership of Object.values(world.spaces[101]?.members ?? {})) membership.is_blocked = true;
      save();
    });
    await expect(open().ownerToken()).rejects.toThrow(Failure);
  });

  it('sends forms as forms', async () => {
    const form = [
      ['workspace_id', '101'],
      ['url', 'https://a.example'],
      ['events[]', 'x'],
      ['events[]', 'y'],
    ] as const;
    const { body } = await ask(open(), 'POST', '/webhooks', { form });
    expect(body.data.events).toEqual(['x', 'y']);
  });

  it.each(['{"version":1', '[]', 'null', '{"version":2}', ''])(
    'says how to mend a damaged state: %s',
    async (text) => {
      writeFileSync(state(), text);
      await expect(open().ownerToken()).rejects.toMatchObject({
        exit: 1,
        hint: expect.stringContaining('ttctl --profile sandbox sandbox reset'),
      });
      const status = await open().control.reset({ seed: 'demo' });
      expect(status.seed).toBe('demo');
      expect((await ask(open(), 'GET', '/members')).status).toBe(200);
    },
  );
});

it('on a full disk the state is the whole old one, and then the whole new one', async ({ skip }) => {
  if (spawnSync('mount', ['-t', 'tmpfs', '-o', 'size=2m', 'tmpfs', directory]).status !== 0)
    skip('no tmpfs can be mounted here (not root)');
  try {
    const real = locateSandbox({ state: directory });
    const rename = async (name: string, notes = '') => {
      const service = open(real);
      const body = { workspace_id: 101, name, notes };
      const [{ id }] = (await ask(service, 'GET', '/projects')).body.data;
      const { status } = await ask(service, 'PUT', `/projects/${id}`, { body });
      await service.close();
      return status;
    };
    const names = async () =>
      (await ask(open(real), 'GET', '/projects')).body.data.map((row: { name: string }) => row.name);
    expect(await rename('First')).toBe(200);
    const [before, state] = [await names(), readFileSync(real)];
    const filler = join(directory, 'filler');
    const { bavail, bsize } = statfsSync(directory);
    // Room for a lock, and for no more.
    writeFileSync(filler, Buffer.alloc((bavail - 8) * bsize));
    const message = expect.stringMatching(/^cannot (write|replace) /);
    const full = expect.objectContaining({ exit: 1, code: 'disk_full', message });
    await expect(open(real).control.reset({ seed: 'agency' })).rejects.toEqual(full);
    await expect(rename('Second', 'x'.repeat(60_000))).rejects.toEqual(full);
    expect(readFileSync(real)).toEqual(state);
    rmSync(filler);
    expect(await names()).toEqual(before);
    expect(await rename('Third')).toBe(200);
    expect(await names()).toContain('Third');
  } finally {
    spawnSync('umount', [directory]);
  }
});
