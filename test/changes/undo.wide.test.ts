import { readFileSync, writeFileSync } from 'node:fs';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { allOperations } from '../../src/api/operations.ts';
import { prepareSample, samples } from '../samples.ts';
import { runFile } from '../support/runs.ts';
import { type Row, useCli } from '../support/use-cli.ts';

/** `ttctl undo`, in the sandbox. What a write has left is told by the diff of snapshots. */

const sandbox = useCli({ sandbox: 'demo' });
const { run, read, rows, writes, latest } = sandbox;

const has =
  (...names: readonly string[]) =>
  (row: Row) =>
    names.every((name) => row[name] !== null && row[name] !== undefined && row[name] !== '');

const find = async (list: string, fits: (row: Row) => boolean = () => true): Promise<Row | undefined> =>
  (await rows(list)).find(fits);

const isLive = ({ deleted_at: gone }: Row): boolean => gone == null;
const isWithoutNotes = (row: Row): boolean => row['notes'] === null && isLive(row);

/** What came, or what went. */
const recordOf = ({ fields, change }: Row): Row =>
  Object.fromEntries(
    (fields as Row[]).map(({ field, before, after }) => [field, change === 'removed' ? before : after]),
  );

/** Who is assigned to what. Assigned again, it has a new id, and the one who undid it as the one who assigned. */
const toAssignment = (row: Row): string => {
  const { task_id: task, user_id: user } = recordOf(row);
  return `${task} ${user}`;
};

const isSameSet = ({ before, after }: Row): boolean =>
  Array.isArray(before) && Array.isArray(after) && before.toSorted().join() === after.toSorted().join();

/**
 * What is not as it was when the snapshot was taken; not the deliveries: the service has told others of the write, and of
 * its undo.
 */
const findDifferences = async (): Promise<readonly Row[]> => {
  const { stdout, exit } = await run('sandbox snapshot diff before --json');
  expect([0, 10]).toContain(exit);
  const changed: readonly Row[] = JSON.parse(stdout);
  const assignments = changed.filter(({ kind }) => kind === 'assignments').map(toAssignment);
  const isTwice = (row: Row) => assignments.filter((one) => one === toAssignment(row)).length === 2;
  return changed.filter(
    (row) => row['kind'] !== 'deliveries' && !(row['kind'] === 'assignments' && isTwice(row)),
  );
};

/** The same in words: `members 108 firstname`. Not when a record was last changed. */
const listDifferences = async (but: readonly string[] = []): Promise<readonly string[]> =>
  (await findDifferences())
    .flatMap(({ kind, id, change, fields }) =>
      change === 'changed'
        ? (fields as Row[]).flatMap((field) =>
            field['field'] === 'updated_at' || isSameSet(field) ? [] : [`${kind} ${id} ${field['field']}`],
          )
        : [`${kind} ${id} ${change}`],
    )
    .filter((text) => !but.some((end) => text.endsWith(end)));

/** What the service itself sets anew, so that no write of anybody could set it back. */
const SET_ANEW: Readonly<Record<string, readonly string[]>> = {
  // When it was archived, which it is again.
  'members.restore': [' deleted_at'],
  'viewers.restore': [' deleted_at'],
  // When it was submitted, which it is again.
  'timesheets.unsubmit': [' submitted_on'],
};

const WRITES = allOperations.filter(({ method }) => method !== 'GET');
type Kind = NonNullable<(typeof WRITES)[number]['undo']>['kind'];

const ofKind = (...kinds: readonly Kind[]) =>
  WRITES.filter(({ undo }) => undo !== undefined && kinds.includes(undo.kind)).map(({ id }) => id);

/** Does the sample of the operation, and `check`. */
const tryOne = async (id: string, check: (line: string) => Promise<void>): Promise<void> => {
  const sample = samples.find(({ operation }) => operation === id);
  if (sample === undefined) throw new Error(`test/samples.ts: no sample of ${id}`);
  const line = `${(await prepareSample(sandbox, sample)).line} --yes`;
  await read('sandbox snapshot save before --replace');
  await read(line);
  expect((await findDifferences()).length, line).toBeGreaterThan(0);
  await check(line);
};

