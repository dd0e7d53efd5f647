import { execFileSync } from 'node:child_process';
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { SEEDS } from '../../src/sandbox/seeds/seed.ts';
import { makeFolder } from '../support/folder.ts';
import { runInProcess, words } from '../support/in-process.ts';
import { BIN, runBinary } from '../support/process.ts';
import { sitDown } from '../support/terminal.ts';

/** A workspace as files in a folder: exported, edited, compared, applied, in the sandbox. */

type Row = Readonly<Record<string, unknown>>;
type Table = readonly (readonly string[])[];

let home: string;
beforeAll(() => {
  home = makeFolder();
});

let count = 0;
let env: Record<string, string>;
let folder: string;
const startSandbox = () => {
  count += 1;
  folder = join(home, `files-${count}`);
  env = {
    TTCTL_STATE_DIR: join(home, String(count)),
    TTCTL_CONFIG_DIR: join(home, 'config'),
    TTCTL_PROFILE: 'sandbox',
    TTCTL_RATE_LIMIT: 'off',
  };
};
beforeEach(startSandbox);

const run = (line: string) => runInProcess(words(line), { env });
const readRows = async (line: string): Promise<readonly Row[]> =>
  JSON.parse((await run(`${line} --json`)).stdout);
const listWrites = async (): Promise<readonly unknown[]> =>
  (await readRows('sandbox log')).filter(({ method }) => method !== 'GET').map(({ operation }) => operation);

const use = async (seed: string) => expect((await run(`sandbox reset --seed ${seed}`)).exit).toBe(0);
const exportTo = async (to = folder) => {
  const { exit, stderr } = await run(`workspaces export ${to}`);
  expect([exit, stderr]).toEqual([0, expect.stringMatching(/^(waiting .*\n)*$/)]);
};
const diff = async (from = folder) => readRows(`workspaces diff ${from}`);
const apply = (flags = '--yes') => run(`workspaces apply ${folder} ${flags}`);

/** All that a runner keeps from one run to the next is gone, but the service itself. */
const forgetEverything = () => {
  const state = env['TTCTL_STATE_DIR'] ?? '';
  for (const name of readdirSync(state))
    if (name !== 'sandbox') rmSync(join(state, name), { recursive: true });
};

