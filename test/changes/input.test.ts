import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { decodeText } from '../../src/changes/input/decode.ts';
import { readRows } from '../../src/changes/input/read.ts';
import type { ReadRow } from '../../src/changes/input/row.ts';
import { createCsvWriter } from '../../src/output/formats/csv.ts';
import type { FormatContext } from '../../src/output/formats/row-writer.ts';
import { findNearest } from '../../src/parsing/names.ts';

/** What input files look like, and what is read from them. */

async function* inParts<T extends string | Uint8Array>(whole: T, size: number): AsyncGenerator<T> {
  for (let at = 0; at < whole.length; at += size) yield whole.slice(at, at + size) as T;
}

const read = async (file: string, text: string, size = 7): Promise<ReadRow[]> => {
  const rows: ReadRow[] = [];
  for await (const row of readRows(file, inParts(text, size))) rows.push(row);
  return rows;
};

/** `line: name=cell …` of each row, `line! problem` of one that cannot be read. */
const said = async (file: string, text: string, size?: number): Promise<string[]> =>
  (await read(file, text, size)).map((row) =>
    'problem' in row
      ? `${row.line}! ${row.problem}`
      : `${row.line}: ${row.names.map((name, index) => `${name}=${JSON.stringify(row.cells[index])}`).join(' ')}`,
  );

/** What is wrong with the file, and the line. */
const broken = (file: string, text: string): Promise<unknown> =>
  read(file, text).then(
    () => 'nothing',
    (error: { message: string; details: { line?: number } }) => `${error.details.line}: ${error.message}`,
  );

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
    for (const size of [1, 2, 3, 1000]) expect(await said('f.csv', text, size), `${size}`).toEqual(PLAIN);
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
      '2! 1 cells, but the heading has 2',
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
    ['a quote that is never closed', 'a,b\n1,2\n3,"4\n5,6\n', /^3: unclosed quote/],
    ['a quote inside a cell', 'a,b\n1,x"y\n', /^2: unexpected quote inside an unquoted cell/],
    ['text after a closing quote', 'a,b\n1,2\n"1"x,2\n', /^3: unexpected text after a closing quote/],
  ])('%s ends the reading at its line', async (_name, text, expected) => {
    expect(await broken('f.csv', text)).toMatch(expected);
  });

  it('an empty file has no rows', async () => {
    for (const text of ['', '\n\n', 'id,name\n', ' ']) expect(await said('f.csv', text)).toEqual([]);
  });
});

