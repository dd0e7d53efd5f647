import fc from 'fast-check';
import stringWidth from 'string-width';
import { describe, expect, it } from 'vitest';
import type { Column, ListView } from '../../src/output/list-view.ts';
import { loadPalette, PLAIN_PALETTE } from '../../src/output/terminal.ts';
import { compileQuery } from '../../src/query/run.ts';
import { capture, MEMBERS, NOW, pagesOf } from './capture.ts';

const ago = (ms: number): string => new Date(NOW - ms).toISOString();
const ROWS = [
  { id: 1, name: 'Ann', status: 'active', worked: 37.5, updated_at: ago(3 * 86_400_000) },
  { id: 20, name: '山田 太郎', status: 'left', worked: null, updated_at: ago(0) },
];

const lines = (text: string): string[] => text.split('\n').slice(0, -1);
const view = (...columns: Column[]): ListView => ({ noun: 'things', columns });

describe('table', () => {
  it('in a pipe is aligned, whole and absolute', async () => {
    const { output, stdout } = capture('table');
    await output.list(pagesOf([ROWS]), MEMBERS);
    expect(lines(stdout())).toEqual([
      'ID  NAME       STATUS  WORKED  UPDATED AT',
      ' 1  Ann        active   37:30  2026-11-17 12:00Z',
      '20  山田 太郎  left         -  2026-11-20 12:00Z',
    ]);
  });

  it('in a pipe is aligned over all pages and cuts nothing', async () => {
    const { output, stdout } = capture('table', { columns: ['id', 'name'] });
    await output.list(pagesOf([[{ id: 1, name: 'a' }], [{ id: 2, name: 'b'.repeat(300) }]]), MEMBERS);
    expect(lines(stdout())).toEqual(['ID  NAME', ' 1  a', ` 2  ${'b'.repeat(300)}`]);
  });

  it('on a terminal says of times what there is room for', async () => {
    const wide = capture('table', { width: 80, timeZone: () => 'Asia/Kolkata' });
    await wide.output.list(pagesOf([ROWS]), MEMBERS);
    expect(wide.stdout()).toContain('2026-11-17 17:30+05:30');
    const tight = capture('table', { width: 46 });
    await tight.output.list(pagesOf([ROWS]), MEMBERS);
    expect(tight.stdout()).toContain('Nov 17 12:00Z');
  });

  it('on a narrow terminal drops what may be dropped, then shortens text, never the id', async () => {
    const long = { id: 'i'.repeat(16), name: 'a very long name indeed', status: 'active', worked: 1 };
    const { output, stdout } = capture('table', { width: 34 });
    await output.list(pagesOf([[long]]), MEMBERS);
    expect(lines(stdout())).toEqual([
      'ID                NAME      STATUS',
      'iiiiiiiiiiiiiiii  a very…   active',
    ]);
  });

  it('on a terminal shortens ids to what tells them apart, numbers never; elsewhere none', async () => {
    const rows = [
      { id: '7442420a-c539-4725-be99-c7c33d44f2dc', name: 'a' },
      { id: '7442420a-c53f-4725-be99-c7c33d44f2dc', name: 'b' },
      { id: 'd3d3d3d3-c539-4725-be99-c7c33d44f2dc', name: 'c' },
      { id: 'deadbeef-cafe-4725-be99-c7c33d44f2dc', name: 'd' },
      { id: 1234567890, name: 'e' },
    ];
    const short = view({ field: 'name' }, { field: 'id', short: true });
    const show = async (options: Parameters<typeof capture>[1], format = 'table') => {
      const { output, stdout } = capture(format, options);
      await output.list(pagesOf([rows]), short);
      return lines(stdout());
    };
    const texts = ['7442420a-c539', '7442420a-c53f', 'd3d3d3d3', 'deadbeef-cafe-4', '1234567890'];
    expect(await show({ width: 80 })).toEqual([
      'NAME  ID',
      ...texts.map((id, i) => `${'abcde'[i]}     ${id}`),
    ]);
    const whole = rows.map(({ id }) => expect.stringContaining(String(id)));
    expect(await show({})).toEqual(['NAME  ID', ...whole]);
    expect(await show({ width: 80, columns: ['id'] })).toEqual(['ID', ...whole]);
    expect((await show({ width: 80 }, 'markdown')).slice(2)).toEqual(whole);
    expect((await show({ width: 80 }, 'csv')).slice(1)).toEqual(whole);
  });

  it('keeps the names of settings, which are no ids', async () => {
    const { output, stdout } = capture('table', { width: 24 });
    const columns = [{ field: 'setting' }, { field: 'value', least: 8 }, { field: 'source', drop: 1 }];
    await output.list(pagesOf([[{ setting: 'max_wait_seconds', value: 120, source: 'default' }]]), {
      noun: 'settings',
      id: 'setting',
      columns,
    });
    expect(stdout()).toBe('SETTING           VALUE\nmax_wait_seconds    120\n');
  });

  it('goes on below where a column must not be cut', async () => {
    const columns: readonly Column[] = [{ field: 'check' }, { field: 'found', wrap: true }];
    const found = 'ok: /var/lib/ttctl/somewhere/deep (does not exist yet)';
    const rows = [
      { check: 'state', found },
      { check: 'clock', found: 'right' },
    ];
    const at = async (width?: number) => {
      const { output, stdout } = capture('table', width === undefined ? {} : { width });
      await output.list(pagesOf([rows]), { noun: 'checks', columns, id: 'check' });
      return lines(stdout()).slice(1);
    };
    expect(await at()).toEqual([`state  ${found}`, 'clock  right']);
    expect(await at(44)).toEqual([
      'state  ok: /var/lib/ttctl/somewhere/deep',
      '       (does not exist yet)',
      'clock  right',
    ]);
  });

  it('aligns every text, and never leaves the width', async () => {
    const name = fc.oneof(
      fc.string({ unit: 'grapheme' }),
      fc.constantFrom(
        '山田太郎',
        'שָׁלוֹם',
        'สวัสดีชาวโลก',
        'नमस्ते',
        '👩‍💻',
        'e\u0301',
        '🏴\u{e0067}',
        '\x1b[31m',
        '\u202e',
      ),
    );
    await fc.assert(
      fc.asyncProperty(
        fc.array(name, { minLength: 1, maxLength: 8 }),
        fc.integer({ min: 13, max: 60 }),
        async (names, width) => {
          const { output, stdout } = capture('table', { width });
          const rows = names.map((text) => ({ name: text, end: 'END' }));
          await output.list(
            pagesOf([rows]),
            view({ field: 'name', kind: 'text' }, { field: 'end', kind: 'state' }),
          );
          const starts = lines(stdout()).map((line) => stringWidth(line.slice(0, line.lastIndexOf('END'))));
          expect(new Set(starts).size).toBe(1);
          for (const line of lines(stdout())) expect(stringWidth(line)).toBeLessThanOrEqual(width);
        },
      ),
      { numRuns: 60 },
    );
  });

  it.each(['[@]', '@'])('hides secrets of the answer of a query too: %s', async (query) => {
    const columns = [{ field: 'token', kind: 'secret' }] as const;
    for (const [format, shown] of [
      ['table', false],
      ['markdown', false],
      ['csv', true],
    ] as const) {
      const { output, stdout } = capture(format, { query: await compileQuery(query) });
      await output.record({ id: 1, token: 'whsec_canary' }, columns);
      expect(stdout().includes('canary'), format).toBe(shown);
    }
  });

  it('hides secrets from people only', async () => {
    const columns = view({ field: 'token', kind: 'secret' });
    const shown = async (format: 'table' | 'json', showSecrets: boolean): Promise<string> => {
      const { output, stdout } = capture(format, { showSecrets });
      await output.list(pagesOf([[{ token: 'whsec_1' }]]), columns);
      return stdout();
    };
    expect(await shown('table', false)).toBe('TOKEN\n••••\n');
    expect(await shown('table', true)).toContain('whsec_1');
    expect(await shown('json', false)).toContain('whsec_1');
  });

  it('colours words alone, never the space beside them, and draws nothing in colour by itself', async () => {
    const { output, stdout } = capture('table', {
      palettes: { stdout: await loadPalette(true), stderr: PLAIN_PALETTE },
    });
    await output.list(
      pagesOf([[{ status: 'paid', name: 'Ann' }, { status: 'approved' }]]),
      view({ field: 'status', kind: 'state' }, { field: 'name' }),
    );
    expect(lines(stdout())).toEqual([
      '\x1b[1mSTATUS    NAME\x1b[22m',
      '\x1b[32mpaid\x1b[39m      Ann',
      '\x1b[32mapproved\x1b[39m  \x1b[2m-\x1b[22m',
    ]);
  });
});

describe('record', () => {
  it('is aligned lines, further lines of a value below its first', async () => {
    const { output, stdout } = capture('table');
    await output.record({
      id: 1,
      is_blocked: false,
      notes: 'one\ntwo\x07',
      total: { days: 1 },
      tags: [{ name: 'a' }, 'b'],
      none: null,
    });
    expect(stdout()).toBe(
      'id          1\nis blocked  no\nnotes       one\n            two\\x07\ntotal       days 1\ntags        a, b\nnone        -\n',
    );
  });
});
