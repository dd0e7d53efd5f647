import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { allOperations } from '../../src/api/operations.ts';
import { runInProcess } from '../support/in-process.ts';
import { envelope, onePage, type Recorder, serviceEnv, startRecorder } from '../support/recorder.ts';
import { words } from '../support/words.ts';

/** A record that already is as a write would make it, in the sandbox: nothing is sent, and nothing fails. */

let folder: string;
let env: Record<string, string>;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'ttctl-unchanged-'));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));
let count = 0;
beforeEach(() => {
  count += 1;
  env = {
    TTCTL_STATE_DIR: join(folder, String(count)),
    TTCTL_CONFIG_DIR: join(folder, 'config'),
    TTCTL_PROFILE: 'sandbox',
    TTCTL_RATE_LIMIT: 'off',
  };
});

const run = (line: string, stdin?: string) =>
  runInProcess(words(line), { env, ...(stdin === undefined ? {} : { stdin }) });

const runJson = async (line: string) => {
  const { stdout, stderr, exit } = await run(`${line} --json`);
  expect(stderr).toBe('');
  expect(exit).toBe(0);
  const printed: unknown = JSON.parse(stdout);
  return printed as Readonly<Record<string, unknown>>[];
};

const only = async (line: string) => {
  const [result] = [await runJson(line)].flat();
  return result;
};

const first = async (list: string): Promise<string> => {
  const [row] = await runJson(list);
  return String(row?.id);
};

/** The writes that the sandbox has seen: `POST /members/17/restore`. */
const seen = async (): Promise<readonly string[]> =>
  (await runJson('sandbox log'))
    .filter(({ method }) => method !== 'GET')
    .map(({ method, path }) => `${method} ${path}`);

/** Command lines without `ttctl`; `ID` is the first of the list. */
const CASES: [line: string, list?: string][] = [
  ['members update 108 --role team-manager --weekly-hours-limit 32 --timezone Europe/Lisbon'],
  ['members archive 108 --yes'],
  ['members restore 108'],
  ['viewers archive 112 --yes'],
  ['viewers restore 112'],
  ['viewers assign 113 --project 114'],
  ['viewers unassign 112 --project 114'],
  ['projects update 114 --deadline 2027-03-01 --budget 31000.50 --notes Later'],
  ['projects archive 116 --yes'],
  ['contracts update 120 --weekly-hours-limit 20 --status paused --screenshots blurred'],
  ['tasks update 132 --project 114 --status done --priority urgent --end-date 2026-12-24'],
  ['tasks archive 132 --project 114 --yes'],
  ['tasks assign 133 --project 114 --member 108'],
  ['tasks unassign 132 --project 114 --member 108'],
  ['timesheets approve ID --yes', 'timesheets list --status submitted'],
  ['timesheets reject ID --reason Friday --yes', 'timesheets list --status submitted'],
  ['timesheets submit ID', 'timesheets list --status open'],
  ['timesheets unsubmit ID', 'timesheets list --status submitted'],
  ['leaves approve ID --yes', 'leaves list --status pending'],
  ['leaves reject ID --reason Busy --yes', 'leaves list --status pending'],
  ['time-requests approve ID --yes', 'time-requests list --status pending'],
  ['time-requests reject ID --comment Why --yes', 'time-requests list --status pending'],
  [
    'expenses update ID --name Ferry --date 2026-11-02 --amount 9.90 --category Travel --project "Harbour website" --billable',
    'expenses list',
  ],
  [
    'webhooks update ID --url https://h.example/x --event tracker.stopped --event tracker.started',
    'webhooks list',
  ],
];

const operationOf = (line: string): string => line.split(' ').slice(0, 2).join('.');

/** What is restored was archived. */
const prepare = async (line: string): Promise<void> => {
  if (/^\w+ restore/.test(line)) await runJson(`${line.replace('restore', 'archive')} --yes`);
};

