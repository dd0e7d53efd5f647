import { describe, expect, it } from 'vitest';
import type { Api, ApiCall } from '../../src/api/client.ts';
import { Lists } from '../../src/api/lists.ts';
import { operations } from '../../src/api/operations.ts';
import { fetchPages, type PageWindow, type Row } from '../../src/api/page.ts';
import type { ApiReply } from '../../src/api/reply.ts';
import { Failure } from '../../src/errors.ts';
import { realClock } from '../../src/platform/machine.ts';
import { envelope, onePage } from '../support/service.ts';
import { useCli } from '../support/use-cli.ts';

/** The lists of a run: each is read once, and again only where that is asked for. */

const PAGE = 100;

/** A list of members that counts its requests. @param told whether the service tells how many there are */
const service = (count: number, told = true) => {
  const state = { requests: 0, fails: false };
  const list = (values: Row = {}) =>
    ({
      operation: operations.members.list,
      values,
      async *pages() {
        for (let from = 1; from <= count; from += PAGE) {
          state.requests += 1;
          if (state.fails) throw new Failure('Busy.', { code: 'failed', exit: 7 });
          const rows = Array.from({ length: Math.min(PAGE, count - from + 1) }, (_, i) => ({ id: from + i }));
          yield { rows, total: told ? count : undefined };
        }
      },
    }) as unknown as ApiCall;
  let now = 0;
  const lists = new Lists({} as Api, () => now);
  const wait = (ms: number) => {
    now += ms;
  };
  return { state, list, lists, wait };
};

const ids = (count: number, step = 1) =>
  new Set(Array.from({ length: count }, (_, i) => String(1 + i * step)));

it('readers share the pages of a list, and each other filter is another list', async () => {
  const { state, list, lists } = service(250);
  const [first, second] = await Promise.all([lists.rows(list()), lists.rows(list())]);
  for await (const _ of lists.pages(list())) break;
  expect([first.length, second.length, state.requests]).toEqual([250, 250, 3]);
  expect(lists.find(list(), '250')).toEqual({ id: 250 });
  await lists.rows(list({ role: 'Owner' }));
  expect(state.requests).toBe(6);
});

it('what was read before a time is read again, and so is what failed', async () => {
  const { state, list, lists, wait } = service(50);
  state.fails = true;
  await expect(lists.rows(list())).rejects.toThrow('Busy.');
  state.fails = false;
  await lists.rows(list());
  wait(10);
  expect(lists.find(list(), '1', 10)).toBeUndefined();
  await lists.rows(list(), 10);
  await lists.rows(list(), 10);
  expect([state.requests, lists.find(list(), '1', 10)]).toEqual([3, { id: 1 }]);
});

it.each([
  ['few of a long list that tells its length', 5_000, 10, 500, true],
  ['many of a long list that tells its length', 5_000, 100, 50, true],
  ['many of a short list that does not', 300, 200, 1, false],
  ['few of a long list that does not', 5_000, 20, 250, false],
  ['none of a long list that does not', 5_000, 20, 10_000, false],
])('R13: looking for %s takes no more than the least', async (_name, count, wanted, step, told) => {
  const { state, list, lists } = service(count, told);
  const { rows } = await lists.search([list()], ids(wanted, step));
  const least = Math.min(count / PAGE, wanted);
  expect(state.requests + wanted - rows.size).toBeLessThanOrEqual(1.05 * least + 3);
});

const t = useCli({ shared: true });

/** Applies a plan of 90 updates to a service in which a record changes, and the time goes on, while they are sent. */
const applyWhileItChanges = async (ms: number) => {
  const hours = new Map(Array.from({ length: 90 }, (_, i) => [17 + i, 40]));
  let waited = 0;
  const clock = { ...realClock, now: () => realClock.now() + waited };
  const toMember = (id: number) => ({ id, weekly_hours_limit: hours.get(id), status: 'active' });
  let applying = false;
  t.answer = ({ line, body }) => {
    const id = Number(/^\w+ \/members\/(\d+)/.exec(line)?.[1]);
    if (line.startsWith('GET'))
      return { body: id > 0 ? envelope(toMember(id)) : onePage([...hours.keys()].map(toMember)) };
    if (applying && id === 27) {
      waited = ms;
      hours.set(106, 12);
    }
    hours.set(id, (body as { weekly_hours_limit: number }).weekly_hours_limit);
    return { body: envelope(null) };
  };
  const rows = [...hours.keys()].map((id) => `${id},32`).join('\n');
  const plan = t.file(`plan-${ms}.ndjson`);
  await t.run(
    `members update --from-file ${t.file('rows.csv', `id,weekly_hours_limit\n${rows}\n`)} --plan ${plan}`,
  );
  applying = true;
  const before = t.lines().length;
  const { exit, stdout } = await t.run(`plan apply ${plan} --yes --json`, { clock });
  const moved = JSON.parse(stdout).filter(({ error }: { error?: Row }) => error?.['code'] === 'moved');
  const lines = t.lines().slice(before);
  return { exit, moved, lines, lists: lines.filter((line) => line.startsWith('GET /members')) };
};

