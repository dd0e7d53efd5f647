import fc from 'fast-check';
import stringWidth from 'string-width';
import { expect, it } from 'vitest';
import type { Row } from '../../src/api/page.ts';
import { chooseFitting, fitWidths } from '../../src/output/formats/table.ts';
import type { Column, ListView } from '../../src/output/list-view.ts';
import { loadPalette, PLAIN_PALETTE } from '../../src/output/terminal.ts';
import { ask } from '../support/use-cli.ts';
import { capture, MEMBERS, printList } from './capture.ts';

const ROWS = [
  { id: 1, name: 'Ann', status: 'active', worked: 37.5, updated_at: '2026-11-17T12:00:00Z' },
  { id: 20, name: '山田 太郎', status: 'left', worked: null, updated_at: '2026-11-20T12:00:00Z' },
];
const view = (...columns: Column[]): ListView => ({ noun: 'things', columns });

/** The lines of a list of these pages. */
const print = async (
  pages: readonly (readonly Row[])[],
  shown: ListView,
  options: Parameters<typeof capture>[1] = {},
  format = 'table',
) => (await printList(format, pages, options, shown)).stdout.split('\n').slice(0, -1);

it('table in a pipe is aligned over all pages, whole and absolute', async () => {
  expect(await print([ROWS.slice(0, 1), ROWS.slice(1)], MEMBERS)).toEqual([
    'ID  NAME       STATUS  WORKED  UPDATED AT',
    ' 1  Ann        active   37:30  2026-11-17 12:00Z',
    '20  山田 太郎  left         -  2026-11-20 12:00Z',
  ]);
});

it('table on a terminal says of times what there is room for', async () => {
  const wide = await print([ROWS], MEMBERS, { width: 80, timeZone: () => 'Asia/Kolkata' });
  expect(wide[1]).toContain('2026-11-17 17:30+05:30');
  expect((await print([ROWS], MEMBERS, { width: 46 }))[1]).toContain('Nov 17 12:00Z');
});

it('table on a narrow terminal drops what may be dropped, then shortens text, never the id', async () => {
  const long = { id: 'i'.repeat(16), name: 'a very long name indeed', status: 'active', worked: 1 };
  expect(await print([[long]], MEMBERS, { width: 34 })).toEqual([
    'ID                NAME      STATUS',
    'iiiiiiiiiiiiiiii  a very…   active',
  ]);
});

it('table on a terminal shortens ids to what tells them apart, numbers never; elsewhere none', async () => {
  const rows = ['7442420a-c539', '7442420a-c53f', 'd3d3d3d3-c539', 'deadbeef-cafe']
    .map((id, i) => ({ id: `${id}-4725-be99-c7c33d44f2dc` as string | number, name: 'abcd'[i] }))
    .concat({ id: 1234567890, name: 'e' });
  const short = view({ field: 'name' }, { field: 'id', short: true });
  const show = (options: Parameters<typeof capture>[1], format?: string) =>
    print([rows], short, options, format);
  const texts = ['7442420a-c539', '7442420a-c53f', 'd3d3d3d3', 'deadbeef-cafe-4', '1234567890'];
  expect(await show({ width: 80 })).toEqual(['NAME  ID', ...texts.map((id, i) => `${'abcde'[i]}     ${id}`)]);
  const whole = rows.map(({ id }) => expect.stringContaining(String(id)));
  expect(await show({})).toEqual(['NAME  ID', ...whole]);
  expect(await show({ width: 80, columns: ['id'] })).toEqual(['ID', ...whole]);
  expect((await show({ width: 80 }, 'markdown')).slice(2)).toEqual(whole);
  expect((await show({ width: 80 }, 'csv')).slice(1)).toEqual(whole);
});

it('table keeps the names of settings, which are no ids', async () => {
  const columns = [{ field: 'setting' }, { field: 'value', least: 8 }, { field: 'source', drop: 1 }];
  const rows = [{ setting: 'max_wait_seconds', value: 120, source: 'default' }];
  expect(await print([rows], { noun: 'settings', id: 'setting', columns }, { width: 24 })).toEqual([
    'SETTING           VALUE',
    'max_wait_seconds    120',
  ]);
});

it('table goes on below where a column must not be cut', async () => {
  const columns: readonly Column[] = [{ field: 'check' }, { field: 'found', wrap: true }];
  const found = 'ok: /var/lib/ttctl/somewhere/deep (does not exist yet)';
  const clock = { check: 'clock', found: 'right' };
  const at = async (width?: number) =>
    (
      await print([[{ check: 'state', found }, clock]], { noun: 'checks', columns, id: 'check' }, { width })
    ).slice(1);
  expect(await at()).toEqual([`state  ${found}`, 'clock  right']);
  expect(await at(44)).toEqual([
    'state  ok: /var/lib/ttctl/somewhere/deep',
    '       (does not exist yet)',
    'clock  right',
  ]);
});

it('O8: table shows texts that somebody asks for whole', async () => {
  const long = 'x'.repeat(34);
  const rows = [
    { id: 's1', name: 'Mei', reason: 'Friday is missing at the client, see plan' },
    { id: 's2', name: 'Bo', reason: long },
  ];
  const options = { width: 40, columns: ['name', 'reason', 'id'] };
  expect(await print([rows], view({ field: 'name' }), options)).toEqual([
    `NAME  ${'REASON'.padEnd(30)}  ID`,
    `Mei   ${'Friday is missing at the'.padEnd(30)}  s1`,
    '      client, see plan',
    `Bo    ${long.slice(0, 30)}  s2`,
    `      ${long.slice(30)}`,
  ]);
  expect((await print([rows], view({ field: 'name' }, { field: 'reason' }), { width: 40 }))[1]).toContain(
    '…',
  );
});

