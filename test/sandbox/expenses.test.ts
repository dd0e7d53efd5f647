import { describe, expect, it } from 'vitest';
import { useBench } from './bench.ts';

/** Expenses and webhooks; what they show is in the sessions (test/scripts). */

const bench = useBench();

describe('an expense', () => {
  const wish = (change = {}) => ({
    ...{ expense_name: 'Ferry', date: '2026-03-01', amount: 12.5, is_billable: true },
    category_id: Object.keys(bench.space.categories)[0],
    project_id: Number(Object.keys(bench.space.projects)[0]),
    ...change,
  });
  const create = (change = {}) => bench.ask('POST /expenses', wish(change));

  it.each(['expense_name', 'date', 'amount', 'category_id'])('needs %s, also when it is updated', (name) => {
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
  ])('is refused with %j', (change) => {
    expect(create(change).status).toBe(400);
  });

  it('is created with 201, keeps what an update does not name, and is deleted once', () => {
    const { status, data } = create({ note: 'Deck 3' });
    const path = `PUT /expenses/${data.id}`;
    const show = () => bench.ask('GET /expenses', { id: data.id }).data[0];
    const rest = { project_id: undefined, is_billable: undefined };
    expect([status, bench.ask(path, wish({ ...rest, amount: 13 })).data]).toEqual([201, null]);
    const kept = { amount: 13, note: 'Deck 3', project: 'Harbour website', type: 'billable' };
    expect(show()).toMatchObject(kept);
    bench.ask(path, wish({ note: 'Deck 4', is_billable: false }));
    expect(show()).toMatchObject({ note: 'Deck 4', type: 'non-billable' });
    expect(bench.ask(`DELETE /expenses/${data.id}`).data).toBeNull();
    expect(bench.status(`DELETE /expenses/${data.id}`)).toBe(404);
  });
});

describe('a webhook', () => {
  const hook = { url: 'http://127.0.0.1:9/x', events: ['tracker.started', 'my.own'] };

  it('is listed without its token, in an envelope of its own, 50 a page', () => {
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
  ])('is created from the form %s', (events, expected) => {
    const raw = `workspace_id=${bench.space.id}&url=https%3A%2F%2Fa.example&${events}`;
    const type = 'application/x-www-form-urlencoded; charset=utf-8';
    const { data } = bench.ask('POST /webhooks', {}, { workspace: false, type, raw });
    expect(data).toMatchObject({ url: 'https://a.example', events: expected });
  });

  it('is created with a token, updated and deleted with success only', () => {
    const { status, data } = bench.ask('POST /webhooks', hook);
    expect(status).toBe(200);
    expect(data).toEqual({ ...hook, id: expect.any(String), token: expect.stringMatching(/^whsec_/) });
    const path = `/webhooks/${data.id}`;
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
  ])('is refused with %j', (change) => {
    expect(bench.status('POST /webhooks', { ...hook, ...change })).toBe(400);
  });
});
