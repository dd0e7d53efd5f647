import { readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { open } from '../../src/sandbox/open.ts';
import { createSeed } from '../../src/sandbox/seeds/seed.ts';
import {
  compareWorlds,
  createFileSnapshots,
  listSnapshots,
  readSnapshot,
  resumeSnapshot,
  type SnapshotStore,
  saveSnapshot,
} from '../../src/sandbox/snapshots.ts';
import { createMemoryStore, toSandboxTime } from '../../src/sandbox/state.ts';
import { createToken } from '../../src/sandbox/tokens.ts';
import type { World } from '../../src/sandbox/world.ts';
import { readOwnFile } from '../../src/storage/own-files.ts';
import { writeDurably } from '../../src/storage/write.ts';
import { makeFolder } from '../support/folder.ts';
import { NOW } from './bench.ts';

const HOUR = 3_600_000;
const folders: string[] = [];
afterEach(() => {
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true, force: true });
});

const folder = (): string => {
  const path = makeFolder();
  folders.push(path);
  return path;
};

/** A world behind a control, with a clock to move. */
const hosted = async (snapshots: SnapshotStore = new Map<string, string>()) => {
  let machine = NOW;
  const clock = { now: () => machine, sleep: async () => {}, random: () => 0.5 };
  const state = createMemoryStore(await createSeed('demo', { now: NOW }));
  const { control } = open({ clock, store: state, snapshots });
  return {
    control,
    world: state.world,
    pass: (ms: number) => {
      machine += ms;
    },
    time: () => toSandboxTime(state.world(), machine),
  };
};

/** A store with this text as the snapshot `one`. */
const holding = (text: string): SnapshotStore => {
  const store = new Map<string, string>();
  store.set('one', text);
  return store;
};

const space = (world: World) => {
  const [first] = Object.values(world.spaces);
  if (first === undefined) throw new Error('no workspace');
  return first;
};

describe('a snapshot', () => {
  it('keeps the whole state but for limits and who is sending, apart from what comes later', async () => {
    const world = await createSeed('demo', { now: NOW });
    world.windows = { 7: { requests: [NOW], writes: [] } };
    const store = new Map<string, string>();
    const row = saveSnapshot(store, 'one', world, NOW, false);
    const before = JSON.parse(JSON.stringify({ ...world, windows: {} }));
    for (const sheet of Object.values(space(world).timesheets)) sheet.status = 'approved';
    expect(readSnapshot(store, 'one')).toEqual({ row, world: before });
    expect(row).toMatchObject({ name: 'one', seed: 'demo', saved_at: new Date(NOW).toISOString() });
  });

  it.each([
    ['running', { offset_ms: 0, frozen_ms: null }, 5 * HOUR],
    ['moved', { offset_ms: 9 * HOUR, frozen_ms: null }, 5 * HOUR],
    ['frozen', { offset_ms: 0, frozen_ms: NOW - HOUR }, 0],
  ] as const)('goes on from its own time: a clock that was %s', async (_name, time, on) => {
    const world = { ...(await createSeed('empty', { now: NOW })), time };
    const then = toSandboxTime(world, NOW);
    const store = new Map<string, string>();
    saveSnapshot(store, 'one', world, NOW, false);
    const again = resumeSnapshot(readSnapshot(store, 'one'), NOW + 40 * HOUR);
    expect(toSandboxTime(again, NOW + 40 * HOUR)).toBe(then);
    expect(toSandboxTime(again, NOW + 45 * HOUR)).toBe(then + on);
  });

  it.each(['', 'A', '../x', 'a/b', '.a', 'a b', 'ä', 'x'.repeat(65)])('is never called %j', async (name) => {
    const world = await createSeed('empty', { now: NOW });
    const save = () => saveSnapshot(new Map<string, string>(), name, world, NOW, false);
    expect(save).toThrow('cannot be the name of a snapshot');
    expect(() => readSnapshot(new Map([['one', '{}']]), name)).toThrow('no snapshot');
  });

  it('is refused where it is damaged or of another version, and the list says which', async () => {
    const store = new Map<string, string>();
    saveSnapshot(store, 'one', await createSeed('empty', { now: NOW }), NOW, false);
    const text = store.get('one') ?? '';
    const { world, ...facts } = JSON.parse(text);
    for (const [wrong, why] of [
      ['', 'damaged'],
      ['{}', 'damaged'],
      [text.slice(0, -40), 'damaged'],
      [JSON.stringify({ ...facts, world: { ...world, version: 2 } }), 'another version'],
      [JSON.stringify({ ...facts, world, snapshot: 9 }), 'another version'],
    ] as const) {
      expect(() => readSnapshot(holding(wrong), 'one')).toThrow(
        expect.objectContaining({ exit: 2, reason: expect.stringContaining(why) }),
      );
    }
    expect(listSnapshots(holding(text.slice(0, 30)))[0]?.problem).toContain('damaged');
  });
});

