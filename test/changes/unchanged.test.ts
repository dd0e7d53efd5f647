import { describe, expect, it } from 'vitest';
import { prepareSample, samples } from '../samples.ts';
import { runFiles } from '../support/runs.ts';
import { type Answer, envelope, onePage, type Recorded } from '../support/service.ts';
import { ask, useCli } from '../support/use-cli.ts';

/** A record that already is as a write would make it: nothing is sent, and nothing fails; nor where somebody was faster. */

describe('a write that is done already', () => {
  const sandbox = useCli({ sandbox: 'demo' });
  const { run, read, rows, writes } = sandbox;

  // The others make a record, end one that is not shown again, or are nobody's: they are tried with `--if-missing` and undo.
  it.each(
    samples.filter(
      ({ operation, lost }) => lost && !/\.(create|invite|delete)$|^contracts\.archive$/.test(operation),
    ),
  )('$operation', async (sample) => {
    const command = `${(await prepareSample(sandbox, sample)).line} --yes`;
    const [planned] = await rows(`${command} --dry-run`);
    expect(planned).toMatchObject({ status: 'planned', label: expect.stringMatching(/\S/) });
    expect(planned?.['after']).not.toEqual({});
    expect(await rows(command)).toMatchObject([{ status: 'done' }]);
    const sent = await writes();
    expect(await rows(command)).toMatchObject([{ status: 'unchanged', operation: sample.operation }]);
    // Where only a refusal shows it, the write was sent once more, and refused.
    expect((await writes()).length - sent.length).toBeLessThanOrEqual(1);
    expect(await rows(`${command} --dry-run --exit-code`)).toMatchObject([{ status: 'unchanged' }]);
  });

  it('sends nothing where the service would say that it did it', async () => {
    for (const line of ['members archive 108 --yes', 'members update 109 --timezone Asia/Tokyo']) {
      await read(line);
      await read(line);
    }
    expect(await writes()).toEqual(['DELETE /members/108', 'PUT /members/109']);
  });

  it('is counted apart, in a file of rows, with few requests', async () => {
    const lines = (await rows('members list')).map((row) => `${row['id']},${row['weekly_hours_limit']}\n`);
    const file = sandbox.file('rows.csv', `id,weekly_hours_limit\n${lines.join('')}`);
    await read('members update 105 --weekly-hours-limit 20');
    const plan = await run(`members update --from-file ${file} --dry-run --exit-code`);
    expect([plan.exit, plan.stdout]).toEqual([10, expect.stringContaining('hours a week: 20 → 40')]);
    const { stderr, exit } = await run(`members update --from-file ${file} --yes`);
    expect([exit, stderr]).toEqual([0, '1 updated, 13 unchanged\n']);
    // One before the first update: the rest are read as lists.
    const log = (await rows('sandbox log')).map(({ method, path }) => `${method} ${path}`);
    const ofOne = log.filter((line) => /\/members\/\d/.test(line));
    expect(ofOne).toEqual(['GET /members/105', 'PUT /members/105', 'PUT /members/105']);
  });
});

const SILENT = { env: { TTCTL_MAX_WAIT: '0' } };
const refused = (status: number, message = 'No.'): Answer => ({
  status,
  body: { success: false, message, meta: {} },
});
const isRead = ({ line }: Recorded): boolean => line.startsWith('GET ');

describe('what cannot be read', () => {
  const unread = (line: string, status: number) =>
    ask(line, (asked) => (isRead(asked) ? refused(status) : { body: envelope(null) }), SILENT);

  it.each([403, 404, 500])('(%i) leaves the old value out of a dry run, and says so', async (status) => {
    const ended = await unread('members update 17 --role team-manager --dry-run --json', status);
    const result = JSON.parse(ended.stdout);
    const message = expect.stringMatching(/^The current record could not be read: /);
    const request = { method: 'PUT', path: '/members/17' };
    expect([ended.exit, result]).toMatchObject([0, { status: 'planned', message, request }]);
    expect(result).not.toHaveProperty('before');
  });

  it.each([403, 404, 500])('(%i) stops no write', async (status) => {
    const { exit, stdout, sent } = await unread('timesheets submit 8c1f --json', status);
    expect([exit, JSON.parse(stdout)[0].status, sent.length]).toEqual([0, 'done', 1]);
  });

  it('is not asked for again and again', async () => {
    const { exit, lines, sent } = await unread('timesheets submit s1 s2 s3 s4 s5 --yes', 403);
    expect(exit).toBe(0);
    expect(lines.length - sent.length).toBeLessThanOrEqual(6);
  });
});

it.each<[string, object]>([
  ['members update 17 --weekly-hours-limit 32', { id: 17, weekly_hours_limit: { hours: 40 } }],
  ['members update 17 --weekly-hours-limit 32', { id: 18, weekly_hours_limit: 32 }],
  ['projects update 5 --name Site', { id: 6, name: 'Site' }],
  ['viewers unassign 31 --project 114', { id: 31, projects: [114] }],
  ['viewers unassign 31 --project 114', { id: 31, projects: [{ project: { id: 114 } }] }],
  ['viewers unassign 31 --project 114', { id: 31, projects: [{ name: 'Site' }] }],
])('what only looks as if it were so already is sent: %s, of %j', async (line, record) => {
  const answer = (asked: Recorded) => ({ body: envelope(isRead(asked) ? record : null) });
  const { stdout, sent } = await ask(`${line} --yes --json`, answer, SILENT);
  expect(sent, stdout).toHaveLength(1);
  expect(stdout).not.toContain('unchanged');
});

