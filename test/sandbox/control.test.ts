import { mkdirSync, readdirSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import type { SandboxControl } from '../../src/sandbox/control.ts';
import { open } from '../../src/sandbox/open.ts';
import { createSeed } from '../../src/sandbox/seeds/seed.ts';
import { compareWorlds, createFileSnapshots, type SnapshotStore } from '../../src/sandbox/snapshots.ts';
import { createMemoryStore, type MemoryStore } from '../../src/sandbox/state.ts';
import { createToken } from '../../src/sandbox/tokens.ts';
import { readOwnFile } from '../../src/storage/own-files.ts';
import { writeDurably } from '../../src/storage/write.ts';
import { makeFolder } from '../support/folder.ts';
import { NOW } from './bench.ts';

/** The clock and snapshots behind a control. */

const HOUR = 3_600_000;
/** The machine's time, which goes on by itself. */
let machine: number;
let state: MemoryStore;
let control: SandboxControl;
const host = async (snapshots: SnapshotStore = new Map<string, string>()): Promise<SnapshotStore> => {
  machine = NOW;
  state = createMemoryStore(await createSeed('demo', { now: NOW }));
  const clock = { now: () => machine, sleep: async () => {}, random: () => 0.5 };
  control = open({ clock, store: state, snapshots }).control;
  return snapshots;
};
beforeEach(async () => void (await host()));
const WISH = { as: 'nora@lindenhof.example', scopes: ['read'], now: NOW, random: () => 0.1 };

describe('the clock', () => {
  it('goes as the machine does until it is moved, and runs on from there; a reset dates its seed by it', async () => {
    machine += 1500;
    const begun = { now: '2026-03-18T10:00:01.500Z', frozen: false, ahead_seconds: 0 };
    expect(await control.clock()).toEqual(begun);
    await control.moveClock({ action: 'set', to_ms: Date.parse('2030-01-01T00:00:00Z') });
    machine += 1000;
    expect((await control.clock()).now).toBe('2030-01-01T00:00:01.000Z');
    await control.moveClock({ action: 'advance', by_ms: 60_000 });
    expect((await control.reset({ seed: 'demo' })).now).toBe('2030-01-01T00:01:01.000Z');
    const days = Object.values(state.world().spaces[101]?.timesheets ?? {}).map((sheet) => sheet.date_to);
    expect(days.sort().at(-1)).toMatch(/^2030-01/);
    expect((await control.moveClock({ action: 'reset' })).now).toBe('2026-03-18T10:00:02.500Z');
  });

  it('stands still, is moved while it does, and runs on from where it stands', async () => {
    await control.moveClock({ action: 'freeze' });
    machine += 5000;
    await control.moveClock({ action: 'advance', by_ms: 1000 });
    machine += 5000;
    expect(await control.clock()).toMatchObject({ now: '2026-03-18T10:00:01.000Z', frozen: true });
    await control.moveClock({ action: 'resume' });
    machine += 1000;
    expect(await control.clock()).toMatchObject({ now: '2026-03-18T10:00:02.000Z', frozen: false });
  });

  it.each([
    { action: 'set', to_ms: -1 },
    { action: 'set', to_ms: Date.parse('9999-12-31T23:59:59.999Z') + 1 },
    { action: 'set', to_ms: '7' },
    { action: 'set' },
    { action: 'advance', by_ms: 1e18 },
    { action: 'constructor' },
  ])('refuses %j', async (move) => {
    await expect(control.moveClock(move as never)).rejects.toThrow(/1970 and 9999|unknown move/);
    expect((await control.clock()).now).toBe('2026-03-18T10:00:00.000Z');
  });
});

describe('a snapshot', () => {
  it('puts everything back, tokens and clock too, but for the limits', async () => {
    const { token } = createToken(state.world(), WISH);
    state.world().windows = { 7: { requests: [NOW], writes: [] } };
    const row = await control.saveSnapshot({ name: 'one' });
    expect(row).toMatchObject({ name: 'one', seed: 'demo', saved_at: new Date(NOW).toISOString() });
    const before = structuredClone(state.world());
    machine += 3 * HOUR;
    delete state.world().tokens[token];
    state.world().spaces = {};
    await control.restoreSnapshot({ name: 'one' });
    expect((await control.clock()).now).toBe(new Date(NOW).toISOString());
    expect({ ...state.world(), time: before.time }).toEqual({ ...before, windows: {} });
    expect(await control.diffSnapshot({ name: 'one' })).toEqual([]);
  });

  it.each([
    ['running', { offset_ms: 0, frozen_ms: null }, 5 * HOUR],
    ['moved', { offset_ms: 9 * HOUR, frozen_ms: null }, 5 * HOUR],
    ['frozen', { offset_ms: 0, frozen_ms: NOW - HOUR }, 0],
  ] as const)('goes on from its own time: a clock that was %s', async (_name, time, on) => {
    state.world().time = time;
    const then = Date.parse((await control.clock()).now);
    await control.saveSnapshot({ name: 'one' });
    machine += 40 * HOUR;
    await control.restoreSnapshot({ name: 'one' });
    machine += 5 * HOUR;
    expect(Date.parse((await control.clock()).now)).toBe(then + on);
  });

  it.each(['', 'A', '../x', 'a/b', '.a', 'a b', 'ä', 'x'.repeat(65)])('is never called %j', async (name) => {
    await expect(control.saveSnapshot({ name })).rejects.toThrow('cannot be the name of a snapshot');
    await expect(control.restoreSnapshot({ name })).rejects.toThrow('no snapshot');
  });

  it('takes a name once, unless it may replace', async () => {
    const save = (replace: boolean) => control.saveSnapshot({ name: 'one', replace });
    await save(false);
    await expect(save(false)).rejects.toMatchObject({ exit: 2, code: 'snapshot_exists' });
    await save(true);
    await control.removeSnapshot({ name: 'one' });
    for (const call of [control.removeSnapshot, control.restoreSnapshot, control.diffSnapshot])
      await expect(call({ name: 'one' })).rejects.toMatchObject({ exit: 5 });
  });

  it('is refused where it is damaged or of another version, and the list says which', async () => {
    const snapshots = await host();
    await control.saveSnapshot({ name: 'one' });
    const text = snapshots.get('one') ?? '';
    const { world, ...facts } = JSON.parse(text);
    for (const wrong of [
      ...['', '{}', text.slice(0, -40), JSON.stringify({ ...facts, world, snapshot: 9 })],
      JSON.stringify({ ...facts, world: { ...world, version: 2 } }),
    ]) {
      snapshots.set('one', wrong);
      await expect(control.restoreSnapshot({ name: 'one' })).rejects.toMatchObject({ exit: 2 });
      expect((await control.snapshots())[0]?.problem).toMatch(/damaged, or .* another version/);
    }
  });

  it('on the disk is a private file, replaced whole; other files are none', async () => {
    const folder = makeFolder();
    const directory = join(folder, 'sandbox-snapshots');
    await host(createFileSnapshots(folder, { read: readOwnFile, write: writeDurably }));
    expect(await control.snapshots()).toEqual([]);
    for (const name of ['two', 'one', 'one']) await control.saveSnapshot({ name, replace: true });
    mkdirSync(directory, { recursive: true });
    writeFileSync(join(directory, 'notes.txt'), 'mine');
    expect(readdirSync(directory).sort()).toEqual(['notes.txt', 'one.snapshot', 'two.snapshot']);
    expect(statSync(join(directory, 'one.snapshot')).mode & 0o777).toBe(0o600);
    await control.removeSnapshot({ name: 'one' });
    expect((await control.snapshots()).map(({ name }) => name)).toEqual(['two']);
  });
});

it('a difference tells what was added, changed with both values, and removed', () => {
  const before = state.world();
  const after = structuredClone(before);
  const { timesheets = {}, expenses = {}, projects = {}, webhooks = {} } = after.spaces[101] ?? {};
  const firstOf = (records: object) => Object.keys(records)[0] ?? '';
  const [sheet, expense, webhook] = [firstOf(timesheets), firstOf(expenses), firstOf(webhooks)];
  Object.assign(timesheets[sheet] ?? {}, { status: 'submitted', submitted_on: '2026-03-18T11:00:00.000Z' });
  delete expenses[expense];
  Object.assign(projects, { 999: { ...Object.values(projects)[0], id: 999, name: 'New' } });
  Object.assign(webhooks[webhook] ?? {}, { token: 'whsec_other' });
  const found = compareWorlds(before, after);
  expect(found.map(({ kind, id, change }) => [kind, id, change])).toEqual([
    ['timesheets', sheet, 'changed'],
    ['expenses', expense, 'removed'],
    ['webhooks', webhook, 'changed'],
    ['projects', '999', 'added'],
  ]);
  expect(found[0]?.fields).toEqual([
    { field: 'submitted_on', before: null, after: '2026-03-18T11:00:00.000Z' },
    { field: 'status', before: 'open', after: 'submitted' },
  ]);
  // A secret that changed is told, and not shown.
  expect(found[2]?.fields).toEqual([{ field: 'token', before: '(secret)', after: '(secret)' }]);
});

it('a difference names no token, and not the clock unless it stands still', () => {
  const before = state.world();
  const after = structuredClone(before);
  const { token } = createToken(after, WISH);
  createToken(after, { ...WISH, name: 'embedded', random: () => 0.4 });
  after.time = { offset_ms: 5, frozen_ms: null };
  const found = compareWorlds(before, after);
  expect(found.map(({ kind, change }) => [kind, change])).toEqual([['tokens', 'added']]);
  expect(JSON.stringify(found)).not.toContain(token);
  after.time = { offset_ms: 0, frozen_ms: NOW };
  expect(compareWorlds(before, after)[0]).toMatchObject({ kind: 'clock', change: 'changed' });
});
