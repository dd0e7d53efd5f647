import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { seedFromText } from '../../src/sandbox/seeds/file.ts';
import { loadSeed } from '../../src/sandbox/seeds/seed.ts';
import { NOW } from './bench.ts';

const GOOD = `{
  "workspace": "Clinic",
  "categories": ["Travel"],
  "members": [
    { "email": "o@clinic.example", "firstname": "O", "lastname": "Wner", "role": "Owner" },
    { "email": "m@clinic.example", "firstname": "M", "lastname": "Ember", "rate": 50 }
  ],
  "projects": [{ "name": "Ward", "members": ["m@clinic.example"], "deadline": "+7d" }],
  "tasks": [{ "project": "Ward", "title": "Beds", "priority": 10 }],
  "timesheets": [{ "member": "m@clinic.example", "date_from": "-7d", "status": "submitted", "total_hours": 37.5 }],
  "leave_policies": [{ "name": "Holiday" }],
  "leaves": [{ "member": "m@clinic.example", "policy": "Holiday", "start_date": "today", "end_date": "+2d" }],
  "time_requests": [{ "member": "m@clinic.example", "project": "Ward", "start": "2026-03-01T09:00Z", "end": "2026-03-01T10:00Z" }],
  "expenses": [{ "member": "m@clinic.example", "expense_name": "Bus", "date": "today", "amount": 2, "category": "Travel" }],
  "webhooks": [{ "url": "http://127.0.0.1:1/", "events": ["tracker.started"] }]
}`;
const grow = (text: string) => seedFromText(text, 'seed.json', { now: NOW });

describe('a seed file', () => {
  it('becomes a world', () => {
    const world = grow(GOOD);
    const space = Object.values(world.spaces)[0];
    expect(space?.workspace_name).toBe('Clinic');
    expect(Object.values(space?.timesheets ?? {})[0]).toMatchObject({
      date_from: '2026-03-11',
      date_to: '2026-03-17',
      total_minutes: 2250,
      status: 'submitted',
    });
    expect(Object.values(space?.leaves ?? {})[0]?.total).toEqual({ days: 3, hours: 24 });
    expect(Object.values(space?.contracts ?? {})).toHaveLength(1);
    expect(Object.values(space?.projects ?? {})[0]?.deadline).toBe('2026-03-25');
    expect(Object.values(space?.expenses ?? {})[0]?.category_id).toBe(
      Object.keys(space?.categories ?? {})[0],
    );
  });

  it.each([
    ['"Owner" }', '"Ownr" }', 'members[0]: The role field must be one of'],
    ['"rate": 50', '"rat": 50', 'members[1]: unknown field: rat'],
    ['"rate": 50', '"rate": "50"', 'members[1]: The rate field must be a number'],
    ['"policy": "Holiday"', '"policy": "Holidy"', 'leaves[0]: policy: no leave policy Holidy'],
    ['"webhooks"', '"webhook"', 'unknown field: webhook'],
    ['"deadline": "+7d"', '"deadline": "2026-02-30"', 'projects[0]: deadline must be'],
    ['"title": "Beds", ', '', 'tasks[0]: The title field is required.'],
    ['"end_date": "+2d"', '"end_date": "-2d"', 'leaves[0]: end_date is before start_date'],
    [', "role": "Owner"', '', 'exactly one member must have the role Owner'],
    [
      'm@clinic.example", "firstname"',
      'o@clinic.example", "firstname"',
      'members[1]: o@clinic.example appears twice',
    ],
    ['"categories": ["Travel"],', '"categories": ["Travel"]', 'line 4: not JSON: '],
    ['"workspace": "Clinic",', '', ''],
  ])('with %s as %s says: %s', (good, bad, message) => {
    const text = GOOD.replace(good, bad);
    expect(text).not.toBe(GOOD);
    if (message === '') expect(() => grow(text)).not.toThrow();
    else expect(() => grow(text)).toThrow(`seed.json: ${message}`);
  });

  it('suggests', () => {
    expect(() => grow(GOOD.replace('"rate"', '"rat"'))).toThrow(
      expect.objectContaining({ exit: 2, hint: expect.stringContaining('Did you mean rate?') }),
    );
    expect(() => grow(GOOD.replace('"project": "Ward", "title"', '"project": "Wrad", "title"'))).toThrow(
      expect.objectContaining({ hint: expect.stringContaining('Did you mean Ward?') }),
    );
  });

  it('is read by its path', async () => {
    const directory = mkdtempSync(join(tmpdir(), 'seed-'));
    const file = join(directory, 'clinic.json');
    writeFileSync(file, GOOD);
    expect(Object.values((await loadSeed(file, NOW)).spaces)[0]?.workspace_name).toBe('Clinic');
    await expect(loadSeed(join(directory, 'none.json'), NOW)).rejects.toMatchObject({ code: 'seed_file' });
    rmSync(directory, { recursive: true });
  });
});
