import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { findMisread } from '../../src/changes/input/columns.ts';
import { type FileRow, readRows } from '../../src/changes/input/file.ts';
import { decodeText } from '../../src/changes/input/files.ts';
import type { FormatContext } from '../../src/output/columns.ts';
import { EXCEL_FORMAT, type Format, findFormat } from '../../src/output/formats/formats.ts';
import { createWriter } from '../../src/output/formats/writers.ts';

/** What input files look like, and what is read from them. */

const read = async (file: string, text: string) => {
  const rows: FileRow[] = [];
  for await (const row of readRows(file, text)) rows.push(row);
  return rows;
};
/** `line: name=cell …` of each row, `line! problem` of one that cannot be read. */
const said = async (file: string, text: string): Promise<string[]> =>
  (await read(file, text)).map((row) => {
    if ('problem' in row) return `${row.line}! ${row.problem}`;
    return `${row.line}: ${row.names.map((name, index) => `${name}=${JSON.stringify(row.cells[index])}`).join(' ')}`;
  });

const PLAIN = ['2: id="1" name="Ann"', '3: id="2" name="Bo"'];

describe('CSV', () => {
  it.each([
    ['LF', 'id,name\n1,Ann\n2,Bo\n'],
    ['no newline at the end', 'id,name\n1,Ann\n2,Bo'],
    ['CRLF', 'id,name\r\n1,Ann\r\n2,Bo\r\n'],
    ['CR', 'id,name\r1,Ann\r2,Bo\r'],
    ['mixed line ends', 'id,name\r\n1,Ann\n2,Bo\r\n'],
    ['semicolons', 'id;name\n1;Ann\n2;Bo\n'],
    ['tabs', 'id\tname\n1\tAnn\n2\tBo\n'],
    ['quotes', '"id","name"\n"1","Ann"\n"2","Bo"\n'],
    ['spaces around headings', ' id , name \n1,Ann\n2,Bo\n'],
    ['trailing blank lines', 'id,name\n1,Ann\n2,Bo\n\n\r\n\n'],
    ['rows of empty cells', 'id,name\n1,Ann\n2,Bo\n,\n , \n'],
    ['empty cells beyond the headings', 'id,name,,\n1,Ann,,\n2,Bo,,\n'],
  ])('%s', async (_name, text) => {
    expect(await said('f.csv', text)).toEqual(PLAIN);
  });

  it('blank lines in front and between count as lines', async () => {
    expect(await said('f.csv', '\n\r\nid,name\n\n1,Ann\n\n\n2,Bo\n')).toEqual([
      '5: id="1" name="Ann"',
      '8: id="2" name="Bo"',
    ]);
  });

  it('quoted newlines, separators and quotes belong to the cell; lines are still counted', async () => {
    const text = 'id,name\r\n1,"a,b;c\td\r\n""e"""\r\n2,"\n\n"\r\n3,z\r\n';
    expect(await said('f.csv', text)).toEqual([
      '2: id="1" name="a,b;c\\td\\r\\n\\"e\\""',
      '4: id="2" name="\\n\\n"',
      '7: id="3" name="z"',
    ]);
  });

  it('takes the separator from the heading, outside its quotes', async () => {
    expect(await said('f.csv', '"a,b,c";d\n"1";2,3\n')).toEqual(['2: a,b,c="1" d="2,3"']);
    expect(await said('f.csv', 'id\n1,2\n')).toEqual(['2! 2 cells, but the heading has 1']);
  });

  it('ragged rows are told with their line, and the others are read', async () => {
    expect(await said('f.csv', 'a,b\n1\n1,2\n1,2,3\n')).toEqual([
      '2! 1 cell, but the heading has 2',
      '3: a="1" b="2"',
      '4! 3 cells, but the heading has 2',
    ]);
  });

  it('formulas that were made harmless are what they were', async () => {
    expect(await said('f.csv', "a\n'=1+1\n'-5\n-5\n'plain\n''=1\n")).toEqual([
      '2: a="=1+1"',
      '3: a="-5"',
      '4: a="-5"',
      `5: a="'plain"`,
      `6: a="'=1"`,
    ]);
  });

  it.each([
    ['a quote that is never closed', 'a,b\n1,2\n3,"4\n5,6\n', 3, /^unclosed quote/],
    ['a quote inside a cell', 'a,b\n1,x"y\n', 2, /^unexpected quote inside an unquoted cell/],
    ['text after a closing quote', 'a,b\n1,2\n"1"x,2\n', 3, /^unexpected text after a closing quote/],
  ])('%s ends the reading at its line', async (_name, text, line, told) => {
    const problem = { details: { line }, message: expect.stringMatching(told) };
    await expect(read('f.csv', text)).rejects.toMatchObject(problem);
  });

  it('an empty file has no rows', async () => {
    for (const text of ['', '\n\n', 'id,name\n', ' ']) expect(await said('f.csv', text)).toEqual([]);
  });
});

