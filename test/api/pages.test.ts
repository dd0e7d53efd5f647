import { describe, expect, it } from 'vitest';
import { fetchPages, type PageWindow } from '../../src/api/page.ts';
import type { ApiReply } from '../../src/api/reply.ts';

type Query = { page?: number; per_page?: number };

const rows = (from: number, to: number) =>
  Array.from({ length: to - from + 1 }, (_, i) => ({ id: from + i }));

const reply = (
  data: readonly unknown[],
  pagination?: ApiReply['pagination'],
): ApiReply<readonly unknown[]> => ({
  data,
  message: undefined,
  pagination,
  envelope: {},
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

const upTo = (n: number) => Array.from({ length: n }, (_, i) => i + 1);

describe('pages', () => {
  it('fetches all pages, 100 rows a request, in order', async () => {
    const asked: Query[] = [];
    const { ids, shortened } = await collect(telling(431, asked));
    expect(ids).toEqual(upTo(431));
    expect(asked).toEqual([1, 2, 3, 4, 5].map((page) => ({ page, per_page: 100 })));
    expect(shortened).toBe(false);
  });

  it('keeps the order when a later page is answered first', async () => {
    const slow = telling(500);
    const fetch = async (query: Query) => {
      await new Promise((resolve) => setTimeout(resolve, 20 - 4 * (query.page ?? 1)));
      return slow(query);
    };
    expect((await collect(fetch)).ids).toEqual(upTo(500));
  });

  it('stops at --limit and says that there is more', async () => {
    const asked: Query[] = [];
    const result = await collect(telling(431, asked), { limit: 150 });
    expect(result).toEqual({ ids: upTo(150), shortened: true, total: 431 });
    expect(asked).toHaveLength(2);
    expect(await collect(telling(431), { limit: 20 })).toMatchObject({ ids: upTo(20), shortened: true });
    expect(await collect(telling(20), { limit: 20 })).toMatchObject({ ids: upTo(20), shortened: false });
    // The limit is reached with the last row of the last page, not before it.
    expect(await collect(telling(200), { limit: 200 })).toMatchObject({ ids: upTo(200), shortened: false });
    expect(await collect(telling(231), { limit: 231 })).toMatchObject({ ids: upTo(231), shortened: false });
    expect(await collect(telling(201), { limit: 200 })).toMatchObject({ ids: upTo(200), shortened: true });
  });

  it('asks for one page with --page', async () => {
    const asked: Query[] = [];
    const result = await collect(telling(431, asked), { page: 2, perPage: 10 });
    expect(result.ids).toEqual(upTo(20).slice(10));
    expect(result.shortened).toBe(true);
    expect(asked).toEqual([{ page: 2, per_page: 10 }]);
    const last = await collect(telling(431), { page: 44, perPage: 10 });
    expect(last).toEqual({ ids: [431], shortened: true, total: 431 });
    expect(await collect(telling(431), { page: 99, perPage: 10 })).toMatchObject({
      ids: [],
      shortened: true,
    });
    expect(await collect(telling(9), { page: 1, perPage: 10 })).toMatchObject({ shortened: false });
  });

  it('means the same rows with --page, however many of them are wanted', async () => {
    const asked: Query[] = [];
    const result = await collect(telling(431, asked), { page: 2, limit: 3 });
    expect(result.ids).toEqual(upTo(103).slice(100));
    expect(asked).toEqual([{ page: 2, per_page: 100 }]);
  });

  it('survives a service that ignores per_page', async () => {
    expect((await collect(telling(95, [], 20))).ids).toEqual(upTo(95));
    expect((await collect(telling(95, [], 20), { limit: 50 })).ids).toEqual(upTo(50));
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

  it.each([
    [
      'an empty page',
      [
        [[1, 2], 3],
        [[], 3],
      ],
      2,
      3,
    ],
    [
      'a short page at the normal end',
      [
        [[1, 2], 4],
        [[3], 4],
      ],
      3,
      4,
    ],
    ['the only page', [[[1, 2], 3]], 2, 3],
    [
      'a row went from an earlier page',
      [
        [[1, 2], 4],
        [[4], 3],
      ],
      3,
      4,
    ],
    [
      'a row came on an earlier page',
      [
        [[1, 2], 4],
        [[2, 3], 5],
      ],
      4,
      5,
    ],
  ] as const)('%s', async (_, pages, came, total) => {
    expect(await lastOf(paged(pages))).toEqual({ rows: [], total, shortened: true, came });
    await expect(async () => {
      for await (const _page of fetchPages(paged(pages), 'pages', 'things'));
    }).rejects.toMatchObject({
      message: `the list of things is incomplete: got ${came} of ${total}`,
      ...{ code: 'incomplete', exit: 7 },
    });
  });

  it.each([
    [
      'more than the service counts',
      [
        [[1, 2], 3],
        [[3, 4], 3],
      ],
    ],
    [
      'the same id twice where nothing moved',
      [
        [[1, 2], 4],
        [[2, 3], 4],
      ],
    ],
  ] as const)('is not: %s', async (_, pages) => {
    expect(await lastOf(paged(pages))).toEqual(expect.not.objectContaining({ came: expect.anything() }));
  });

  it('is not one that was cut as asked', async () => {
    const pages = paged([
      [[1, 2], 4],
      [[3], 4],
    ]);
    expect(await lastOf(pages, { limit: 3 })).toEqual(expect.not.objectContaining({ came: 3 }));
    expect(await lastOf(pages, { page: 2 })).toEqual(expect.not.objectContaining({ came: 1 }));
  });
});