describe('a write of the table', () => {
  it('says how it is undone', () => {
    expect(WRITES.filter(({ undo }) => undo === undefined).map(({ id }) => id)).toEqual([]);
  });

  it.each(ofKind('values', 'opposite'))('%s, and its undo: all is as it was', (id) =>
    tryOne(id, async (line) => {
      const [undone] = await rows(`undo ${await latest()} --yes`);
      expect([line, undone?.['status']]).toEqual([line, 'done']);
      expect([line, await listDifferences(SET_ANEW[id])]).toEqual([line, []]);
    }),
  );

  it.each(ofKind('removal'))('%s, and its undo: what was made is archived or gone', (id) =>
    tryOne(id, async (line) => {
      const [undone] = await rows(`undo ${await latest()} --yes`);
      expect([line, undone?.['status']]).toEqual([line, 'done']);
      const left = await findDifferences();
      const live = left.filter((row) => row['change'] !== 'added' || isLive(recordOf(row)));
      // A person stays known, without a membership; who was assigned to an archived task stays so.
      expect([line, live.filter(({ kind }) => kind !== 'users' && kind !== 'assignments')]).toEqual([
        line,
        [],
      ]);
    }),
  );

  it.each(ofKind('none'))('%s cannot be undone: exit 2 with the reason, and nothing is sent', (id) =>
    tryOne(id, async () => {
      const before = await writes();
      const undo = WRITES.find((one) => one.id === id)?.undo;
      const { exit, stderr } = await run(`undo ${await latest()} --yes`);
      expect([exit, stderr]).toEqual([2, expect.stringContaining(undo?.kind === 'none' ? undo.why : '–')]);
      expect(stderr).toContain('hint: See what it did: ttctl history show ');
      expect(await writes()).toEqual(before);
    }),
  );
});

/** Members and their hours a week, as the demo has them; the update of a file gives them others. */
const IDS = ['105', '106', '108', '109'];
const HOURS = `id,weekly_hours_limit\n${IDS.map((id, n) => `${id},${n + 11}\n`).join('')}`;

const FROM_FILE = () => `members update --from-file ${sandbox.file('rows.csv', HOURS)} --yes`;

/** A run of four updates, with its id. @param fault what happens to the first of them */
const updateMany = async (fault = ''): Promise<string> => {
  await read('sandbox snapshot save before --replace');
  if (fault !== '') await read(`sandbox fault add members update ${fault}`);
  await run(FROM_FILE());
  return String((await sandbox.entries())[0]?.['run']);
};

const updateOne = async (flags = '--role team-manager --weekly-hours-limit 32'): Promise<string> => {
  await read('sandbox snapshot save before --replace');
  await read(`members update 108 ${flags}`);
  return latest();
};

const results = (stdout: string): readonly Row[] => [JSON.parse(stdout)].flat();

/** That nothing is sent, and no entry is made. */
const refused = async (line: string, exit: number, message: string | RegExp): Promise<void> => {
  const [sent, entries] = [await writes(), await sandbox.entries()];
  const ended = await run(line);
  expect([line, ended.exit, ended.stderr]).toEqual([line, exit, expect.stringMatching(message)]);
  expect(await writes()).toEqual(sent);
  expect(await sandbox.entries()).toEqual(entries);
};