describe('JSON', () => {
  const text = '[\n {"id": 1, "name": "a,]}\\"["},\n\n  {"id": 2,\n "x": {"y": [1, "}"]}}, {"id": null}\n]\n';

  it('an array: each object with its line and its number', async () => {
    expect(await said('f.json', text)).toEqual([
      '2: id=1 name="a,]}\\"["',
      '4: id=2 x={"y":[1,"}"]}',
      '5: id=null',
    ]);
    expect((await read('f.json', text)).map((row) => 'number' in row && row.number)).toEqual([1, 2, 3]);
  });

  it('is the same as the engine reads it', async () => {
    const cell = fc.oneof(fc.string({ unit: 'binary' }), fc.integer(), fc.boolean(), fc.constant(null));
    const row = fc.dictionary(
      fc.string().filter((key) => key !== '__proto__'),
      cell,
      { noNullPrototype: true },
    );
    const space = fc.constantFrom(undefined, 1, '\t');
    await fc.assert(
      fc.asyncProperty(fc.array(row), space, async (rows, indent) => {
        const found = await read('f.json', JSON.stringify(rows, null, indent));
        const back = found.map((one) => {
          if ('problem' in one) throw new Error(one.problem);
          return Object.fromEntries(one.names.map((name, index) => [name, one.cells[index]]));
        });
        expect(back).toEqual(rows);
      }),
    );
  });

  it('one on each line', async () => {
    const lines = '{"id":1}\r\n\n  {"id":2,"name":"b"}\n{"id":3}';
    const expected = ['1: id=1', '3: id=2 name="b"', '4: id=3'];
    for (const file of ['f.ndjson', 'f.jsonl', 'f.json', '-'])
      expect(await said(file, lines)).toEqual(expected);
  });

  it('what is wrong is told, and the rest is read', async () => {
    expect(await said('f.ndjson', '{"id":1}\n{"id":\n[1]\n{"id":4}\n')).toEqual([
      '1: id=1',
      '2! not JSON: column 7: unexpected end of file',
      '3! not an object',
      '4: id=4',
    ]);
    expect(await said('f.json', '[{"id":1},\n 7,\n {"id":4}]')).toEqual([
      '1: id=1',
      '2! not an object',
      '3: id=4',
    ]);
  });

  it.each([
    ['ends too early', '[{"id":1},\n{"id":2}\n', 3, /^not JSON: column 1: unexpected end of file/],
    ['has something behind it', '[{"id":1}]\n[2]', 2, /^not JSON: column 1: invalid JSON/],
    ['has a row that is not JSON', '[{"id":1},\n {"id" 2}]', 2, /^not JSON: column 8: invalid JSON/],
    ['has a name twice', '[{"id":1},\n {"id":2,"id":3}]', 2, /^not JSON: column 10: duplicate name/],
  ])('an array that %s', async (_name, whole, line, told) => {
    const problem = { details: { line }, message: expect.stringMatching(told) };
    await expect(read('f.json', whole)).rejects.toMatchObject(problem);
  });

  it('an empty array has no rows', async () => {
    for (const whole of ['[]', ' [ \n ]\n']) expect(await said('f.json', whole)).toEqual([]);
  });
});

it.each([
  ['-', '[{"a":"1"}]', '1: a="1"'],
  ['-', '\n {"a":"1"}', '2: a="1"'],
  ['-', 'a\n1\n', '2: a="1"'],
  ['people', '[{"a":"1"}]', '1: a="1"'],
  ['people.txt', 'a;b\n1;2\n', '2: a="1" b="2"'],
  ['people.CSV', '[a]\n1\n', '2: [a]="1"'],
])('the kind of a file: %s with %j', async (file, text, expected) => {
  expect(await said(file, text)).toEqual([expected]);
});

