import { describe, expect, it } from 'vitest';
import { documentedFields, faultsOfAnswer } from '../support/documented-types.ts';
import { ROUTES } from '../support/sandbox-server.ts';
import { createBench } from './bench.ts';

/** Every list of a seed, and of a few records of each everything else that can be read. */
const readEverything = async (seed: string, as?: string) => {
  const bench = await createBench({ seed, ...(as && { as }) });
  /** Wrong values, each once, as `GET /members data[].tax_state is null: string`. */
  const faults = new Set<string>();
  const routes = new Set<string>();
  /** `GET /members avatar`: fields that had a value somewhere. */
  const fields = new Set<string>();
  const read = (route: string, id: string | number = '', query: object = {}) => {
    const got = bench.ask(route.replace(/\{\w+\}/, String(id)), query);
    routes.add(route);
    for (const fault of faultsOfAnswer(route, got.status, got.body)) faults.add(fault);
    if (got.status !== 200) faults.add(`${route} answers ${got.status}: ${got.body.message}`);
    for (const row of [got.data].flat())
      for (const [name, value] of Object.entries(row)) if (value !== null) fields.add(`${route} ${name}`);
    return got.body;
  };
  /** All pages, or the first, one in the middle and the last of very many. @returns a few of the records */
  const readList = (route: string, query: object = {}) => {
    const first = read(route, '', { per_page: '100', ...query });
    const rows = [...first.data];
    const last = first.meta?.pagination?.last_page ?? 1;
    for (let page = 2; page <= last; page += last > 20 ? Math.floor((last - 2) / 2) : 1)
      rows.push(...read(route, '', { per_page: '100', ...query, page: String(page) }).data);
    return [...rows.slice(0, 12), ...rows.slice(-2)];
  };
  const bound = ['GET /leaves/balances', 'GET /tasks'];
  for (const list of ROUTES.filter((route) => /^GET [^{]*$/.test(route) && !bound.includes(route))) {
    const one = ROUTES.find((route) => route.startsWith(`${list}/{`) && route.endsWith('}'));
    for (const { id } of readList(list)) if (one !== undefined) read(one, id);
  }
  readList('GET /leaves/balances', { date_from: '2026-01-01', date_to: '2026-12-31' });
  for (const { id: project } of readList('GET /projects')) {
    const query = { project_id: String(project) };
    for (const { id } of readList('GET /tasks', query)) {
      read('GET /tasks/{taskId}', id, query);
      read('GET /tasks/{taskId}/assignees', id, query);
    }
  }
  return { faults: [...faults], routes, fields };
};

// That writes are answered as documented, and what is then read: test/scripts/sessions.slow.test.ts.
describe('every answer has the documented types', () => {
  it.each(['demo', 'agency', 'month-end', 'big', 'empty'])('in the seed %s', async (seed) => {
    expect((await readEverything(seed)).faults).toEqual([]);
  });

  it('for somebody who may not see rates, of which there are none then', async () => {
    const { faults, fields } = await readEverything('demo', 'grace');
    expect(faults).toEqual([]);
    expect(fields).not.toContain('GET /members rate');
    expect(fields).not.toContain('GET /members rate_type');
  });

  it('and every read is met, every field has a value somewhere in the demo or the agency', async () => {
    const [demo, agency] = [await readEverything('demo'), await readEverything('agency')];
    const wanted = ROUTES.filter((route) => route.startsWith('GET ')).flatMap(documentedFields);
    // Archived ones are not listed; a list of webhooks shows no secrets.
    const never = [
      ...['/projects', '/projects/{projectId}', '/tasks', '/tasks/{taskId}'].map(
        (path) => `GET ${path} deleted_at`,
      ),
      'GET /webhooks token',
    ];
    expect(wanted.filter((field) => !demo.fields.has(field) && !agency.fields.has(field))).toEqual(never);
    expect(ROUTES.filter((route) => route.startsWith('GET ') && !demo.routes.has(route))).toEqual([]);
  });
});
