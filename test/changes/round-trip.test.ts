import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { isSameValue } from '../../src/parsing/names.ts';
import { type Row, useCli } from '../support/use-cli.ts';

/** A list as CSV, edited as in a spreadsheet, and fed back, in the sandbox. */

const { run, read, rows, writes, sent, file, text } = useCli({ sandbox: 'demo' });

/** `members list` and `members update`, with the project that tasks are of. */
const linesOf = async (noun: string) => {
  const of = noun === 'tasks' ? ` --project ${(await rows('projects list'))[0]?.['id']}` : '';
  return { list: `${noun} list${of}`, update: `${noun} update${of} --from-file` };
};

/** As a spreadsheet does it (RFC 4180). @param n of the row, from 0; @param cells what is written into which columns */
const editCsv = (text: string, n: number, cells: Readonly<Record<string, string>>): string => {
  const lines: string[][] = [[]];
  for (const [, cell = '', end] of text.matchAll(/("(?:[^"]|"")*"|[^",\r\n]*)(,|\r\n|$)/g)) {
    lines.at(-1)?.push(cell.startsWith('"') ? cell.slice(1, -1).replaceAll('""', '"') : cell);
    if (end === '\r\n') lines.push([]);
    if (end === '') break;
  }
  const [heading = []] = lines;
  for (const [column, cell] of Object.entries(cells)) lines[n + 1]?.splice(heading.indexOf(column), 1, cell);
  const toCell = (cell: string): string => `"${cell.replaceAll('"', '""')}"`;
  return lines.map((line) => `${line.map(toCell).join(',')}\r\n`).join('');
};

describe.each(['demo', 'messy', 'month-end', 'agency'])('the seed %s', (seed) => {
  it.each(['members', 'projects', 'contracts', 'tasks', 'expenses', 'webhooks'])(
    '%s: an export that was not edited sends nothing',
    async (noun) => {
      await read(`sandbox reset --seed ${seed}`);
      const { list, update } = await linesOf(noun);
      for (const format of ['csv', 'csv --excel']) {
        const csv = file('rows.csv', await read(`${list} -o ${format}`));
        const { exit, stderr, stdout } = await run(`${update} ${csv} --yes`);
        expect([exit, stderr]).toEqual([0, expect.stringMatching(/^(\d+ unchanged\n|.* has no rows\.\n)?$/)]);
        expect(stdout).toMatch(/^(= .*unchanged.*\n)?$/);
        expect(await writes()).toEqual([]);
        await read(`${update} ${csv} --dry-run --exit-code`);
        expect(await read(`${list} -o ${format}`)).toBe(text('rows.csv'));
      }
    },
  );
});

/** What the service changes with every write, or derives from another field. */
const withoutDerived = ({
  updated_at: _,
  completed_at: _completed,
  screenshots_label: _label,
  ...row
}: Row): Row => row;