it('a plan looks at all its records by list pages when it begins, and again at those left after a minute', async () => {
  const soon = await applyWhileItChanges(50_000);
  expect([soon.exit, soon.moved]).toEqual([0, []]);
  expect(soon.lists).toEqual([expect.stringMatching(/^GET \/members\?/)]);
  const late = await applyWhileItChanges(61_000);
  expect([late.exit, late.lists.length]).toEqual([8, 2]);
  expect(late.moved).toMatchObject([
    { target: '106', status: 'skipped', message: 'changed since: hours a week: 40 → 12' },
  ]);
  expect(late.lines.filter((line) => line.startsWith('PUT /members/106'))).toEqual([]);
});

type Query = { page?: number; per_page?: number };

const rows = (from: number, to: number) =>
  Array.from({ length: to - from + 1 }, (_, i) => ({ id: from + i }));

const reply = (data: readonly unknown[], pagination?: ApiReply['pagination']) => ({
  ...{ data, message: undefined, pagination, envelope: {} },
});

/** A service with `total` rows that tells its pagination. */
const telling =
  (total: number, asked: Query[] = [], size?: number) =>
  async (query: Query) => {
    asked.push(query);
    const per = size ?? query.per_page ?? 20;
    const page = query.page ?? 1;
    const lastPage = Math.max(1, Math.ceil(total / per));
    return reply(rows((page - 1) * per + 1, Math.min(total, page * per)), { page, lastPage, total });
  };

const collect = async (
  fetch: (query: Query) => Promise<ApiReply<readonly unknown[]>>,
  window?: PageWindow,
) => {
  const ids: unknown[] = [];
  let shortened = false;
  let total: number | undefined;
  for await (const page of fetchPages(fetch, 'pages', 'things', window ?? {})) {
    ids.push(...page.rows.map((row) => (row as { id: number }).id));
    shortened = page.shortened ?? false;
    total = page.total;
  }
  return { ids, shortened, total };
};

const upTo = (to: number, from = 1) => Array.from({ length: to - from + 1 }, (_, i) => i + from);