describe('an undo', () => {
  it('is an entry, and can be undone', async () => {
    const id = await updateOne();
    await read('sandbox snapshot save after');
    await read(`undo ${id} --yes`);
    expect(await listDifferences()).toEqual([]);
    const [undo] = await sandbox.entries();
    expect(undo).toMatchObject({
      operation: 'members.update',
      target: '108',
      command: `undo ${id} --yes`,
      before: { weekly_hours_limit: 32 },
      after: { weekly_hours_limit: 40 },
    });
    await read(`undo ${undo?.['id']} --yes`);
    expect((await listDifferences()).toSorted()).toEqual([
      'members 108 role',
      'members 108 weekly_hours_limit',
    ]);
    await read(`undo ${await latest()} --yes`);
    expect(await listDifferences()).toEqual([]);
  });

  it('done twice changes nothing the second time', async () => {
    const id = await updateOne();
    await read(`undo ${id} --yes`);
    const sent = await writes();
    const { exit, stdout } = await run(`undo ${id} --yes --json`);
    expect([exit, results(stdout)[0]?.['status']]).toEqual([0, 'unchanged']);
    expect(await writes()).toEqual(sent);
  });

  it('asks as any write does', async () => {
    await refused(`undo ${await updateOne()}`, 2, /hint: Add --yes/);
    await refused(`undo ${await updateMany()} --yes --max-changes 3`, 2, /max-changes/);
  });

  it.each([['demo'], ['agency']])('of a run from a file takes all of it back (%s)', async (seed) => {
    await read(`sandbox reset --seed ${seed}`);
    const members = (await rows('members list')).filter(has('weekly_hours_limit')).slice(1, 8);
    const text = `id,weekly_hours_limit\n${members.map(({ id }, n) => `${id},${n + 3}\n`).join('')}`;
    await read('sandbox snapshot save before --replace');
    await read(`members update --from-file ${sandbox.file('rows.csv', text)} --yes`);
    const [{ run: id } = {}] = await sandbox.entries();
    const undone = await rows(`undo ${id} --yes`);
    // The latest first.
    expect(undone.map(({ target }) => target)).toEqual(members.map((row) => String(row['id'])).reverse());
    expect(await listDifferences()).toEqual([]);
    // And the undo of that run, which is one.
    const [{ run: again } = {}] = await sandbox.entries();
    expect(again).not.toBe(id);
    await read(`undo ${again} --yes`);
    expect((await listDifferences()).length).toBe(members.length);
  });

  it('of one row of a run leaves the others', async () => {
    const id = await updateMany();
    await read(`undo ${id}-2 --yes`);
    expect(await listDifferences()).toEqual(
      ['105', '108', '109'].map((member) => `members ${member} weekly_hours_limit`),
    );
  });

  it('of a run passes over what had failed, and says so', async () => {
    const id = await updateMany('--status 422');
    const { exit, stdout, stderr } = await run(`undo ${id} --yes --json`);
    expect(stderr).toContain('105 left unchanged: it failed, so there is nothing to undo');
    expect([exit, results(stdout).map(({ target }) => target)]).toEqual([0, ['109', '108', '106']]);
    expect(await listDifferences()).toEqual([]);
    await refused(`undo ${id}-1 --yes`, 2, /it failed, so there is nothing to undo/);
  });

  it('of a run names what cannot be undone, undoes the others, and ends as not all done', async () => {
    const projects = await rows('projects list');
    const [empty] = projects.filter(({ notes }) => notes == null || notes === '');
    const [other] = projects.filter(({ id, estimation }) => id !== empty?.['id'] && estimation != null);
    const [named, sized] = [empty, other].map((row) => String(row?.['id']));
    const file = sandbox.file('rows.csv', `id,notes,estimation\n${named},Mine,\n${sized},,777\n`);
    await read(`projects update --from-file ${file} --yes`);
    const [{ run: id } = {}] = await sandbox.entries();
    const { exit, stdout, stderr } = await run(`undo ${id} --yes --json`);
    expect(exit).toBe(8);
    const why = 'the API cannot clear notes';
    expect(stderr).toContain(`${named} left unchanged: ${why}`);
    expect(results(stdout).map(({ target, status }) => [target, status])).toEqual([
      [sized, 'done'],
      [named, 'failed'],
    ]);
    expect(results(stdout)[1]).toMatchObject({
      message: `cannot be undone: ${why}`,
      error: { code: 'not_undoable' },
    });
    const now = await rows('projects list');
    expect(now.find((row) => String(row['id']) === sized)).toMatchObject({
      estimation: other?.['estimation'],
    });
  });

  it('of a run leaves alone what somebody has changed since; --force does it', async () => {
    const id = await updateMany();
    await read('members update 106 --weekly-hours-limit 55');
    const { exit, stdout } = await run(`undo ${id} --yes --json`);
    expect(exit).toBe(8);
    const moved = results(stdout).filter(({ status }) => status !== 'done');
    const message = 'changed since: hours a week: 12 → 55';
    expect(moved).toMatchObject([{ target: '106', status: 'skipped', error: { code: 'moved' }, message }]);
    expect((await writes()).filter((line) => line === 'PUT /members/106').length).toBe(2);
    expect(await listDifferences()).toEqual(['members 106 weekly_hours_limit']);
    const forced = await rows(`undo ${id} --yes --force`);
    expect(forced.map(({ status }) => status)).toEqual(['unchanged', 'unchanged', 'done', 'unchanged']);
    expect(await listDifferences()).toEqual([]);
  });

  it('of one write leaves alone what somebody has changed since', async () => {
    const id = await updateOne();
    await read('members update 108 --weekly-hours-limit 7');
    const sent = await writes();
    const { exit, stdout } = await run(`undo ${id} --yes --json`);
    expect([exit, results(stdout)[0]]).toMatchObject([8, { status: 'skipped', error: { code: 'moved' } }]);
    expect(await writes()).toEqual(sent);
    // Another field is no matter.
    await read('members update 108 --weekly-hours-limit 32 --firstname Aoifa');
    await read(`undo ${id} --yes`);
    expect(await listDifferences()).toEqual(['users 108 firstname']);
  });

  it('of what was made leaves alone what somebody has changed since', async () => {
    await read('projects create --name New --notes One');
    const id = await latest();
    const [entry] = await sandbox.entries();
    expect(entry).toMatchObject({ operation: 'projects.create', after: { name: 'New', notes: 'One' } });
    const project = await find('projects list', ({ name }) => name === 'New');
    await read(`projects update ${project?.['id']} --notes Two`);
    const { exit, stdout } = await run(`undo ${id} --yes --json`);
    expect([exit, results(stdout)[0]]).toMatchObject([8, { error: { code: 'moved' } }]);
    await read(`undo ${id} --yes --force`);
    expect(await find('projects list', (row) => row['name'] === 'New' && isLive(row))).toBeUndefined();
  });

  it.each([
    [
      'expenses create --name Taxi --date 2026-11-19 --amount 5 --category Travel',
      'expenses list --date-from 2026-11-19',
      'expenses update ID --name Taxi --date 2026-11-19 --amount 5 --category Travel --project 114',
    ],
    ['projects create --name New', 'projects list', 'projects update ID --notes Mine'],
  ])('of what was made leaves it alone where another field has been set: %s', async (make, list, change) => {
    const isMade = (row: Row) => ['New', 'Taxi'].includes(String(row['expense_name'] ?? row['name']));
    await read(make);
    const id = await latest();
    const made = await find(list, isMade);
    await read(change.replace('ID', String(made?.['id'])));
    const { exit, stdout } = await run(`undo ${id} --yes --json`);
    expect([exit, results(stdout)[0]]).toMatchObject([8, { error: { code: 'moved' } }]);
    await read(`undo ${id} --yes --force`);
    const left = await find(list, isMade);
    expect(left === undefined || !isLive(left)).toBe(true);
  });

  it('of a record that is gone is refused', async () => {
    const expense = await find('expenses list', has('category', 'project'));
    await read(
      `expenses update ${expense?.['id']} --name Ferry --date 2026-11-01 --amount 9.91 --category Travel`,
    );
    const id = await latest();
    await read(`expenses delete ${expense?.['id']} --yes`);
    const { exit, stdout } = await run(`undo ${id} --yes --json`);
    expect([exit, results(stdout)[0]]).toMatchObject([
      8,
      { status: 'skipped', message: 'changed since: the record is gone' },
    ]);
  });

  it('is shown by --dry-run: nothing is sent, and no entry is made', async () => {
    const id = await updateOne();
    const [sent, entries] = [await writes(), await sandbox.entries()];
    const { exit, stdout } = await run(`undo ${id} --dry-run --exit-code --json`);
    expect([exit, results(stdout)[0]]).toMatchObject([
      10,
      {
        status: 'planned',
        target: '108',
        before: { current_role: 'Team manager', weekly_hours_limit: 32 },
        after: { current_role: 'Regular User', weekly_hours_limit: 40 },
        request: { method: 'PUT', path: '/members/108' },
      },
    ]);
    expect([await writes(), await sandbox.entries()]).toEqual([sent, entries]);
  });

  it('can be a plan, which is applied later', async () => {
    const id = await updateMany();
    const sent = await writes();
    const plan = sandbox.file('undo.ndjson');
    await read(`undo ${id} --plan ${plan}`);
    expect(await writes()).toEqual(sent);
    const { stdout } = await run(`plan show ${plan} --json`);
    expect(results(stdout).map(({ target }) => target)).toEqual([...IDS].reverse());
    await read('members update 106 --weekly-hours-limit 55');
    const applied = await run(`plan apply ${plan} --yes --json`);
    expect([applied.exit, results(applied.stdout).map(({ status }) => status)]).toEqual([
      8,
      ['done', 'done', 'skipped', 'done'],
    ]);
    expect(await listDifferences()).toEqual(['members 106 weekly_hours_limit']);
    const [entry] = await sandbox.entries();
    expect(entry).toMatchObject({ command: `plan apply ${plan} --yes --json`, operation: 'members.update' });
  });

  it('that cannot set an empty value back says so, and is not called done', async () => {
    const project = await find('projects list', isWithoutNotes);
    await read('sandbox snapshot save before --replace');
    await read(`projects update ${project?.['id']} --name New --notes New`);
    const id = await latest();
    const planned = await rows(`undo ${id} --dry-run`);
    expect(planned[0]?.['message']).toBe('the API cannot clear notes');
    const { exit, stdout, stderr } = await run(`undo ${id} --yes`);
    expect([exit, `${stdout}${stderr}`]).toEqual([
      8,
      expect.stringContaining('only partly undone: the API cannot clear notes'),
    ]);
    expect(stdout).not.toContain('✓');
    expect(await listDifferences()).toEqual([`projects ${project?.['id']} notes`]);
    expect((await sandbox.entries())[0]).toMatchObject({ status: 'failed', target: String(project?.['id']) });
  });

  it('of what had only empty values is refused', async () => {
    const project = await find('projects list', isWithoutNotes);
    await read(`projects update ${project?.['id']} --notes New`);
    await refused(`undo ${await latest()} --yes`, 2, /the API cannot clear notes/);
  });
});