describe('the control', () => {
  it('puts everything back, tokens and clock too', async () => {
    const { control, world, pass, time } = await hosted();
    const { token } = createToken(world(), {
      as: 'nora@lindenhof.example',
      scopes: ['read'],
      now: NOW,
      random: () => 0.1,
    });
    await control.saveSnapshot({ name: 'one' });
    const before = structuredClone(world());
    pass(3 * HOUR);
    delete world().tokens[token];
    for (const sheet of Object.values(space(world()).timesheets)) sheet.status = 'approved';
    await control.restoreSnapshot({ name: 'one' });
    expect(time()).toBe(NOW);
    expect({ ...world(), time: before.time }).toEqual(before);
    expect(await control.diffSnapshot({ name: 'one' })).toEqual([]);
  });

  it('takes a name once, unless it may replace', async () => {
    const { control } = await hosted();
    const save = (replace: boolean) => control.saveSnapshot({ name: 'one', replace });
    await save(false);
    await expect(save(false)).rejects.toMatchObject({ exit: 2, code: 'snapshot_exists' });
    await save(true);
    await control.removeSnapshot({ name: 'one' });
    for (const work of [
      control.removeSnapshot({ name: 'one' }),
      control.restoreSnapshot({ name: 'one' }),
      control.diffSnapshot({ name: 'one' }),
    ]) {
      await expect(work).rejects.toMatchObject({ exit: 5 });
    }
  });
});

it('on the disk is a private file, replaced whole; other files are none', async () => {
  const directory = join(folder(), 'sandbox-snapshots');
  const store = createFileSnapshots(dirname(directory), { read: readOwnFile, write: writeDurably });
  expect([[...store.keys()], store.get('one')]).toEqual([[], undefined]);
  const { control } = await hosted(store);
  for (const name of ['two', 'one', 'one']) await control.saveSnapshot({ name, replace: true });
  writeFileSync(join(directory, 'notes.txt'), 'mine');
  writeFileSync(join(directory, 'torn.snapshot'), '{"snapshot":1,');
  const files = ['notes.txt', 'one.snapshot', 'torn.snapshot', 'two.snapshot'];
  expect(readdirSync(directory).sort()).toEqual(files);
  expect(statSync(join(directory, 'one.snapshot')).mode & 0o777).toBe(0o600);
  const rows = (await control.snapshots()).map(({ name, problem }) => [name, problem]);
  expect(rows).toEqual([
    ['one', null],
    ['torn', expect.stringContaining('damaged')],
    ['two', null],
  ]);
  await control.removeSnapshot({ name: 'torn' });
  expect([...store.keys()].sort()).toEqual(['one', 'two']);
});

describe('differences', () => {
  it('tell what was added, changed with both values, and removed', async () => {
    const before = await createSeed('demo', { now: NOW });
    const after = structuredClone(before);
    const { timesheets, expenses, projects, webhooks } = space(after);
    const [sheet] = Object.values(timesheets);
    const [expense] = Object.values(expenses);
    const [project] = Object.values(projects);
    const [webhook] = Object.values(webhooks);
    if (!sheet || !expense || !project || !webhook) throw new Error('the seed has changed');
    sheet.status = 'submitted';
    sheet.submitted_on = '2026-03-18T11:00:00.000Z';
    delete expenses[expense.id];
    projects[999] = { ...project, id: 999, name: 'New' };
    webhook.token = 'whsec_other';
    const found = compareWorlds(before, after);
    const told = found.map(({ kind, id, change }) => [kind, id, change]);
    expect(told).toEqual([
      ['timesheets', sheet.id, 'changed'],
      ['expenses', expense.id, 'removed'],
      ['webhooks', webhook.id, 'changed'],
      ['projects', '999', 'added'],
    ]);
    expect(found[0]?.fields).toEqual([
      { field: 'submitted_on', before: null, after: '2026-03-18T11:00:00.000Z' },
      { field: 'status', before: 'open', after: 'submitted' },
    ]);
    // A secret that changed is told, and not shown.
    expect(found[2]?.fields).toEqual([{ field: 'token', before: '(secret)', after: '(secret)' }]);
    expect(compareWorlds(before, before)).toEqual([]);
  });

  it('name no token, and not the clock unless it stands still', async () => {
    const before = await createSeed('demo', { now: NOW });
    const after = structuredClone(before);
    const wish = { as: 'nora@lindenhof.example', scopes: ['read'], now: NOW, random: () => 0.3 };
    const { token } = createToken(after, wish);
    createToken(after, { ...wish, name: 'embedded', random: () => 0.4 });
    after.time = { offset_ms: 5, frozen_ms: null };
    const found = compareWorlds(before, after);
    expect(found.map(({ kind, change }) => [kind, change])).toEqual([['tokens', 'added']]);
    expect(JSON.stringify(found)).not.toContain(token);
    after.time = { offset_ms: 0, frozen_ms: NOW };
    const [clock] = compareWorlds(before, after);
    expect(clock).toMatchObject({ kind: 'clock', change: 'changed' });
  });
});
