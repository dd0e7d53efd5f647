import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, rmSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'csv-parse/sync';
import fc from 'fast-check';
import { beforeEach, describe, expect, it } from 'vitest';
import { SEEDS } from '../../src/sandbox/seeds/seed.ts';
import { BIN } from '../support/process.ts';
import { type Row, useCli } from '../support/use-cli.ts';

/** A workspace as files in a folder: exported, edited, compared, applied, in the sandbox. */

const FILES = ['projects', 'members', 'viewers', 'contracts', 'tasks', 'webhooks'] as const;
type File = (typeof FILES)[number];

const t = useCli({ sandbox: 'demo' });
const place = (name: string) => t.file(`files/${name}.csv`);
const read = (name: string) => t.text(`files/${name}.csv`);
const write = (name: string, text: string) => t.file(`files/${name}.csv`, text);
const add = (name: string, ...lines: readonly string[]) => write(name, `${read(name)}${lines.join('\n')}\n`);
const edit = (name: string, from: string | RegExp, to: string) => {
  expect(read(name)).toMatch(from);
  write(
    name,
    read(name).replace(from, () => to),
  );
};
const readTable = (name: string): string[][] => parse(read(name));
const writeTable = (name: string, rows: readonly (readonly string[])[]) => {
  const quoted = rows.map((row) => row.map((cell) => `"${cell.replaceAll('"', '""')}"`).join(','));
  write(name, quoted.map((line) => `${line}\n`).join(''));
};

/** DIR is the folder of the files. */
const run = (line: string) => t.run(line.replace('DIR', t.file('files')));
const exportThem = () => t.read(`workspaces export ${t.file('files')}`);
const diff = (): Promise<readonly Row[]> => t.json(`workspaces diff ${t.file('files')}`);
/** The operations that were sent. */
const listWrites = async () =>
  (await t.rows('sandbox log')).filter(({ method }) => method !== 'GET').map(({ operation }) => operation);
/** What is wrong with the files, without the folder. */
const errorsOf = (stderr: string): readonly string[] =>
  JSON.parse(stderr).error.errors.map((line: string) => line.slice(t.file('files/').length));

it.each(SEEDS)('an export of %s is the same bytes twice, and differs in nothing', async (seed) => {
  await t.read(`sandbox reset --seed ${seed}`);
  for (const to of ['DIR', t.file('other')])
    expect(await run(`workspaces export ${to}`)).toMatchObject({
      exit: 0,
      stderr: expect.stringMatching(/^(waiting .*\n)*$/),
    });
  for (const name of FILES) expect(t.text(`other/${name}.csv`)).toBe(read(name));
  expect(await run('workspaces diff DIR --json')).toMatchObject({ exit: 0, stdout: '[]\n' });
  const applied = await run('workspaces apply DIR --yes');
  expect(applied).toEqual({ exit: 0, stdout: '', stderr: 'Nothing to change.\n' });
  expect(await listWrites()).toEqual([]);
});

