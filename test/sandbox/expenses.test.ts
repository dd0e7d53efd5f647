import { describe, expect, it } from 'vitest';
import { useBench } from './bench.ts';

const bench = useBench();

describe('expenses', () => {
  const wish = (change = {}) => ({
    expense_name: 'Ferry',
    date: '2026-03-01',
    amount: 12.5,
    category_id: Object.keys(bench.space.categories)[0],
    project_id: Number(Object.keys(bench.space.projects)[0]),
    is_billable: true,
    ...change,
  });
  const create = (change = {}) => bench.ask('POST /expenses', wish(change));
  const show = (id: string) => bench.ask('GET /expenses', { id }).data[0];

  it('are created with 201 as the list shows them', () => {
    const { status, data } = create();
    expect(status).toBe(201);
    expect(data).toEqual({
      id: expect.any(String),
      member: 'Nora Lindqvist',
      expense_name: 'Ferry',
      expense_date: 'Mar 01, 2026',
      project: 'Harbour website',
      category: 'Travel',
      amount: 12.5,
      note: null,
      type: 'billable',
      added_dte: 'Mar 18, 2026',
    });
  });

  it.each(['expense_name', 'date', 'amount', 'category_id'])('need %s to be created and updated', (name) => {
    const id = Object.keys(bench.space.expenses)[0];
    expect(create({ [name]: undefined }).status).toBe(400);
    expect(bench.status(`PUT /expenses/${id}`, wish({ [name]: undefined }))).toBe(400);
  });

  it.each([
    { amount: '12' },
    { amount: -1 },
    { date: '2026-13-01' },
    { category_id: 'x' },
    { project_id: 1 },
    { is_billable: 'yes' },
  ])('are refused with %j', (change) => {
    expect(create(change).status).toBe(400);
  });

  it('keep what an update does not name', () => {
    const { id } = create({ note: 'Deck 3' }).data;
    const rest = { project_id: undefined, is_billable: undefined };
    expect(bench.ask(`PUT /expenses/${id}`, wish({ ...rest, amount: 13 })).data).toBeNull();
    const kept = { amount: 13, note: 'Deck 3', project: 'Harbour website', type: 'billable' };
    expect(show(id)).toMatchObject(kept);
    bench.ask(`PUT /expenses/${id}`, wish({ note: 'Deck 4', is_billable: false }));
    expect(show(id)).toMatchObject({ note: 'Deck 4', type: 'non-billable' });
  });

  it('are filtered by day, and deleted for good', () => {
    const { id } = create().data;
    const range = { date_from: '2026-03-01', date_to: '2026-03-01' };
    expect(bench.ask('GET /expenses', range).data).toHaveLength(1);
    expect(bench.ask(`DELETE /expenses/${id}`).data).toBeNull();
    expect(bench.status(`DELETE /expenses/${id}`)).toBe(404);
    expect(show(id)).toBeUndefined();
  });

  it('have categories', () => {
    const { data } = bench.ask('GET /expenses/categories');
    expect(data.map((row: { name: string }) => row.name)).toEqual(['Travel', 'Software', 'Meals']);
    expect(bench.ask('GET /expenses/categories', { id: data[1].id }).data).toEqual([data[1]]);
  });
});

describe('webhooks', () => {
  const hook = { url: 'http://127.0.0.1:9/x', events: ['tracker.started', 'my.own'] };

  it('are listed in an envelope of their own, 50 a page, without tokens', () => {
    for (let i = 0; i < 50; i += 1) bench.ask('POST /webhooks', hook);
    const { body } = bench.ask('GET /webhooks', { page: '2' });
    expect(body).toMatchObject({ max_rows: 50, current_page: 2, total_pages: 2 });
    expect(body.data).toHaveLength(2);
    expect(Object.keys(body.data[0])).toEqual(['id', 'url', 'events']);
  });

  it.each([
    ['events[]=a&events[]=b', ['a', 'b']],
    ['events[0]=a&events[1]=b', ['a', 'b']],
    ['events%5B%5D=a&events%5B%5D=b', ['a', 'b']],
    ['events=a&events=b', ['a', 'b']],
    ['events=a', ['a']],
  ])('are created from the form %s', (events, expected) => {
    const raw = `workspace_id=${bench.space.id}&url=https%3A%2F%2Fa.example&${events}`;
    const type = 'application/x-www-form-urlencoded; charset=utf-8';
    const { data } = bench.ask('POST /webhooks', {}, { workspace: false, type, raw });
    expect(data).toMatchObject({ url: 'https://a.example', events: expected });
  });

  it('are created from JSON with a token, updated and deleted; the last two with success only', () => {
    const { status, data } = bench.ask('POST /webhooks', hook);
    expect(status).toBe(200);
    expect(data).toEqual({ ...hook, id: expect.any(String), token: expect.stringMatching(/^whsec_/) });
    const path = `/webhooks/${data.id}`;
    expect(bench.ask(`GET ${path}`).data).toEqual(data);
    const url = 'https://b.example/';
    expect(Object.keys(bench.ask(`PUT ${path}`, { ...hook, url }).body)).toEqual(['success', 'meta']);
    expect(bench.ask(`GET ${path}`).data).toEqual({ ...data, url });
    expect(Object.keys(bench.ask(`DELETE ${path}`).body)).toEqual(['success', 'meta']);
    expect(bench.status(`GET ${path}`)).toBe(404);
  });

  it.each([
    { url: undefined },
    { url: 'ftp://x' },
    { url: 'x' },
    { events: [] },
    // In JSON a text is no list.
    { events: 'a' },
    { events: [1] },
    { events: undefined },
  ])('are refused with %j', (change) => {
    expect(bench.status('POST /webhooks', { ...hook, ...change })).toBe(400);
  });
});
