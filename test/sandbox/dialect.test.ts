import { describe, expect, it } from 'vitest';
import { allOperations } from '../../src/api/operations.ts';
import { DEFAULT_DIALECT, parseDialect } from '../../src/sandbox/dialect.ts';
import { ROUTES } from '../../src/sandbox/routes.ts';
import { createBench } from './bench.ts';

it('a dialect is read from pairs, and a bare name as yes', () => {
  expect(parseDialect('')).toEqual(DEFAULT_DIALECT);
  const read = { pagination: 'top', created: '200', ignorePage: 'yes' };
  const text = ' pagination=top, created=200 ,ignorePage';
  expect(parseDialect(text)).toEqual({ ...DEFAULT_DIALECT, ...read });
});

describe('dialects', () => {
  it('put pagination beside meta, or nowhere', async () => {
    const top = (await createBench({ dialect: 'pagination=top' })).ask('GET /members').body;
    expect(top.pagination.total).toBe(14);
    expect(top.meta.pagination).toBeUndefined();
    const none = (await createBench({ dialect: 'pagination=none' })).ask('GET /members').body;
    expect(none.pagination ?? none.meta.pagination).toBeUndefined();
  });

  it.each([200, 201])('answer creates with %i', async (created) => {
    const bench = await createBench({ dialect: `created=${created}` });
    const member = { email: 'a@b.example', firstname: 'A', lastname: 'B', role: 'Regular User' };
    expect(bench.status('POST /projects', { name: 'X' })).toBe(created);
    expect(bench.status('POST /members', member)).toBe(created);
    expect(bench.status('POST /time-tracking/stop')).toBe(200);
  });

  it('answer what is invalid with 422 and a map of errors', async () => {
    const bench = await createBench({ dialect: 'invalid=422' });
    const { status, body } = bench.ask('POST /projects');
    expect(status).toBe(422);
    expect(body.errors).toEqual({ name: ['The name field is required.'] });
    expect(bench.status('GET /projects/1')).toBe(404);
  });

  it('show opaque ids, in answers and in events, and take them back', async () => {
    const bench = await createBench({ dialect: 'ids=opaque' });
    const heard = bench.hear();
    const { id } = bench.ask('GET /timesheets', { status: 'submitted' }).data[0];
    expect(id).toMatch(/^r[A-Za-z0-9_-]{22}$/);
    expect(bench.status(`PUT /timesheets/${id}/approve`)).toBe(200);
    expect(heard()[0]?.data).toMatchObject({ id });
    expect(bench.ask('GET /timesheets', { id }).data[0].status).toBe('approved');
    const category_id = bench.ask('GET /expenses/categories').data[0].id;
    const body = { expense_name: 'x', date: '2026-03-01', amount: 1, category_id };
    expect(bench.ask('POST /expenses', body).data.category).toBe('Travel');
    expect(heard()[1]?.data).toMatchObject({ category_id });
  });

  it('answer done with an object, and shorten the timestamp', async () => {
    const bench = await createBench({ dialect: 'empty=object,timestamp=plain' });
    const { body } = bench.ask(`PUT /members/${bench.userId('mei')}`);
    expect(body.data).toEqual({});
    expect(body.meta.timestamp).toBe('2026-03-18T10:00:00Z');
  });

  it('leave out what has no value, or answer null; what may not be seen too', async () => {
    const show = async (dialect: string, as: string, email: string) => {
      const bench = await createBench({ dialect, as });
      bench.ask(`PUT /members/${bench.userId('mei')}`, { remove_avatar: 1 });
      return bench.ask(`GET /members/${bench.userId(email)}`).data;
    };
    const nullsOf = (data: Record<string, unknown>) =>
      Object.keys(data).filter((name) => data[name] === null);
    const unset = 'avatar team_name title birth_date hired_at preferred_timezone tax_country tax_state';
    const absent = await show('', 'nora', 'priya');
    expect(nullsOf(absent)).toEqual(['deleted_at']);
    for (const name of unset.split(' ')) expect(absent).not.toHaveProperty(name);
    const nulls = [...unset.split(' '), 'deleted_at'].sort();
    expect(nullsOf(await show('unset=null', 'nora', 'priya')).sort()).toEqual(nulls);
    expect(nullsOf(await show('unset=null', 'grace', 'priya'))).toEqual(
      expect.arrayContaining([...nulls, 'rate', 'rate_type']),
    );
    expect(await show('', 'nora', 'mei')).not.toHaveProperty('avatar');
    expect((await show('unset=null', 'nora', 'mei')).avatar).toBeNull();
  });

  it('speak of timesheets as newer generations do', async () => {
    const bench = await createBench({ dialect: 'timesheets=newer' });
    const [sheet] = bench.ask('GET /timesheets', { status: 'pending' }).data;
    expect(sheet).toMatchObject({ status: 'pending', total_minutes: 600, member: { name: 'Samir Haddad' } });
    expect(sheet).not.toHaveProperty('total_hours');
    expect(bench.status('GET /timesheets', { status: 'open' })).toBe(400);
    expect(bench.ask(`PUT /timesheets/${sheet.id}/approve`).body.message).toMatch(/this one is pending/);
  });

  it('list webhooks as newer generations do', async () => {
    const { body } = (await createBench({ dialect: 'webhooks=newer' })).ask('GET /webhooks');
    expect(body.data).toHaveLength(2);
    expect(body.meta.pagination).toMatchObject({ total: 2, per_page: 50 });
  });

  it('ignore per_page, and page', async () => {
    const ask = async (dialect: string, query: object) =>
      (await createBench({ seed: 'agency', dialect })).ask('GET /members', query).data;
    expect(await ask('ignorePerPage', { per_page: '100' })).toHaveLength(20);
    const [one, two] = [{ page: '1' }, { page: '2' }].map((query) => ask('ignorePage', query));
    expect(await two).toEqual(await one);
  });
});

it('routes are the operations of the document, each once', () => {
  const routes = ROUTES.map(({ route }) => route).sort();
  expect(routes).toEqual([...new Set(allOperations.map(({ route }) => route))].sort());
});
