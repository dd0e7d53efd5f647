import { describe, expect, it } from 'vitest';
import { realClock } from '../../src/platform/machine.ts';
import { type Answer, envelope, onePage, type Recorded } from '../support/service.ts';
import { ask, type Row, useCli } from '../support/use-cli.ts';

/** What is asked of a list, and what is made of the pages that come, by the commands that read them. */

const from = (first: number, last: number) =>
  Array.from({ length: Math.max(0, last - first + 1) }, (_, n) => ({ id: first + n }));

/** The page with these rows. @param last without it, no pagination is told */
const reply = (rows: readonly Row[], page = 1, last?: number, total?: number): Answer => ({
  body: envelope(
    rows,
    last === undefined ? {} : { pagination: { total, current_page: page, last_page: last } },
  ),
});

const queryOf = ({ line }: Recorded) => {
  const query = new URL(line.slice('GET '.length), 'http://h').searchParams;
  return { page: Number(query.get('page') ?? 1), size: Number(query.get('per_page') ?? 20) };
};

/** The ids that `members list` prints, its words, and what it asks for: `1,2 of 100`. */
const list = async (flags: string, pages: (page: number, size: number) => Answer | Promise<Answer>) => {
  const asked: ReturnType<typeof queryOf>[] = [];
  const { stdout, stderr, exit } = await ask(`members list -o ids ${flags}`, (request) => {
    asked.push(queryOf(request));
    return pages(queryOf(request).page, queryOf(request).size);
  });
  const requests = `${asked.map(({ page }) => page).sort((a, b) => a - b)} of ${asked[0]?.size}`;
  return { ids: stdout.split('\n').slice(0, -1), stderr, exit, requests };
};

/** A service with so many members. @param own the rows of its pages, whatever is asked for */
const have = (total: number, own?: number) => (page: number, asked: number) => {
  const size = own ?? asked;
  const rows = from((page - 1) * size + 1, Math.min(total, page * size));
  return reply(rows, page, Math.max(1, Math.ceil(total / size)), total);
};

const idsOf = (first: number, last: number) => from(first, last).map(({ id }) => String(id));

it.each<
  [what: string, total: number, flags: string, first: number, last: number, asked: string, size?: number]
>([
  ['all of it, 100 rows a request', 431, '', 1, 431, '1,2,3,4,5 of 100'],
  ['no page more than --limit', 431, '--limit 150', 1, 150, '1,2 of 100'],
  ['less than a page', 431, '--limit 20', 1, 20, '1 of 20'],
  // The limit is reached with the last row of the last page, not before it.
  ['all, as far as --limit', 200, '--limit 200', 1, 200, '1,2 of 100'],
  ['all, to the middle of a page', 231, '--limit 231', 1, 231, '1,2,3 of 100'],
  ['all but the last row', 201, '--limit 200', 1, 200, '1,2 of 100'],
  ['one page of it', 431, '--page 2 --per-page 10', 11, 20, '2 of 10'],
  ['the last page', 431, '--page 44 --per-page 10', 431, 431, '44 of 10'],
  ['a page that is not there', 431, '--page 99 --per-page 10', 1, 0, '99 of 10'],
  ['the only page', 9, '--page 1 --per-page 10', 1, 9, '1 of 10'],
  ['a page whose rows --limit does not move', 431, '--page 2 --limit 3', 101, 103, '2 of 100'],
  ['all, of a service that ignores per_page', 95, '', 1, 95, '1,2,3,4,5 of 100', 20],
  ['no page more than --limit of such a one', 95, '--limit 50', 1, 50, '1,2,3 of 50', 20],
])('a list asks for %s', async (_what, total, flags, first, last, asked, size) => {
  const { ids, stderr, requests } = await list(flags, have(total, size));
  expect([ids, requests]).toEqual([idsOf(first, last), asked]);
  expect(stderr).toBe(ids.length < total ? `Showing ${ids.length} of ${total}.\n` : '');
});

