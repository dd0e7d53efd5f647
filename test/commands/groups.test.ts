import { describe, expect, it } from 'vitest';
import { onePage } from '../support/service.ts';
import { leaves } from '../support/tree.ts';
import { useCli } from '../support/use-cli.ts';

/** `--group-by` and `--sum` on the command line. */

const OTHERS = new Set(['list', 'inbox', 'received', 'deliveries']);
const all = await leaves();
const lists = all.filter(({ command }) => {
  const { operation } = command;
  return operation === undefined ? OTHERS.has(command.name) : operation.returns === 'list';
});

describe('--group-by', () => {
  const at = (end: string) => ({ user_id: 17, start: '2026-11-20T09:00:00Z', end: `2026-11-20T${end}:00Z` });
  const ROWS = [
    { id: 't1', total_hours: 0.1, status: 'open', ...at('10:30') },
    { id: 't2', total_hours: 0.2, status: 'open', ...at('10:00') },
  ];
  const ANA = { id: 17, firstname: 'Ana', lastname: 'Sousa' };
  const { run, lines } = useCli({
    service: ({ line }) => ({
      body: onePage(line.startsWith('GET /members') ? [ANA] : ROWS),
    }),
  });

  it('is a flag of every list', () => {
    expect(lists.length).toBeGreaterThan(15);
    const without = lists.filter(({ command }) => !command.flags.some(({ name }) => name === 'group-by'));
    expect(without.map(({ path }) => path)).toEqual([]);
  });

  it('R7 has the names of ids beside them', async () => {
    const line = 'timesheets list --group-by user_id --sum total_hours';
    expect((await run(line)).stdout).toMatch(/\nAna Sousa +2 +0:18\n/);
    expect(JSON.parse((await run(`${line} --json`)).stdout)).toEqual([
      { member: 'Ana Sousa', user_id: 17, count: 2, sum_total_hours: 0.3 },
    ]);
  });

  it('takes what a list shows beside the fields of its records', async () => {
    const { stdout } = await run('time-requests list --group-by=user_id --sum=hours --json');
    expect(JSON.parse(stdout)).toEqual([{ member: 'Ana Sousa', user_id: 17, count: 2, sum_hours: 2.5 }]);
  });

  it('R7 shows a key that was joined where --columns names it', async () => {
    const groups = '--group-by member.name --sum total_hours --columns member.name,sum_total_hours';
    const { stdout } = await run(`timesheets list ${groups} -o csv`);
    expect(stdout).toBe('member.name,sum_total_hours\r\nAna Sousa,0.3\r\n');
  });

  it.each([
    ['--sum total_hours', '--sum needs --group-by'],
    ['--group-by status --sum a,a', 'would be named sum_a'],
    ['--group-by count', 'would be named count'],
    ['--group-by a,', '--group-by has an empty name'],
  ])('refuses %s before any request', async (flags, text) => {
    const { exit, stderr } = await run(`timesheets list ${flags}`);
    expect([exit, stderr, lines()]).toEqual([2, expect.stringContaining(text), []]);
  });

  it('is no flag of what is no list', async () => {
    expect(await run('members get 17 --group-by status')).toMatchObject({ exit: 2 });
  });
});
