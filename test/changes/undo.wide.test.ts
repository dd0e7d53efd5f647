import { readFileSync, writeFileSync } from 'node:fs';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { findOperation } from '../../src/api/operations.ts';
import { prepareSample, samples } from '../samples.ts';
import { runFile } from '../support/runs.ts';
import { type Row, useCli } from '../support/use-cli.ts';

/** `ttctl undo`, in the sandbox. What a write has left is told by the diff of snapshots. */

const sandbox = useCli({ sandbox: 'demo' });
const { run, read, rows, writes, latest, entries } = sandbox;

type Change = { kind: string; id: unknown; change: string; fields: Row[] };

/**
 * What is not as it was when the snapshot was taken: `members 108 firstname`. Not that others were told of it, when a
 * record was last changed, what was made and archived, and that an assignment made anew has another id.
 */
const listDifferences = async (): Promise<readonly string[]> => {
  const { stdout } = await run('sandbox snapshot diff before --json');
  const all: readonly Change[] = JSON.parse(stdout);
  const readField = ({ change, fields }: Change, name: string) =>
    fields.find(({ field }) => field === name)?.[change === 'removed' ? 'before' : 'after'];
  const nameOf = (one: Change): string =>
    one.kind === 'assignments' && one.change !== 'changed'
      ? `assignments ${readField(one, 'task_id')} ${readField(one, 'user_id')}`
      : `${one.kind} ${one.id}`;
  const toSet = (value: unknown): unknown => (Array.isArray(value) ? value.toSorted() : value);
  const isSame = ({ before, after }: Row) => JSON.stringify(toSet(before)) === JSON.stringify(toSet(after));
  return all.flatMap((one): readonly string[] => {
    const isTwice = all.filter((other) => nameOf(other) === nameOf(one)).length > 1;
    if (one.kind === 'deliveries' || isTwice) return [];
    if (one.change === 'added' && readField(one, 'deleted_at') != null) return [];
    if (one.change !== 'changed') return [`${nameOf(one)} ${one.change}`];
    const changed = one.fields.filter((field) => field.field !== 'updated_at' && !isSame(field));
    return changed.map(({ field }) => `${nameOf(one)} ${field}`);
  });
};

/** What no write could set back: when it was archived or submitted, which it is again; who stays known, without a membership. */
const LEFT: Readonly<Record<string, RegExp>> = {
  'members.restore': / deleted_at$/,
  'viewers.restore': / deleted_at$/,
  'timesheets.unsubmit': / submitted_on$/,
  'members.invite': /^users \d+ added$/,
  'viewers.invite': /^users \d+ added$/,
};

const WRITES = samples.map((sample) => ({ ...sample, undo: findOperation(sample.operation)?.undo }));

describe('every write', () => {
  it.each(WRITES.filter(({ undo }) => undo?.kind !== 'none'))(
    '$operation, and its undo: all is as it was',
    async (sample) => {
      const { line } = await prepareSample(sandbox, sample);
      await read('sandbox snapshot save before');
      await read(`${line} --yes`);
      expect(await listDifferences()).not.toEqual([]);
      expect(await rows(`undo ${await latest()} --yes`)).toMatchObject([{ status: 'done' }]);
      const left = await listDifferences();
      expect(left.filter((one) => !LEFT[sample.operation]?.test(one))).toEqual([]);
    },
  );

  it.each(WRITES.filter(({ undo }) => undo?.kind === 'none'))(
    '$operation cannot be undone: exit 2 with the reason, and nothing is sent',
    async (sample) => {
      const { line } = await prepareSample(sandbox, sample);
      await read(`${line} --yes`);
      await refused(`undo ${await latest()} --yes`, sample.undo?.kind === 'none' ? sample.undo.why : '–');
      const { stderr } = await run(`undo ${await latest()} --yes`);
      expect(stderr).toContain('hint: See what it did: ttctl history show ');
    },
  );
});

/** Nothing is sent, and no entry is made. */
const refused = async (line: string, message: string): Promise<void> => {
  const before = [await writes(), await entries()];
  const { exit, stderr } = await run(line);
  expect([line, exit, stderr]).toEqual([line, 2, expect.stringContaining(message)]);
  expect([await writes(), await entries()]).toEqual(before);
};

const undo = async (id: string, flags = '') => {
  const { exit, stdout } = await run(`undo ${id} --yes --json ${flags}`);
  return [exit, [JSON.parse(stdout)].flat()] as const;
};