it('a list asks for neither page nor per_page where none are documented, but for what the answer says there is', async () => {
  const all = 'GET /leaves/policies?workspace_id=7';
  expect((await ask('leaves policies', () => reply(from(1, 3), 1, 1, 3))).lines).toEqual([all]);
  const more = await ask('leaves policies -o ids', (request) => have(30, 20)(queryOf(request).page, 20));
  expect(more.lines).toEqual([all, `${all}&page=2`]);
  expect(more.stdout.split('\n')).toHaveLength(31);
});

it('a list keeps its order when a later page is answered first', async () => {
  let release = (): void => {};
  const isAsked = new Promise<void>((resolve) => {
    release = resolve;
  });
  const { ids } = await list('', async (page, size) => {
    if (page === 5) release();
    if (page === 2) await isAsked;
    return have(500)(page, size);
  });
  expect(ids).toEqual(idsOf(1, 500));
});

it.each<[what: string, pages: (page: number) => Answer, count: number, requests: string, told: string]>([
  [
    'on an empty page where no pagination is told, and not on a short one',
    (page) => reply(from(page * 20 - 19, Math.min(47, page * 20))),
    ...([47, '1,2,3,4 of 100', ''] as const),
  ],
  ['on a repeated page: the service ignores page', () => reply(from(1, 20)), 20, '1,2 of 100', ''],
  [
    'on a repeated page, though it tells of more',
    () => reply(from(1, 20), 1, 40, 800),
    ...([20, '1,2,3,4,5 of 100', 'the list of members is incomplete: got 20 of 800'] as const),
  ],
  [
    'on an empty page, whatever the pagination says',
    (page) => reply(page < 3 ? from(page * 10 - 9, page * 10) : [], page, 9_000_000),
    ...([20, '1,2,3,4,5,6 of 100', ''] as const),
  ],
])('a list ends %s', async (_what, pages, count, asked, told) => {
  const { ids, requests, stderr } = await list('', pages);
  expect([ids, requests]).toEqual([idsOf(1, count), asked]);
  expect(stderr).toMatch(told === '' ? /^$/ : told);
});

it('a list has the rows before a page that fails', async () => {
  const failure = { status: 400, body: { success: false, message: 'page 3 broke' } };
  const { ids, exit, stderr } = await list('', (page, size) =>
    page === 3 ? failure : have(500)(page, size),
  );
  expect([ids, exit, stderr]).toEqual([idsOf(1, 200), 6, expect.stringContaining('page 3 broke')]);
});

// Its pages by their ids and the total that each tells.
it.each([
  ['whose last page is empty', '1 2 of 3, of 3', '', '2 of 3'],
  ['whose last page is short', '1 2 of 4, 3 of 4', '', '3 of 4'],
  ['whose only page is short', '1 2 of 3', '', '2 of 3'],
  ['of which a row went meanwhile', '1 2 of 4, 4 of 3', '', '3 of 4'],
  ['to which a row came meanwhile', '1 2 of 4, 2 3 of 5', '', '4 of 5'],
  ['with more than the service counts', '1 2 of 3, 3 4 of 3', '', ''],
  ['with an id twice where nothing moved', '1 2 of 4, 2 3 of 4', '', ''],
  ['that was cut as asked', '1 2 of 4, 3 of 4', '--limit 3', ''],
  ['of which one page was asked for', '1 2 of 4, 3 of 4', '--page 2', ''],
])('a list %s is incomplete: %s', async (_what, text, flags, short) => {
  const pages = text.split(', ');
  const answer = (page: number) => {
    const [ids = '', total] = (pages[page - 1] ?? 'of 0').split('of ');
    const rows = ids
      .split(' ')
      .filter(Boolean)
      .map((id) => ({ id: Number(id), status: 'active' }));
    return reply(rows, page, pages.length, Number(total));
  };
  const told = `the list of members is incomplete: got ${short}`;
  const { exit, stderr } = await list(flags, answer);
  expect([exit, stderr.includes('incomplete'), stderr.includes(told)]).toEqual([
    0,
    short !== '',
    short !== '',
  ]);
  if (flags !== '') return;
  const decided = await ask('members archive --all --status active --dry-run', (request) =>
    request.line.startsWith('GET /members?') ? answer(queryOf(request).page) : { body: onePage([]) },
  );
  expect([decided.exit, decided.stderr.includes(told)]).toEqual(short === '' ? [0, false] : [7, true]);
});

