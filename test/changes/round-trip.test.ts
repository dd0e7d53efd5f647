import { readFileSync } from 'node:fs';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { isSameValue } from '../../src/parsing/names.ts';
import { type Row, useCli } from '../support/use-cli.ts';

/** A list as CSV, edited as in a spreadsheet, and fed back, in the sandbox. */

const SEEDS = ['demo', 'messy', 'month-end', 'agency'] as const;

const sandbox = useCli({ sandbox: 'demo' });
const { run, read, rows: readRows } = sandbox;
const fileOf = (text: string, name = 'rows.csv') => sandbox.file(name, text);

const writesSeen = async (): Promise<readonly Row[]> =>
  (await readRows('sandbox log')).filter(({ method }) => method !== 'GET');

/** As a spreadsheet reads it (RFC 4180). */
const parseCsv = (text: string): string[][] => {
  const rows: string[][] = [[]];
  const cells = text.matchAll(/("(?:[^"]|"")*"|[^",\r\n]*)(,|\r\n|$)/g);
  for (const [, cell = '', end] of cells) {
    rows.at(-1)?.push(cell.startsWith('"') ? cell.slice(1, -1).replaceAll('""', '"') : cell);
    if (end === '\r\n') rows.push([]);
    if (end === '') break;
  }
  return rows.filter((row) => row.length > 1);
};

