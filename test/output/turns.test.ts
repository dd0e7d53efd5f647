import { expect, it } from 'vitest';
import { fetchPages } from '../../src/api/page.ts';
import { FORMAT_NAMES } from '../../src/output/formats/formats.ts';
import { compileQuery } from '../../src/query/run.ts';
import { capture, MEMBERS, pagesOf } from './capture.ts';

/** A signal has its turn while a long page is formatted: the event loop goes round often, whatever the format. */

const ROWS = 20_000;

const rows = Array.from({ length: ROWS }, (_, id) => ({ id, firstname: `name ${id}`, status: 'active' }));

/** Turns of the event loop until the rows are written; what has to be loaded for them is there before. */
const countTurns = async (format: string, options: Parameters<typeof capture>[1] = {}): Promise<number> => {
  await capture(format, options).output.list(pagesOf([rows.slice(-1)]), MEMBERS);
  const { output, stdout } = capture(format, options);
  let turns = 0;
  let immediate = setImmediate(function count() {
    turns += 1;
    immediate = setImmediate(count);
  });
  await output.list(pagesOf([rows]), MEMBERS);
  clearImmediate(immediate);
  expect(stdout()).toContain(`${ROWS - 1}`);
  return turns;
};

it.each(FORMAT_NAMES)('in %s', async (format) => {
  expect(await countTurns(format)).toBeGreaterThanOrEqual(ROWS / 1000);
});

it('in a table on a terminal', async () => {
  expect(await countTurns('table', { width: 80 })).toBeGreaterThanOrEqual(ROWS / 1000);
});

it('in the answer of a query', async () => {
  for (const format of ['json', 'csv', 'table', 'ids'] as const)
    expect(await countTurns(format, { query: await compileQuery('[].id') }), format).toBeGreaterThanOrEqual(
      ROWS / 1000,
    );
});

it('between a long page that has come and what is made of it', async () => {
  const listen = async (data: readonly object[]): Promise<boolean> => {
    let heard = false;
    const fetch = async () => {
      // A signal is read between two rounds of the event loop.
      setImmediate(() => setImmediate(() => (heard = true)));
      return {
        data,
        message: undefined,
        pagination: { page: 1, lastPage: 1, total: data.length },
        envelope: {},
      };
    };
    for await (const page of fetchPages(fetch, 'pages', 'things'))
      expect(page.rows).toHaveLength(data.length);
    return heard;
  };
  expect(await listen(rows)).toBe(true);
  expect(await listen(rows.slice(0, 100))).toBe(false);
});
