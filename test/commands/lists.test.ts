import { describe, expect, it } from 'vitest';
import { timesheet } from '../support/records.ts';
import { envelope, onePage } from '../support/service.ts';
import { leaves } from '../support/tree.ts';
import { ask, openCli } from '../support/use-cli.ts';

/** What the flags of lists do to the requests, and to what comes back. */

it.each([
  // A list that is sorted or grouped is read whole, and cut then.
  ['--sort total_hours:desc --limit 3 -o ids', 't96\nt193\nt95\n', '1/100 2/100 3/100'],
  ['--group-by status --limit 1 -o ndjson', '{"status":"open","count":250}\n', '1/100 2/100 3/100'],
  ['--limit 3 -o ids', 't0\nt1\nt2\n', '1/3'],
  ['--page 3 --sort id:desc --limit 1 -o ids', 't249\n', '3/100'],
])('timesheets list %s', async (flags, printed, asked) => {
  const sheets = Array.from({ length: 250 }, (_, i) => ({
    id: `t${i}`,
    total_hours: i % 97,
    status: 'open',
  }));
  const { stdout, stderr, lines } = await ask(`timesheets list ${flags}`, ({ line }) => {
    const query = new URL(line, 'http://x').searchParams;
    const [page, size] = [Number(query.get('page')), Number(query.get('per_page'))];
    const pagination = { total: 250, per_page: size, current_page: page, last_page: Math.ceil(250 / size) };
    return { body: envelope(sheets.slice((page - 1) * size, page * size), { pagination }) };
  });
  expect(stdout).toBe(printed);
  if (flags.includes('--limit 3')) expect(stderr).toContain('Showing 3 of 250.');
  expect(
    lines
      .map((line) => line.replace(/.*page=(\d+)&per_page=(\d+).*/, '$1/$2'))
      .sort()
      .join(' '),
  ).toBe(asked);
});

it.each([
  ['103 --weekly-hours-limit 500', '', 1],
  ['103 --weekly-hours-limit 168', '', 0],
  ['--from-file -', 'id,weekly_hours_limit\n103,500\n104,500\n105,168\n', 1],
])('a weekly limit that no week reaches is sent, and remarked on once: %s', async (rest, stdin, times) => {
  const line = `members update ${rest} --dry-run --json`;
  const { exit, stdout, stderr } = await ask(line, undefined, { stdin });
  const text = 'warning: a weekly limit of 500 hours has no effect: a week has 168';
  expect([exit, stderr.split(text).length - 1]).toEqual([0, times]);
  if (times > 0) expect(stdout).toContain('"weekly_hours_limit": 500');
});

it.each([80, 40])('jobs list says in %i columns which run each was', async (width) => {
  const cli = await openCli({ service: () => ({ body: envelope(null) }) });
  await cli.read('timesheets approve t1 t2 --yes');
  const stdout = await cli.read('jobs list', { machine: { width } });
  expect(stdout).toMatch(/COMMAND .*ID$/m);
  expect(stdout).toMatch(/^done .* timesheets ap/m);
  expect(Math.max(...stdout.split('\n').map((line) => line.length))).toBeLessThanOrEqual(width);
});

describe('--group-by', () => {
  it('is a flag of every list', async () => {
    const others = ['list', 'inbox', 'received', 'deliveries'];
    const lists = (await leaves()).filter(({ command: { operation, name, prints } }) =>
      operation === undefined
        ? others.includes(name)
        : operation.returns === 'list' && prints?.shape !== 'record',
    );
    expect(lists.length).toBeGreaterThan(15);
    const without = lists.filter(({ command }) => !command.flags.some(({ name }) => name === 'group-by'));
    expect(without.map(({ path }) => path)).toEqual([]);
  });

  it.each([
    ['timesheets list --sum total_hours', '--sum needs --group-by'],
    ['timesheets list --group-by status --sum a,a', 'would be named sum_a'],
    ['timesheets list --group-by count', 'would be named count'],
    ['timesheets list --group-by a,', '--group-by has an empty name'],
    ['members get 17 --group-by status', "unknown option '--group-by'"],
  ])('refuses %s before any request', async (line, text) => {
    const { exit, stderr, lines } = await ask(line);
    expect([exit, stderr, lines]).toEqual([2, expect.stringContaining(text), []]);
  });
});

describe('R8: timesheets list --period-by, of weeks that cross the edge of a month', () => {
  const sheets = [
    timesheet('sep', 17, 40, { date_from: '2026-09-28', date_to: '2026-10-04' }),
    timesheet('oct', 17, 40, { date_from: '2026-10-05', date_to: '2026-10-11' }),
    timesheet('nov', 17, 40, { date_from: '2026-10-26', date_to: '2026-11-01' }),
  ];
  const list = (flags: string) =>
    ask(`timesheets list --period ${flags}`, ({ line }) => ({
      body: onePage(line.startsWith('GET /members') ? [] : sheets),
    }));

  it.each([
    ['2026-10', 'sep oct nov'],
    ['2026-10 --period-by overlap', 'sep oct nov'],
    ['2026-10 --period-by start', 'oct nov'],
    ['2026-10 --period-by end', 'sep oct'],
    ['2026-10 --period-by end --limit 1', 'sep'],
  ])('%s has %s', async (flags, ids) => {
    expect((await list(`${flags} -o ids`)).stdout).toBe(`${ids.replaceAll(' ', '\n')}\n`);
  });

  it('says which reach beyond the days, to programs too where hours are added up', async () => {
    const told = '2 timesheets reach beyond these days, with 80:00 hours in all';
    const sum = '2026-10 --group-by user_id --sum total_hours --json';
    expect((await list('2026-10')).stderr).toContain(told);
    expect((await list('2026-10 --json')).stderr).toBe('');
    expect((await list(sum)).stderr).toContain(`warning: ${told}`);
    expect((await list(`${sum} --period-by end`)).stderr).toBe('');
  });

  it.each([
    ['2026-10 --period-by end -o csv', 'Timesheets that end in this period cover Sep 28 to Oct 11.'],
    ['2026-10 --period-by start', 'Timesheets that start in this period cover Oct 5 to Nov 1.'],
    ['2026-W41 --period-by end', ''],
    ['2026-10 --period-by end --limit 1', 'Showing 1 of 2.'],
  ])('%s says which days are counted, where they are others: %s', async (flags, note) => {
    expect((await list(flags)).stderr.trim()).toBe(note);
  });

  it('is refused for another word, and without days', async () => {
    expect((await list('2026-10 --period-by middle')).exit).toBe(2);
    expect((await ask('timesheets list --period-by end')).exit).toBe(2);
  });
});