describe('what cannot be undone is refused, and nothing is sent', () => {
  it('the first rate of a contract that showed the rate of its member', async () => {
    const contract = await find('contracts list', (row) => row['rate_type'] === 2 && Number(row['rate']) > 1);
    await read(`contracts update ${contract?.['id']} --rate 1`);
    await refused(`undo ${await latest()} --yes`, 2, /the API cannot clear rate/);
  });

  it('a write that was killed on its way', async () => {
    const id = await updateOne();
    const path = runFile(sandbox.state, id.replace(/-1$/, ''));
    const lines = readFileSync(path, 'utf8').split('\n');
    writeFileSync(path, `${lines.slice(0, 3).join('\n')}\n`);
    expect((await sandbox.entries())[0]).toMatchObject({ id, status: 'unknown' });
    await refused(`undo ${id} --yes`, 2, /it is not known whether it was carried out/);
  });

  it('a write of unknown outcome', async () => {
    await run('sandbox fault add expenses create --status 500 --after-commit');
    await run('sandbox fault add expenses list --status 500 --times 50');
    const line = 'expenses create --name Ferry --date 2026-11-02 --amount 9.90 --category Travel';
    expect((await run(line, { env: { TTCTL_MAX_WAIT: '0' } })).exit).toBe(7);
    await read('sandbox fault clear');
    expect((await sandbox.entries())[0]).toMatchObject({ operation: 'expenses.create', status: 'unknown' });
    await refused(`undo ${await latest()} --yes`, 2, /it is not known whether it was carried out/);
  });

  it('a raw request', async () => {
    await read('api PUT /members/108 --field weekly_hours_limit:=3');
    await refused(`undo ${await latest()} --yes`, 2, /ttctl does not know what a raw request changed/);
  });

  it('what another workspace has', async () => {
    const id = await updateOne();
    const [, other] = await rows('workspaces list');
    await refused(`undo ${id} --workspace ${other?.['id']} --yes`, 2, /is for another workspace/);
  });

  it('what another profile has', async () => {
    const id = await updateOne();
    // Nobody listens there: a request would end otherwise.
    delete sandbox.env['TTCTL_PROFILE'];
    const env = { TTCTL_BASE_URL: 'http://127.0.0.1:9/api/v2', TTCTL_TOKEN: 'x', TTCTL_WORKSPACE: '101' };
    const { exit, stderr } = await run(`undo ${id} --yes`, { env });
    expect([exit, stderr]).toEqual([2, expect.stringContaining(`ttctl undo ${id} --profile sandbox`)]);
  });

  it('an id of nothing', async () => {
    const id = await updateOne();
    const ids = [
      `${id}9`,
      id.replace(/1$/, '0'),
      id.slice(0, -3),
      '20261121-0900-kfm',
      '../../x',
      '%00',
      '"',
      '1',
    ];
    for (const one of ids) await refused(`undo '${one}' --yes`, 2, /there is no entry|Add|no input/);
    await fc.assert(
      fc.asyncProperty(fc.string({ maxLength: 30, unit: 'binary' }), async (text) => {
        if (text.startsWith('-')) return;
        const { exit, stderr } = await run(['undo', text, '--yes']);
        expect([exit, stderr]).toEqual([2, expect.stringContaining('hint: ')]);
      }),
      { numRuns: 30 },
    );
    expect(await writes()).toEqual(['PUT /members/108']);
  });

  it('nothing named', async () => {
    await refused('undo --yes', 2, /missing/);
  });
});

