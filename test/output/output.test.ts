import { describe, expect, it, vi } from 'vitest';
import { OutputClosed, UsageError } from '../../src/errors.ts';
import { compileQuery } from '../../src/query/run.ts';
import { capture, MEMBERS, memorySink, pagesOf } from './capture.ts';

// `-o json` loads none of these; that each test below passes shows it.
vi.mock('chalk', () => {
  throw new Error('chalk was loaded');
});
vi.mock('string-width', () => {
  throw new Error('string-width was loaded');
});
vi.mock('@inquirer/core', () => {
  throw new Error('@inquirer/core was loaded');
});

const ROWS = [
  { id: 3, name: 'b', rate: 10 },
  { id: 1, name: 'B', rate: 9 },
  { id: 2, name: 'a', rate: null },
  { id: 4, name: null, rate: -1 },
];
const ids = async (sort: string): Promise<string> => {
  const keys = sort
    .split(',')
    .map((key) => ({ field: key.split(':')[0] ?? '', descending: key.endsWith(':desc') }));
  const { output, stdout } = capture('ids', { sort: keys });
  await output.list(pagesOf([ROWS.slice(0, 2), ROWS.slice(2)]), MEMBERS);
  return stdout().trim().split('\n').join('');
};

describe('--sort', () => {
  it.each([
    ['rate', '4132'],
    ['rate:desc', '3142'],
    ['name', '2134'],
    ['name:desc', '3124'],
  ])('by %s over all pages', async (sort, order) => {
    expect(await ids(sort)).toBe(order);
  });
});

describe('--query', () => {
  it('answers JSON', async () => {
    const { output, stdout } = capture('json', { query: await compileQuery('[?rate > `0`].id') });
    await output.list(pagesOf([ROWS]), MEMBERS);
    expect(JSON.parse(stdout())).toEqual([3, 1]);
  });

  it('answers rows where a format is named and there are some', async () => {
    const rows = capture('table', { query: await compileQuery('[:2].{who: name, id: id}') });
    await rows.output.list(pagesOf([ROWS]), MEMBERS);
    expect(rows.stdout()).toBe('WHO  ID\nb     3\nB     1\n');
    const number = capture('table', { query: await compileQuery('length(@)') });
    await number.output.list(pagesOf([ROWS]), MEMBERS);
    expect(number.stdout()).toBe('4\n');
    const names = capture('ids', { query: await compileQuery('[].name') });
    await names.output.list(pagesOf([ROWS]), MEMBERS);
    expect(names.stdout()).toBe('b\nB\na\n');
  });

  it.each([
    ['table', 'id    1\nname  B\n'],
    ['csv', 'id,name\r\n1,B\r\n'],
    ['tsv', 'id\tname\n1\tB\n'],
    ['ids', '1\n'],
    ['ndjson', '{"id":1,"name":"B"}\n'],
  ] as const)('answers one object as %s where that is named', async (format, text) => {
    const { output, stdout } = capture(format, { query: await compileQuery('[1].{id: id, name: name}') });
    await output.list(pagesOf([ROWS]), MEMBERS);
    expect(stdout()).toBe(text);
  });

  it.each<[string, string, string]>([
    ['csv', '[:2].name', 'value\r\nb\r\nB\r\n'],
    ['tsv', '[:2].name', 'value\nb\nB\n'],
    ['markdown', '[:2].name', '| value |\n| --- |\n| b |\n| B |\n'],
    ['table', '[:2].name', 'VALUE\nb\nB\n'],
    ['csv', '[:2].[name, id]', 'column_1,column_2\r\nb,3\r\nB,1\r\n'],
    ['csv', 'length(@)', 'value\r\n4\r\n'],
    ['table', '[0].name', 'b\n'],
    ['csv', '[].nothing', ''],
    ['csv', 'nothing', ''],
    ['ndjson', '[:2].name', '"b"\n"B"\n'],
  ])('is %s where that is named: %s', async (format, query, text) => {
    const { output, stdout } = capture(format, { query: await compileQuery(query) });
    await output.list(pagesOf([ROWS]), MEMBERS);
    expect(stdout()).toBe(text);
  });

  it.each(['[', 'nope(@)', '[?nope(a)]', 'a.'])('%s is wrong usage before any request', async (query) => {
    await expect(compileQuery(query)).rejects.toBeInstanceOf(UsageError);
  });
});

describe('notes', () => {
  it('tell an empty and a shortened list', async () => {
    const none = capture('table');
    await none.output.list(pagesOf([[]]), MEMBERS);
    expect([none.stdout(), none.stderr()]).toEqual(['', 'No members found.\n']);
    const some = capture('ids');
    await some.output.list(pagesOf([[{ id: 1 }]], { total: 431, shortened: true }), MEMBERS);
    expect(some.stderr()).toBe('Showing 1 of 431.\n');
  });

  it('are left out with --quiet and JSON; warnings only with --quiet', () => {
    const said = (format: 'json' | 'table', quiet: boolean): string => {
      const { output, stderr } = capture(format, { quiet });
      output.note('a note\n::error::');
      output.warn('a warning\x1b');
      return stderr();
    };
    expect(said('table', false)).toBe('a note\n\\x3a:error::\nwarning: a warning\\x1b\n');
    expect(said('json', false)).toBe('warning: a warning\\x1b\n');
    expect(said('table', true)).toBe('');
  });

  it('stand before the data that follow, in a terminal', async () => {
    const shown: string[] = [];
    const stdout = { isTTY: true, write: async (text: string | Uint8Array) => void shown.push(String(text)) };
    // As a terminal's stream: what is written to it waits for what was written before.
    let last = Promise.resolve();
    const write = (text: string | Uint8Array) => {
      last = last.then(() => void shown.push(String(text)));
      return last;
    };
    const { output } = capture('table', { stdout, stderr: { isTTY: true, write } });
    for (const note of ['a', 'b', 'c']) output.note(note);
    await output.text('data');
    expect(shown.join('')).toBe('a\nb\nc\ndata\n');
  });
});

it('stops fetching when the reader has gone', async () => {
  const closed = { ...memorySink(), write: () => Promise.reject(new OutputClosed(undefined)) };
  const { output } = capture('ndjson', { stdout: closed });
  let fetched = 0;
  const pages = async function* () {
    for (;;) {
      fetched += 1;
      yield { rows: [{ id: 1 }], total: undefined };
    }
  };
  await expect(output.list(pages(), MEMBERS)).rejects.toBeInstanceOf(OutputClosed);
  expect(fetched).toBe(1);
});