it.each([
  ['demo', 8],
  ['messy', 8],
  ['empty', 4],
])(
  '%s, edited at random, is applied, so that an export is the edited files but for ids',
  async (seed, numRuns) => {
    const texts = ['Later', 'a, "b"', 'Zoë — ☕', 'two\nlines', "it's", '=1+1', '007'];
    const [hours, days] = [
      ['0', '7', '37', '60'],
      ['2098-05-03', '2099-06-30'],
    ];
    /** Cells that a person could write, as the file has them once they are applied. */
    const cells: readonly (readonly [File, string, readonly string[]])[] = [
      ...['name', 'notes', 'icon'].map((column) => ['projects', column, texts] as const),
      ['projects', 'budget', hours],
      // A deadline does not come before its start.
      ['projects', 'deadline', days],
      ['members', 'firstname', texts],
      ['members', 'timezone', ['Asia/Tokyo', 'Europe/Lisbon']],
      ['members', 'rate_status', ['visible', 'hidden']],
      ['members', 'weekly_hours_limit', hours],
      ['contracts', 'weekly_hours_limit', hours],
      ['contracts', 'screenshots', ['blurred', 'no_preview']],
      ['contracts', 'status', ['active', 'paused']],
      ...['title', 'description'].map((column) => ['tasks', column, texts] as const),
      ['tasks', 'status', ['open', 'in-progress', 'done']],
      ['tasks', 'priority', ['urgent', 'low']],
      ['tasks', 'end_date', days],
      ['webhooks', 'events', ['tracker.started', 'project.created,tracker.stopped']],
    ];
    /** Records that a person could add. */
    const news: Readonly<Record<File, string>> = {
      projects: ',New pier,2026-12-01,2027-05-03,100,5000,notes,anchor',
      members: ',joy@x.example,Joy,Ro,Regular User,Europe/Paris,visible,30',
      viewers: ',vi@x.example,Vi,Ew,New pier,',
      contracts: ',,New pier,,joy@x.example,20,full,,paused',
      tasks: ',,New pier,Plans,to draw,open,high,2026-12-01,2026-12-24,joy@x.example,',
      webhooks: ',https://h.example/z,tracker.started',
    };
    /** Ids, and names that stand beside them, are the service's. */
    const compared: Readonly<Record<File, readonly number[]>> = {
      projects: [1, 2, 3, 4, 5, 6, 7],
      members: [1, 2, 3, 4, 5, 6, 7],
      viewers: [1, 2, 3],
      contracts: [5, 6, 7, 8],
      tasks: [3, 4, 5, 6, 7, 8],
      webhooks: [1, 2],
    };
    const takeComparable = (file: File) => {
      const rows = readTable(file).slice(1);
      return rows.map((row) => compared[file].map((i) => row[i]?.replace(/^'(?==)/, '')).join(' | ')).sort();
    };
    const rowOf = (rows: readonly unknown[], n: number) => 1 + (n % Math.max(1, rows.length - 1));
    const apply = () => run('workspaces apply DIR --yes --archive-missing');

    const row = fc.nat({ max: 30 });
    const edits = fc.array(
      fc.constantFrom(...cells).chain(([file, column, values]) =>
        fc.record({
          file: fc.constant(file),
          column: fc.constant(column),
          value: fc.constantFrom(...values),
          row,
        }),
      ),
      { maxLength: 12 },
    );
    // What a new one needs is added with it, and nothing else needs what is removed.
    const additions = fc.constantFrom<readonly File[]>(
      ...([[], ['projects'], ['members', 'webhooks'], ['projects', 'viewers']] as const),
      ...([
        ['projects', 'members', 'contracts'],
        ['projects', 'members', 'contracts', 'tasks'],
        FILES,
      ] as const),
    );
    const removals = fc.array(
      fc.record({ file: fc.constantFrom<File[]>('tasks', 'webhooks', 'viewers'), row }),
      { maxLength: 3 },
    );
    await fc.assert(
      fc.asyncProperty(edits, additions, removals, async (edited, added, removed) => {
        await t.renew();
        await t.read(`sandbox reset --seed ${seed}`);
        await exportThem();
        for (const { file, column, value, row: n } of edited) {
          const rows = readTable(file);
          const cell = rows[rowOf(rows, n)];
          if (cell !== undefined) cell[rows[0]?.indexOf(column) ?? -1] = value;
          writeTable(file, rows);
        }
        for (const file of added) add(file, news[file]);
        for (const { file, row: n } of removed) {
          const rows = readTable(file);
          writeTable(file, rows.toSpliced(rowOf(rows, n), 1));
        }
        const wanted = FILES.map(takeComparable);
        let last = await apply();
        for (let more = 0; more < 3 && last.exit === 10; more += 1) last = await apply();
        expect([last.exit, last.stderr]).toEqual([0, expect.not.stringMatching(/error|this run creates/)]);
        const writes = await listWrites();
        // All that a runner keeps from one run to the next is gone, but the service itself.
        for (const name of readdirSync(t.state))
          if (name !== 'sandbox') rmSync(join(t.state, name), { recursive: true });
        expect([(await apply()).exit, await listWrites()]).toEqual([0, writes]);
        expect(await diff()).toEqual([]);
        await exportThem();
        expect(FILES.map(takeComparable)).toEqual(wanted);
      }),
      { numRuns },
    );
  },
  120_000,
);

describe('an export', () => {
  it('has names beside ids, and no secrets, times or archived records', async () => {
    await exportThem();
    const [, contract = []] = readTable('contracts');
    expect(contract.slice(1, 5)).toEqual(['114', 'Harbour website', '106', 'mei@lindenhof.example']);
    const all = FILES.map(read).join('');
    expect(all).not.toMatch(/whsec|token|created_at|updated_at|T\d\d:\d\d/);
    expect(await t.read('members list --status left -o csv')).toContain('daniel@lindenhof.example');
    expect(all).not.toContain('daniel@lindenhof.example');
  });

  it('leaves other files alone', async () => {
    mkdirSync(t.file('files/.git'), { recursive: true });
    write('notes', 'mine');
    await exportThem();
    expect(read('notes')).toBe('mine');
    const names = ['.git', ...FILES.map((name) => `${name}.csv`), 'notes.csv'];
    expect(readdirSync(t.file('files')).sort()).toEqual(names.sort());
  });

  it.each([
    ['--dry-run', 0],
    ['', 4],
  ])('with a list that is refused, or a dry run, writes nothing: %j', async (flags, exit) => {
    if (flags === '') await t.read('sandbox fault add contracts list --status 403');
    const ended = await run(`workspaces export DIR ${flags} --json`);
    expect([ended.exit, existsSync(t.file('files'))]).toEqual([exit, false]);
    if (exit === 0) expect(JSON.parse(ended.stdout)).toMatchObject(Array(6).fill({ status: 'planned' }));
  });
});

describe('a diff', () => {
  beforeEach(exportThem);

  it('names every difference, from the service to the file; exit 10', async () => {
    edit('projects', '28000', '30000');
    edit('viewers', '"114,115"', '114');
    add('projects', ',New pier,,,,,,');
    await t.read('projects archive 118 --yes');
    await t.read('projects create --name Elsewhere');
    const { exit, stdout } = await run('workspaces diff DIR --json');
    expect([exit, await listWrites()]).toEqual([10, ['projects.archive', 'projects.create']]);
    const columns = ['file', 'line', 'record', 'status', 'field', 'before', 'after'];
    expect(JSON.parse(stdout).map((row: Row) => columns.map((name) => row[name] ?? '').join())).toEqual(
      expect.arrayContaining([
        'projects.csv,2,Harbour website,changed,budget,28000,30000',
        'viewers.csv,2,priya@lindenhof.example,changed,projects,114,115,114',
        'projects.csv,7,New pier,new,,,',
        'projects.csv,6,Support and care,gone,,,',
        'projects.csv,,Elsewhere,missing,,,',
      ]),
    );
  });

  it('compares by meaning: days, numbers, words, order, line ends', async () => {
    const [day = ''] = /\b\d{4}-\d{2}-\d{2}\b/.exec(read('projects')) ?? [];
    const inWords = new Date(day).toLocaleDateString('en-US', { timeZone: 'UTC', dateStyle: 'medium' });
    edit('projects', day, `"${inWords}"`);
    edit('projects', '28000', '28000.00');
    edit('viewers', '"114,115"', '"Ferry timetable app,114"');
    edit('tasks', 'in-progress', '10');
    edit('webhooks', '"tracker.started,tracker.stopped"', '"tracker.stopped,tracker.started"');
    edit('members', /Executive manager/g, 'executive-manager');
    edit('members', /\n/g, '\r\n');
    expect(await diff()).toEqual([]);
  });

  it('a value that the file does not have is drift; a file or column that is not there is none', async () => {
    await t.read('projects update 117 --notes later');
    expect(await diff()).toMatchObject([{ record: 'Internal', field: 'notes', before: 'later', after: '' }]);
    writeTable(
      'projects',
      readTable('projects').map((row) => row.toSpliced(6, 1)),
    );
    rmSync(place('tasks'));
    expect(await diff()).toEqual([]);
  });
});

describe('what is wrong with the files', () => {
  beforeEach(exportThem);

  it('is told together, with file and line, before the first request', async () => {
    const before = (await t.rows('sandbox log')).length;
    edit('projects', 'id,name', 'id,nmae');
    edit('members', ',hidden,40', ',hidden,forty');
    edit('contracts', 'weekly_hours_limit', 'hours');
    add('tasks', ',114,,,,,,,,,');
    add('members', ',max@x.example,Max,Mu,Boss,,,');
    const { exit, stderr, stdout } = await run('workspaces apply DIR --yes --json');
    expect([exit, stdout]).toEqual([2, '']);
    expect(errorsOf(stderr)).toEqual([
      expect.stringMatching(/^projects\.csv:1: unknown column "nmae": the columns are id, name, /),
      expect.stringMatching(/^members\.csv:4: weekly_hours_limit: .*forty/),
      expect.stringMatching(/^members\.csv:\d+: role: .*Boss/),
      expect.stringMatching(/^contracts\.csv:1: unknown column "hours"/),
      'tasks.csv:10: missing title',
    ]);
    expect(await t.rows('sandbox log')).toHaveLength(before);
  });

  it.each(['', '\n', 'nope,1\n'])('a file that was cut off archives nobody: %j', async (text) => {
    write('tasks', text);
    const { exit, stderr } = await run('workspaces apply DIR --yes --archive-missing');
    expect(exit).toBe(2);
    expect(stderr).toMatch(/tasks\.csv:1: (missing heading|unknown column)/);
    write('tasks', 'id,title\n');
    const dry = await run('workspaces apply DIR --archive-missing --dry-run --json');
    expect([dry.exit, JSON.parse(dry.stdout).length]).toEqual([0, 8]);
  });

  it('beside the records: before the first write', async () => {
    edit('viewers', 'Priya', 'Pria');
    edit('tasks', '132,114', '132,115');
    add('contracts', '999,114,,106,,,,,', ',Nowhere,,nobody@x.example,,,,,', '120,114,,106,,,,,');
    const { exit, stderr } = await run('workspaces apply DIR --yes --json');
    expect([exit, await listWrites()]).toEqual([2, []]);
    expect(errorsOf(stderr)).toEqual([
      'contracts.csv:17: project_id: no project "Nowhere"',
      'contracts.csv:17: user_id: no member "nobody@x.example"',
      'contracts.csv:18: is about the same contract as line 2',
      'viewers.csv:2: firstname: "Pria" cannot be set (the record has "Priya")',
      'contracts.csv:16: no contract has the id 999, or it is archived',
      'tasks.csv:2: project_id: "115" cannot be set (the record has "114")',
    ]);
  });

  it.each(['nowhere', 'state'])('is a folder that is none, or has none of the files: %s', async (name) => {
    const { exit, stderr } = await run(`workspaces diff ${t.file(name)}`);
    expect([exit, stderr]).toEqual([2, expect.stringContaining('has none of the files of a workspace')]);
  });
});

describe('applying a folder', () => {
  beforeEach(exportThem);

  it.each(['', '--yes --max-changes 0'])('asks for confirmation, and heeds a bound: %j', async (flags) => {
    edit('projects', '28000', '30000');
    expect((await run(`workspaces apply DIR ${flags}`)).exit).toBe(2);
    expect(await listWrites()).toEqual([]);
  });

  it('a record that no row is about is reported, and the exit code is 0', async () => {
    edit('viewers', /^113,.*\n/m, '');
    edit('webhooks', /^7f34.*\n/m, '');
    const note =
      '2 records missing from the files, left alone. To archive: --archive-missing\nNothing to change.\n';
    expect(await run('workspaces apply DIR --yes')).toEqual({ exit: 0, stdout: '', stderr: note });
    expect(await listWrites()).toEqual([]);
    expect((await run('workspaces diff DIR')).exit).toBe(10);
  });

  it('an empty cell leaves the value alone', async () => {
    edit('projects', ',28000,', ',,');
    expect((await run('workspaces apply DIR --yes')).exit).toBe(0);
    expect(await listWrites()).toEqual([]);
    expect(await diff()).toMatchObject([{ field: 'budget', before: '28000' }]);
  });

  it('--archive-missing archives it, in the order in which nothing is left hanging; never the owner', async () => {
    edit('members', /^102,.*\n/m, '');
    edit('members', /^105,.*\n/m, '');
    edit('projects', /^116,.*\n/m, '');
    edit('contracts', /^\d+,116,.*\n(\d+,116,.*\n)*/m, '');
    edit('tasks', /^\d+,116,.*\n(\d+,116,.*\n)*/m, '');
    const { exit, stderr } = await run('workspaces apply DIR --yes --archive-missing');
    expect([exit, stderr]).toEqual([
      0,
      expect.stringContaining('1 record missing from the files, left alone.'),
    ]);
    const nouns = (await listWrites()).join(' ').replaceAll('.archive', '');
    expect(nouns).toMatch(/^(tasks ?)+(contracts ?)+(members ?)+(projects ?)+$/);
    expect(await diff()).toMatchObject([{ record: 'nora@lindenhof.example' }]);
  });

  it('--archive-missing leaves whoever applies the files alone', async () => {
    // A token of somebody else needs a server.
    const script = `
      ttctl() { "${process.execPath}" "${BIN}" "$@"; }
      token=$(ttctl sandbox token create --as grace@lindenhof.example --json)
      export TTCTL_TOKEN=$(echo "$token" | sed -n 's/.*"token": "\\(.*\\)".*/\\1/p')
      ttctl workspaces export files --quiet > /dev/null
      sed -i.bak '/^104,/d' files/members.csv
      ttctl workspaces apply files --yes --archive-missing --json`;
    const { exit, stdout } = await t.process(['sandbox', 'exec', '--', 'sh', '-ec', script]);
    expect([exit, stdout]).toEqual([0, expect.not.stringContaining('"done"')]);
  });

  it('names each record that it would archive, in the question', async () => {
    writeTable('tasks', readTable('tasks').slice(0, 1));
    edit('webhooks', /^7f34.*\n/m, '');
    const line = `workspaces apply ${t.file('files')} --archive-missing`;
    const { screen } = await t.sit(line, () => 'n\r', { columns: 100 });
    for (const name of ['Home page layout', 'Colour proofs', 'Shop sign', 'Offline timetable'])
      expect(screen).toMatch(new RegExp(`archive +task ${name} +\\d+`));
    expect(screen).toMatch(/delete +webhook https?:\S+ +7f34/);
    expect(screen).toContain('8 tasks.archive');
    expect(await listWrites()).toEqual([]);
  });

  it('stops at a row whose record is gone or archived', async () => {
    await t.read('projects archive 118 --yes');
    const { exit, stderr } = await run('workspaces apply DIR --yes --json');
    expect([exit, errorsOf(stderr)[0]]).toEqual([
      5,
      'projects.csv:6: no project has the id 118, or it is archived',
    ]);
    expect(await listWrites()).toEqual(['projects.archive']);
  });

  it('a row without an id is about the record that is alike', async () => {
    edit('projects', '114,Harbour website', ',Harbour website');
    edit('projects', '28000', '30000');
    const dry = await run('workspaces apply DIR --dry-run');
    expect(dry.stdout).toContain('Harbour website  budget: 28000.00 → 30000.00');
    await t.read('projects create --name "harbour website"');
    const { exit, stderr } = await run('workspaces apply DIR --yes --json');
    const told = expect.stringMatching(/^projects\.csv:2: could be 114 or \d+: put its id in the row$/);
    expect([exit, errorsOf(stderr)]).toEqual([2, [told]]);
  });

  it('leaves to the next run what needs a record that this one creates or renames; exit 10 until all is done', async () => {
    edit('projects', 'Bakery rebrand', 'Bakery relaunch');
    add('projects', ',New pier,,,,,,');
    add('members', ',joy@x.example,Joy,Ro,regular-user,,,30');
    add('contracts', ',,New pier,,joy@x.example,20,,,paused');
    add('contracts', ',,bakery relaunch,,aoife@lindenhof.example,,,,');
    add('tasks', ',,New pier,Plans,,,,,,,joy@x.example');
    let before = 0;
    for (const [exit, told, operations] of [
      [10, /^4 rows need .* creates\. Then run: /m, 'members.invite projects.create projects.update'],
      [10, /^1 row needs /m, 'contracts.create contracts.create members.update tasks.create'],
      [0, /^(?![\s\S]*creates)/, 'contracts.update'],
    ] as const) {
      const ended = await run('workspaces apply DIR --yes');
      expect([ended.exit, ended.stderr]).toEqual([exit, expect.stringMatching(told)]);
      if (exit === 10)
        expect(ended.stderr).toContain(`Then run: ttctl workspaces apply ${t.file('files')}\n`);
      const writes = await listWrites();
      expect(writes.slice(before).sort().join(' ')).toBe(operations);
      before = writes.length;
    }
    expect(await diff()).toEqual([]);
  });

  it('through a plan sends what resolves now; a plan or a dry run is not unfinished', async () => {
    add('projects', ',New pier,,,,,,');
    add('contracts', ',,New pier,106,,,,,');
    for (const flags of [`--plan ${t.file('plan.ndjson')}`, '--dry-run'])
      expect(await run(`workspaces apply DIR ${flags}`)).toMatchObject({
        exit: 0,
        stderr: expect.stringContaining('1 row needs a record that this run creates.'),
      });
    await t.read(`plan apply ${t.file('plan.ndjson')} --yes`);
    expect((await run('workspaces apply DIR --yes')).exit).toBe(0);
    expect(await listWrites()).toEqual(['projects.create', 'contracts.create']);
  });

  it('is one run, that undo takes back', async () => {
    const before = FILES.map(read);
    edit('projects', '28000', '30000');
    edit('tasks', '"108,109"', '108');
    add('projects', ',Old pier,,,,,,');
    add('viewers', ',vi@x.example,Vi,Ew,Internal,');
    expect((await run('workspaces apply DIR --yes')).exit).toBe(10);
    const [job] = await t.rows('jobs list');
    expect(job).toMatchObject({ done: 4, state: 'done' });
    const undone = await t.rows(`undo ${job?.['id']} --yes`);
    expect(undone.map(({ operation }) => operation)).toEqual([
      ...['tasks.assign', 'viewers.archive', 'projects.archive', 'projects.update'],
    ]);
    await exportThem();
    expect(FILES.map(read)).toEqual(before);
  });

  it('several at once apply it one after another', async () => {
    add('projects', ',New pier,,,,,,');
    const ended = await Promise.all([1, 2, 3].map(() => run('workspaces apply DIR --yes')));
    expect(ended.map(({ exit }) => exit)).toEqual([0, 0, 0]);
    expect(await listWrites()).toEqual(['projects.create']);
  });
});

describe('an export over what is there', () => {
  it.each(['a list', 'id,email,phone\n1,a@example.com,7\n', 'My notes\n'])(
    'replaces no file of somebody: %j',
    async (text) => {
      const own = text === 'a list' ? await t.read('members list -o csv') : text;
      write('members', own);
      for (const flag of ['', '--dry-run'])
        expect(await run(`workspaces export DIR ${flag}`)).toMatchObject({
          exit: 2,
          stderr: `error: ${place('members')} is not a file of an export\nhint: Move it away, or export to another folder.\n`,
        });
      expect([read('members'), readdirSync(t.file('files'))]).toEqual([own, ['members.csv']]);
    },
  );

  it.each([
    ['directory', 'It is a directory.'],
    ['pipe', 'It is not a file.'],
  ])('finds a %s before it writes', async (kind, reason) => {
    mkdirSync(t.file('files'));
    if (kind === 'pipe') execFileSync('mkfifo', [place('webhooks')]);
    else mkdirSync(place('webhooks'));
    const { exit, stderr } = await run('workspaces export DIR');
    expect([exit, stderr]).toEqual([2, expect.stringContaining(place('webhooks'))]);
    expect(stderr).toContain(reason);
    expect(readdirSync(t.file('files'))).toEqual(['webhooks.csv']);
  });

  it.each(['export', 'diff', 'apply'])('%s of what is no folder says so before it reads', async (verb) => {
    const file = t.file('notes.txt', 'mine');
    for (const named of ['/dev/full', file, join(file, 'below')])
      expect(await run(`workspaces ${verb} ${named}`)).toMatchObject({
        exit: 2,
        stderr: `error: cannot use ${named}\n  It is not a folder.\nhint: Name another folder.\n`,
      });
    expect(t.text('notes.txt')).toBe('mine');
    expect(await t.rows('sandbox log')).toEqual([]);
  });

  it('replaces a file of a spreadsheet, one with columns left out, and an empty one', async () => {
    await exportThem();
    const before = FILES.map(read);
    write('members', `\uFEFF${read('members').replaceAll(',', ';')}`);
    write('projects', 'id,name\n5,Harbour\n');
    write('tasks', '');
    const rows = await t.rows(`workspaces export ${t.file('files')}`);
    expect(rows).toMatchObject(FILES.map(() => ({ status: 'written' })));
    expect(FILES.map(read)).toEqual(before);
  });

  it('S5: reads and writes no link out of the folder', async () => {
    await exportThem();
    const outside = t.file('secret-notes', 'TOKEN=canary-1234\n');
    const isRefused = async (line: string) => {
      const { exit, stdout, stderr } = await run(line);
      expect([exit, stderr]).toEqual([2, expect.stringContaining('It is a link out of its folder.')]);
      expect(stdout + stderr).not.toContain('canary');
    };
    for (const target of [outside, '../secret-notes', '/proc/self/environ']) {
      rmSync(place('members'));
      symlinkSync(target, place('members'));
      for (const line of ['diff DIR', 'apply DIR --yes', 'export DIR']) await isRefused(`workspaces ${line}`);
    }
    // By way of another link, to a file that is not there.
    rmSync(place('members'));
    symlinkSync(t.file('none-yet'), place('other'));
    symlinkSync('other.csv', place('members'));
    await isRefused('workspaces export DIR');
    expect([existsSync(t.file('none-yet')), t.text('secret-notes')]).toEqual([false, 'TOKEN=canary-1234\n']);
    // Within the folder one is as good as a file.
    rmSync(place('members'));
    write('people-of-ours', '');
    symlinkSync('people-of-ours.csv', place('members'));
    await exportThem();
    expect(read('people-of-ours')).toContain('firstname');
  });

  it('S8: leaves out addresses of webhooks with secrets in them, and says so; a diff is empty all the same', async () => {
    const plain = 'https://x.test/plain?b=1';
    const addresses = ['https://me:canary1@x.test/a', 'https://x.test/a?api_key=canary2&b=1', plain];
    for (const url of addresses) await t.read(`webhooks create --url "${url}" --event project.created`);
    for (const format of ['table', 'markdown']) {
      const list = await t.read(`webhooks list -o ${format}`);
      expect(list).not.toContain('canary');
      expect(list).toContain('https://x.test/a?api_key=***&b=1');
    }
    expect(await t.read('webhooks list --show-secrets')).toContain('me:canary1@');
    const told = 'webhooks.csv: secrets left out (the addresses of 2 webhooks)';
    expect((await run('workspaces export DIR')).stderr).toContain(told);
    expect(read('webhooks')).toContain(plain);
    expect(read('webhooks')).not.toContain('canary');
    expect((await run('workspaces diff DIR')).exit).toBe(0);
    expect((await run('workspaces apply DIR --yes')).exit).toBe(0);
    const kept = (await t.rows('webhooks list')).map(({ url }) => url);
    expect(kept).toEqual(expect.arrayContaining(addresses));
  });

  it('S6: repeats no more of a cell or a heading than 40 characters, and no secret', async () => {
    await exportThem();
    const secret = `canary-${'9'.repeat(60)}`;
    t.env['TTCTL_CLIENT_SECRET'] = secret;
    const long = 'x'.repeat(90);
    write('projects', `id,name,${long},${secret},password=hunter22\n`);
    write('members', `id,email,weekly_hours_limit,role\n,a@x.test,${long},${secret}\n`);
    write('webhooks', `id,url,events\n,ftp://me:hunter22-${long}@x.test,a\n`);
    const { exit, stderr } = await run('workspaces diff DIR --json');
    expect(exit).toBe(2);
    expect(stderr).toContain(`unknown column \\"${'x'.repeat(39)}…`);
    expect(stderr).not.toMatch(/x{40}|canary|9{6}|hunter22/);
  });
});
