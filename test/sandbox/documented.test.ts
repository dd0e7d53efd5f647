import { expect, it } from 'vitest';
import { documentedFields, faultsOfAnswer } from '../support/documented-types.ts';
import { ROUTES } from '../support/sandbox-server.ts';
import { createBench } from './bench.ts';

// That writes are answered as documented, and what is then read: test/scripts/sessions.slow.test.ts.
it.each([
  { seed: 'demo', hasAll: true },
  // She may not see rates.
  { seed: 'demo', as: 'grace' },
  { seed: 'agency' },
  { seed: 'month-end' },
  { seed: 'big' },
  { seed: 'empty' },
])('every answer has the documented types: $seed $as', async ({ hasAll, ...options }) => {
  const bench = await createBench(options);
  /** Wrong values, each once, as `GET /members data[].tax_state is null: string`. */
  const faults = new Set<string>();
  /** `GET /members avatar`: fields that had a value somewhere. */
  const fields = new Set<string>();
  const routes = new Set<string>();
  const read = (route: string, id: string | number = '', query: object = {}) => {
    const { status, body } = bench.ask(route.replace(/\{\w+\}/, String(id)), query);
    routes.add(route);
    for (const fault of faultsOfAnswer(route, status, body)) faults.add(fault);
    if (status !== 200) faults.add(`${route} answers ${status}: ${body.message}`);
    for (const row of [body.data].flat())
      for (const [name, value] of Object.entries(row)) if (value !== null) fields.add(`${route} ${name}`);
    return body;
  };
  /** All pages, or the first, one in the middle and the last of very many. @returns a few of the records */
  const readList = (route: string, query: object = {}) => {
    const { data, meta } = read(route, '', { per_page: '100', ...query });
    const rows = [...data];
    const last = meta?.pagination?.last_page ?? 1;
    for (let page = 2; page <= last; page += last > 20 ? Math.floor((last - 2) / 2) : 1)
      rows.push(...read(route, '', { per_page: '100', ...query, page: String(page) }).data);
    return [...rows.slice(0, 12), ...rows.slice(-2)];
  };
  // Balances need days, tasks a project.
  for (const list of ROUTES.filter((route) => /^GET [^{]*$/.test(route) && !/balances|tasks/.test(route))) {
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
  expect([...faults]).toEqual([]);
  expect(fields.has('GET /members rate')).toBe(options.as !== 'grace');
  if (!hasAll) return;
  const all = ROUTES.filter((route) => route.startsWith('GET '));
  expect(all.filter((route) => !routes.has(route))).toEqual([]);
  // Archived ones are not listed; a list of webhooks shows no secrets.
  expect(all.flatMap(documentedFields).filter((field) => !fields.has(field))).toEqual([
    'GET /projects deleted_at',
    'GET /projects/{projectId} deleted_at',
    'GET /tasks deleted_at',
    'GET /tasks/{taskId} deleted_at',
    'GET /webhooks token',
  ]);
});