describe('pages', () => {
  it.each<[what: string, total: number, window: PageWindow, shown: string, asked: string, size?: number]>([
    ['all of them, 100 rows a request', 431, {}, '1-431', '1,2,3,4,5 of 100'],
    ['--limit', 431, { limit: 150 }, '1-150, shortened', '1,2 of 100'],
    ['--limit within a page', 431, { limit: 20 }, '1-20, shortened', '1 of 20'],
    // The limit is reached with the last row of the last page, not before it.
    ['--limit at the end', 200, { limit: 200 }, '1-200', '1,2 of 100'],
    ['--limit in the last page', 231, { limit: 231 }, '1-231', '1,2,3 of 100'],
    ['--limit before the last row', 201, { limit: 200 }, '1-200, shortened', '1,2 of 100'],
    ['--page', 431, { page: 2, perPage: 10 }, '11-20, shortened', '2 of 10'],
    ['the last with --page', 431, { page: 44, perPage: 10 }, '431-431, shortened', '44 of 10'],
    ['one that is not there', 431, { page: 99, perPage: 10 }, ', shortened', '99 of 10'],
    ['the only one', 9, { page: 1, perPage: 10 }, '1-9', '1 of 10'],
    ['its rows, however many are wanted', 431, { page: 2, limit: 3 }, '101-103, shortened', '2 of 100'],
    ['where per_page is ignored', 95, {}, '1-95', '1,2,3,4,5 of 100', 20],
    ['--limit where it is ignored', 95, { limit: 50 }, '1-50, shortened', '1,2,3 of 50', 20],
  ])('%s', async (_what, total, window, shown, pages, size) => {
    const asked: Query[] = [];
    const result = await collect(telling(total, asked, size), window);
    const [first, last] = [Number(result.ids[0]), Number(result.ids.at(-1))];
    expect([result.ids, result.total]).toEqual([first > 0 ? upTo(last, first) : [], total]);
    const range = first > 0 ? `${first}-${last}` : '';
    expect(`${range}${result.shortened ? ', shortened' : ''}`).toBe(shown);
    expect(`${asked.map(({ page }) => page)} of ${asked[0]?.per_page}`).toBe(pages);
  });

  it('keeps the order when a later page is answered first', async () => {
    const slow = telling(500);
    const fetch = async (query: Query) => {
      await new Promise((resolve) => setTimeout(resolve, 20 - 4 * (query.page ?? 1)));
      return slow(query);
    };
    expect((await collect(fetch)).ids).toEqual(upTo(500));
  });

  it('ends on an empty page where no pagination is shown, and not on a short one', async () => {
    const asked: Query[] = [];
    const fetch = async (query: Query) => reply((await telling(47, asked, 20)(query)).data ?? []);
    expect((await collect(fetch)).ids).toEqual(upTo(47));
    expect(asked.map(({ page }) => page)).toEqual([1, 2, 3, 4]);
  });

  it('ends on a repeated page: a service that ignores page', async () => {
    let calls = 0;
    const same = async () => {
      calls += 1;
      return reply(rows(1, 20));
    };
    expect((await collect(same)).ids).toEqual(upTo(20));
    expect(calls).toBe(2);
    const lying = async () => reply(rows(1, 20), { page: 1, lastPage: 40, total: 800 });
    expect(await collect(lying)).toEqual({ ids: upTo(20), shortened: true, total: 800 });
  });

  it('ends on an empty page whatever the pagination says', async () => {
    const fetch = async ({ page = 1 }: Query) =>
      reply(page < 3 ? rows(page * 10, page * 10 + 9) : [], { page, lastPage: 9_000_000, total: undefined });
    expect((await collect(fetch)).ids).toHaveLength(20);
  });

  it('sends neither page nor per_page for a list that is not paged, but goes on when the answer says so', async () => {
    const asked: Query[] = [];
    for await (const _ of fetchPages(telling(3, asked, 20), 'none', 'things'));
    expect(asked).toEqual([{}]);
    const more: Query[] = [];
    const ids: unknown[] = [];
    for await (const page of fetchPages(telling(30, more, 20), 'none', 'things')) ids.push(...page.rows);
    expect(ids).toHaveLength(30);
    expect(more).toEqual([{}, { page: 2 }]);
  });

  it('gives the error of a page in its turn, after the rows before it', async () => {
    const fetch = async (query: Query) => {
      if (query.page === 3) throw new Error('page 3 broke');
      return telling(500)(query);
    };
    const seen: unknown[] = [];
    await expect(async () => {
      for await (const page of fetchPages(fetch, 'pages', 'things')) seen.push(...page.rows);
    }).rejects.toThrow('page 3 broke');
    expect(seen).toHaveLength(200);
  });
});

describe('a list that came short', () => {
  const paged =
    (pages: readonly (readonly [ids: readonly number[], total: number])[], lastPage = pages.length) =>
    async ({ page = 1 }: Query) => {
      const [ids, total] = pages[page - 1] ?? [[], 0];
      return reply(
        ids.map((id) => ({ id })),
        { page, lastPage, total },
      );
    };
  const lastOf = async (fetch: ReturnType<typeof paged>, window?: PageWindow) => {
    let last: unknown;
    for await (const page of fetchPages(fetch, 'pages', 'things', window ?? {})) last = page;
    return last;
  };

  // Each page by its ids and the total that it tells: `1 2 of 3`.
  const read = (text: string) =>
    paged(
      text.split(', ').map((page) => {
        const [ids = '', total] = page.split('of ');
        return [ids.split(' ').filter(Boolean).map(Number), Number(total)] as const;
      }),
    );

  it.each([
    ['an empty page', '1 2 of 3, of 3', 2, 3],
    ['a short page at the normal end', '1 2 of 4, 3 of 4', 3, 4],
    ['the only page', '1 2 of 3', 2, 3],
    ['a row went from an earlier page', '1 2 of 4, 4 of 3', 3, 4],
    ['a row came on an earlier page', '1 2 of 4, 2 3 of 5', 4, 5],
  ])('%s', async (_, pages, came, total) => {
    expect(await lastOf(read(pages))).toEqual({ rows: [], total, shortened: true, came });
    await expect(async () => {
      for await (const _page of fetchPages(read(pages), 'pages', 'things'));
    }).rejects.toMatchObject({
      message: `the list of things is incomplete: got ${came} of ${total}`,
      ...{ code: 'incomplete', exit: 7 },
    });
  });

  it.each([
    ['more than the service counts', '1 2 of 3, 3 4 of 3', {}],
    ['the same id twice where nothing moved', '1 2 of 4, 2 3 of 4', {}],
    ['cut as asked', '1 2 of 4, 3 of 4', { limit: 3 }],
    ['one page of it, as asked', '1 2 of 4, 3 of 4', { page: 2 }],
  ])('is not: %s', async (_, pages, window) => {
    expect(await lastOf(read(pages), window)).toEqual(
      expect.not.objectContaining({ came: expect.anything() }),
    );
  });
});