it.each(['Left', null, 'gone'])('a viewer of the status %j is not said to be restored', async (status) => {
  const answer = (asked: Recorded) => (isRead(asked) ? { body: envelope({ id: 31, status }) } : refused(500));
  const { exit, stdout } = await ask('viewers restore 31 --json', answer, SILENT);
  expect([exit, JSON.parse(stdout)]).toMatchObject([7, [{ status: 'unknown' }]]);
});

it.each([false, 'false', 0, '0'])(
  'a service that says no with 200 (%j) has done nothing',
  async (success) => {
    const answer = (asked: Recorded) => ({
      body: isRead(asked) ? envelope({ id: 's1', status: 'open' }) : { success, message: 'No.', data: null },
    });
    const { exit, stdout } = await ask('timesheets submit s1 --json', answer, SILENT);
    expect([exit, JSON.parse(stdout)]).toMatchObject([6, [{ status: 'failed' }]]);
  },
);

it.each(['members restore 17', 'members update 17 --role team-manager', 'timesheets approve s1 --yes'])(
  '%s --exit-code without --dry-run is refused before any request',
  async (line) => {
    const { exit, stderr, lines } = await ask(`${line} --exit-code`);
    expect([exit, lines, stderr]).toEqual([
      2,
      [],
      expect.stringContaining('can only be used with --dry-run'),
    ]);
  },
);

describe('R3: somebody was faster', () => {
  const t = useCli();
  const run = async (line: string) => {
    const { exit, stdout } = await t.run(`${line} --json`);
    return [exit, stdout === '' ? [] : [JSON.parse(stdout)].flat()] as const;
  };

  it('the second of two copies of a run over --all fails at nothing', async () => {
    const approved = new Set<string>();
    let all: Answer | undefined;
    t.answer = ({ line }) => {
      const [, id] = /^PUT \/timesheets\/(t\d)/.exec(line) ?? [];
      if (id === undefined) {
        const [, wanted] = /[?&]id=(t\d)/.exec(line) ?? [];
        const ids = wanted === undefined ? ['t1', 't2', 't3', 't4', 't5'] : [wanted];
        const rows = ids.map((one) => ({ id: one, status: approved.has(one) ? 'approved' : 'submitted' }));
        // Both copies choose from what was there before either wrote.
        all ??= { body: onePage(rows) };
        return wanted === undefined ? all : { body: onePage(rows) };
      }
      if (approved.has(id)) return refused(400, 'already taken');
      approved.add(id);
      return { body: envelope(null) };
    };
    const copies = await Promise.all([1, 2].map(() => run('timesheets approve --all --yes')));
    expect(copies.map(([exit]) => exit)).toEqual([0, 0]);
    const statuses = copies.flatMap(([, results]) => results.map(({ status }) => status)).sort();
    expect(statuses).toEqual([...Array(5).fill('done'), ...Array(5).fill('unchanged')]);
  });

  const INVITE = 'viewers invite eve@c.example --firstname Eve --lastname Oka';
  const EVE = { id: 31, email: 'eve@c.example', status: 'active' };
  /** Who is there already; whoever is invited comes to them. @param write what the service says of it */
  const serve = (write: (viewers: object[]) => Answer, delayMs = 0): object[] => {
    const viewers: object[] = [];
    t.answer = ({ line }) => {
      if (line.startsWith('GET /workspaces')) return { body: envelope([{ id: 7, user_id: 1 }]) };
      if (line.startsWith('GET /project-viewers/')) return { body: envelope(viewers[0]) };
      return line.startsWith('GET') ? { body: onePage(viewers), delayMs } : { ...write(viewers), delayMs };
    };
    return viewers;
  };

  it('--if-missing looks again where the service says that it is there already', async () => {
    const viewers = serve((all) => {
      all.push(EVE);
      return refused(422, 'already taken');
    });
    expect(await run(`${INVITE} --if-missing`)).toMatchObject([0, [{ id: 31 }]]);
    viewers.length = 0;
    expect((await run(INVITE))[0]).toBe(6);
  });

  it('of several processes with --if-missing one makes the record', async () => {
    const viewers = serve((all) => {
      all.push({ ...EVE, id: 31 + all.length });
      return { body: envelope(all.at(-1)) };
    }, 20);
    const ended = await Promise.all([1, 2, 3].map(() => run(`${INVITE} --if-missing`)));
    expect([ended.map(([exit]) => exit), viewers.length]).toEqual([[0, 0, 0], 1]);
  });

  it('a plan that was applied elsewhere already has nothing to do', async () => {
    const viewers = serve(() => refused(422, 'already taken'));
    await t.read(`${INVITE} --plan ${t.file('invite.ndjson')}`);
    viewers.push(EVE);
    expect(await run(`plan apply ${t.file('invite.ndjson')} --yes`)).toMatchObject([
      0,
      [{ status: 'unchanged' }],
    ]);
  });
});

describe.each([
  ['R5: a read-only profile', '--read-only'],
  ['O24: a profile that is held to other commands', "--allow 'leaves approve,inbox'"],
])('%s', (_what, flags) => {
  const t = useCli();
  it.each([
    'timesheets approve --all --yes',
    'timesheets approve --from-file FOLDER/ids.csv --yes',
    'members update 17 --weekly-hours-limit 3',
    'inbox decide --rules rules.json --yes --max-changes 3',
    'workspaces apply FOLDER --yes',
    'plan apply plan.ndjson --yes',
    'undo 20260101-0900-abc --yes',
    'jobs resume 20260101-0900-abc',
  ])('refuses %s before anything is read', async (line) => {
    t.file('ids.csv', 'id\nt1\nt2\n');
    await t.read(`profile set ${flags}`);
    const { exit, stderr } = await t.run(`${line.replace('FOLDER', t.folder)} --json`);
    expect([exit, JSON.parse(stderr).error.code]).toEqual([2, 'read_only_profile']);
    expect([t.lines(), runFiles(t.state)]).toEqual([[], []]);
  });
});
