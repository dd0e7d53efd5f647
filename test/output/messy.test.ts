import stringWidth from 'string-width';
import { describe, expect, it } from 'vitest';
import type { Column, ListView } from '../../src/context.ts';
import { capture, memorySink, pagesOf } from './capture.ts';

/** What people see of records as they come, at the widths of their terminals. */

const UUID = ['a087eaf3-00b3-49c9-8706-c4ebfb2627fd', '47f66630-9ce3-41f0-b882-9f5c6d010770'];
const ROWS = [
  {
    id: UUID[0],
    name: '山田 太郎と長い名前の人',
    status: 'submitted',
    total_hours: 41.5,
    from: '2026-11-09',
    to: '2026-11-15',
    submitted_on: '2026-11-16T08:15:00Z',
    reject_reason: null,
  },
  {
    id: UUID[1],
    name: 'דנה כהן\u202e',
    status: 'rejected',
    total_hours: 7.25,
    from: '2025-12-29',
    to: '2026-01-04',
    submitted_on: null,
    reject_reason: 'No\nFriday',
  },
];
const PERIOD: Column = {
  field: 'period',
  kind: 'period',
  derived: true,
  show: ({ from, to }) => `${from}/${to}`,
};
const VIEW: ListView = {
  noun: 'timesheets',
  columns: [
    { field: 'id' },
    { field: 'name', title: 'member', least: 10 },
    PERIOD,
    { field: 'total_hours', title: 'hours', kind: 'hours', drop: 1 },
    { field: 'status', kind: 'state', drop: 2 },
    { field: 'submitted_on', title: 'submitted', kind: 'age', drop: 3 },
    { field: 'reject_reason', title: 'reject reason', sparse: true, drop: 4 },
    { field: 'approved_by', sparse: true },
    { field: 'from', kind: 'date', onRequest: true },
  ],
};

const lines = (text: string): string[] => text.split('\n').slice(0, -1);
const at = async (width: number | undefined, rows: readonly object[] = ROWS) => {
  const { output, stdout } = capture('table', width === undefined ? {} : { width });
  await output.list(pagesOf([rows.map((row) => ({ ...row }))]), VIEW);
  return lines(stdout());
};

describe('a table of messy records', () => {
  it('at 200 columns says all', async () => {
    expect(await at(200)).toEqual([
      'ID                                    MEMBER                   PERIOD                    HOURS  STATUS     SUBMITTED  REJECT REASON',
      `${UUID[0]}  山田 太郎と長い名前の人  2026-11-09 to 2026-11-15  41:30  submitted  4 d ago    -`,
      `${UUID[1]}  דנה כהן\\u202e            2025-12-29 to 2026-01-04   7:15  rejected   -          No\\nFriday`,
    ]);
  });

  it('at 80 has the id whole, short days, and shortens the name before it drops the state', async () => {
    expect(await at(80, ROWS.slice(0, 1))).toEqual([
      'ID                                    MEMBER          PERIOD    HOURS  STATUS',
      `${UUID[0]}  山田 太郎と長…  Nov 9–15  41:30  submitted`,
    ]);
  });

  it('at 40 gives up the id, cuts nothing but the name, and tells what is hidden', async () => {
    const stderr = memorySink(true);
    const { output, stdout } = capture('table', { width: 40, stderr });
    await output.list(pagesOf([ROWS.slice(0, 1)]), VIEW);
    expect(lines(stdout())).toEqual([
      'MEMBER        PERIOD    HOURS  STATUS',
      '山田 太郎と…  Nov 9–15  41:30  submitted',
    ]);
    expect(stderr.writes.join('')).toBe('2 columns hidden, the id too: see --columns\n');
    const wide = memorySink(true);
    const other = capture('table', { width: 80, stderr: wide });
    await other.output.list(pagesOf([ROWS.slice(0, 1)]), VIEW);
    expect(wide.writes.join('')).toBe(
      '1 column hidden: submitted (--columns or a wider terminal shows it)\n',
    );
  });

  it('never cuts an id at any width, and stays aligned', async () => {
    for (let width = 12; width <= 140; width += 1) {
      const found = await at(width);
      for (const line of found) {
        expect(stringWidth(line), `${width}: ${line}`).toBeLessThanOrEqual(width);
        for (const part of line.match(/[0-9a-f]{8}-\S*/g) ?? []) expect(UUID).toContain(part);
      }
    }
  });

  it('in a pipe is whole', async () => {
    const piped = await at(undefined);
    expect(piped[1]).toContain('2026-11-16 08:15Z');
    expect(piped[1]).toContain('山田 太郎と長い名前の人');
    expect(piped[0]).toContain('REJECT REASON');
  });

  it('has what an option names, in every format', async () => {
    const { output, stdout } = capture('csv', { columns: ['period', 'from', 'approved_by'] });
    await output.list(pagesOf([ROWS.slice(0, 1)]), VIEW);
    expect(stdout()).toBe('period,from,approved_by\r\n2026-11-09/2026-11-15,2026-11-09,\r\n');
  });

  it('pasted as markdown keeps its cells', async () => {
    const { output, stdout } = capture('markdown');
    const rows = [{ ...ROWS[1], name: 'a|b *c* _d_ e_f\n<g>' }];
    await output.list(pagesOf([rows]), VIEW);
    expect(lines(stdout())).toEqual([
      '| id | member | period | hours | status | submitted | reject reason |',
      '| --- | --- | --- | ---: | --- | --- | --- |',
      `| ${UUID[1]} | a\\|b \\*c\\* \\_d\\_ e_f\\\\n\\<g> | 2025-12-29 to 2026-01-04 | 7:15 | rejected | - | No\\\\nFriday |`,
    ]);
  });
});