describe('JSON', () => {
  const text = '[\n {"id": 1, "name": "a,]}\\"["},\n\n  {"id": 2,\n "x": {"y": [1, "}"]}}, {"id": null}\n]\n';

  it('an array: each object with its line and its number', async () => {
    for (const size of [1, 2, 5, 1000]) {
      expect(await said('f.json', text, size)).toEqual([
        '2: id=1 name="a,]}\\"["',
        '4: id=2 x={"y":[1,"}"]}',
        '5: id=null',
      ]);
    }
    expect((await read('f.json', text)).map((row) => 'number' in row && row.number)).toEqual([1, 2, 3]);
  });

  it('is the same as the engine reads it, however it is cut', async () => {
    const cell = fc.oneof(fc.string({ unit: 'binary' }), fc.integer(), fc.boolean(), fc.constant(null));
    const row = fc.dictionary(
      fc.string().filter((key) => key !== '__proto__'),
      cell,
      { noNullPrototype: true },
    );
    const space = fc.constantFrom(undefined, 1, '\t');
    await fc.assert(
      fc.asyncProperty(fc.array(row), space, fc.integer({ min: 1, max: 9 }), async (rows, indent, size) => {
        const found = await read('f.json', JSON.stringify(rows, null, indent), size);
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
    ['ends too early', '[{"id":1},\n{"id":2}\n', /^3: not JSON: column 1: unexpected end of file/],
    ['has something behind it', '[{"id":1}]\n[2]', /^2: not JSON: column 1: unexpected text after/],
    ['has a row that is not JSON', '[{"id":1},\n {"id" 2}]', /^2: not JSON: column 8: expected a colon/],
    ['has a name twice', '[{"id":1},\n {"id":2,"id":3}]', /^2: not JSON: column 10: duplicate name/],
  ])('an array that %s', async (_name, whole, expected) => {
    expect(await broken('f.json', whole)).toMatch(expected);
  });

  it('an empty array has no rows', async () => {
    for (const whole of ['[]', ' [ \n ]\n']) expect(await said('f.json', whole)).toEqual([]);
  });
});

describe('the kind of a file', () => {
  it.each([
    ['-', '[{"a":"1"}]', '1: a="1"'],
    ['-', '\n {"a":"1"}', '2: a="1"'],
    ['-', 'a\n1\n', '2: a="1"'],
    ['people', '[{"a":"1"}]', '1: a="1"'],
    ['people.txt', 'a;b\n1;2\n', '2: a="1" b="2"'],
    ['people.CSV', '[a]\n1\n', '2: [a]="1"'],
  ])('%s with %j', async (file, text, expected) => {
    expect(await said(file, text)).toEqual([expected]);
  });
});

describe('bytes', () => {
  const text = 'id,näme\n1,Ünïcode 名前 🎉\n';
  const textOf = async (bytes: Uint8Array, size: number): Promise<string> => {
    let whole = '';
    for await (const part of decodeText(inParts(bytes, size))) whole += part;
    return whole;
  };
  const utf16 = (swap: boolean): Uint8Array => {
    const bytes = Buffer.from(`\ufeff${text}`, 'utf16le');
    return new Uint8Array(swap ? bytes.swap16() : bytes);
  };

  it.each([
    ['a workbook of Excel', Buffer.from('504b0304140006000800', 'hex')],
    ['an older one', Buffer.from('d0cf11e0a1b11ae1', 'hex')],
  ])('%s is told apart from text', async (_name, bytes) => {
    await expect(textOf(new Uint8Array(bytes), 64)).rejects.toMatchObject({
      message: 'it is a spreadsheet file, not text',
      hint: expect.stringContaining('Save the sheet as CSV'),
    });
  });

  it('a heading may begin like a workbook', async () => {
    expect(await textOf(new Uint8Array(Buffer.from('PK,name\n1,A\n')), 64)).toBe('PK,name\n1,A\n');
  });

  it.each([
    ['UTF-8', new Uint8Array(Buffer.from(text))],
    ['UTF-8 with a byte order mark', new Uint8Array(Buffer.from(`\ufeff${text}`))],
    ['UTF-16, little end first', utf16(false)],
    ['UTF-16, big end first', utf16(true)],
  ])('%s, however they come', async (_name, bytes) => {
    for (const size of [1, 2, 3, 1000]) expect(await textOf(bytes, size)).toBe(text);
  });

  it.each([
    ['a table', 'id,note\n105,é\n'],
    ['JSON', '[{"id":105}]'],
  ])('%s in UTF-16 without a byte order mark is called that', async (_name, content) => {
    for (const [encoding, bytes] of [
      ['utf-16le', Buffer.from(content, 'utf16le')],
      ['utf-16be', Buffer.from(content, 'utf16le').swap16()],
    ] as const) {
      for (const size of [1, 2, 1000]) {
        await expect(textOf(new Uint8Array(bytes), size)).rejects.toMatchObject({
          message: 'it looks like UTF-16 without a byte order mark',
          hint: `Save it as UTF-8, or convert it: iconv -f ${encoding} -t utf-8`,
        });
      }
    }
  });

  it('that are no text are refused', async () => {
    await expect(textOf(Uint8Array.of(65, 0xfc, 66), 2)).rejects.toThrow('not UTF-8');
    await expect(textOf(Uint8Array.of(65, 0xc3), 2)).rejects.toThrow('not UTF-8');
  });
});

describe('CSV out and in', () => {
  const nasty = fc.constantFrom(
    '"',
    "'",
    '=',
    '-',
    '+',
    '@',
    ',',
    ';',
    '\t',
    '\r',
    '\n',
    '\ufeff',
    ' ',
    'a',
    '＝',
  );
  const cell = fc.array(fc.oneof(nasty, fc.string({ unit: 'binary' }))).map((parts) => parts.join(''));
  const name = fc.stringMatching(/^[a-z_]{1,9}$/);

  const written = async (names: readonly string[], rows: readonly (readonly string[])[]): Promise<string> => {
    const parts: string[] = [];
    const context = {
      view: { noun: 'rows', columns: [] },
      columns: names,
      header: true,
      terminal: false,
      write: async (text: string) => void parts.push(text),
      note: () => {},
    } as unknown as FormatContext;
    const writer = createCsvWriter(context);
    await writer.rows(
      rows.map((cells) => Object.fromEntries(names.map((one, index) => [one, cells[index]]))),
    );
    await writer.end();
    return parts.join('');
  };

  it('is the identity, however it is cut', async () => {
    const table = fc
      .uniqueArray(name, { minLength: 1, maxLength: 4 })
      .chain((names) =>
        fc.tuple(
          fc.constant(names),
          fc.array(fc.array(cell, { minLength: names.length, maxLength: names.length }), { minLength: 1 }),
        ),
      );
    await fc.assert(
      fc.asyncProperty(
        table,
        fc.integer({ min: 1, max: 40 }),
        fc.boolean(),
        async ([names, all], size, marked) => {
          // Rows that say nothing are blank lines to a reader.
          const rows = all
            .map((cells) => cells.map((text) => text.replace(/\p{Cs}/gu, '')))
            .filter((cells) => cells.some((text) => text.trim() !== ''));
          fc.pre(rows.length > 0);
          const bytes = new Uint8Array(Buffer.from((marked ? '\ufeff' : '') + (await written(names, rows))));
          const back: (readonly unknown[])[] = [];
          for await (const row of readRows('f.csv', decodeText(inParts(bytes, size)))) {
            if ('problem' in row) throw new Error(`${row.line}: ${row.problem}`);
            expect(row.names).toEqual(names);
            back.push(row.cells);
          }
          expect(back).toEqual(rows);
        },
      ),
      { numRuns: 300 },
    );
  });
});

describe('the word that was meant', () => {
  it.each([
    ['frstname', 'firstname'],
    ['rol', 'role'],
    ['weekly_hour_limit', 'weekly_hours_limit'],
    ['xyzzy', undefined],
    ['17', undefined],
  ])('%s: %s', (word, expected) => {
    expect(findNearest(word, ['id', 'email', 'firstname', 'lastname', 'role', 'weekly_hours_limit'])).toBe(
      expected,
    );
  });
});