it('table aligns every text, and never leaves the width', async () => {
  const name = fc.oneof(
    fc.string({ unit: 'grapheme' }),
    fc.constantFrom(
      ...['山田太郎', 'שָׁלוֹם', 'สวัสดีชาวโลก', 'नमस्ते', '👩‍💻', 'e\u0301', '🏴\u{e0067}', '\x1b[31m'],
      '\u202e',
    ),
  );
  await fc.assert(
    fc.asyncProperty(
      fc.array(name, { minLength: 1, maxLength: 8 }),
      fc.integer({ min: 13, max: 60 }),
      async (names, width) => {
        const rows = names.map((text) => ({ name: text, end: 'END' }));
        const shown = view({ field: 'name', kind: 'text' }, { field: 'end', kind: 'state' });
        const all = await print([rows], shown, { width });
        const starts = all.map((line) => stringWidth(line.slice(0, line.lastIndexOf('END'))));
        expect(new Set(starts).size).toBe(1);
        for (const line of all) expect(stringWidth(line)).toBeLessThanOrEqual(width);
      },
    ),
    { numRuns: 60 },
  );
});

it.each([
  ['-o table', false],
  ['-o table --show-secrets', true],
  ['-o markdown', false],
  ['-o csv', true],
  ['-o json', true],
  ['-o table --query @', false],
  ['-o markdown --query [@]', false],
  ['-o csv --query @', true],
])(
  'secrets are hidden from people, of the answer of a query too: webhooks get h1 %s',
  async (flags, isShown) => {
    const webhooks = [{ id: 'h1', url: 'https://h.example', events: [], token: 'whsec_canary' }];
    const { stdout } = await ask(`webhooks get h1 ${flags}`, { webhooks });
    expect([stdout.includes('whsec_canary'), stdout.includes('••••')]).toEqual([isShown, !isShown]);
  },
);

it('table colours words alone, never the space beside them, and draws nothing in colour by itself', async () => {
  const palettes = { stdout: await loadPalette(true), stderr: PLAIN_PALETTE };
  const rows = [{ status: 'paid', name: 'Ann' }, { status: 'approved' }];
  const shown = view({ field: 'status', kind: 'state' }, { field: 'name' });
  expect(await print([rows], shown, { palettes })).toEqual([
    '\x1b[1mSTATUS    NAME\x1b[22m',
    '\x1b[32mpaid\x1b[39m      Ann',
    '\x1b[32mapproved\x1b[39m  \x1b[2m-\x1b[22m',
  ]);
});

const ID = '7442420a-c539-4725-be99-c7c33d44f2dc';
it('a record on a narrow terminal breaks between words, and cuts no id and no address', async () => {
  const { output, stdout } = capture('table', { width: 30 });
  const email = 'mei.tanaka@lindenhof.example';
  const most = { field: 'inactive_minutes', title: 'minutes at most' };
  await output.record({ id: ID, role: 'Project manager', email, inactive_minutes: 10 }, [
    ...[{ field: 'id' }, { field: 'role' }, { field: 'email' }, most],
  ]);
  expect(stdout().split('\n')).toEqual([
    'id',
    `                 ${ID}`,
    'role             Project',
    '                 manager',
    'email',
    `                 ${email}`,
    'minutes at most  10',
    '',
  ]);
});

it('a record in a pipe is aligned lines, further lines of a value below its first', async () => {
  const { output, stdout } = capture('table');
  const more = { total: { days: 1 }, tags: [{ name: 'a' }, 'b'], none: null };
  await output.record({ id: 1, is_blocked: false, notes: 'one\ntwo\x07', ...more });
  expect(stdout()).toBe(
    'id          1\nis blocked  no\nnotes       one\n            two\\x07\ntotal       days 1\ntags        a, b\nnone        -\n',
  );
});

const text = (natural: number, drop = 0, least = 28) => ({ natural, drop, least });
const fixed = (natural: number, drop = 0) => ({ natural, drop });
// The name, a state, when it was asked for, a note, whether it is paid.
const LEAVES = [text(18, 0, 10), fixed(8), fixed(9, 5), text(30, 4, 10), fixed(4, 3)];

it.each([
  ['in a pipe', [text(500), fixed(9, 1)], undefined, [0, 1]],
  ['where there is room', [text(500), fixed(9, 1)], 511, [0, 1]],
  ['a text is shortened first', LEAVES, 67, [0, 1, 2, 3, 4]],
  ['those that matter more', LEAVES, 60, [0, 1, 3, 4]],
  ['those that matter most', LEAVES, 36, [0, 1, 4]],
  ['a name shortened before a state is dropped', [text(18, 0, 10), fixed(8, 2)], 22, [0, 1]],
  ['one at least', [fixed(36)], 20, [0]],
])('columns that stay: %s', (_what, columns, width, kept) => {
  expect(chooseFitting(columns, width)).toEqual(kept);
});

it.each([
  [[fixed(36), text(50), fixed(9)], 60, [36, 11, 9]],
  [[fixed(36), text(50), fixed(9)], 40, [36, 3, 9]],
  [[fixed(36), text(50)], undefined, [36, 50]],
  // A name gives way before an address does.
  [[text(90, 0, 12), text(23)], 44, [19, 23]],
])('every column of %j has its width in %s columns', (columns, width, widths) => {
  expect(fitWidths(columns, width)).toEqual(widths);
});