it.each([
  ['UTF-8', 'id,näme\n1,Ünïcode 名前 🎉\n'],
  ['UTF-8 with a byte order mark', '\ufeffid,näme\n1,Ü\n'],
  ['a heading that begins like a workbook', 'PK,name\n1,A\n'],
])('%s is text', (_name, text) => {
  expect(decodeText(Buffer.from(text))).toBe(text.replace('\ufeff', ''));
});

const utf16 = (content: string) => Buffer.from(content, 'utf16le');
it.each([
  ['a workbook', Buffer.from('504b0304140006000800', 'hex'), '"CSV UTF-8"', 'an Excel workbook, not text'],
  ['an older one', Buffer.from('d0cf11e0a1b11ae1', 'hex'), '"CSV UTF-8"', 'an Excel workbook, not text'],
  ['UTF-16', utf16('\ufeffid,näme\n1,Ü\n'), 'utf-16'],
  ['a table without the mark', utf16('id,note\n105,é\n'), 'utf-16'],
  ['JSON without the mark', utf16('[{"id":105}]').swap16(), 'iconv'],
  ['Latin 1', Buffer.of(65, 0xfc, 66), 'iconv -f latin1'],
  ['half a letter', Buffer.of(65, 0xc3), 'iconv -f latin1'],
])('%s is refused', (_name, bytes, hint, what = 'not UTF-8 text') => {
  const message = `it is ${what}`;
  const refusal = expect.objectContaining({ message, hint: expect.stringContaining(hint) });
  expect(() => decodeText(bytes)).toThrowError(refusal);
});

it.each([
  ['AmÃ©lie', 'Amélie'],
  ['ZieliÅ„ski', 'Zieliński'],
  ['ZieliÅ\x84ski', 'Zieliński'],
  ['Ð˜Ð²Ð°Ð½', 'Иван'],
  ['itâ€™s', 'it’s'],
  ['ðŸš²', '🚲'],
  ...['Amélie', 'SÃO', 'CAFÉ’S', '«CAFÉ»', 'MENÜ™', 'Ângela', 'Ã© ☕', 'Иван'].map((text) => [
    text,
    undefined,
  ]),
])('%s read as Latin-1 was %s', (text = '', meant) => {
  const told = meant && expect.stringContaining(`was probably "${meant}"`);
  expect(findMisread(text)?.message).toEqual(told);
});

it('what is written as CSV is read as it was', async () => {
  const write = async (format: Format, names: readonly string[], rows: readonly (readonly string[])[]) => {
    const parts: string[] = [];
    const writer = createWriter(format, {
      ...{ view: { noun: 'rows', columns: [] }, columns: names, header: true, terminal: false },
      ...{ write: async (text: string) => void parts.push(text), note: () => {} },
    } as unknown as FormatContext);
    await writer.rows(
      rows.map((cells) => Object.fromEntries(names.map((name, index) => [name, cells[index]]))),
    );
    await writer.end();
    return parts.join('');
  };
  const signs = ['"', "'", '=', '-', '+', '@', ',', ';', '\t', '\r', '\n', '\ufeff', ' ', 'a', '＝'];
  const nasty = fc.oneof(fc.constantFrom(...signs), fc.string({ unit: 'binary' }));
  const cell = fc.array(nasty).map((parts) => parts.join(''));
  const headings = fc.uniqueArray(fc.stringMatching(/^[a-z_]{1,9}$/), { minLength: 1, maxLength: 4 });
  const table = headings.chain((names) => {
    const row = fc.array(cell, { minLength: names.length, maxLength: names.length });
    return fc.tuple(fc.constant(names), fc.array(row, { minLength: 1 }));
  });
  await fc.assert(
    fc.asyncProperty(table, fc.boolean(), async ([names, all], isExcel) => {
      // Rows that say nothing are blank lines to a reader.
      const rows = all
        .map((cells) => cells.map((text) => text.replace(/\p{Cs}/gu, '')))
        .filter((cells) => cells.some((text) => text.trim() !== ''));
      fc.pre(rows.length > 0);
      const format = isExcel ? EXCEL_FORMAT : (findFormat('csv') as Format);
      const bytes = Buffer.from(await write(format, names, rows));
      const found = (await read('f.csv', decodeText(bytes))).map(({ line: _, ...row }) => row);
      expect(found).toEqual(rows.map((cells) => expect.objectContaining({ names, cells })));
    }),
    { numRuns: 300 },
  );
});
