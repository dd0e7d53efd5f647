import { describe, expect, it } from 'vitest';
import { useBench } from './bench.ts';

/** Members and project viewers. What their states allow is in model.test.ts, what they show in test/scripts. */

const bench = useBench();
const member = (email: string): string => `/members/${bench.userId(email)}`;
const emails = (line: string, query: object): string[] =>
  bench.ask(line, query).data.map((row: { email: string }) => row.email.split('@')[0]);

describe('members', () => {
  it('have pages, also at the edges', () => {
    const page = (query: object) => bench.ask('GET /members', query).body.meta.pagination;
    const all = { total: 14, per_page: 20, current_page: 1, last_page: 1, from: 1, to: 14 };
    expect(page({})).toEqual(all);
    const third = { per_page: 5, current_page: 3, last_page: 3, from: 11 };
    expect(page({ per_page: '5', page: '3' })).toEqual({ ...all, ...third });
    expect(page({ per_page: '5', page: '4' })).toMatchObject({ from: null, to: null, last_page: 3 });
    expect(bench.ask('GET /members', { per_page: '5', page: '4' }).data).toEqual([]);
    expect(bench.ask('GET /members', { per_page: '1' }).data).toHaveLength(1);
    expect(bench.ask('GET /members', { per_page: '100' }).data).toHaveLength(14);
  });

  it('are not listed with what is no page, role or status', () => {
    const pages = [{ per_page: '0' }, { per_page: '101' }, { page: '0' }, { page: '-1' }, { page: 'x' }];
    for (const query of [...pages, { role: 'Boss' }, { status: 'archived' }])
      expect(bench.status('GET /members', query), JSON.stringify(query)).toBe(400);
  });

  it.each([
    [{ email: 'Mei@lindenhof.example' }, ['mei']],
    [{ email: 'ei@lindenhof.example' }, []],
    [{ status: 'inactive' }, ['elif']],
    [{ status: 'left' }, ['daniel']],
    [{ role: 'Executive manager' }, ['samir', 'grace']],
    [{ role: 'Project viewer' }, ['priya', 'jonas']],
  ])('with %j are %j', (query, found) => {
    expect(emails('GET /members', query)).toEqual(found);
  });

  it('show and save rates only for those who may view them', () => {
    const rate = (as: string) =>
      bench.ask(`GET ${member('mei')}`, {}, { token: bench.tokenFor(as) }).data.rate;
    expect(['nora', 'samir', 'grace'].map(rate)).toEqual([78, 78, undefined]);
    bench.ask(`PUT ${member('mei')}`, { rate: 99 }, { token: bench.tokenFor('grace') });
    expect(rate('nora')).toBe(78);
    bench.ask(`PUT ${member('mei')}`, { rate: 99 });
    expect(rate('nora')).toBe(99);
  });
});

describe('an invitation', () => {
  const person = { email: 'new@x.example', firstname: 'Noor', lastname: 'Aziz', role: 'Team manager' };

  it('adds an inactive member', () => {
    const heard = bench.hear();
    const { status, data } = bench.ask('POST /members', person);
    expect(status).toBe(200);
    expect(new URL(data.invitation_link).protocol).toBe('https:');
    const { email, role: current_role } = person;
    const invited = { email, current_role, status: 'inactive' };
    expect(bench.ask(`GET /members/${data.user_id}`).data).toMatchObject(invited);
    expect(heard().map(({ event }) => event)).toEqual(['member.invited']);
  });

  it.each(['email', 'firstname', 'lastname', 'role'])('needs %s', (name) => {
    const heard = bench.hear();
    for (const value of [undefined, null, '', ' ', 7])
      expect(bench.status('POST /members', { ...person, [name]: value })).toBe(400);
    expect(heard()).toEqual([]);
  });

  it.each([
    { email: 'mei@lindenhof.example' },
    { email: 'MEI@lindenhof.example' },
    { email: 'daniel@lindenhof.example' },
    { email: 'x' },
    { email: 'a@b' },
    { role: 'Owner' },
    { role: 'regular-user' },
  ])('is refused with %j', (change) => {
    expect(bench.status('POST /members', { ...person, ...change })).toBe(400);
  });

  it('gives a person of another workspace the same user id', () => {
    const email = 'ingrid@fjordworks.example';
    expect(bench.ask('POST /members', { ...person, email }).data.user_id).toBe(bench.userId(email));
  });
});

