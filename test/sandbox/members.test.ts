import { beforeEach, describe, expect, it } from 'vitest';
import { type Bench, createBench } from './bench.ts';

let bench: Bench;
beforeEach(async () => {
  bench = await createBench();
});

describe('workspaces', () => {
  it('lists those of the user, with the role in each', () => {
    const { status, body } = bench.send('GET', '/workspaces', { workspace: false });
    expect(status).toBe(200);
    expect(
      body.data.map((row: { workspace_name: string; role: string }) => [row.workspace_name, row.role]),
    ).toEqual([
      ['Lindenhof Studio', 'Owner'],
      ['Fjordworks', 'Regular User'],
    ]);
    expect(Object.keys(body.data[0])).toEqual([
      'id',
      'owner_id',
      'user_id',
      'workspace_name',
      'role',
      'status',
      'created_at',
      'activated_at',
    ]);
  });
});

describe('GET /members', () => {
  it('has twelve people in the demo, with pagination in meta', () => {
    const { body } = bench.send('GET', '/members');
    expect(body.data).toHaveLength(12);
    expect(body.meta.pagination).toEqual({
      total: 12,
      per_page: 20,
      current_page: 1,
      last_page: 1,
      from: 1,
      to: 12,
    });
  });

  it('has every field of a member', () => {
    const { body } = bench.send('GET', `/members/${bench.userId('nora')}`);
    expect(Object.keys(body.data).sort()).toEqual(
      (
        'avatar birth_date created_at currency current_role deleted_at email firstname hired_at id is_blocked ' +
        'lastname preferred_timezone rate rate_status rate_type screenshots settings_max_inactive_minutes status ' +
        'tax_country tax_state team_name timezone title updated_at weekly_hours_limit'
      ).split(' '),
    );
  });

  it('pages at the edges', () => {
    const page = (query: Record<string, string>) => bench.send('GET', '/members', { query });
    expect(page({ per_page: '5', page: '3' }).body.meta.pagination).toEqual({
      total: 12,
      per_page: 5,
      current_page: 3,
      last_page: 3,
      from: 11,
      to: 12,
    });
    const after = page({ per_page: '5', page: '4' });
    expect(after.body.data).toEqual([]);
    expect(after.body.meta.pagination).toMatchObject({ from: null, to: null, current_page: 4, last_page: 3 });
    expect(page({ per_page: '1' }).body.data).toHaveLength(1);
    expect(page({ per_page: '100' }).body.data).toHaveLength(12);
    for (const query of [
      { per_page: '0' },
      { per_page: '101' },
      { page: '0' },
      { page: '-1' },
      { page: 'x' },
    ]) {
      expect(page(query as unknown as Record<string, string>).status).toBe(400);
    }
  });

  it('filters by exact address, status and role', () => {
    const emails = (query: Record<string, string>): string[] =>
      bench.send('GET', '/members', { query }).body.data.map((row: { email: string }) => row.email);
    expect(emails({ email: 'Mei@lindenhof.example' })).toEqual(['mei@lindenhof.example']);
    expect(emails({ email: 'ei@lindenhof.example' })).toEqual([]);
    expect(emails({ status: 'inactive' })).toEqual(['elif@lindenhof.example']);
    expect(emails({ status: 'left' })).toEqual(['daniel@lindenhof.example']);
    expect(emails({ role: 'Executive manager' })).toEqual([
      'samir@lindenhof.example',
      'grace@lindenhof.example',
    ]);
    expect(emails({ role: 'Project viewer' })).toHaveLength(2);
    expect(bench.send('GET', '/members', { query: { role: 'Boss' } }).status).toBe(400);
    expect(bench.send('GET', '/members', { query: { status: 'archived' } }).status).toBe(400);
  });

  it('shows rates only to those who may view them', () => {
    const rates = (email: string) =>
      bench.send('GET', `/members/${bench.userId('mei')}`, { token: bench.tokenFor(email) }).body.data.rate;
    expect(rates('nora')).toBe(78);
    expect(rates('samir')).toBe(78);
    expect(rates('grace')).toBeUndefined();
  });

  it('answers 404 for whom this workspace does not have', () => {
    const other = Object.values(bench.world.users).find((user) => user.firstname === 'Ingrid')?.id;
    for (const id of [other, 1, 'abc', '__proto__', 'constructor', '%20']) {
      expect(bench.send('GET', `/members/${id}`).status).toBe(404);
    }
  });
});

describe('POST /members', () => {
  const person = {
    email: 'new@lindenhof.example',
    firstname: 'Noor',
    lastname: 'Aziz',
    role: 'Team manager',
  };

  it('invites', () => {
    const { status, body } = bench.send('POST', '/members', { body: person });
    expect(status).toBe(200);
    expect(Object.keys(body.data)).toEqual(['user_id', 'invitation_link']);
    expect(new URL(body.data.invitation_link).protocol).toBe('https:');
    const { data } = bench.send('GET', `/members/${body.data.user_id}`).body;
    expect(data).toMatchObject({ email: person.email, current_role: 'Team manager', status: 'inactive' });
    expect(bench.events.map((event) => event.event)).toEqual(['member.invited']);
  });

  it.each(['email', 'firstname', 'lastname', 'role'])('needs %s', (name) => {
    for (const value of [undefined, null, '', ' ', 7]) {
      expect(bench.send('POST', '/members', { body: { ...person, [name]: value } }).status).toBe(400);
    }
    expect(bench.events).toEqual([]);
  });

  it('refuses an address that is there, archived or in other letters too, and the role of Owner', () => {
    for (const email of [
      'mei@lindenhof.example',
      'MEI@lindenhof.example',
      'daniel@lindenhof.example',
      'x',
      'a@b',
    ]) {
      expect(bench.send('POST', '/members', { body: { ...person, email } }).status).toBe(400);
    }
    expect(bench.send('POST', '/members', { body: { ...person, role: 'Owner' } }).status).toBe(400);
    expect(bench.send('POST', '/members', { body: { ...person, role: 'regular-user' } }).status).toBe(400);
  });

  it('gives a person of another workspace the same user id', () => {
    const ingrid = { ...person, email: 'ingrid@fjordworks.example' };
    const { body } = bench.send('POST', '/members', { body: ingrid });
    expect(body.data.user_id).toBe(bench.userId('ingrid@fjordworks.example'));
  });
});