describe('edits', () => {
  const LINES = 'a, "b"\r\nc';
  it.each<[string, Record<string, [text: string, value: unknown]>]>([
    [
      'members',
      {
        weekly_hours_limit: ['0', 0],
        timezone: ['Asia/Tokyo', 'Asia/Tokyo'],
        firstname: ['Zoë — ☕', 'Zoë — ☕'],
      },
    ],
    [
      'projects',
      {
        notes: [LINES, LINES],
        budget_estimation: ['900.50', 900.5],
        deadline: ['May 3, 2027', '2027-05-03'],
      },
    ],
    [
      'contracts',
      {
        weekly_hours_limit: ['7', 7],
        status: ['Paused', 'paused'],
        screenshots: ['no_preview', 'no_preview'],
      },
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
  ])('%s: the records are as they were, but for the edited cells', async (noun, edits) => {
    const { list, update } = await linesOf(noun);
    const [first, ...others] = await rows(list);
    const columns = Object.keys(edits);
    const cells = Object.fromEntries(columns.map((column) => [column, edits[column]?.[0] ?? '']));
    const values = Object.fromEntries(columns.map((column) => [column, edits[column]?.[1]]));
    const csv = file('rows.csv', editCsv(await read(`${list} -o csv`), 0, cells));
    const { exit, stderr } = await run(`${update} ${csv} --yes`);
    expect([exit, stderr]).toEqual([0, expect.not.stringContaining('error')]);
    const wanted = [{ ...first, ...values }, ...others];
    expect((await rows(list)).map(withoutDerived)).toEqual(wanted.map(withoutDerived));
    // A row that says the same is not sent.
    expect(await writes()).toHaveLength(1);
  });

  it('are sent alone, of an expense with what it always needs', async () => {
    const members = editCsv(await read('members list -o csv'), 6, { current_role: 'Team manager' });
    await read(`members update --from-file ${file('members.csv', members)} --yes`);
    const expenses = editCsv(await read('expenses list -o csv'), 0, { amount: '50' });
    await read(`expenses update --from-file ${file('expenses.csv', expenses)} --yes`);
    expect(await sent()).toEqual([
      'PUT /members/108?workspace_id=101 {"workspace_id":101,"role":"Team manager"}',
      expect.stringMatching(
        /^PUT \/expenses\/a1b.* \{"workspace_id":101,"expense_name":"Train to the harbour","date":"2026-.*","amount":50,"category_id":"[^"]*"\}$/,
      ),
    ]);
  });
});

describe('a column that cannot be changed', () => {
  it.each([
    [5, { status: 'left' }, 'rows.csv:7: status: "left" cannot be set (the record has "active")'],
    [6, { current_role: 'Owner' }, 'rows.csv:8: current_role: "Owner" cannot be set'],
  ])('is a mistake where it does not say what the record says: row %i, %j', async (n, cells, told) => {
    const csv = file('rows.csv', editCsv(await read('members list -o csv'), n, cells));
    const { exit, stderr } = await run(`members update --from-file ${csv} --yes`);
    expect([exit, stderr, await writes()]).toEqual([2, expect.stringContaining(told), []]);
  });

  it('may be old where it is a time', async () => {
    const text = await read('members list -o csv');
    const csv = file('rows.csv', editCsv(text, 0, { created_at: '2020-01-01T00:00:00.000Z' }));
    const { exit, stderr } = await run(`members update --from-file ${csv} --yes`);
    expect([exit, stderr]).toEqual([0, '14 unchanged\n']);
  });
});

describe('--base', () => {
  /** An export and its edit: 108 becomes a team manager. @param theirs what somebody else does meanwhile */
  const prepare = async (theirs: string) => {
    const text = await read('members list -o csv');
    const base = file('base.csv', text);
    const mine = file('mine.csv', editCsv(text, 6, { current_role: 'Team manager' }));
    await read(theirs);
    return `members update --from-file ${mine} --base ${base} --yes`;
  };

  it('keeps what only somebody else has changed', async () => {
    const line = await prepare('members update 106 --weekly-hours-limit 11');
    expect(await run(line)).toMatchObject({ exit: 0, stderr: '1 updated, 13 unchanged\n' });
    const [mei, , aoife] = (await rows('members list')).slice(4);
    expect([mei, aoife]).toMatchObject([{ weekly_hours_limit: 11 }, { current_role: 'Team manager' }]);
    // Without it the older value would be written back.
    const { stdout } = await run(`${line.replace(/ --base.*/, '')} --dry-run`);
    expect(stdout).toContain('hours a week: 11 → 40');
  });

  it('fails a row whose cell both have changed, with both values, and sends the others', async () => {
    const line = await prepare('members update 108 --role project-manager --weekly-hours-limit 11');
    const { exit, stdout } = await run(`${line} --json`);
    const reason =
      'current_role: "Regular User" became "Team manager" in the file and "Project manager" at the service';
    const failed = JSON.parse(stdout).filter(({ status }: Row) => status === 'failed');
    expect([exit, failed]).toMatchObject([8, [{ target: '108', error: { code: 'conflict', reason } }]]);
  });

  it('fails a row whose empty cell both have filled', async () => {
    const text = await read('projects list -o csv');
    const base = file('base.csv', text);
    const mine = file('mine.csv', editCsv(text, 0, { notes: 'Mine' }));
    await read('projects update 114 --notes Theirs');
    const { exit, stdout } = await run(`projects update --from-file ${mine} --base ${base} --yes --json`);
    const failed = JSON.parse(stdout).filter(({ status }: Row) => status === 'failed');
    expect([exit, failed]).toMatchObject([8, [{ target: '114', error: { code: 'conflict' } }]]);
  });

  it('sends nothing where the records cannot be read: nobody can tell what others have changed', async () => {
    const line = await prepare('members update 106 --weekly-hours-limit 11');
    await read('sandbox log --clear');
    for (const verb of ['list', 'get']) await read(`sandbox fault add members ${verb} --status 403`);
    const { exit, stdout, stderr } = await run(line);
    expect([exit, stdout, await writes()]).toEqual([4, '', []]);
    expect(stderr).toMatch(/^error: --base needs the records as they are now, and they could not be read\n/);
  });

  it('changes nothing where both have changed a cell to the same', async () => {
    const line = await prepare('members update 108 --role team-manager');
    expect(await run(line)).toMatchObject({ exit: 0, stderr: '14 unchanged\n' });
  });

  it('that is no export of these records is refused with its place', async () => {
    const line = await prepare('members update 106 --weekly-hours-limit 11');
    file('base.csv', await read('projects list -o csv'));
    const { exit, stderr } = await run(line);
    expect([exit, stderr]).toEqual([2, expect.stringMatching(/base\.csv:1: unknown columns "name"/)]);
  });

  it('needs --from-file', async () => {
    const { exit, stderr } = await run('members update 106 --role team-manager --base x.csv');
    expect([exit, stderr]).toEqual([2, expect.stringContaining('--base needs --from-file')]);
  });
});

it('R12: expenses have their day as ISO 8601 beside that in words, in CSV alone', async () => {
  const [heading = '', first = ''] = (await read('expenses list -o csv')).split('\r\n');
  expect(heading).toContain(',expense_date,expense_date_iso,');
  expect(first).toMatch(/,"[A-Z][a-z]{2} \d\d?, \d{4}",\d{4}-\d\d-\d\d,/);
  expect(await read('expenses list --json')).not.toContain('expense_date_iso');
});

describe('a file from elsewhere', () => {
  it('R20: sep=; is obeyed, headings match without case and blanks, others are shown as written', async () => {
    const text = 'sep=;\nE-Mail;Weekly Hours-Limit;Lieblings Farbe\naoife@lindenhof.example;33;rot\n';
    const line = `members update --from-file ${file('hr.csv', text)} --yes`;
    const { stderr } = await run(line);
    expect(stderr).toContain('hr.csv:2: unknown column "Lieblings Farbe"');
    expect(stderr).toContain("--map 'Lieblings Farbe=<column>', or add --ignore-columns");
    expect(await run(`${line} --ignore-columns`)).toMatchObject({ exit: 0, stderr: '' });
    expect(await sent()).toEqual([AOIFE_33]);
  });

  it.each([
    ['members update', 'email,weekly_hours_limit\naoife\u200b@lindenhof.example,3\n', 'email', '200B'],
    ['members invite', 'email,role\n"a\u0000@x.example",regular-user\n', 'email', '0000'],
    ['projects create', 'name\nHar\u2060bour\n', 'name', '2060'],
  ])('R20: what nobody sees is refused by line and column: %s', async (command, text, column, code) => {
    const { exit, stderr } = await run(`${command} --from-file ${file('hr.csv', text)} --yes`);
    expect([exit, stderr]).toEqual([2, expect.stringContaining(`hr.csv:2: ${column}: has a character that`)]);
    expect(stderr).toContain(`(U+${code})`);
    expect(await writes()).toEqual([]);
  });

  it('R20: what joins letters or pictures is no such character', async () => {
    const names = file('hr.csv', 'name\nمی\u200cخواهم\n👩\u200d💻 Team\n');
    await read(`projects create --from-file ${names} --yes`);
  });

  const AOIFE_33 = 'PUT /members/108?workspace_id=101 {"workspace_id":101,"weekly_hours_limit":33}';
  const HR = 'E-Mail,Stunden,Foo\naoife@lindenhof.example,33,x\nnobody@x.example,30,y\n';
  const MAPS = '--map E-Mail=email --map Stunden=weekly_hours_limit';

  it.each([
    ['', 2, 'hr.csv:1: unknown columns "Stunden", "Foo"'],
    [MAPS, 2, 'hr.csv:1: unknown column "Foo"'],
    [`${MAPS} --ignore-columns`, 5, 'hr.csv:3: no member "nobody@x.example"'],
    [`${MAPS} --ignore-columns --map Nix=email`, 2, '--map: there is no column "Nix"'],
    [`${MAPS} --ignore-columns --map Foo=nosuch`, 2, '--map: unknown column "nosuch"'],
    [`${MAPS} --ignore-columns --map Foo`, 2, '--map: "Foo" is not name=column'],
  ])('with what is not known is refused: %s', async (flags, exit, message) => {
    const ended = await run(`members update --from-file ${file('hr.csv', HR)} --yes ${flags}`);
    expect([ended.exit, ended.stderr]).toEqual([exit, expect.stringContaining(message)]);
    expect(await writes()).toEqual([]);
  });

  it('has its columns named with --map, others passed over, and skips whom nobody knows', async () => {
    const line = `members update --from-file ${file('hr.csv', HR)} --yes ${MAPS}`;
    const { exit, stdout, stderr } = await run(`${line} --ignore-columns --skip-missing`);
    expect([exit, stderr]).toEqual([0, '1 updated, 1 skipped\n']);
    expect(stdout).toContain('– nobody@x.example         skipped  not found');
    expect(await sent()).toEqual([AOIFE_33]);
  });

  it('skips ids that no record has, archived by file too, and the rest is done', async () => {
    const ids = file('ids.csv', 'id\n108\n999\n');
    const { exit, stderr } = await run(`members archive --from-file ${ids} --yes --skip-missing`);
    expect([exit, stderr]).toEqual([0, expect.stringContaining('1 archived, 1 skipped\n')]);
    expect((await run(`members restore --from-file ${ids} --yes`)).exit).toBe(8);
  });

  it('names records of others in columns of their own', async () => {
    const text = 'project.name,member.email,weekly_hours_limit\nBakery rebrand,grace@lindenhof.example,8\n';
    await read(`contracts create --from-file ${file('c.csv', text)} --yes`);
    const body = '{"workspace_id":101,"project_id":116,"user_id":104,"weekly_hours_limit":8}';
    expect(await sent()).toEqual([`POST /contracts?workspace_id=101 ${body}`]);
  });

  it('is sent as it is where the records cannot be read, which is said', async () => {
    const csv = file('one.csv', 'id,weekly_hours_limit\n108,33\n');
    for (const verb of ['list', 'get']) await read(`sandbox fault add members ${verb} --status 403`);
    const { stderr } = await run(`members update --from-file ${csv} --yes`);
    expect(stderr).toContain('could not be read');
    expect(await sent()).toEqual([AOIFE_33]);
  });
});

/** Values compare by meaning: numbers by value, days and times in any form, words. */

it.each([
  [75.5, '75.50', { type: 'number' }],
  [5, '5', { type: 'integer' }],
  ['9007199254740993', '9007199254740993', {}],
  ['75.5', 75.5, {}],
  [true, 1, { type: 'boolean' }],
  [false, 'no', { type: 'boolean' }],
  ['2026-12-18', 'Dec 18, 2026', { type: 'date' }],
  ['2026-12-18', '2026-12-18T00:00:00.000000Z', { type: 'date' }],
  ['2026-11-20T09:00:00+00:00', '2026-11-20T10:00:00+01:00', { type: 'datetime' }],
  // Without a zone: of the one in which it is that.
  ['2026-11-20T09:00:00Z', '2026-11-20 09:00', { type: 'datetime' }],
  ['2026-11-20T09:00:00Z', '2026-11-20 23:00:00', { type: 'datetime' }],
  ['2026-11-20T09:00:59Z', '2026-11-19T21:00', { type: 'datetime' }],
  ['2026-11-20T09:00:00Z', 'Nov 20, 2026 1:00 AM', { type: 'datetime' }],
  ['2026-11-20T23:00:00Z', '2026-11-21', { type: 'datetime' }],
  ['2026-11-20T01:00:00Z', '2026-11-19', { type: 'datetime' }],
  ['2026-11-20T09:00:00Z', '09:00', { type: 'datetime' }],
  ['2026-11-20T09:00:00Z', '20.11.2026 09:00', { type: 'datetime' }],
  ['Regular User', 'regular_user', { type: 'string', choices: ['Regular User', 'Team manager'] }],
  ['ANA@x.example', 'ana@x.example', { type: 'email' }],
  [10, 'In Progress', { type: 'integer', words: { open: 0, 'in-progress': 10 } }],
  ['  two\r\nlines', 'two\nlines', { type: 'string' }],
  ['e\u0301', '\u00e9', { type: 'string' }],
  ['', null, { type: 'string' }],
  [null, undefined, { type: 'string' }],
  [['a', 'b'], ['b', 'a', 'a'], {}],
  [[1, 2], ['2', '1'], {}],
  // What stands there for what was sent cannot be known.
  [['a'], [{ id: 1, name: 'a' }], {}],
  [5, { id: 5, toString: 1 }, { type: 'integer' }],
  [{ a: 1 }, { a: 1, b: 2 }, {}],
  // As a number that keeps its digits is written by JSON.stringify.
  [75.5, { toJSON: () => '75.50' }, { type: 'number' }],
] as const)('means the same: %j and %j', (sent, shown, about) => {
  expect(isSameValue(sent, shown, about)).toBe(true);
});

it.each([
  [0, '', { type: 'number' }],
  [0, null, { type: 'number' }],
  [75.5, 75, { type: 'number' }],
  ['9007199254740993', '9007199254740992', {}],
  ['007', '7', { type: 'string' }],
  ['2026-12-18', 'Dec 17, 2026', { type: 'date' }],
  ['2026-11-20T09:00:00Z', '2026-11-20T09:00:00+01:00', { type: 'datetime' }],
  ['2026-11-20T09:00:00Z', '2025-11-20 09:00', { type: 'datetime' }],
  ['2026-11-20T09:00:00Z', '2027-11-20T09:00:00.000000', { type: 'datetime' }],
  ['2026-11-20T09:00:00Z', 'Nov 20, 2025 9:00 AM', { type: 'datetime' }],
  ['2026-11-20T09:00:00Z', '2026-11-20 23:01', { type: 'datetime' }],
  ['2026-11-20T09:00:00Z', '2026-11-19 20:58', { type: 'datetime' }],
  ['2026-11-20T09:00:00Z', '2026-11-18', { type: 'datetime' }],
  ['2026-11-20T09:00:00Z', '2026-11-22', { type: 'datetime' }],
  ['Regular User', 'Team manager', { type: 'string', choices: ['Regular User', 'Team manager'] }],
  ['Fix it', 'fix it', { type: 'string' }],
  [10, 'Open', { type: 'integer', words: { open: 0, 'in-progress': 10 } }],
  [['a'], ['a', 'b'], {}],
  ['x', '', { type: 'string' }],
] as const)('does not mean the same: %j and %j', (sent, shown, about) => {
  expect(isSameValue(sent, shown, about)).toBe(false);
});

it('whatever a service shows, nothing throws, and a value is the same as itself', () => {
  fc.assert(
    fc.property(fc.jsonValue(), fc.jsonValue(), (one, other) => {
      expect(typeof isSameValue(one, other)).toBe('boolean');
      expect(isSameValue(one, structuredClone(one))).toBe(true);
    }),
  );
});