/** As a spreadsheet reads it (RFC 4180). */
const parseCsv = (text: string): string[][] => {
  const rows: string[][] = [[]];
  for (const [, cell = '', end] of text.matchAll(/("(?:[^"]|"")*"|[^",\n]*)(,|\n|$)/g)) {
    rows.at(-1)?.push(cell.startsWith('"') ? cell.slice(1, -1).replaceAll('""', '"') : cell);
    if (end === '\n') rows.push([]);
    if (end === '') break;
  }
  return rows.filter((row) => row.length > 1);
};
const formatCsv = (rows: Table): string =>
  rows.map((row) => `${row.map((cell) => `"${cell.replaceAll('"', '""')}"`).join(',')}\n`).join('');

const place = (name: string) => join(folder, `${name}.csv`);
const read = (name: string) => readFileSync(place(name), 'utf8');
const readTable = (name: string): Table => parseCsv(read(name));
const write = (name: string, text: string) => writeFileSync(place(name), text);
const add = (name: string, ...lines: readonly string[]) => write(name, `${read(name)}${lines.join('\n')}\n`);
const edit = (name: string, from: string | RegExp, to: string | ((found: string) => string)) => {
  const text = read(name).replace(from, typeof to === 'string' ? () => to : to);
  expect(text).not.toBe(read(name));
  write(name, text);
};

const formatDayInWords = (day: string): string =>
  `"${new Date(day).toLocaleDateString('en-US', { timeZone: 'UTC', dateStyle: 'medium' })}"`;

const FILES = ['projects', 'members', 'viewers', 'contracts', 'tasks', 'webhooks'] as const;
type File = (typeof FILES)[number];

describe.each(SEEDS)('the seed %s', (seed) => {
  it('an export is the same bytes twice, differs in nothing, and applying it sends nothing', async () => {
    await use(seed);
    await exportTo();
    const other = join(home, `other-${count}`);
    await exportTo(other);
    for (const name of FILES) expect(readFileSync(join(other, `${name}.csv`), 'utf8')).toBe(read(name));
    const compared = await run(`workspaces diff ${folder} --json`);
    expect([compared.exit, compared.stdout]).toEqual([0, '[]\n']);
    const applied = await apply();
    expect([applied.exit, applied.stdout, applied.stderr]).toEqual([0, '', 'Nothing to change.\n']);
    expect(await listWrites()).toEqual([]);
  });
});

const text = fc.constantFrom('Later', 'a, "b"', 'Zoë — ☕', 'two\nlines', "it's", '=1+1', '007');
const hours = fc.integer({ min: 0, max: 60 }).map(String);
const day = fc.constantFrom('2098-05-03', '2099-06-30');
/** Cells that a person could write, as the file has them once they are applied. */
const CELLS: Readonly<Record<File, Readonly<Record<string, fc.Arbitrary<string>>>>> = {
  projects: { name: text, budget: hours, notes: text, icon: text, deadline: day },
  members: {
    firstname: text,
    timezone: fc.constantFrom('Asia/Tokyo', 'Europe/Lisbon'),
    rate_status: fc.constantFrom('visible', 'hidden'),
    weekly_hours_limit: hours,
  },
  viewers: {},
  contracts: {
    weekly_hours_limit: hours,
    screenshots: fc.constantFrom('blurred', 'no_preview'),
    status: fc.constantFrom('active', 'paused'),
  },
  tasks: {
    title: text,
    description: text,
    status: fc.constantFrom('open', 'in-progress', 'done'),
    priority: fc.constantFrom('urgent', 'low'),
    end_date: day,
  },
  webhooks: { events: fc.constantFrom('tracker.started', 'project.created,tracker.stopped') },
};
const CELL_EDITS = fc.array(
  fc.oneof(
    ...FILES.flatMap((file) =>
      Object.entries(CELLS[file]).map(([column, value]) =>
        fc.record({ file: fc.constant(file), column: fc.constant(column), value, row: fc.nat({ max: 30 }) }),
      ),
    ),
  ),
  { maxLength: 12 },
);
/** Records that a person could add, some of which need others. */
const ADDED: readonly (readonly [File, string])[] = [
  ['projects', ',New pier,2026-12-01,2027-05-03,100,5000,notes,anchor'],
  ['members', ',joy@x.example,Joy,Ro,Regular User,Europe/Paris,visible,30'],
  ['viewers', ',vi@x.example,Vi,Ew,New pier,'],
  ['contracts', ',,New pier,,joy@x.example,20,full,,paused'],
  ['tasks', ',,New pier,Plans,to draw,open,high,2026-12-01,2026-12-24,joy@x.example,'],
  ['webhooks', ',https://h.example/z,tracker.started'],
];
/** Rows that are taken out, of what nothing else needs. */
const REMOVED = fc.array(
  fc.tuple(fc.constantFrom('tasks' as const, 'webhooks' as const, 'viewers' as const), fc.nat({ max: 30 })),
  { maxLength: 3 },
);
/** What the new ones need is added with them. */
const close = (added: readonly (readonly [File, string])[]): readonly (readonly [File, string])[] => {
  const files = new Set(added.map(([file]) => file));
  const needs = (file: File): readonly File[] =>
    file === 'viewers' ? ['projects'] : file === 'contracts' ? ['projects', 'members'] : [];
  const all = new Set([...files, ...[...files].flatMap(needs)]);
  if (files.has('tasks')) for (const file of ['projects', 'members', 'contracts'] as const) all.add(file);
  return ADDED.filter(([file]) => all.has(file));
};
/** Ids, and names that stand beside them, are the service's. */
const COMPARED: Readonly<Record<File, readonly number[]>> = {
  projects: [1, 2, 3, 4, 5, 6, 7],
  members: [1, 2, 3, 4, 5, 6, 7],
  viewers: [1, 2, 3],
  contracts: [5, 6, 7, 8],
  tasks: [3, 4, 5, 6, 7, 8],
  webhooks: [1, 2],
};
const takeComparable = (file: File, table: Table): readonly string[] =>
  table
    .slice(1)
    .map((row) => COMPARED[file].map((i) => row[i]?.replace(/^'(?==)/, '')).join(' | '))
    .sort();

describe.each([
  ['demo', 8],
  ['messy', 8],
  ['empty', 4],
] as const)('the seed %s, edited at random', (seed, numRuns) => {
  it('is applied, as often as it says, so that an export is the edited files but for ids', async () => {
    await fc.assert(
      fc.asyncProperty(CELL_EDITS, fc.subarray([...ADDED]), REMOVED, async (edits, added, removed) => {
        startSandbox();
        await use(seed);
        await exportTo();
        for (const { file, column, value, row } of edits) {
          const table = readTable(file).map((cells) => [...cells]);
          const at = 1 + (row % Math.max(1, table.length - 1));
          const index = table[0]?.indexOf(column) ?? -1;
          // A deadline does not come before its start.
          if (table[at] !== undefined && index >= 0) table[at][index] = value;
          write(file, formatCsv(table));
        }
        for (const [file, line] of close(added)) add(file, line);
        for (const [file, row] of removed) {
          const table = readTable(file);
          const at = 1 + (row % Math.max(1, table.length - 1));
          write(file, formatCsv(table.filter((_, i) => i !== at)));
        }
        const wanted = FILES.map((file) => takeComparable(file, readTable(file)));
        let last = await apply('--yes --archive-missing');
        for (let more = 0; more < 3 && last.exit === 10; more += 1)
          last = await apply('--yes --archive-missing');
        expect([last.exit, last.stderr]).toEqual([0, expect.not.stringMatching(/error|this run creates/)]);
        const writes = await listWrites();
        forgetEverything();
        const another = await apply('--yes --archive-missing');
        expect([another.exit, await listWrites()]).toEqual([0, writes]);
        expect(await diff()).toEqual([]);
        await exportTo();
        expect(FILES.map((file) => takeComparable(file, readTable(file)))).toEqual(wanted);
      }),
      { numRuns },
    );
  }, 120_000);
});

describe('an export', () => {
  beforeEach(() => exportTo());

  it('has names beside ids, and no secrets, times or archived records', async () => {
    expect(readTable('contracts')[1]?.slice(1, 5)).toEqual([
      '114',
      'Harbour website',
      '106',
      'mei@lindenhof.example',
    ]);
    expect(read('webhooks')).not.toMatch(/whsec|token/);
    const all = FILES.map(read).join('');
    expect(all).not.toMatch(/created_at|updated_at|T\d\d:\d\d/);
    const { deleted_at: _, email } =
      (await readRows('members list')).find((row) => row['deleted_at'] != null) ?? {};
    if (email !== undefined) expect(all).not.toContain(email);
  });

  it('leaves other files alone', async () => {
    mkdirSync(join(folder, '.git'));
    write('notes', 'mine');
    await run(`workspaces export ${folder}`);
    expect(read('notes')).toBe('mine');
    expect(readdirSync(folder).sort()).toEqual(
      ['.git', ...FILES.map((name) => `${name}.csv`), 'notes.csv'].sort(),
    );
  });

  it('with --dry-run writes nothing', async () => {
    rmSync(folder, { recursive: true });
    const rows = await readRows(`workspaces export ${folder} --dry-run`);
    expect(rows.map(({ status }) => status)).toEqual(Array(6).fill('planned'));
    expect(existsSync(folder)).toBe(false);
  });

  it('writes no file where a list cannot be read', async () => {
    rmSync(folder, { recursive: true });
    await run('sandbox fault add contracts list --status 403');
    expect((await run(`workspaces export ${folder}`)).exit).toBe(4);
    expect(existsSync(folder)).toBe(false);
  });
});

describe('a diff', () => {
  beforeEach(() => exportTo());

  it('names every difference, from the service to the file; exit 10', async () => {
    edit('projects', '28000', '30000');
    edit('viewers', '"114,115"', '114');
    add('projects', ',New pier,,,,,,');
    await run('projects archive 118 --yes');
    await run('projects create --name Elsewhere');
    const { exit, stdout } = await run(`workspaces diff ${folder} --json`);
    expect(exit).toBe(10);
    expect(JSON.parse(stdout).map(({ id: _, ...row }: Row) => row)).toEqual(
      expect.arrayContaining([
        {
          file: 'projects.csv',
          line: 2,
          record: 'Harbour website',
          status: 'changed',
          field: 'budget',
          before: '28000',
          after: '30000',
        },
        {
          file: 'viewers.csv',
          line: 2,
          record: 'priya@lindenhof.example',
          status: 'changed',
          field: 'projects',
          before: '114,115',
          after: '114',
        },
        expect.objectContaining({ file: 'projects.csv', line: 7, record: 'New pier', status: 'new' }),
        expect.objectContaining({
          file: 'projects.csv',
          line: 6,
          record: 'Support and care',
          status: 'gone',
        }),
        expect.objectContaining({ file: 'projects.csv', record: 'Elsewhere', status: 'missing' }),
      ]),
    );
    expect(await listWrites()).toEqual(['projects.archive', 'projects.create']);
  });

  it('compares by meaning: days, numbers, words, order, line ends', async () => {
    edit('projects', '28000', '28000.00');
    edit('projects', /\b\d{4}-\d{2}-\d{2}\b/, formatDayInWords);
    edit('viewers', '"114,115"', '"Ferry timetable app,114"');
    edit('tasks', 'in-progress', '10');
    edit('webhooks', '"tracker.started,tracker.stopped"', '"tracker.stopped,tracker.started"');
    write(
      'members',
      read('members').replaceAll('\n', '\r\n').replaceAll('Executive manager', 'executive-manager'),
    );
    expect(await diff()).toEqual([]);
  });

  it('a value that the file does not have is drift; a file or column that is not there is none', async () => {
    await run('projects update 117 --notes later');
    expect(await diff()).toEqual([
      expect.objectContaining({ record: 'Internal', field: 'notes', before: 'later', after: '' }),
    ]);
    const cut = readTable('projects').map((row) => row.filter((_, i) => i !== 6));
    write('projects', formatCsv(cut));
    rmSync(place('tasks'));
    expect(await diff()).toEqual([]);
  });
});

describe('what is wrong with the files', () => {
  beforeEach(() => exportTo());

  const reads = async () => (await readRows('sandbox log')).length;

  it('is told together, with file and line, before the first request', async () => {
    const before = await reads();
    edit('projects', 'id,name', 'id,nmae');
    edit('members', ',hidden,40', ',hidden,forty');
    edit('contracts', 'weekly_hours_limit', 'hours');
    add('tasks', ',114,,,,,,,,,');
    add('members', ',max@x.example,Max,Mu,Boss,,,');
    const { exit, stderr, stdout } = await apply('--yes --json');
    expect([exit, stdout]).toEqual([2, '']);
    const { errors } = JSON.parse(stderr).error;
    expect(errors.map((line: string) => line.slice(folder.length + 1))).toEqual([
      expect.stringMatching(/^projects\.csv:1: unknown column "nmae": the columns are id, name, /),
      expect.stringMatching(/^members\.csv:4: weekly_hours_limit: .*forty/),
      expect.stringMatching(/^members\.csv:\d+: role: .*Boss/),
      expect.stringMatching(/^contracts\.csv:1: unknown column "hours"/),
      'tasks.csv:10: missing title',
    ]);
    expect(await reads()).toBe(before);
  });

  it.each(['', '\n', 'nope,1\n'])('a file that was cut off archives nobody: %j', async (text) => {
    write('tasks', text);
    const { exit, stderr } = await apply('--yes --archive-missing');
    expect([exit, stderr]).toEqual([
      2,
      expect.stringMatching(/tasks\.csv:1: (missing heading|unknown column)/),
    ]);
    write('tasks', 'id,title\n');
    const dry = await apply('--archive-missing --dry-run --json');
    expect([dry.exit, JSON.parse(dry.stdout).length]).toEqual([0, 8]);
  });

  it('beside the records: before the first write', async () => {
    edit('viewers', 'Priya', 'Pria');
    edit('tasks', '132,114', '132,115');
    add('contracts', '999,114,,106,,,,,', ',Nowhere,,nobody@x.example,,,,,', '120,114,,106,,,,,');
    const { exit, stderr } = await apply('--yes --json');
    const { errors } = JSON.parse(stderr).error;
    expect([exit, errors.map((line: string) => line.slice(folder.length + 1))]).toEqual([
      2,
      [
        'contracts.csv:15: project_id: no project "Nowhere"',
        'contracts.csv:15: user_id: no member "nobody@x.example"',
        'contracts.csv:16: is about the same contract as line 2',
        'viewers.csv:2: firstname: "Pria" cannot be set (the record has "Priya")',
        'contracts.csv:14: no contract has the id 999, or it is archived',
        'tasks.csv:2: project_id: "115" cannot be set (the record has "114")',
      ],
    ]);
    expect(await listWrites()).toEqual([]);
  });

  it('is a folder that is none, or has none of the files', async () => {
    for (const from of [join(home, 'nowhere'), home]) {
      const { exit, stderr } = await run(`workspaces diff ${from}`);
      expect([exit, stderr]).toEqual([2, expect.stringContaining('has none of the files of a workspace')]);
    }
  });
});

describe('applying a folder', () => {
  beforeEach(() => exportTo());

  it('asks for confirmation; without a terminal it needs --yes', async () => {
    edit('projects', '28000', '30000');
    expect((await apply('')).exit).toBe(2);
    expect((await apply('--yes --max-changes 0')).exit).toBe(2);
    expect(await listWrites()).toEqual([]);
  });

  it('a record that no row is about is reported, and the exit code is 0', async () => {
    edit('viewers', /^113,.*\n/m, '');
    edit('webhooks', /^7f34.*\n/m, '');
    const { exit, stdout, stderr } = await apply();
    const note =
      '2 records missing from the files, left alone. To archive: --archive-missing\nNothing to change.\n';
    expect([exit, stdout, stderr]).toEqual([0, '', note]);
    expect(await listWrites()).toEqual([]);
    expect((await run(`workspaces diff ${folder}`)).exit).toBe(10);
  });

  it('an empty cell leaves the value alone', async () => {
    edit('projects', ',28000,', ',,');
    expect((await apply()).exit).toBe(0);
    expect(await listWrites()).toEqual([]);
    expect((await diff()).map(({ field, before }) => [field, before])).toEqual([['budget', '28000']]);
  });

  it('--archive-missing archives it, in the order in which nothing is left hanging; never the owner', async () => {
    edit('members', /^102,.*\n/m, '');
    edit('members', /^105,.*\n/m, '');
    edit('projects', /^116,.*\n/m, '');
    edit('contracts', /^\d+,116,.*\n(\d+,116,.*\n)*/m, '');
    edit('tasks', /^\d+,116,.*\n(\d+,116,.*\n)*/m, '');
    const { exit, stderr } = await apply('--yes --archive-missing');
    expect([exit, stderr]).toEqual([
      0,
      expect.stringContaining('1 record missing from the files, left alone.'),
    ]);
    const writes = await listWrites();
    expect(writes).toEqual([...writes].sort((a, b) => ORDER.indexOf(String(a)) - ORDER.indexOf(String(b))));
    expect(new Set(writes)).toEqual(new Set(ORDER));
    expect((await diff()).map(({ record }) => record)).toEqual(['nora@lindenhof.example']);
  });

  it('--archive-missing leaves whoever applies the files alone', async () => {
    // A token of somebody else needs a server.
    const ttctl = `"${process.execPath}" "${BIN}"`;
    const script = [
      `TTCTL_TOKEN=$(${ttctl} sandbox token create --as grace@lindenhof.example --json | sed -n 's/.*"token": "\\(.*\\)".*/\\1/p')`,
      'export TTCTL_TOKEN',
      `${ttctl} workspaces export "${folder}" --quiet > /dev/null`,
      `sed -i.bak '/^104,/d' "${place('members')}"`,
      `${ttctl} workspaces apply "${folder}" --yes --archive-missing --json`,
    ].join(' && ');
    const { exit, stdout } = await runBinary(['sandbox', 'exec', '--', 'sh', '-c', script], { env });
    expect(exit).toBe(0);
    expect(stdout).not.toContain('"done"');
  });

  it('names each record that it would archive, in the question', async () => {
    write('tasks', `${read('tasks').split('\n')[0]}\n`);
    edit('webhooks', /^7f34.*\n/m, '');
    const { screen } = await sitDown(words(`workspaces apply ${folder} --archive-missing`), {
      env,
      columns: 100,
      answer: () => 'n\r',
    });
    for (const name of ['Home page layout', 'Colour proofs', 'Shop sign', 'Offline timetable'])
      expect(screen).toMatch(new RegExp(`archive +task ${name} +\\d+`));
    expect(screen).toMatch(/delete +webhook https?:\S+ +7f34/);
    expect(screen).toContain('8 tasks.archive');
    expect(await listWrites()).toEqual([]);
  });

  it('stops at a row whose record is gone or archived', async () => {
    await run('projects archive 118 --yes');
    const { exit, stderr } = await apply('--yes --json');
    const { errors } = JSON.parse(stderr).error;
    expect([exit, errors[0]]).toEqual([
      5,
      `${place('projects')}:6: no project has the id 118, or it is archived`,
    ]);
    expect(await listWrites()).toEqual(['projects.archive']);
  });

  it('a row without an id is about the record that is alike', async () => {
    edit('projects', '114,Harbour website', ',Harbour website');
    edit('projects', '28000', '30000');
    const dry = await apply('--dry-run');
    expect(dry.stdout).toContain('Harbour website  budget: 28000.00 → 30000.00');
    await run('projects create --name "harbour website"');
    const { exit, stderr } = await apply('--yes --json');
    expect([exit, JSON.parse(stderr).error.errors]).toEqual([
      2,
      [expect.stringMatching(/projects\.csv:2: could be 114 or \d+: put its id in the row$/)],
    ]);
  });

  it('leaves to the next run what needs a record that this one creates or renames; exit 10 until all is done', async () => {
    edit('projects', 'Bakery rebrand', 'Bakery relaunch');
    add('projects', ',New pier,,,,,,');
    add('members', ',joy@x.example,Joy,Ro,regular-user,,,30');
    add(
      'contracts',
      ',,New pier,,joy@x.example,20,,,paused',
      ',,bakery relaunch,,aoife@lindenhof.example,,,,',
    );
    add('tasks', ',,New pier,Plans,,,,,,,joy@x.example');
    const more = (rows: string) =>
      `${rows} a record that this run creates. Then run: ttctl workspaces apply ${folder}\n`;
    const sent: unknown[] = [];
    for (const [exit, rows, operations] of [
      [10, '4 rows need', ['projects.update', 'projects.create', 'members.invite']],
      [10, '1 row needs', ['members.update', 'contracts.create', 'contracts.create', 'tasks.create']],
      [0, undefined, ['contracts.update']],
    ] as const) {
      const outcome = await apply();
      expect([outcome.exit, outcome.stderr]).toEqual([
        exit,
        rows === undefined ? expect.not.stringContaining('creates') : expect.stringContaining(more(rows)),
      ]);
      sent.push(...operations);
      expect((await listWrites()).slice(-operations.length).sort()).toEqual([...operations].sort());
    }
    expect(await listWrites()).toHaveLength(sent.length);
    expect(await diff()).toEqual([]);
  });

  it('through a plan sends what resolves now; a plan or a dry run is not unfinished', async () => {
    add('projects', ',New pier,,,,,,');
    add('contracts', ',,New pier,106,,,,,');
    const plan = join(home, `plan-${count}.ndjson`);
    for (const flags of [`--plan ${plan}`, '--dry-run']) {
      const { exit, stderr } = await apply(flags);
      expect([exit, stderr]).toEqual([
        0,
        expect.stringContaining('1 row needs a record that this run creates.'),
      ]);
    }
    expect((await run(`plan apply ${plan} --yes`)).exit).toBe(0);
    expect((await apply()).exit).toBe(0);
    expect(await listWrites()).toEqual(['projects.create', 'contracts.create']);
  });

  it('is one run, that undo takes back', async () => {
    const before = FILES.map(read);
    edit('projects', '28000', '30000');
    edit('tasks', '"108,109"', '108');
    add('projects', ',Old pier,,,,,,');
    add('viewers', ',vi@x.example,Vi,Ew,Internal,');
    expect((await apply()).exit).toBe(10);
    const [job] = await readRows('jobs list');
    expect([job?.['done'], job?.['state']]).toEqual([4, 'done']);
    const undone = await run(`undo ${job?.['id']} --yes --json`);
    expect([undone.exit, JSON.parse(undone.stdout).map(({ operation }: Row) => operation)]).toEqual([
      0,
      ['tasks.assign', 'viewers.archive', 'projects.archive', 'projects.update'],
    ]);
    await exportTo();
    expect(FILES.map(read)).toEqual(before);
  });
});

const ORDER = ['tasks.archive', 'contracts.archive', 'members.archive', 'projects.archive'];

describe('an export over what is there', () => {
  const listFiles = () => readdirSync(folder).sort();

  it('replaces no file of somebody', async () => {
    mkdirSync(folder);
    const { stdout } = await run('members list -o csv');
    for (const own of [stdout, 'id,email,phone\n1,a@example.com,7\n', 'My notes\n']) {
      write('members', own);
      for (const flag of ['', ' --dry-run']) {
        const { exit, stderr } = await run(`workspaces export ${folder}${flag}`);
        const message = `error: ${place('members')} is not a file of an export\nhint: Move it away, or export to another folder.\n`;
        expect([exit, stderr]).toEqual([2, message]);
      }
      expect([read('members'), listFiles()]).toEqual([own, ['members.csv']]);
    }
  });

  it.skipIf(process.platform === 'win32').each([
    ['directory', 'It is a directory.'],
    ['pipe', 'It is not a file.'],
  ])('finds a %s before it writes', async (kind, reason) => {
    mkdirSync(folder);
    if (kind === 'pipe') execFileSync('mkfifo', [place('webhooks')]);
    else mkdirSync(place('webhooks'));
    const { exit, stderr } = await run(`workspaces export ${folder}`);
    expect([exit, stderr]).toEqual([2, expect.stringContaining(place('webhooks'))]);
    expect([stderr, listFiles()]).toEqual([expect.stringContaining(reason), ['webhooks.csv']]);
  });

  it.skipIf(process.platform === 'win32')('to what is no folder says so before it reads', async () => {
    const file = join(home, 'notes.txt');
    writeFileSync(file, 'mine');
    for (const verb of ['export', 'diff', 'apply']) {
      for (const named of ['/dev/full', file, join(file, 'below')]) {
        const { exit, stderr } = await run(`workspaces ${verb} ${named}`);
        const message = `error: cannot use ${named}\n  It is not a folder.\nhint: Name another folder.\n`;
        expect([exit, stderr]).toEqual([2, message]);
      }
    }
    expect(readFileSync(file, 'utf8')).toBe('mine');
    expect(await readRows('sandbox log')).toEqual([]);
  });

  it('replaces a file of a spreadsheet, and an empty one', async () => {
    await exportTo();
    const before = FILES.map(read);
    write('members', read('members').replaceAll(',', ';').replace(/^/, '\uFEFF'));
    // Columns may have been left out.
    write('projects', 'id,name\n5,Harbour\n');
    write('tasks', '');
    const rows = await readRows(`workspaces export ${folder}`);
    expect(new Set(rows.map(({ status }) => status))).toEqual(new Set(['written']));
    expect(FILES.map(read)).toEqual(before);
  });

  it.skipIf(process.platform === 'win32')('S5: reads and writes no link out of the folder', async () => {
    await exportTo();
    const outside = join(home, 'secret-notes');
    writeFileSync(outside, 'TOKEN=canary-1234\n');
    const isRefused = async (lines: readonly string[]) => {
      for (const line of lines) {
        const { exit, stdout, stderr } = await run(line);
        expect([exit, stderr]).toEqual([2, expect.stringContaining('It is a link out of its folder.')]);
        expect(stdout + stderr).not.toContain('canary');
      }
    };
    for (const target of [outside, '../secret-notes', '/proc/self/environ']) {
      rmSync(place('members'));
      symlinkSync(target, place('members'));
      const lines = ['diff FOLDER', 'apply FOLDER --yes', 'export FOLDER'];
      await isRefused(lines.map((line) => `workspaces ${line.replace('FOLDER', folder)}`));
    }
    // By way of another link, to a file that is not there.
    rmSync(place('members'));
    symlinkSync(join(home, 'none-yet'), place('other'));
    symlinkSync('other.csv', place('members'));
    await isRefused([`workspaces export ${folder}`]);
    expect([existsSync(join(home, 'none-yet')), readFileSync(outside, 'utf8')]).toEqual([
      false,
      'TOKEN=canary-1234\n',
    ]);
    // Within the folder one is as good as a file.
    rmSync(place('members'));
    writeFileSync(join(folder, 'people-of-ours.csv'), '');
    symlinkSync('people-of-ours.csv', place('members'));
    expect((await run(`workspaces export ${folder}`)).exit).toBe(0);
    expect(readFileSync(join(folder, 'people-of-ours.csv'), 'utf8')).toContain('firstname');
  });

  it('S8: leaves out addresses of webhooks with secrets in them, and says so; a diff is empty all the same', async () => {
    const addresses = [
      'https://me:canary1@x.test/a',
      'https://x.test/a?api_key=canary2&b=1',
      'https://x.test/plain?b=1',
    ];
    for (const url of addresses) await run(`webhooks create --url "${url}" --event project.created`);
    for (const format of ['table', 'markdown']) {
      const { stdout } = await run(`webhooks list -o ${format}`);
      expect(stdout).not.toContain('canary');
      expect(stdout).toContain('https://x.test/a?api_key=***&b=1');
    }
    expect((await run('webhooks list --show-secrets')).stdout).toContain('me:canary1@');
    const { exit, stderr } = await run(`workspaces export ${folder}`);
    expect([exit, stderr]).toEqual([
      0,
      expect.stringContaining('webhooks.csv: secrets left out (the addresses of 2 webhooks)'),
    ]);
    expect(read('webhooks')).toContain('https://x.test/plain?b=1');
    expect(read('webhooks')).not.toContain('canary');
    expect(await run(`workspaces diff ${folder}`)).toMatchObject({ exit: 0 });
    expect((await apply()).exit).toBe(0);
    expect((await readRows('webhooks list')).map(({ url }) => url)).toEqual(
      expect.arrayContaining(addresses),
    );
  });

  it('S6: repeats no more of a cell or a heading than 40 characters, and no secret', async () => {
    await exportTo();
    env = { ...env, TTCTL_CLIENT_SECRET: `canary-${'9'.repeat(60)}` };
    const secret = env['TTCTL_CLIENT_SECRET'];
    const long = 'x'.repeat(90);
    write('projects', `id,name,${long},${secret},password=hunter22\n`);
    write('members', `id,email,weekly_hours_limit,role\n,a@x.test,${long},${secret}\n`);
    write('webhooks', `id,url,events\n,ftp://me:hunter22-${long}@x.test,a\n`);
    const { exit, stderr } = await run(`workspaces diff ${folder} --json`);
    expect(exit).toBe(2);
    expect(stderr).toContain(`"unknown column \\"${'x'.repeat(39)}…`.slice(1));
    expect(stderr).not.toMatch(/x{40}|canary|9{6}|hunter22/);
  });
});

it('a folder that several apply at once is applied by one after another', async () => {
  await use('agency');
  await exportTo();
  const file = join(folder, 'projects.csv');
  const [heading = '', ...rest] = readFileSync(file, 'utf8').split('\n');
  const row = heading.split(',').map((name) => (name.trim() === 'name' ? 'New pier' : ''));
  writeFileSync(file, [heading, row.join(','), ...rest].join('\n'));
  const ended = await Promise.all([1, 2, 3].map(() => apply()));
  expect(ended.map(({ exit }) => exit)).toEqual([0, 0, 0]);
  expect(await listWrites()).toEqual(['projects.create']);
});