describe('a write that is done already', () => {
  it.each(CASES)('%s', async (line, list?: string) => {
    const command = list === undefined ? line : line.replace('ID', await first(list));
    await prepare(line);
    const planned = await only(`${command} --dry-run`);
    expect(planned).toMatchObject({ status: 'planned', label: expect.stringMatching(/\S/) });
    const changed = Object.keys(planned?.after ?? {});
    expect(changed.length).toBeGreaterThan(0);
    expect(await only(command)).toMatchObject({ status: 'done' });
    const sent = await seen();
    expect(await only(command)).toMatchObject({ status: 'unchanged', operation: operationOf(line) });
    // Where only a refusal shows it, the write was sent once more, and refused.
    expect((await seen()).slice(sent.length).length).toBeLessThanOrEqual(1);
    const { exit, stdout } = await run(`${command} --dry-run --exit-code --json`);
    expect([exit, [JSON.parse(stdout)].flat()[0].status]).toEqual([0, 'unchanged']);
  });

  it('is tried for every write that changes a record, and leaves it there', () => {
    const tried = new Set(CASES.map(([line]) => operationOf(line)));
    const others = allOperations()
      .filter(({ method, id }) => method !== 'GET' && !tried.has(id))
      .map(({ id }) => id);
    expect(others.sort()).toEqual(
      [
        // What is archived is not shown again.
        'contracts.archive',
        ...['contracts.create', 'expenses.create', 'expenses.delete', 'members.invite', 'projects.create'],
        ...[
          'tasks.create',
          'time-requests.create',
          'time-tracking.stop',
          'viewers.invite',
          'webhooks.create',
        ],
        'webhooks.delete',
      ].sort(),
    );
  });

  it('sends nothing where the service would say that it did it', async () => {
    await runJson('members archive 108 --yes');
    const before = await seen();
    await runJson('members archive 108 --yes');
    await runJson('members update 109 --timezone Europe/Berlin');
    const update = await seen();
    await runJson('members update 109 --timezone Europe/Berlin');
    expect(await seen()).toEqual(update);
    expect(update.slice(before.length).every((line) => line === 'PUT /members/109')).toBe(true);
  });

  it('is counted apart, in a file of rows, with few requests', async () => {
    const rows = (await runJson('members list')).map(({ id, weekly_hours_limit: limit }) => `${id},${limit}`);
    const file = join(folder, 'limits.csv');
    writeFileSync(file, `id,weekly_hours_limit\n${rows.join('\n')}\n`);
    await run(`members update 105 --weekly-hours-limit 20`);
    const plan = await run(`members update --from-file ${file} --dry-run --exit-code`);
    expect(plan.exit).toBe(10);
    expect(plan.stdout).toContain('hours a week: 20 → 40');
    const { stderr, exit } = await run(`members update --from-file ${file} --yes`);
    expect(exit).toBe(0);
    expect(stderr).toMatch(/^\d+ updated, \d+ unchanged\n/);
    const log = await runJson('sandbox log');
    const ofOne = log.filter(({ path }) => /\/members\/\d/.test(String(path)));
    // Before the first update: the rest are read as lists.
    expect(ofOne.map(({ method, path }) => `${method} ${path}`)).toEqual([
      ...['GET /members/105', 'PUT /members/105', 'PUT /members/105'],
    ]);
  });
});

