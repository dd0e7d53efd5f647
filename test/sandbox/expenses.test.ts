import { beforeEach, describe, expect, it } from 'vitest';
import { type Bench, createBench } from './bench.ts';

let bench: Bench;
beforeEach(async () => {
  bench = await createBench();
});

const projectId = (name: string): number =>
  Object.values(bench.space.projects).find((project) => project.name === name)?.id ?? 0;

describe('expenses', () => {
  const wish = () => ({
    expense_name: 'Ferry',
    date: '2026-03-01',
    amount: 12.5,
    category_id: Object.keys(bench.space.categories)[0],
    project_id: projectId('Harbour website'),
    is_billable: true,
  });

  it('creates with 201 as the list shows it', () => {
    const answer = bench.send('POST', '/expenses', { body: wish() });
    expect(answer.status).toBe(201);
    expect(answer.body.data).toEqual({
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

  it.each(['expense_name', 'date', 'amount', 'category_id'])('needs %s to create and to update', (name) => {
    const id = Object.keys(bench.space.expenses)[0];
    const body = { ...wish(), [name]: undefined };
    expect(bench.send('POST', '/expenses', { body }).status).toBe(400);
    expect(bench.send('PUT', `/expenses/${id}`, { body }).status).toBe(400);
  });

  it('refuses what does not fit', () => {
    for (const change of [
      { amount: '12' },
      { amount: -1 },
      { date: '2026-13-01' },
      { category_id: 'x' },
      { project_id: 1 },
      { is_billable: 'yes' },
    ]) {
      expect(bench.send('POST', '/expenses', { body: { ...wish(), ...change } }).status).toBe(400);
    }
  });

  it('keeps with an update what it does not name', () => {
    const { id } = bench.send('POST', '/expenses', { body: { ...wish(), note: 'Deck 3' } }).body.data;
    const shown = () => bench.send('GET', '/expenses', { query: { id } }).body.data[0];
    const { project_id: _project, is_billable: _billable, ...needed } = wish();
    bench.send('PUT', `/expenses/${id}`, { body: { ...needed, amount: 13 } });
    const kept = { amount: 13, note: 'Deck 3', project: 'Harbour website', type: 'billable' };
    expect(shown()).toMatchObject(kept);
    bench.send('PUT', `/expenses/${id}`, { body: { ...needed, note: 'Deck 4', is_billable: false } });
    expect(shown()).toMatchObject({ note: 'Deck 4', type: 'non-billable' });
  });

  it('updates, deletes for good, filters', () => {
    const { id } = bench.send('POST', '/expenses', { body: wish() }).body.data;
    expect(
      bench.send('PUT', `/expenses/${id}`, { body: { ...wish(), amount: 13, project_id: undefined } }).body
        .data,
    ).toBeNull();
    const found = bench.send('GET', '/expenses', { query: { id } }).body.data;
    expect(found[0]).toMatchObject({ amount: 13, project: 'Harbour website' });
    expect(
      bench.send('GET', '/expenses', { query: { date_from: '2026-03-01', date_to: '2026-03-01' } }).body.data,
    ).toHaveLength(1);
    expect(bench.send('DELETE', `/expenses/${id}`).body.data).toBeNull();
    expect(bench.send('DELETE', `/expenses/${id}`).status).toBe(404);
    expect(bench.send('GET', '/expenses', { query: { id } }).body.data).toEqual([]);
  });

  it('lists categories', () => {
    const { body } = bench.send('GET', '/expenses/categories');
    expect(body.data.map((row: { name: string }) => row.name)).toEqual(['Travel', 'Software', 'Meals']);
    expect(bench.send('GET', '/expenses/categories', { query: { id: body.data[1].id } }).body.data).toEqual([
      body.data[1],
    ]);
  });
});