describe('an update of a member', () => {
  it('changes what is sent and nothing else', () => {
    const { avatar, ...others } = bench.ask(`GET ${member('nora')}`).data;
    const changes = { firstname: 'Norah', timezone: 'Asia/Tokyo', rate_status: 0, weekly_hours_limit: 0 };
    expect(bench.ask(`PUT ${member('nora')}`, { ...changes, remove_avatar: 1 }).data).toBeNull();
    expect(avatar).toBe('nora.png');
    const updated_at = '2026-03-18T10:00:00.000Z';
    expect(bench.ask(`GET ${member('nora')}`).data).toEqual({ ...others, ...changes, updated_at });
  });

  it.each([
    { rate_status: 2 },
    { rate_status: '1' },
    { weekly_hours_limit: -1 },
    { weekly_hours_limit: 1.5 },
    { remove_avatar: 3 },
    { role: 'Owner' },
    { timezone: 'Mars/Olympus' },
    { email: 'grace@lindenhof.example' },
    { email: 'x' },
  ])('is refused with %j', (body) => {
    expect(bench.status(`PUT ${member('mei')}`, body)).toBe(400);
  });

  it('leaves the owner’s role and place, and takes the own address', () => {
    expect(bench.status(`PUT ${member('nora')}`, { role: 'Regular User' })).toBe(400);
    expect(bench.status(`DELETE ${member('nora')}`)).toBe(400);
    expect(bench.status(`PUT ${member('nora')}`, { email: 'nora@lindenhof.example' })).toBe(200);
  });

  it('that archives keeps the time of the first, and a restore brings back the status', () => {
    const shown = (email: string) => bench.ask(`GET ${member(email)}`).data;
    expect(bench.ask(`DELETE ${member('elif')}`).data).toBeNull();
    const archived = { deleted_at: '2026-03-18T10:00:00.000Z', status: 'left' };
    expect(shown('elif')).toMatchObject(archived);
    bench.now += 60_000;
    expect(bench.status(`DELETE ${member('elif')}`)).toBe(200);
    expect(shown('elif')).toMatchObject(archived);
    expect(bench.status(`POST ${member('elif')}/restore`)).toBe(200);
    expect(shown('elif')).toMatchObject({ deleted_at: null, status: 'inactive' });
  });
});

describe('project viewers', () => {
  const viewer = () => `/project-viewers/${bench.userId('priya')}`;

  it('are invited with 201, once, and all three fields are needed', () => {
    const body = { email: 'c@client.example', firstname: 'C', lastname: 'D' };
    const { status, data } = bench.ask('POST /project-viewers', body);
    expect(status).toBe(201);
    expect(data).toMatchObject({ email: 'c@client.example', status: 'active', projects: [] });
    expect(bench.status('POST /project-viewers', body)).toBe(400);
    expect(bench.status('POST /project-viewers', { email: 'd@client.example', firstname: 'D' })).toBe(400);
  });

  it('are assigned a project that is named in the query or the body', () => {
    const [, , brand = ''] = Object.keys(bench.space.projects);
    expect(bench.ask(`POST ${viewer()}/assign-project`, { project_id: Number(brand) }).data).toBeNull();
    const unassign = `DELETE ${viewer()}/unassign-project`;
    expect(bench.status(unassign, {}, { query: { project_id: brand } })).toBe(200);
    expect(bench.status(unassign, {}, { query: { project_id: brand } })).toBe(400);
    expect(bench.status(`POST ${viewer()}/assign-project`)).toBe(400);
    expect(bench.status(`POST ${viewer()}/assign-project`, { project_id: 1 })).toBe(404);
  });
});