describe('what cannot be read', () => {
  let recorder: Recorder | undefined;
  const start = async (status: number) => {
    recorder = await startRecorder(({ line }) =>
      line.startsWith('GET ')
        ? { status, body: { success: false, message: 'No.', meta: {} } }
        : { body: envelope(null) },
    );
    env = { ...serviceEnv(recorder), TTCTL_MAX_WAIT: '0' };
    return recorder;
  };

  it.each([403, 404, 500])('(%i) leaves the old value out of a dry run, and says so', async (status) => {
    const service = await start(status);
    const { stdout, exit } = await run('members update 17 --role team-manager --dry-run --json');
    await service.close();
    expect(exit).toBe(0);
    const result = JSON.parse(stdout);
    expect(result).toMatchObject({
      status: 'planned',
      message: expect.stringMatching(/^The current record could not be read: /),
      request: { method: 'PUT', path: '/members/17' },
    });
    expect(result).not.toHaveProperty('before');
  });

  it.each([403, 404, 500])('(%i) stops no write', async (status) => {
    const service = await start(status);
    const { exit, stdout } = await run('timesheets submit 8c1f --json');
    const lines = service.lines();
    await service.close();
    expect(lines.filter((line) => line.startsWith('PUT '))).toHaveLength(1);
    expect([exit, JSON.parse(stdout)[0].status]).toEqual([0, 'done']);
  });

  it('is not asked for again and again', async () => {
    const service = await start(403);
    const { exit } = await run('timesheets submit s1 s2 s3 s4 s5 --yes --json');
    const reads = service.lines().filter((line) => line.startsWith('GET '));
    await service.close();
    expect(exit).toBe(0);
    expect(reads.length).toBeLessThanOrEqual(6);
  });
});

describe('what only looks as if it were so already is sent', () => {
  it.each<[string, object]>([
    ['members update 17 --weekly-hours-limit 32', { id: 17, weekly_hours_limit: { hours: 40 } }],
    ['members update 17 --weekly-hours-limit 32', { id: 18, weekly_hours_limit: 32 }],
    ['projects update 5 --name Site', { id: 6, name: 'Site' }],
    ['viewers unassign 31 --project 114', { id: 31, projects: [114] }],
    ['viewers unassign 31 --project 114', { id: 31, projects: [{ project: { id: 114 } }] }],
    ['viewers unassign 31 --project 114', { id: 31, projects: [{ name: 'Site' }] }],
  ])('%s, of %j', async (line, record) => {
    const recorder = await startRecorder(({ line: asked }) => ({
      body: envelope(asked.startsWith('GET ') ? record : null),
    }));
    env = serviceEnv(recorder);
    const { stdout } = await run(`${line} --yes --json`);
    const writes = recorder.lines().filter((one) => !one.startsWith('GET '));
    await recorder.close();
    expect(writes, stdout).toHaveLength(1);
    expect(stdout).not.toContain('unchanged');
  });
});

it.each(['Left', null, 'gone'])('a viewer of the status %j is not said to be restored', async (status) => {
  const recorder = await startRecorder(({ line }) =>
    line.startsWith('GET ')
      ? { body: envelope({ id: 31, status }) }
      : { status: 500, body: { success: false, message: 'Broken.', meta: {} } },
  );
  env = { ...serviceEnv(recorder), TTCTL_MAX_WAIT: '0' };
  const { exit, stdout } = await run('viewers restore 31 --json');
  await recorder.close();
  expect([exit, [JSON.parse(stdout)].flat()[0].status]).toEqual([7, 'unknown']);
});

it.each([false, 'false', 0, '0'])(
  'a service that says no with 200 (%j) has done nothing',
  async (success) => {
    const recorder = await startRecorder(({ line }) => ({
      body: line.startsWith('GET ')
        ? envelope({ id: 's1', status: 'open' })
        : { success, message: 'No.', data: null },
    }));
    env = serviceEnv(recorder);
    const { exit, stdout } = await run('timesheets submit s1 --json');
    await recorder.close();
    expect([exit, JSON.parse(stdout)[0].status]).toEqual([6, 'failed']);
  },
);

it('--exit-code without --dry-run is refused before any request', async () => {
  const recorder = await startRecorder(() => ({ body: onePage([]) }));
  env = serviceEnv(recorder);
  for (const line of [
    'members restore 17',
    'members update 17 --role team-manager',
    'timesheets approve s1 --yes',
  ]) {
    const { exit, stderr } = await run(`${line} --exit-code`);
    expect([exit, stderr]).toEqual([2, expect.stringContaining('can only be used with --dry-run')]);
  }
  expect(recorder.lines()).toEqual([]);
  await recorder.close();
});