it.each([
  ['few of a long list that tells its length', 5_000, 10, 500, true],
  ['many of a long list that tells its length', 5_000, 100, 50, true],
  ['many of a short list that does not', 300, 200, 1, false],
  ['few of a long list that does not', 5_000, 20, 250, false],
  ['none of a long list that does not', 5_000, 20, 10_000, false],
])('R13: looking for %s takes no more requests than the least', async (_name, count, wanted, step, tells) => {
  const ids = Array.from({ length: wanted }, (_, n) => 1 + n * step);
  const stdin = `id,weekly_hours_limit\n${ids.map((id) => `${id},32\n`).join('')}`;
  const { lines } = await ask(
    'members update --from-file - --dry-run',
    (request) => {
      const id = Number(/^GET \/members\/(\d+)/.exec(request.line)?.[1] ?? 0);
      if (id > count) return { status: 404, body: { success: false, message: 'none' } };
      if (id > 0) return { body: envelope({ id }) };
      const { page, size } = queryOf(request);
      return tells
        ? have(count)(page, size)
        : reply(from((page - 1) * size + 1, Math.min(count, page * size)));
    },
    { stdin },
  );
  expect(lines.length).toBeGreaterThan(0);
  expect(lines.length).toBeLessThanOrEqual(1.05 * Math.min(count / 100, wanted) + 3);
});

describe('a plan', () => {
  const t = useCli();

  it.each([
    [50_000, 0, 1, []],
    [61_000, 8, 2, ['changed since: hours a week: 40 → 12']],
  ])(
    'looks at its records by list pages, at those left after a minute again: %i ms',
    async (ms, exit, lists, told) => {
      const hours = new Map(Array.from({ length: 90 }, (_, n) => [17 + n, 40]));
      const toMember = (id: number) => ({ id, weekly_hours_limit: hours.get(id), status: 'active' });
      const rows = [...hours.keys()].map((id) => `${id},32\n`).join('');
      let [isApplied, waited] = [false, 0];
      t.answer = ({ line, body }) => {
        const id = Number(/^\w+ \/members\/(\d+)/.exec(line)?.[1]);
        if (line.startsWith('GET'))
          return { body: id > 0 ? envelope(toMember(id)) : onePage([...hours.keys()].map(toMember)) };
        // Time goes on, and somebody changes the last one.
        if (isApplied && id === 27) {
          waited = ms;
          hours.set(106, 12);
        }
        hours.set(id, Object(body).weekly_hours_limit);
        return { body: envelope(null) };
      };
      const stdin = `id,weekly_hours_limit\n${rows}`;
      await t.read(`members update --from-file - --plan ${t.file('plan')}`, { stdin });
      isApplied = true;
      const before = t.lines().length;
      const clock = { ...realClock, now: () => realClock.now() + waited };
      const applied = await t.run(`plan apply ${t.file('plan')} --yes --json`, { clock });
      const skipped = JSON.parse(applied.stdout).filter(({ status }: Row) => status === 'skipped');
      expect([applied.exit, skipped.map(({ message }: Row) => message)]).toEqual([exit, told]);
      const lines = t.lines().slice(before);
      expect(lines.filter((line) => line.startsWith('GET /members?'))).toHaveLength(lists);
      expect(lines.filter((line) => line.startsWith('PUT /members/106'))).toHaveLength(exit === 0 ? 1 : 0);
      expect(lines.filter((line) => line.startsWith('GET /members/'))).toEqual([]);
    },
  );
});
