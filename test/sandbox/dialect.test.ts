import { describe, expect, it } from 'vitest';
import { allOperations } from '../../src/api/operations.ts';
import { DEFAULT_DIALECT, parseDialect } from '../../src/sandbox/dialect.ts';
import { ROUTES } from '../../src/sandbox/routes.ts';
import { createBench } from './bench.ts';

describe('parseDialect', () => {
  it('reads pairs, and a bare name as yes', () => {
    expect(parseDialect('')).toEqual(DEFAULT_DIALECT);
    expect(parseDialect(' pagination=top, created=200 ,ignorePage')).toEqual({
      ...DEFAULT_DIALECT,
      pagination: 'top',
      created: '200',
      ignorePage: 'yes',
    });
  });

  it('refuses what it does not know, with a suggestion', () => {
    expect(() => parseDialect('paginaton=top')).toThrow(
      expect.objectContaining({ hint: expect.stringContaining('Did you mean pagination?') }),
    );
    expect(() => parseDialect('ids=uid')).toThrow(
      expect.objectContaining({ hint: expect.stringContaining('Did you mean uuid?') }),
    );
    expect(() => parseDialect('constructor=1')).toThrow(/unknown dialect/);
  });
});

describe('dialects', () => {
  it('put pagination beside meta, or nowhere', async () => {
    const top = (await createBench({ dialect: 'pagination=top' })).send('GET', '/members').body;
    expect(top.pagination.total).toBe(12);
    expect(top.meta.pagination).toBeUndefined();
    const none = (await createBench({ dialect: 'pagination=none' })).send('GET', '/members').body;
    expect(none.pagination ?? none.meta.pagination).toBeUndefined();
  });

  it('answer creates with 200 or 201', async () => {
    for (const created of [200, 201]) {
      const bench = await createBench({ dialect: `created=${created}` });
      const member = { email: 'a@b.example', firstname: 'A', lastname: 'B', role: 'Regular User' };
      expect(bench.send('POST', '/projects', { body: { name: 'X' } }).status).toBe(created);
      expect(bench.send('POST', '/members', { body: member }).status).toBe(created);
      expect(bench.send('POST', '/time-tracking/stop').status).toBe(200);
    }
  });

  it('answer what is invalid with 422 and a map of errors', async () => {
    const bench = await createBench({ dialect: 'invalid=422' });
    const { status, body } = bench.send('POST', '/projects', { body: {} });
    expect(status).toBe(422);
    expect(body.errors).toEqual({ name: ['The name field is required.'] });
    expect(bench.send('GET', '/projects/1').status).toBe(404);
  });

  it('show opaque ids and take them back', async () => {
    const bench = await createBench({ dialect: 'ids=opaque' });
    const sheet = bench.send('GET', '/timesheets', { query: { status: 'submitted' } }).body.data[0];
    expect(sheet.id).toMatch(/^r[A-Za-z0-9_-]{22}$/);
    expect(bench.send('PUT', `/timesheets/${sheet.id}/approve`).status).toBe(200);
    expect(bench.send('GET', '/timesheets', { query: { id: sheet.id } }).body.data[0].status).toBe(
      'approved',
    );
    const category = bench.send('GET', '/expenses/categories').body.data[0].id;
    const body = { expense_name: 'x', date: '2026-03-01', amount: 1, category_id: category };
    expect(bench.send('POST', '/expenses', { body }).body.data.category).toBe('Travel');
  });

  it('answer done with an object, and shorten the timestamp', async () => {
    const bench = await createBench({ dialect: 'empty=object,timestamp=plain' });
    const { body } = bench.send('PUT', `/members/${bench.userId('mei')}`, { body: {} });
    expect(body.data).toEqual({});
    expect(body.meta.timestamp).toBe('2026-03-18T10:00:00Z');
  });

  it('leave out what has no value, or answer null; what may not be seen too', async () => {
    const emptyOf = async (dialect: string, as: string) => {
      const bench = await createBench({ dialect, as });
      const { data } = bench.send('GET', `/members/${bench.userId('priya')}`).body;
      return { nulls: Object.keys(data).filter((name) => data[name] === null), has: Object.keys(data) };
    };
    const unset = 'avatar team_name title birth_date hired_at preferred_timezone tax_country tax_state'.split(
      ' ',
    );
    const absent = await emptyOf('', 'nora');
    expect(absent.nulls).toEqual(['deleted_at']);
    for (const name of unset) expect(absent.has).not.toContain(name);
    expect((await emptyOf('unset=null', 'nora')).nulls).toEqual([...unset, 'deleted_at']);
    expect((await emptyOf('unset=null', 'grace')).nulls).toEqual(
      expect.arrayContaining([...unset, 'rate', 'rate_type']),
    );
  });

  it('take a picture away to nothing, or to null', async () => {
    for (const [dialect, gone] of [
      ['', undefined],
      ['unset=null', null],
    ] as const) {
      const bench = await createBench({ dialect });
      const path = `/members/${bench.userId('mei')}`;
      expect(bench.send('GET', path).body.data.avatar).toBe('mei.png');
      bench.send('PUT', path, { body: { remove_avatar: 1 } });
      expect(bench.send('GET', path).body.data.avatar).toBe(gone);
    }
  });

  it('speak of timesheets as newer generations do', async () => {
    const bench = await createBench({ dialect: 'timesheets=newer' });
    const { data } = bench.send('GET', '/timesheets', { query: { status: 'pending' } }).body;
    expect(data[0]).toMatchObject({
      status: 'pending',
      total_minutes: 600,
      member: { name: 'Samir Haddad' },
    });
    expect('total_hours' in data[0]).toBe(false);
    expect(bench.send('GET', '/timesheets', { query: { status: 'open' } }).status).toBe(400);
  });

  it('list webhooks as newer generations do', async () => {
    const { body } = (await createBench({ dialect: 'webhooks=newer' })).send('GET', '/webhooks');
    expect(body.data).toHaveLength(2);
    expect(body.meta.pagination).toMatchObject({ total: 2, per_page: 50 });
  });

  it('ignore per_page, and page', async () => {
    const size = (await createBench({ seed: 'agency', dialect: 'ignorePerPage' })).send('GET', '/members', {
      query: { per_page: '100' },
    });
    expect(size.body.data).toHaveLength(20);
    const bench = await createBench({ seed: 'agency', dialect: 'ignorePage,pagination=none' });
    const [one, two] = ['1', '2'].map((page) => bench.send('GET', '/members', { query: { page } }).body.data);
    expect(two).toEqual(one);
  });
});

describe('routes', () => {
  it('has the operations of the document, each once', () => {
    expect(ROUTES.map((route) => route.route).sort()).toEqual(
      allOperations()
        .map((row) => row.route)
        .sort(),
    );
    expect(new Set(ROUTES.map((route) => route.route)).size).toBe(ROUTES.length);
  });
});
