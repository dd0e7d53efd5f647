import { describe, expect, it } from 'vitest';
import { createSeed } from '../../src/sandbox/seeds/seed.ts';
import type { World } from '../../src/sandbox/world.ts';
import { createBench, NOW } from './bench.ts';

const NAMES = ['demo', 'agency', 'month-end', 'messy', 'empty', 'big:300'];
const summary = (records: Record<string, { status: string }>, status: string): number =>
  Object.values(records).filter((row) => row.status === status).length;
const spaceOf = (world: World) => {
  const space = Object.values(world.spaces)[0];
  if (space === undefined) throw new Error('no workspace');
  return space;
};

describe('every seed', () => {
  it.each(NAMES)(
    '%s is the same for the same number, plain JSON, and whole in its references',
    async (name) => {
      const world = await createSeed(name, { now: NOW });
      expect(await createSeed(name, { now: NOW, number: 1 })).toEqual(world);
      expect(JSON.parse(JSON.stringify(world))).toEqual(world);
      for (const space of Object.values(world.spaces)) {
        expect(space.members[space.owner_id]?.role).toBe('Owner');
        const people = [space.contracts, space.timesheets, space.leaves, space.time_requests, space.expenses];
        for (const row of people.flatMap((records) => Object.values(records))) {
          expect(space.members[row.user_id]).toBeDefined();
        }
        for (const row of [...Object.values(space.contracts), ...Object.values(space.tasks)]) {
          expect(space.projects[row.project_id]).toBeDefined();
        }
        for (const id of Object.keys(space.members)) expect(world.users[id]?.id).toBe(Number(id));
      }
      const addresses = Object.values(world.users).map((user) => user.email.toLowerCase());
      expect(new Set(addresses).size).toBe(addresses.length);
    },
  );

  it.each(NAMES)('%s answers every list', async (name) => {
    const bench = await createBench({ seed: name });
    const project = Object.keys(bench.space.projects)[0];
    for (const path of [
      '/members',
      '/project-viewers',
      '/projects',
      '/contracts',
      '/timesheets',
      '/leaves',
      '/leaves/policies',
      '/time-requests',
      '/expenses',
      '/expenses/categories',
      '/webhooks',
    ]) {
      expect(bench.send('GET', path).status).toBe(200);
    }
    if (project === undefined) return;
    expect(bench.send('GET', '/tasks', { query: { project_id: project } }).status).toBe(200);
  });
});

describe('demo', () => {
  it('has something in every state', async () => {
    const world = await createSeed('demo', { now: NOW });
    const space = spaceOf(world);
    expect(Object.keys(space.members)).toHaveLength(12);
    expect(summary(space.timesheets, 'submitted')).toBeGreaterThanOrEqual(6);
    for (const status of ['open', 'rejected', 'approved'])
      expect(summary(space.timesheets, status)).toBeGreaterThan(0);
    for (const status of ['pending', 'approved', 'rejected']) {
      expect(summary(space.leaves, status)).toBeGreaterThan(0);
      expect(summary(space.time_requests, status)).toBeGreaterThan(0);
    }
    const roles = new Set(Object.values(space.members).map((member) => member.role));
    expect(roles.size).toBe(6);
    expect(Object.keys(world.trackers)).toContain(String(space.owner_id));
  });

  it('moves with the clock', async () => {
    const later = await createSeed('demo', { now: NOW + 28 * 86_400_000 });
    const sheets = Object.values(spaceOf(later).timesheets).map((sheet) => sheet.date_from);
    expect(sheets.sort().at(-1)).toBe('2026-04-13');
  });
});

describe('messy', () => {
  it('has nulls where the document has texts, as some services do', async () => {
    const { body } = (await createBench({ seed: 'messy' })).send('GET', '/members', {
      query: { per_page: '100' },
    });
    const nulls = new Set(
      body.data.flatMap((row: Record<string, unknown>) =>
        Object.keys(row).filter((name) => row[name] === null),
      ),
    );
    for (const name of ['avatar', 'timezone', 'team_name', 'title', 'birth_date', 'hired_at', 'tax_country'])
      expect(nulls).toContain(name);
  });
});

describe('the others', () => {
  it('have the numbers that they promise', async () => {
    const month = spaceOf(await createSeed('month-end', { now: NOW }));
    expect(summary(month.timesheets, 'submitted')).toBe(180);
    expect(summary(month.leaves, 'pending')).toBe(40);
    expect(summary(month.time_requests, 'pending')).toBe(60);
    const agency = spaceOf(await createSeed('agency', { now: NOW }));
    expect([Object.keys(agency.members).length, Object.keys(agency.projects).length]).toEqual([60, 25]);
    expect(Object.keys(spaceOf(await createSeed('big', { now: NOW })).members)).toHaveLength(5000);
    expect(Object.keys(spaceOf(await createSeed('big:7', { now: NOW })).members)).toHaveLength(7);
  });

  it('refuse what is not there', async () => {
    for (const name of ['big:0', 'big:x', 'big:1.5', 'demo:3', 'constructor', '']) {
      await expect(createSeed(name, { now: NOW })).rejects.toMatchObject({ exit: 2 });
    }
  });
});