/** An update of 108: its entry. */
const updateOne = async (): Promise<string> => {
  await read('sandbox snapshot save before --replace');
  await read('members update 108 --role team-manager --weekly-hours-limit 32');
  return latest();
};

/** A run of four updates, of 40 and 45 hours a week: its id. @param fault what happens to the first of them */
const updateMany = async (fault?: string): Promise<string> => {
  await read('sandbox snapshot save before --replace');
  if (fault !== undefined) await read(`sandbox fault add members update ${fault}`);
  const file = sandbox.file('rows.csv', 'id,weekly_hours_limit\n105,11\n106,12\n108,13\n109,14\n');
  await run(`members update --from-file ${file} --yes`);
  return String((await entries())[0]?.['run']);
};

const TAXI = '--name Taxi --date 2026-11-19 --amount 5 --category Travel';

describe('an undo', () => {
  it('is an entry, and can be undone', async () => {
    const id = await updateOne();
    await read(`undo ${id} --yes`);
    expect(await listDifferences()).toEqual([]);
    const [entry] = await entries();
    expect(entry).toMatchObject({
      ...{ operation: 'members.update', target: '108', command: `undo ${id} --yes` },
      ...{ before: { weekly_hours_limit: 32 }, after: { weekly_hours_limit: 40 } },
    });
    await read(`undo ${entry?.['id']} --yes`);
    const changed = ['members 108 role', 'members 108 weekly_hours_limit'];
    expect((await listDifferences()).toSorted()).toEqual(changed);
    await read(`undo ${await latest()} --yes`);
    expect(await listDifferences()).toEqual([]);
  });

  it('done twice changes nothing the second time', async () => {
    const id = await updateOne();
    await read(`undo ${id} --yes`);
    const sent = await writes();
    expect(await undo(id)).toMatchObject([0, [{ status: 'unchanged' }]]);
    expect(await writes()).toEqual(sent);
  });

  it('asks as any write does', async () => {
    await refused(`undo ${await updateOne()}`, 'hint: Add --yes');
    await refused(`undo ${await updateMany()} --yes --max-changes 3`, '--max-changes');
  });

  it.each(['demo', 'agency'])('of a run takes all of it back, the latest first (%s)', async (seed) => {
    await read(`sandbox reset --seed ${seed}`);
    const members = (await rows('members list')).filter((row) => row['weekly_hours_limit']).slice(1, 8);
    const lines = members.map(({ id }, n) => `${id},${n + 3}\n`);
    const file = sandbox.file('rows.csv', `id,weekly_hours_limit\n${lines.join('')}`);
    await read('sandbox snapshot save before');
    await read(`members update --from-file ${file} --yes`);
    const [{ run: id } = {}] = await entries();
    const undone = await rows(`undo ${id} --yes`);
    expect(undone.map(({ target }) => target)).toEqual(members.map((row) => `${row['id']}`).reverse());
    expect(await listDifferences()).toEqual([]);
    // And the undo of that run, which is one.
    const [{ run: again } = {}] = await entries();
    expect(again).not.toBe(id);
    await read(`undo ${again} --yes`);
    expect(await listDifferences()).toHaveLength(members.length);
  });

  it('of one row of a run leaves the others', async () => {
    await read(`undo ${await updateMany()}-2 --yes`);
    const others = ['105', '108', '109'].map((id) => `members ${id} weekly_hours_limit`);
    expect(await listDifferences()).toEqual(others);
  });

  it('of a run passes over what had failed, and says so', async () => {
    const id = await updateMany('--status 422');
    const { exit, stdout, stderr } = await run(`undo ${id} --yes --json`);
    expect(stderr).toContain(
      'Tomasz Zieliński tomasz@lindenhof.example left unchanged: it failed, so there is nothing to undo',
    );
    expect([exit, JSON.parse(stdout).map(({ target }: Row) => target)]).toEqual([0, ['109', '108', '106']]);
    expect(await listDifferences()).toEqual([]);
    await refused(`undo ${id}-1 --yes`, 'it failed, so there is nothing to undo');
  });

  it('of a run names what cannot be undone, undoes the others, and ends as not all done', async () => {
    const file = sandbox.file('rows.csv', 'id,notes,estimation\n114,Mine,\n115,,777\n');
    await read(`projects update --from-file ${file} --yes`);
    const [{ run: id } = {}] = await entries();
    const { exit, stdout, stderr } = await run(`undo ${id} --yes --json`);
    const why = 'the API cannot clear notes';
    expect(stderr).toContain(`Harbour website left unchanged: ${why}`);
    const message = `cannot be undone: ${why}`;
    expect([exit, JSON.parse(stdout)]).toMatchObject([
      8,
      [
        { target: '115', status: 'done' },
        { target: '114', status: 'failed', message, error: { code: 'not_undoable' } },
      ],
    ]);
    expect(await rows('projects get 115')).toMatchObject([{ estimation: 540 }]);
  });

  it('of a run leaves alone what somebody has changed since; --force does it', async () => {
    const id = await updateMany();
    await read('members update 106 --weekly-hours-limit 55');
    const [exit, results] = await undo(id);
    const message = 'changed since: hours a week: 12 → 55';
    const moved = { target: '106', status: 'skipped', error: { code: 'moved' }, message };
    expect([exit, results.filter(({ status }) => status !== 'done')]).toMatchObject([8, [moved]]);
    expect(await listDifferences()).toEqual(['members 106 weekly_hours_limit']);
    const forced = await rows(`undo ${id} --yes --force`);
    expect(forced.map(({ status }) => status)).toEqual(['unchanged', 'unchanged', 'done', 'unchanged']);
    expect(await listDifferences()).toEqual([]);
  });

  it('of one write leaves alone what somebody has changed since; another field is no matter', async () => {
    const id = await updateOne();
    await read('members update 108 --weekly-hours-limit 7');
    const sent = await writes();
    expect(await undo(id)).toMatchObject([8, [{ status: 'skipped', error: { code: 'moved' } }]]);
    expect(await writes()).toEqual(sent);
    await read('members update 108 --weekly-hours-limit 32 --firstname Aoifa');
    await read(`undo ${id} --yes`);
    expect(await listDifferences()).toEqual(['users 108 firstname']);
  });

  it.each([
    ['projects create --name New --notes One', 'projects list', 'projects update ID --notes Two'],
    ['projects create --name New', 'projects list', 'projects update ID --notes Mine'],
    [
      `expenses create ${TAXI}`,
      'expenses list --date-from 2026-11-19',
      `expenses update ID ${TAXI} --project 114`,
    ],
  ])('of what was made leaves alone what somebody has changed since: %s', async (make, list, change) => {
    await read('sandbox snapshot save before');
    const before = await rows(list);
    await read(make);
    const id = await latest();
    const made = (await rows(list)).find((row) => before.every((one) => one['id'] !== row['id']));
    await read(change.replace('ID', String(made?.['id'])));
    expect(await undo(id)).toMatchObject([8, [{ status: 'skipped', error: { code: 'moved' } }]]);
    expect(await listDifferences()).not.toEqual([]);
    await read(`undo ${id} --yes --force`);
    expect(await listDifferences()).toEqual([]);
  });

  it('of a record that is gone is refused', async () => {
    const expense = 'a1b8893d-a55d-4a09-87a8-565b5387080b';
    await read(`expenses update ${expense} ${TAXI}`);
    const id = await latest();
    await read(`expenses delete ${expense} --yes`);
    const message = 'changed since: the record is gone';
    expect(await undo(id)).toMatchObject([8, [{ status: 'skipped', message }]]);
  });

  it('is shown by --dry-run: nothing is sent, and no entry is made', async () => {
    const id = await updateOne();
    const before = [await writes(), await entries()];
    const { exit, stdout } = await run(`undo ${id} --dry-run --exit-code --json`);
    const planned = {
      ...{ status: 'planned', target: '108', request: { method: 'PUT', path: '/members/108' } },
      before: { current_role: 'Team manager', weekly_hours_limit: 32 },
      after: { current_role: 'Regular User', weekly_hours_limit: 40 },
    };
    expect([exit, JSON.parse(stdout)]).toMatchObject([10, [planned]]);
    expect([await writes(), await entries()]).toEqual(before);
  });

  it('can be a plan, which is applied later', async () => {
    const id = await updateMany();
    const sent = await writes();
    const plan = sandbox.file('undo.ndjson');
    await read(`undo ${id} --plan ${plan}`);
    expect(await writes()).toEqual(sent);
    const planned = await rows(`plan show ${plan}`);
    expect(planned.map(({ target }) => target)).toEqual(['109', '108', '106', '105']);
    await read('members update 106 --weekly-hours-limit 55');
    const { exit, stdout } = await run(`plan apply ${plan} --yes --json`);
    const statuses = JSON.parse(stdout).map(({ status }: Row) => status);
    expect([exit, statuses]).toEqual([8, ['done', 'done', 'skipped', 'done']]);
    expect(await listDifferences()).toEqual(['members 106 weekly_hours_limit']);
    const command = `plan apply ${plan} --yes --json`;
    expect((await entries())[0]).toMatchObject({ command, operation: 'members.update' });
  });

  it('that cannot set an empty value back says so, and is not called done', async () => {
    await read('sandbox snapshot save before');
    await read('projects update 114 --name New --notes New');
    const id = await latest();
    const why = 'the API cannot clear notes';
    expect(await rows(`undo ${id} --dry-run`)).toMatchObject([{ message: why }]);
    const { exit, stdout, stderr } = await run(`undo ${id} --yes`);
    expect([exit, stdout + stderr]).toEqual([8, expect.stringContaining(`only partly undone: ${why}`)]);
    expect(stdout).not.toContain('✓');
    expect(await listDifferences()).toEqual(['projects 114 notes']);
    expect((await entries())[0]).toMatchObject({ status: 'failed', target: '114' });
  });
});

