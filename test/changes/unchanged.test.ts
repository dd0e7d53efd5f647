import { describe, expect, it } from 'vitest';
import { prepareSample, samples } from '../samples.ts';
import { runInProcess, words } from '../support/in-process.ts';
import { envelope, onePage, type Recorder, serviceEnv, startRecorder } from '../support/service.ts';
import { useCli } from '../support/use-cli.ts';

/** A record that already is as a write would make it: nothing is sent, and nothing fails. */

const sandbox = useCli({ sandbox: 'demo' });
const { run, read, rows, writes } = sandbox;

const only = async (line: string) => (await rows(line))[0];

/** Makes a record, ends one that is not shown again, or is nobody's: the others are tried with what is so already. */
const CASES = samples.filter(
  ({ operation, lost }) => lost && !/\.(create|invite|delete)$|^contracts\.archive$/.test(operation),
);

describe('a write that is done already', () => {
  it.each(CASES)('$operation', async (sample) => {
    const command = `${(await prepareSample(sandbox, sample)).line} --yes`;
    const planned = await only(`${command} --dry-run`);
    expect(planned).toMatchObject({ status: 'planned', label: expect.stringMatching(/\S/) });
    const changed = Object.keys(Object(planned?.['after']));
    expect(changed.length).toBeGreaterThan(0);
    expect(await only(command)).toMatchObject({ status: 'done' });
    const sent = await writes();
    expect(await only(command)).toMatchObject({ status: 'unchanged', operation: sample.operation });
    // Where only a refusal shows it, the write was sent once more, and refused.
    expect((await writes()).slice(sent.length).length).toBeLessThanOrEqual(1);
    const { exit, stdout } = await run(`${command} --dry-run --exit-code --json`);
    expect([exit, [JSON.parse(stdout)].flat()[0].status]).toEqual([0, 'unchanged']);
  });

  it('sends nothing where the service would say that it did it', async () => {
    await read('members archive 108 --yes');
    const before = await writes();
    await read('members archive 108 --yes');
    await read('members update 109 --timezone Europe/Berlin');
    const update = await writes();
    await read('members update 109 --timezone Europe/Berlin');
    expect(await writes()).toEqual(update);
    expect(update.slice(before.length).every((line) => line === 'PUT /members/109')).toBe(true);
  });

  it('is counted apart, in a file of rows, with few requests', async () => {
    const members = await rows('members list');
    const lines = members.map(({ id, weekly_hours_limit: limit }) => `${id},${limit}\n`);
    const file = sandbox.file('rows.csv', `id,weekly_hours_limit\n${lines.join('')}`);
    await run(`members update 105 --weekly-hours-limit 20`);
    const plan = await run(`members update --from-file ${file} --dry-run --exit-code`);
    expect(plan.exit).toBe(10);
    expect(plan.stdout).toContain('hours a week: 20 → 40');
    const { stderr, exit } = await run(`members update --from-file ${file} --yes`);
    expect(exit).toBe(0);
    expect(stderr).toMatch(/^\d+ updated, \d+ unchanged\n/);
    const log = await rows('sandbox log');
    const ofOne = log.filter(({ path }) => /\/members\/\d/.test(String(path)));
    // Before the first update: the rest are read as lists.
    expect(ofOne.map(({ method, path }) => `${method} ${path}`)).toEqual([
      ...['GET /members/105', 'PUT /members/105', 'PUT /members/105'],
    ]);
  });
});

/** Against a service that answers as a test says. */
const ask = (recorder: Recorder, line: string) =>
  runInProcess(words(line), { env: { ...serviceEnv(recorder), TTCTL_MAX_WAIT: '0' } });

describe('what cannot be read', () => {
  const start = async (status: number) => {
    const recorder = await startRecorder(({ line }) =>
      line.startsWith('GET ')
        ? { status, body: { success: false, message: 'No.', meta: {} } }
        : { body: envelope(null) },
    );
    return recorder;
  };

  it.each([403, 404, 500])('(%i) leaves the old value out of a dry run, and says so', async (status) => {
    const service = await start(status);
    const { stdout, exit } = await ask(service, 'members update 17 --role team-manager --dry-run --json');
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
    const { exit, stdout } = await ask(service, 'timesheets submit 8c1f --json');
    const lines = service.lines();
    await service.close();
    expect(lines.filter((line) => line.startsWith('PUT '))).toHaveLength(1);
    expect([exit, JSON.parse(stdout)[0].status]).toEqual([0, 'done']);
  });

  it('is not asked for again and again', async () => {
    const service = await start(403);
    const { exit } = await ask(service, 'timesheets submit s1 s2 s3 s4 s5 --yes --json');
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
    const { stdout } = await ask(recorder, `${line} --yes --json`);
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
  const { exit, stdout } = await ask(recorder, 'viewers restore 31 --json');
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
    const { exit, stdout } = await ask(recorder, 'timesheets submit s1 --json');
    await recorder.close();
    expect([exit, JSON.parse(stdout)[0].status]).toEqual([6, 'failed']);
  },
);

it('--exit-code without --dry-run is refused before any request', async () => {
  const recorder = await startRecorder(() => ({ body: onePage([]) }));
  for (const line of [
    'members restore 17',
    'members update 17 --role team-manager',
    'timesheets approve s1 --yes',
  ]) {
    const { exit, stderr } = await ask(recorder, `${line} --exit-code`);
    expect([exit, stderr]).toEqual([2, expect.stringContaining('can only be used with --dry-run')]);
  }
  expect(recorder.lines()).toEqual([]);
  await recorder.close();
});
