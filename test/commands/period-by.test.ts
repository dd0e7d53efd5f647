import { expect, it } from 'vitest';
import { onePage } from '../support/service.ts';
import { useCli } from '../support/use-cli.ts';

/** `timesheets list --period-by`: weeks that cross the edge of a month (R8). */

const sheet = (id: string, date_from: string, date_to: string) => ({
  id,
  user_id: 17,
  status: 'approved',
  total_hours: 40,
  date_from,
  date_to,
});
const SHEETS = [
  sheet('sep', '2026-09-28', '2026-10-04'),
  sheet('oct', '2026-10-05', '2026-10-11'),
  sheet('nov', '2026-10-26', '2026-11-01'),
];
const ANA = { id: 17, firstname: 'Ana', lastname: 'Sousa' };
const { run } = useCli({
  service: ({ line }) => ({
    body: onePage(line.startsWith('GET /members') ? [ANA] : SHEETS),
  }),
});

it.each([
  ['', ['sep', 'oct', 'nov']],
  ['--period-by overlap', ['sep', 'oct', 'nov']],
  ['--period-by start', ['oct', 'nov']],
  ['--period-by end', ['sep', 'oct']],
  ['--period-by end --limit 1', ['sep']],
])('R8 timesheets list --period 2026-10 %s', async (flags, ids) => {
  const { stdout } = await run(`timesheets list --period 2026-10 ${flags} -o ids`);
  expect(stdout.trim().split('\n')).toEqual(ids);
});

it('R8 says which timesheets reach beyond the days, to programs too where hours are added up', async () => {
  const told = '2 timesheets reach beyond these days, with 80:00 hours in all';
  expect((await run('timesheets list --period 2026-10')).stderr).toContain(told);
  expect((await run('timesheets list --period 2026-10 --json')).stderr).toBe('');
  const sum = 'timesheets list --period 2026-10 --group-by user_id --sum total_hours --json';
  expect((await run(sum)).stderr).toContain(`warning: ${told}`);
  expect((await run(`${sum} --period-by end`)).stderr).toBe('');
});

it('R8 is refused without days, and for another word', async () => {
  expect((await run('timesheets list --period-by end')).exit).toBe(2);
  expect((await run('timesheets list --period 2026-10 --period-by middle')).exit).toBe(2);
});