describe('what cannot be undone is refused, and nothing is sent:', () => {
  it.each([
    ['what had only empty values', 'projects update 114 --notes New', 'the API cannot clear notes'],
    [
      'the first rate of a contract that showed the rate of its member',
      'contracts update 120 --rate 1',
      'the API cannot clear rate',
    ],
    [
      'a raw request',
      'api PUT /members/108 --field weekly_hours_limit:=3',
      'ttctl does not know what a raw request changed',
    ],
  ])('%s', async (_what, line, why) => {
    await read(line);
    await refused(`undo ${await latest()} --yes`, why);
  });

  it('a write that was killed on its way', async () => {
    const id = await updateOne();
    const path = runFile(sandbox.state, id.replace(/-1$/, ''));
    const lines = readFileSync(path, 'utf8').split('\n');
    writeFileSync(path, `${lines.slice(0, 3).join('\n')}\n`);
    expect((await entries())[0]).toMatchObject({ id, status: 'unknown' });
    await refused(`undo ${id} --yes`, 'it is not known whether it was carried out');
  });

  it('a run of which a step is damaged, but not what is whole of it', async () => {
    const id = await updateMany();
    const path = runFile(sandbox.state, id);
    writeFileSync(path, readFileSync(path, 'utf8').replace('"n":2,"step":"done"', '"n":2,"step":"dead"'));
    await refused(`undo ${id} --yes`, `the journal of ${id} is damaged`);
    await read(`undo ${id}-1 --yes`);
  });

  it('a write of unknown outcome', async () => {
    await read('sandbox fault add expenses create --status 500 --after-commit');
    await read('sandbox fault add expenses list --status 500 --times 50');
    const { exit } = await run(
      `expenses create ${'--name Ferry --date 2026-11-02 --amount 9.90 --category Travel'}`,
      { env: { TTCTL_MAX_WAIT: '0' } },
    );
    expect(exit).toBe(7);
    await read('sandbox fault clear');
    expect((await entries())[0]).toMatchObject({ operation: 'expenses.create', status: 'unknown' });
    await refused(`undo ${await latest()} --yes`, 'it is not known whether it was carried out');
  });

  it('what another workspace has, or another profile', async () => {
    const id = await updateOne();
    await refused(`undo ${id} --workspace 146 --yes`, 'is for another workspace');
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
    for (const one of ids) await refused(`undo '${one}' --yes`, 'there is no entry');
    await refused('undo --yes', 'missing');
    const text = fc.string({ maxLength: 30, unit: 'binary' }).filter((one) => !one.startsWith('-'));
    const check = async (one: string) => {
      const { exit, stderr } = await run(['undo', one, '--yes']);
      expect([exit, stderr]).toEqual([2, expect.stringContaining('hint: ')]);
    };
    await fc.assert(fc.asyncProperty(text, check), { numRuns: 30 });
    expect(await writes()).toEqual(['PUT /members/108']);
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
    await read('sandbox snapshot save before');
    await read(line);
    expect(await listDifferences()).not.toEqual([]);
    await read(`undo ${await latest()} --yes`);
    expect(await listDifferences()).toEqual([]);
  });

  it('but no rate that a contract had from its member: it would be the own one then', async () => {
    await read('contracts update 120 --rate 99 --weekly-hours-limit 5');
    expect(await undo(await latest())).toMatchObject([
      8,
      [{ status: 'failed', error: { code: 'not_undone' } }],
    ]);
    expect(await rows('contracts get 120')).toMatchObject([{ weekly_hours_limit: 40, rate: 99 }]);
  });
});
