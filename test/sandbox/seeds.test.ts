import { describe, expect, it } from 'vitest';
import { seedFromText } from '../../src/sandbox/seeds/file.ts';
import { createSeed } from '../../src/sandbox/seeds/seed.ts';
import { type Bench, createBench, DAY, NOW } from './bench.ts';

const count = (records: object, status?: string): number =>
  Object.values(records).filter((row) => status === undefined || row.status === status).length;

// That each answers every list as documented: documented.test.ts.
describe('a seed', () => {
  it.each(['demo', 'agency', 'month-end', 'messy', 'empty', 'big:300'])(
    '%s is the same for the same number, plain JSON, and whole in its references',
    async (name) => {
      const world = await createSeed(name, { now: NOW });
      expect(await createSeed(name, { now: NOW, number: 1 })).toEqual(world);
      expect(JSON.parse(JSON.stringify(world))).toEqual(world);
      for (const space of Object.values(world.spaces)) {
        expect(space.members[space.owner_id]?.role).toBe('Owner');
        const people = [space.contracts, space.timesheets, space.leaves, space.time_requests, space.expenses];
        for (const row of people.flatMap((records) => Object.values(records)))
          expect(space.members[row.user_id]).toBeDefined();
        for (const row of [...Object.values(space.contracts), ...Object.values(space.tasks)])
          expect(space.projects[row.project_id]).toBeDefined();
        for (const id of Object.keys(space.members)) expect(world.users[id]?.id).toBe(Number(id));
      }
      const addresses = Object.values(world.users).map((user) => user.email.toLowerCase());
      expect(new Set(addresses).size).toBe(addresses.length);
    },
  );

  it('demo has something in every state, and moves with the clock', async () => {
    const { world, space } = await createBench();
    expect(count(space.members)).toBe(14);
    expect(count(space.timesheets, 'submitted')).toBeGreaterThanOrEqual(6);
    for (const status of ['open', 'rejected', 'approved'])
      expect(count(space.timesheets, status)).toBeGreaterThan(0);
    for (const status of ['pending', 'approved', 'rejected'])
      for (const records of [space.leaves, space.time_requests])
        expect(count(records, status)).toBeGreaterThan(0);
    expect(new Set(Object.values(space.members).map((member) => member.role)).size).toBe(6);
    expect(Object.keys(world.trackers)).toContain(String(space.owner_id));
    const later = await createSeed('demo', { now: NOW + 28 * DAY });
    const weeks = Object.values(later.spaces[101]?.timesheets ?? {}).map((sheet) => sheet.date_from);
    expect(weeks.sort().at(-1)).toBe('2026-04-13');
  });

  it('has the numbers that it promises', async () => {
    const spaceOf = async (seed: string) => (await createBench({ seed })).space;
    const month = await spaceOf('month-end');
    expect(count(month.timesheets, 'submitted')).toBe(180);
    expect(count(month.leaves, 'pending')).toBe(40);
    expect(count(month.time_requests, 'pending')).toBe(60);
    const agency = await spaceOf('agency');
    expect([count(agency.members), count(agency.projects)]).toEqual([60, 25]);
    expect(count((await spaceOf('big')).members)).toBe(5000);
    expect(count((await spaceOf('big:7')).members)).toBe(7);
  });

  it.each(['big:0', 'big:x', 'big:1.5', 'demo:3', 'simulate:4w', 'constructor', ''])(
    'named "%s" is none',
    async (seed) => {
      const hint = expect.stringMatching(/demo|For example/);
      await expect(createBench({ seed })).rejects.toMatchObject({ exit: 2, hint });
    },
  );
});

const GOOD = `{
  "workspace": "Clinic",
  "categories": ["Travel"],
  "members": [
    { "email": "o@clinic.example", "firstname": "O", "lastname": "Wner", "role": "Owner" },
    { "email": "m@clinic.example", "firstname": "M", "lastname": "Ember", "rate": 50 }
  ],
  "projects": [{ "name": "Ward", "members": ["m@clinic.example"], "deadline": "+7d" }],
  "timesheets": [{ "member": "m@clinic.example", "date_from": "-7d", "status": "submitted", "total_hours": 37.5 }],
  "leave_policies": [{ "name": "Holiday" }],
  "leaves": [{ "member": "m@clinic.example", "policy": "Holiday", "start_date": "today", "end_date": "+2d" }],
  "expenses": [{ "member": "m@clinic.example", "expense_name": "Bus", "date": "today", "amount": 2, "category": "Travel" }]
}`;
const grow = (text: string) => seedFromText(text, 'seed.json', { now: NOW });

describe('a seed file', () => {
  it('becomes a world', () => {
    const [space] = Object.values(grow(GOOD).spaces) as [Bench['space']];
    const first = (records: object) => Object.values(records)[0];
    expect(space.workspace_name).toBe('Clinic');
    const week = { date_from: '2026-03-11', date_to: '2026-03-17' };
    expect(first(space.timesheets)).toMatchObject({ ...week, total_minutes: 2250, status: 'submitted' });
    expect(first(space.leaves).total).toEqual({ days: 3, hours: 24 });
    expect(count(space.contracts)).toBe(1);
    expect(first(space.projects).deadline).toBe('2026-03-25');
    expect(first(space.expenses).category_id).toBe(first(space.categories).id);
  });

  it.each([
    ['"Owner" }', '"Ownr" }', 'members[0]: The role field must be one of'],
    ['"rate": 50', '"rat": 50', 'members[1]: unknown field: rat'],
    ['"rate": 50', '"rate": "50"', 'members[1]: The rate field must be a number'],
    ['"policy": "Holiday"', '"policy": "Holidy"', 'leaves[0]: policy: no leave policy Holidy'],
    ['"expenses"', '"expense"', 'unknown field: expense'],
    ['"deadline": "+7d"', '"deadline": "2026-02-30"', 'projects[0]: deadline must be'],
    ['"amount": 2, ', '', 'expenses[0]: The amount field is required.'],
    ['"end_date": "+2d"', '"end_date": "-2d"', 'leaves[0]: end_date is before start_date'],
    [', "role": "Owner"', '', 'exactly one member must have the role Owner'],
    [
      'm@clinic.example", "firstname"',
      'o@clinic.example", "firstname"',
      'members[1]: o@clinic.example appears twice',
    ],
    ['"categories": ["Travel"],', '"categories": ["Travel"]', 'not JSON: '],
    ['"workspace": "Clinic",', '', ''],
  ])('with %s as %s says: %s', (good, bad, message) => {
    const text = GOOD.replace(good, bad);
    expect(text).not.toBe(GOOD);
    if (message === '') expect(() => grow(text)).not.toThrow();
    else expect(() => grow(text)).toThrow(`seed.json: ${message}`);
    // A word that is nearly known is suggested.
    const hint = expect.stringContaining('Did you mean rate?');
    if (bad === '"rat": 50') expect(() => grow(text)).toThrow(expect.objectContaining({ hint }));
  });
});