const formatCsv = (rows: readonly (readonly string[])[]): string =>
  rows.map((row) => `${row.map((cell) => `"${cell.replaceAll('"', '""')}"`).join(',')}\r\n`).join('');

/** The lists that can be fed back. */
const LISTS = ['members', 'projects', 'contracts', 'tasks', 'expenses', 'webhooks'] as const;
type Noun = (typeof LISTS)[number];

/** Tasks are those of a project. */
const flagsOf = async (noun: Noun): Promise<string> => {
  if (noun !== 'tasks') return '';
  const projects = await readRows('projects list');
  for (const { id } of projects) {
    if ((await readRows(`tasks list --project ${id}`)).length > 0) return ` --project ${id}`;
  }
  return ` --project ${projects[0]?.id}`;
};

describe.each(SEEDS)('the seed %s', (seed) => {
  it.each(LISTS)('%s: an export that was not edited sends nothing', async (noun) => {
    await read(`sandbox reset --seed ${seed}`);
    const flags = await flagsOf(noun);
    const file = fileOf(await read(`${noun} list${flags} -o csv`));
    const { exit, stderr, stdout } = await run(`${noun} update${flags} --from-file ${file} --yes`);
    expect([exit, stderr]).toEqual([0, expect.stringMatching(/^(\d+ unchanged\n|.* has no rows\.\n)?$/)]);
    expect(stdout).toMatch(/^(= \S+ {2}unchanged\n)?$/);
    expect(await writesSeen()).toEqual([]);
    const plan = await run(`${noun} update${flags} --from-file ${file} --dry-run --exit-code`);
    expect(plan.exit).toBe(0);
  });
});

/** Cells that a person could write, by their columns, and what the records then have. */
type Edits = Readonly<Record<string, readonly [text: string, value: unknown]>>;
const LINES = 'a, "b"\r\nc';
const PROJECT: Edits = {
  notes: [LINES, LINES],
  budget_estimation: ['900.50', 900.5],
  deadline: ['May 3, 2027', '2027-05-03'],
};
const EDITS: readonly (readonly [Noun, Edits])[] = [
  [
    'members',
    {
      weekly_hours_limit: ['0', 0],
      timezone: ['Asia/Tokyo', 'Asia/Tokyo'],
      firstname: ['Zoë — ☕', 'Zoë — ☕'],
    },
  ],
  ['projects', PROJECT],
  [
    'contracts',
    { weekly_hours_limit: ['7', 7], status: ['Paused', 'paused'], screenshots: ['no_preview', 'no_preview'] },
  ],
  ['tasks', { title: ["it's", "it's"], status: ['in-progress', 10], priority: ['40', 40] }],
  [
    'expenses',
    {
      amount: ['7.25', 7.25],
      note: ['007', '007'],
      type: ['no', 'non-billable'],
      category: ['meals', 'Meals'],
    },
  ],
  [
    'webhooks',
    {
      url: ['https://h.example/a', 'https://h.example/a'],
      events: ['["tracker.started"]', ['tracker.started']],
    },
  ],
];

/** What the service changes with every write, or derives from another field. */
const withoutDerived = ({
  updated_at: _updated,
  completed_at: _completed,
  screenshots_label: _label,
  ...rest
}: Row): Row => rest;

describe('edits', () => {
  it.each(EDITS)('%s: the records are as they were, but for the edited cells', async (noun, edits) => {
    const flags = await flagsOf(noun);
    const before = await readRows(`${noun} list${flags}`);
    const [heading = [], ...rows] = parseCsv(await read(`${noun} list${flags} -o csv`));
    // What is archived is not for editing; an expense cannot be changed without naming its category.
    const n = before.findIndex(
      (row) => row.deleted_at == null && (noun !== 'expenses' || row.category != null),
    );
    for (const [column, [text]] of Object.entries(edits)) rows[n]?.splice(heading.indexOf(column), 1, text);
    const file = fileOf(formatCsv([heading, ...rows]));
    const { exit, stderr } = await run(`${noun} update${flags} --from-file ${file} --yes`);
    expect([exit, stderr.includes('error')]).toEqual([0, false]);
    const values = Object.entries(edits).map(([column, [, value]]) => [column, value]);
    const wanted = before.map((row, i) => (i === n ? { ...row, ...Object.fromEntries(values) } : row));
    const after = await readRows(`${noun} list${flags}`);
    expect(after.map(withoutDerived)).toEqual(wanted.map(withoutDerived));
    // A row that says the same is not sent.
    expect((await writesSeen()).length).toBe(1);
  });

  it('sends the edited cells alone, an expense with what it always needs', async () => {
    const text = (await read('members list -o csv')).replace(
      ',Regular User,Europe/Dublin',
      ',Team manager,Europe/Dublin',
    );
    await run(`members update --from-file ${fileOf(text)} --yes`);
    const expenses = (await read('expenses list -o csv')).replace('48.6', '50');
    await run(`expenses update --from-file ${fileOf(expenses)} --yes`);
    expect(
      (await writesSeen()).map(({ path, body }) => [String(path).split('/')[1], Object.keys(Object(body))]),
    ).toEqual([
      ['members', ['workspace_id', 'role']],
      ['expenses', ['workspace_id', 'expense_name', 'date', 'amount', 'category_id']],
    ]);
  });
});

describe('a column that cannot be changed', () => {
  it('is passed over where it says what the record says, and is a mistake where not', async () => {
    const text = await read('members list -o csv');
    const left = text.replace(
      ',Lucas,Ferreira,,Project manager,America/Sao_Paulo,active',
      ',Lucas,Ferreira,,Project manager,America/Sao_Paulo,left',
    );
    expect(left).not.toBe(text);
    const { exit, stderr } = await run(`members update --from-file ${fileOf(left)} --yes`);
    expect(exit).toBe(2);
    expect(stderr).toContain('rows.csv:7: status: "left" cannot be set (the record has "active")');
    const owner = text.replace(',Regular User,Europe/Dublin', ',Owner,Europe/Dublin');
    const promoted = await run(`members update --from-file ${fileOf(owner)} --yes`);
    expect([promoted.exit, promoted.stderr]).toEqual([
      2,
      expect.stringContaining('current_role: "Owner" cannot be set'),
    ]);
    expect(await writesSeen()).toEqual([]);
  });

  it('may be old where it is a time', async () => {
    const text = (await read('members list -o csv')).replaceAll(
      '2025-10-19T09:00:00.000Z',
      '2020-01-01T00:00:00.000Z',
    );
    const { exit, stderr } = await run(`members update --from-file ${fileOf(text)} --yes`);
    expect([exit, stderr]).toEqual([0, '12 unchanged\n']);
  });
});

describe('--base', () => {
  const AOIFE = ',Regular User,Europe/Dublin';
  const prepare = async (theirs: string) => {
    const text = await read('members list -o csv');
    const base = fileOf(text, 'base.csv');
    const mine = fileOf(text.replace(AOIFE, ',Team manager,Europe/Dublin'), 'mine.csv');
    await read(theirs);
    return `members update --from-file ${mine} --base ${base} --yes`;
  };

  it('keeps what only somebody else has changed', async () => {
    const line = await prepare('members update 106 --weekly-hours-limit 11');
    const { exit, stderr } = await run(line);
    expect([exit, stderr]).toEqual([0, '1 updated, 11 unchanged\n']);
    const members = await readRows('members list');
    expect(members.find(({ id }) => id === 106)).toMatchObject({ weekly_hours_limit: 11 });
    expect(members.find(({ id }) => id === 108)).toMatchObject({ current_role: 'Team manager' });
    // Without it the older value would be written back.
    const { stdout } = await run(`${line.replace(/ --base.*/, '')} --dry-run`);
    expect(stdout).toContain('hours a week: 11 → 40');
  });

  it('fails a row whose cell both have changed, with both values, and sends the others', async () => {
    const line = await prepare('members update 108 --role project-manager --weekly-hours-limit 11');
    const { exit, stdout } = await run(`${line} --json`);
    expect(exit).toBe(8);
    const failed = JSON.parse(stdout).filter(({ status }: Row) => status === 'failed');
    expect(failed).toMatchObject([{ target: '108', error: { code: 'conflict' } }]);
    expect(failed[0].error.reason).toBe(
      'current_role: "Regular User" became "Team manager" in the file and "Project manager" at the service',
    );
  });

  it('sends nothing where the records cannot be read: nobody can tell what others have changed', async () => {
    const line = await prepare('members update 106 --weekly-hours-limit 11');
    await read('sandbox log --clear');
    for (const verb of ['list', 'get']) await read(`sandbox fault add members ${verb} --status 403`);
    const { exit, stdout, stderr } = await run(line);
    expect([exit, stdout]).toEqual([4, '']);
    expect(stderr).toMatch(/^error: --base needs the records as they are now, and they could not be read\n/);
    expect(await writesSeen()).toEqual([]);
  });

  it('fails a row whose empty cell both have filled', async () => {
    const text = await read('projects list -o csv');
    const base = fileOf(text, 'base.csv');
    const [heading = [], ...rows] = parseCsv(text);
    const notes = heading.indexOf('notes');
    const [first] = rows;
    expect(first?.[notes]).toBe('');
    if (first !== undefined) first[notes] = 'Mine';
    const mine = fileOf(formatCsv([heading, ...rows]), 'mine.csv');
    await read(`projects update ${first?.[0]} --notes Theirs`);
    const { exit, stdout } = await run(`projects update --from-file ${mine} --base ${base} --yes --json`);
    const failed = JSON.parse(stdout).filter(({ status }: Row) => status === 'failed');
    expect([exit, failed[0]?.error.code]).toEqual([8, 'conflict']);
  });

  it('changes nothing where both have changed a cell to the same', async () => {
    const line = await prepare('members update 108 --role team-manager');
    expect(await run(line)).toMatchObject({ exit: 0, stderr: '12 unchanged\n' });
  });

  it('that is no export of these records is refused with its place', async () => {
    const line = await prepare('members update 106 --weekly-hours-limit 11');
    fileOf(await read('projects list -o csv'), 'base.csv');
    const { exit, stderr } = await run(line);
    expect([exit, stderr]).toEqual([2, expect.stringMatching(/base\.csv:1: unknown columns "name"/)]);
  });

  it('needs --from-file', async () => {
    expect(await run('members update 106 --role team-manager --base x.csv')).toMatchObject({
      exit: 2,
      stderr: expect.stringContaining('--base needs --from-file'),
    });
  });
});

it('R12: expenses have their day as ISO 8601 beside that in words, in CSV alone; the file can be fed back', async () => {
  const [heading = '', first = ''] = (await read('expenses list -o csv')).split('\r\n');
  expect(heading).toContain(',expense_date,expense_date_iso,');
  expect(first).toMatch(/,"[A-Z][a-z]{2} \d\d?, \d{4}",\d{4}-\d\d-\d\d,/);
  expect(await read('expenses list --json')).not.toContain('expense_date_iso');
  const file = fileOf(`${heading}\r\n${first}\r\n`, 'expenses.csv');
  expect(await run(`expenses update --from-file ${file} --yes`)).toMatchObject({ exit: 0 });
  expect(await writesSeen()).toEqual([]);
});

describe('a file from elsewhere', () => {
  it('R20: sep=; is obeyed, headings match without case and blanks, others are shown as written', async () => {
    const text = 'sep=;\nE-Mail;Weekly Hours-Limit;Lieblings Farbe\naoife@lindenhof.example;33;rot\n';
    const line = `members update --from-file ${fileOf(text, 'hr.csv')} --yes`;
    const { stderr } = await run(line);
    expect(stderr).toContain('hr.csv:2: unknown column "Lieblings Farbe"');
    expect(stderr).toContain("--map 'Lieblings Farbe=<column>', or add --ignore-columns");
    expect(await run(`${line} --ignore-columns`)).toMatchObject({ exit: 0, stderr: '' });
    expect(await writesSeen()).toMatchObject([{ path: '/members/108', body: { weekly_hours_limit: 33 } }]);
  });

  it.each([
    ['members update', 'email,weekly_hours_limit\naoife\u200b@lindenhof.example,3\n', 'email', '200B'],
    ['members invite', 'email,role\n"a\u0000@x.example",regular-user\n', 'email', '0000'],
    ['projects create', 'name\nHar\u2060bour\n', 'name', '2060'],
  ])('R20: what nobody sees is refused by line and column: %s', async (command, text, column, code) => {
    const { exit, stderr } = await run(`${command} --from-file ${fileOf(text, 'hr.csv')} --yes`);
    expect([exit, stderr]).toEqual([2, expect.stringContaining(`hr.csv:2: ${column}: has a character that`)]);
    expect(stderr).toContain(`(U+${code})`);
    expect(await writesSeen()).toEqual([]);
  });

  it('R20: what joins letters or pictures is no such character', async () => {
    const file = fileOf('name\nمی\u200cخواهم\n👩\u200d💻 Team\n', 'hr.csv');
    expect(await run(`projects create --from-file ${file} --yes`)).toMatchObject({ exit: 0 });
  });

  const HR = 'E-Mail,Stunden,Foo\naoife@lindenhof.example,33,x\nnobody@x.example,30,y\n';
  const MAPS = '--map E-Mail=email --map Stunden=weekly_hours_limit';

  it('has its columns named with --map, and others passed over with --ignore-columns', async () => {
    const line = `members update --from-file ${fileOf(HR, 'hr.csv')} --yes`;
    expect((await run(line)).stderr).toContain('hr.csv:1: unknown columns "Stunden", "Foo"');
    expect((await run(`${line} ${MAPS}`)).stderr).toContain('hr.csv:1: unknown column "Foo"');
    const named = await run(`${line} ${MAPS} --ignore-columns`);
    expect([named.exit, named.stderr]).toEqual([
      5,
      expect.stringContaining('hr.csv:3: no member "nobody@x.example"'),
    ]);
    expect(await writesSeen()).toEqual([]);
    const { exit, stdout, stderr } = await run(`${line} ${MAPS} --ignore-columns --skip-missing`);
    expect([exit, stderr]).toEqual([0, '1 updated, 1 skipped\n']);
    expect(stdout).toContain('– nobody@x.example         skipped  not found');
    expect(await writesSeen()).toMatchObject([{ path: '/members/108', body: { weekly_hours_limit: 33 } }]);
  });

  it.each([
    ['--map Nix=email', '--map: there is no column "Nix"'],
    ['--map Foo=nosuch', '--map: unknown column "nosuch"'],
    ['--map Foo', '--map: "Foo" is not name=column'],
  ])('%s is refused', async (flags, message) => {
    const line = `members update --from-file ${fileOf(HR, 'hr.csv')} --yes ${MAPS} --ignore-columns`;
    expect(await run(`${line} ${flags}`)).toMatchObject({
      exit: 2,
      stderr: expect.stringContaining(message),
    });
  });

  it('skips ids that no record has, archived by file too, and the rest is done', async () => {
    const file = fileOf('id\n108\n999\n', 'ids.csv');
    const { exit, stderr } = await run(`members archive --from-file ${file} --yes --skip-missing`);
    expect([exit, stderr]).toEqual([0, expect.stringContaining('1 archived, 1 skipped\n')]);
    const { exit: strict } = await run(`members restore --from-file ${file} --yes`);
    expect(strict).toBe(8);
  });

  it('names records of others in columns of their own', async () => {
    const rows = 'project.name,member.email,weekly_hours_limit\nBakery rebrand,grace@lindenhof.example,8\n';
    const { exit } = await run(`contracts create --from-file ${fileOf(rows, 'c.csv')} --yes`);
    expect(exit).toBe(0);
    const [created] = await writesSeen();
    expect(created).toMatchObject({ path: '/contracts', body: { user_id: 104, weekly_hours_limit: 8 } });
  });
});

it('what cannot be read is sent as the file has it, and said', async () => {
  const file = fileOf('id,weekly_hours_limit\n108,33\n', 'one.csv');
  await read('sandbox fault add members list --status 403');
  await read('sandbox fault add members get --status 403');
  const { exit, stderr } = await run(`members update --from-file ${file} --yes`);
  expect(stderr).toContain('could not be read');
  expect(exit).not.toBe(2);
  expect((await writesSeen()).length).toBe(1);
  expect(readFileSync(file, 'utf8')).toContain('33');
});

/** Values compare by meaning: numbers by value, days and times in any form, words. */

const NUMBER = { type: 'number' } as const;
const WHOLE = { type: 'integer' } as const;
const TEXT = { type: 'string' } as const;
const ROLE = { type: 'string', choices: ['Regular User', 'Team manager'] } as const;
const STATUS = { type: 'integer', words: { open: 0, 'in-progress': 10 } } as const;
const TIME = { type: 'datetime' } as const;

describe('values that mean the same', () => {
  it.each([
    [75.5, '75.50', NUMBER],
    [5, '5', WHOLE],
    ['9007199254740993', '9007199254740993', {}],
    ['75.5', 75.5, {}],
    [true, 1, { type: 'boolean' }],
    [false, 'no', { type: 'boolean' }],
    ['2026-12-18', 'Dec 18, 2026', { type: 'date' }],
    ['2026-12-18', '2026-12-18T00:00:00.000000Z', { type: 'date' }],
    ['2026-11-20T09:00:00+00:00', '2026-11-20T10:00:00+01:00', TIME],
    // Without a zone: of the one in which it is that.
    ['2026-11-20T09:00:00Z', '2026-11-20 09:00', TIME],
    ['2026-11-20T09:00:00Z', '2026-11-20 23:00:00', TIME],
    ['2026-11-20T09:00:59Z', '2026-11-19T21:00', TIME],
    ['2026-11-20T09:00:00Z', 'Nov 20, 2026 1:00 AM', TIME],
    ['2026-11-20T23:00:00Z', '2026-11-21', TIME],
    ['2026-11-20T01:00:00Z', '2026-11-19', TIME],
    ['2026-11-20T09:00:00Z', '09:00', TIME],
    ['2026-11-20T09:00:00Z', '20.11.2026 09:00', TIME],
    ['Regular User', 'regular_user', ROLE],
    ['ANA@x.example', 'ana@x.example', { type: 'email' }],
    [10, 'In Progress', STATUS],
    ['  two\r\nlines', 'two\nlines', TEXT],
    ['e\u0301', '\u00e9', TEXT],
    ['', null, TEXT],
    [null, undefined, TEXT],
    [['a', 'b'], ['b', 'a', 'a'], {}],
    [[1, 2], ['2', '1'], {}],
    // What stands there for what was sent cannot be known.
    [['a'], [{ id: 1, name: 'a' }], {}],
    [5, { id: 5, toString: 1 }, WHOLE],
    [{ a: 1 }, { a: 1, b: 2 }, {}],
    // As a number that keeps its digits is written by JSON.stringify.
    [75.5, { toJSON: () => '75.50' }, NUMBER],
  ] as const)('%j and %j', (sent, shown, about) => {
    expect(isSameValue(sent, shown, about)).toBe(true);
  });
});

describe('values that do not', () => {
  it.each([
    [0, '', NUMBER],
    [0, null, NUMBER],
    [75.5, 75, NUMBER],
    ['9007199254740993', '9007199254740992', {}],
    ['007', '7', TEXT],
    ['2026-12-18', 'Dec 17, 2026', { type: 'date' }],
    ['2026-11-20T09:00:00Z', '2026-11-20T09:00:00+01:00', TIME],
    ['2026-11-20T09:00:00Z', '2025-11-20 09:00', TIME],
    ['2026-11-20T09:00:00Z', '2027-11-20T09:00:00.000000', TIME],
    ['2026-11-20T09:00:00Z', 'Nov 20, 2025 9:00 AM', TIME],
    ['2026-11-20T09:00:00Z', '2026-11-20 23:01', TIME],
    ['2026-11-20T09:00:00Z', '2026-11-19 20:58', TIME],
    ['2026-11-20T09:00:00Z', '2026-11-18', TIME],
    ['2026-11-20T09:00:00Z', '2026-11-22', TIME],
    ['Regular User', 'Team manager', ROLE],
    ['Fix it', 'fix it', TEXT],
    [10, 'Open', STATUS],
    [['a'], ['a', 'b'], {}],
    ['x', '', TEXT],
  ] as const)('%j and %j', (sent, shown, about) => {
    expect(isSameValue(sent, shown, about)).toBe(false);
  });
});

it('whatever a service shows, nothing throws, and a value is the same as itself', () => {
  fc.assert(
    fc.property(fc.jsonValue(), fc.jsonValue(), (one, other) => {
      expect(typeof isSameValue(one, other)).toBe('boolean');
      expect(isSameValue(one, structuredClone(one))).toBe(true);
    }),
  );
});