describe('an old value that its record shows otherwise than it is sent is set back', () => {
  const EXPENSE =
    'expenses update a1b8893d-a55d-4a09-87a8-565b5387080b --name N --date 2026-11-03 --amount 1.5';
  it.each([
    ['what is in a project', 'tasks update 132 --project 114 --title X --status done'],
    ['a day of a task', 'tasks update 134 --project 114 --end-date 2099-12-24'],
    ['days in words, names for ids', `${EXPENSE} --category Meals --project "Bakery rebrand"`],
    ['an own rate', 'contracts update 121 --rate 99 --weekly-hours-limit 5'],
  ])('%s', async (_what, line) => {
    await read('sandbox snapshot save before --replace');
    await read(line);
    expect(await listDifferences()).not.toEqual([]);
    await read(`undo ${await latest()} --yes`);
    expect(await listDifferences()).toEqual([]);
  });

  it('but no rate that a contract had from its member: it would be the own one then', async () => {
    await read('contracts update 120 --rate 99 --weekly-hours-limit 5');
    const { exit, stdout } = await run(`undo ${await latest()} --yes --json`);
    expect([exit, results(stdout)]).toMatchObject([8, [{ status: 'failed', error: { code: 'not_undone' } }]]);
    expect((await rows('contracts get 120'))[0]).toMatchObject({ weekly_hours_limit: 40, rate: 99 });
  });
});
