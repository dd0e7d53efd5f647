import { join } from 'node:path';
import { stripVTControlCharacters } from 'node:util';
import { beforeEach, describe, expect, it } from 'vitest';
import { allOperations } from '../../src/api/operations.ts';
import { findRecordFacts } from '../../src/api/records.ts';
import type { Run } from '../../src/run.ts';
import { DeliveryStore, toDelivery } from '../../src/webhooks/delivery.ts';
import { envelope, onePage, type Recorded } from '../support/service.ts';
import { ask, openCli, useCli } from '../support/use-cli.ts';

/** How records are named: by words, names and beginnings of ids. */

describe('words', () => {
  /** How records are named, and what is said of a name that is none. */

  const PEOPLE = [
    {
      id: 17,
      firstname: 'Kofi',
      lastname: 'Mensah',
      email: 'kofi@example.com',
      current_role: 'Regular User',
    },
    { id: 18, firstname: 'Zofia', lastname: 'Nowak', email: 'zofia@example.com', current_role: 'Owner' },
    { id: 'mem_b', firstname: 'Bo', lastname: 'Li', email: 'bo@example.com', deleted_at: '2026-11-01' },
  ];

  const PROJECTS = [
    { id: 12, name: 'Airport signage' },
    { id: 13, name: 'Harbour website' },
    { id: 14, name: 'Kiosk', status: 1 },
    { id: 15, name: 'kiosk', status: 1 },
  ];
  const refuses = (status: number, message: string) => ({
    status,
    body: { success: false, message, meta: {} },
  });

  let readable: boolean;
  let people: typeof PEOPLE;
  beforeEach(() => {
    readable = true;
    people = PEOPLE;
  });
  const { run, lines, sent } = useCli({
    service: ({ line }) => {
      if (!line.startsWith('GET')) return { body: envelope(null) };
      if (line.startsWith('GET /members?')) return readable ? { body: onePage(people) } : refuses(403, 'No.');
      if (line.startsWith('GET /members/')) return refuses(404, 'Not found.');
      // The service's own filter finds parts of names too.
      const named = /[?&]name=([^&]*)/.exec(line)?.[1]?.toLowerCase() ?? '';
      return { body: onePage(PROJECTS.filter(({ name }) => name.toLowerCase().includes(named))) };
    },
  });

  describe('a person', () => {
    it.each(['members get "Kofi Mensah"', "leaves balances --period 2026 --member 'kofi  mensah'"])(
      'is named by a whole name that nobody else has: %s',
      async (line) => {
        await run(line);
        expect(lines().at(-1)).toMatch(/members\/17|user_id=17/);
      },
    );

    it('is not named by a name that several have', async () => {
      people = [...PEOPLE, { ...PEOPLE[0], id: 20, email: 'kofi2@example.com' }] as typeof PEOPLE;
      const { exit, stderr } = await run("members archive 'Kofi Mensah' --yes");
      expect([exit, sent()]).toEqual([2, []]);
      expect(stderr).toContain('"Kofi Mensah" is the name of 2 members');
      expect(stderr).toMatch(/17 .*\n.*20 /);
    });

    it.each([
      'members get kofi',
      'leaves balances --period 2026 --member KOFI',
      'members archive kofi --yes',
    ])('is not named by a word: %s', async (line) => {
      const { stderr, exit } = await run(line);
      expect(exit).toBe(5);
      expect(stderr).toMatch(/^error: no member "kofi"$/im);
      expect(stderr).toContain('Use an id, an e-mail address, or a full name.');
      expect(stderr).toContain('Did you mean Kofi Mensah (kofi@example.com)?');
      expect(stderr).toContain('ttctl members list');
      expect(sent()).toEqual([]);
    });

    it('may have any id, which is then in the list', async () => {
      expect((await run('members restore mem_b')).exit).toBe(0);
      expect(sent()).toEqual(['POST /members/mem_b/restore?workspace_id=7 {"workspace_id":7}']);
    });

    it('is told to be none where the list may not be read', async () => {
      readable = false;
      const { exit, stderr } = await run('members restore kofi');
      expect([exit, sent()]).toEqual([5, []]);
      expect(stderr).toContain('Use an id, an e-mail address, or a full name.');
    });
  });

  describe('a project', () => {
    it.each([
      ['Airport', 'Did you mean Airport signage (12)?'],
      ['signage', 'Did you mean Airport signage (12)?'],
    ])('of no such name has near ones: %s', async (name, near) => {
      const { stderr, exit } = await run(`tasks list --project "${name}"`);
      expect([exit, stderr]).toEqual([
        5,
        `error: no project "${name}"\nhint: ${near}\n  List the projects: ttctl projects list\n`,
      ]);
    });

    it('is not named by a name that several have', async () => {
      const { stderr, exit } = await run('tasks list --project kiosk');
      const told =
        'error: "kiosk" is the name of 2 projects\n  14  Kiosk\n  15  kiosk\nhint: Use an id instead.\n';
      expect([exit, stderr]).toEqual([2, told]);
    });
  });

  describe('--all of what archives', () => {
    it.each(['members', 'viewers', 'projects', 'contracts'])(
      'needs a filter or a bound: %s',
      async (noun) => {
        const { stderr, exit } = await run(`${noun} archive --all --yes`);
        expect(stderr).toContain('--all without a filter would archive every ');
        expect(stderr).toContain('--max-changes');
        expect([exit, lines()]).toEqual([2, []]);
        const planned = await run(`${noun} archive --all --dry-run --json`);
        expect(planned.exit).toBe(0);
      },
    );

    it('leaves the owner out', async () => {
      const { exit } = await run('members archive --all --max-changes 1 --yes');
      expect([exit, sent()]).toEqual([0, ['DELETE /members/17?workspace_id=7 {"workspace_id":7}']]);
    });
  });

  it('what the service says already is not said again', async () => {
    const hintOf = async (message: string) => {
      const { stderr } = await ask('timesheets approve t1 --yes', ({ line }) =>
        line.startsWith('GET') ? { body: onePage([]) } : refuses(400, message),
      );
      return stderr.slice(stderr.indexOf('hint: '));
    };
    const look = 'See its status: ttctl timesheets list --id t1\n';
    expect(await hintOf('Only submitted timesheets can be approved.')).toBe(`hint: ${look}`);
    expect(await hintOf('No.')).toBe(`hint: Only submitted timesheets can be approved. ${look}`);
  });

  it('an invitation says at a terminal how it is undone', async () => {
    const { sit } = await openCli({
      service: ({ line }) => ({
        body: line.startsWith('POST')
          ? envelope({ user_id: 41, invitation_link: 'https://h.example/i' })
          : onePage([]),
      }),
    });
    const line = 'members invite ana@example.com --firstname Ana --lastname Sousa --role regular-user';
    const { screen } = await sit(line, () => '\r');
    expect(screen).toContain('Undo with: ttctl members archive 41');
  });
});

describe('beginnings', () => {
  /** The beginning of an id as a target: tables on a terminal show no more of it. */

  const IDS = [
    '8c1f2b3a-5d6e-4f70-8a9b-0c1d2e3f4a5b',
    '8c1f2b3a-5d6e-4f70-8a9b-ffffffffffff',
    '0d9be1d5-3c5f-4b5c-9c55-2a3f0f6f8a11',
  ];
  const ROWS = IDS.map((id) => ({
    ...{ id, status: 'submitted', url: 'https://h.example', events: [] },
    ...{ member: 'Ana Sousa', expense_name: 'Taxi', expense_date: 'Nov 12, 2026', amount: 20 },
  }));

  const answer = ({ line }: Recorded) => ({
    body: / \/\w[\w-]*\?/.test(line) ? onePage(ROWS) : envelope({ ...ROWS[2] }),
  });

  /** What was sent by a person at a terminal, without queries and bodies. */
  const sit = async (line: string, rows = answer) => {
    const cli = await openCli({ service: rows });
    const sitting = await cli.sit(line, () => '');
    const withoutRest = (sent: string) =>
      sent.replace(/\/(approve|reject)?\?.*$|\?.*$|\/(approve|reject)$/, '');
    return { ...sitting, sent: cli.requests.map((request) => withoutRest(request.line)) };
  };

  describe('a shortened id at a terminal', () => {
    it.each([
      ...allOperations
        .filter((operation) => findRecordFacts(operation.noun)?.fields.id?.type === 'string')
        .filter(({ method, path }) => method === 'GET' && path.endsWith('}'))
        .map(({ id, path }) => [id.replace('.', ' '), `GET ${path.replace(/\{.*/, '')}`]),
      ['timesheets approve --yes', 'PUT /timesheets/'],
      ['leaves reject --reason no --yes', 'PUT /leaves/'],
      ['expenses delete --yes', 'DELETE /expenses/'],
      ['webhooks delete --yes', 'DELETE /webhooks/'],
      ['expenses update --name Train --date 2026-11-20 --amount 1 --category 4', 'PUT /expenses/'],
      ['webhooks update --url https://h.example --event tracker.stopped', 'PUT /webhooks/'],
    ])('is understood by %s', async (command = '', start?: string) => {
      const [noun = '', verb = '', ...flags] = command.split(' ');
      const { sent } = await sit([noun, verb, '0d9be1d5', ...flags].join(' '));
      expect(sent).toContain(`${start}${IDS[2]}`);
    });

    it.each(['0d9be1d5', '0d9', '0'])('however short, where one alone begins so: %s', async (text) => {
      expect((await sit(`webhooks get ${text}`)).sent.at(-1)).toBe(`GET /webhooks/${IDS[2]}`);
    });

    it.each(['8', '8123'])('is not found in a number, which is an id: %s', async (text) => {
      const rows = [{ ...ROWS[0], id: 81234567890 }, ...ROWS.slice(2)];
      const { sent } = await sit(`webhooks delete ${text} --yes`, () => ({ body: onePage(rows) }));
      expect(sent.at(-1)).toBe(`DELETE /webhooks/${text}`);
    });

    it('that begins several ids is refused, and they are shown', async () => {
      const { sent, exit, screen } = await sit('timesheets approve 8c1f2b3a --yes');
      expect(exit).toBe(2);
      expect(stripVTControlCharacters(screen).replace(/\s+/g, ' ')).toContain(
        `"8c1f2b3a" matches 2 ids ${IDS[0]} ${IDS[1]} hint: Type`,
      );
      expect(sent.filter((line) => !line.startsWith('GET'))).toEqual([]);
    });

    it('that is nothing is left to the service, and a whole id is looked up nowhere', async () => {
      expect((await sit('webhooks get 00000000')).sent.at(-1)).toBe('GET /webhooks/00000000');
      expect((await sit(`webhooks get ${IDS[2]}`)).sent).toHaveLength(1);
    });
  });

  describe('a shortened id of --except at a terminal', () => {
    it('spares what it means, and is found among what --all finds, without another request', async () => {
      const { sent } = await sit('timesheets approve --all --except 0d9be1d5 --yes');
      expect(sent.filter((line) => line.startsWith('PUT'))).toEqual(
        IDS.slice(0, 2).map((id) => `PUT /timesheets/${id}`),
      );
      const all = await sit('timesheets approve --all --yes');
      const untilWrite = (lines: readonly string[]) =>
        lines.slice(
          0,
          lines.findIndex((line) => line.startsWith('PUT')),
        );
      expect(untilWrite(sent)).toEqual(untilWrite(all.sent));
    });

    it('is refused where it begins several ids, and nothing is sent', async () => {
      const { exit, screen, sent } = await sit('timesheets approve --all --except 8c1 --yes');
      expect([exit, sent.filter((line) => line.startsWith('PUT'))]).toEqual([2, []]);
      expect(stripVTControlCharacters(screen)).toContain('"8c1" matches 2 ids');
    });

    it('is refused without a terminal, where it is no id', async () => {
      const { exit, stderr } = await ask('timesheets approve --all --except 0d9be1d5 --yes', answer);
      expect(exit).toBe(2);
      expect(stderr).toContain('--except: "0d9be1d5" is not among the records that --all finds');
    });
  });

  it('without a terminal it is an id like any other', async () => {
    expect((await ask('webhooks get 0d9be1d5', answer)).lines).toEqual([
      'GET /webhooks/0d9be1d5?workspace_id=7',
    ]);
  });

  describe('ids of what is on this machine', () => {
    const sandbox = useCli({ sandbox: 'demo' });
    const at = (line: string, answer: () => string = () => 'y\r') =>
      sandbox.sit(line, answer, { columns: 200 });
    /** As a terminal of 200 columns shows them, the last column of a table. */
    const listShort = async (line: string): Promise<readonly string[]> => {
      const { stdout } = await sandbox.run(line, { machine: { width: 200 } });
      return stdout
        .trim()
        .split('\n')
        .slice(1)
        .map((row) => row.split(/ {2,}/).at(-1) ?? '');
    };
    const update = (id: number, hours: number) =>
      sandbox.run(`members update ${id} --weekly-hours-limit ${hours}`);

    it('entries of the history are shortened, and so are they undone', async () => {
      await update(105, 11);
      await update(106, 12);
      const [latest = '', first = ''] = await listShort('history list');
      const [{ id = '' } = {}, earlier] = await sandbox.entries();
      expect(String(id).startsWith(latest) && latest.length < String(id).length).toBe(true);
      const { stdout } = await at(`history show ${first} --json`);
      expect(JSON.parse(stdout)).toEqual(earlier);
      expect((await at(`undo ${latest}`)).exit).toBe(0);
      expect((await sandbox.entries())[0]).toMatchObject({ operation: 'members.update', target: '106' });
      const { exit, screen } = await at('undo 2');
      expect(exit).toBe(2);
      expect(screen).toMatch(/matches 3 ids\r?\n/);
      expect((await sandbox.run(`undo ${first}`)).exit).toBe(2);
    });

    it('a run that was begun so stays the run, never one of its writes', async () => {
      await sandbox.run('members archive 105 106 --yes');
      const [{ run } = {}] = await sandbox.entries();
      expect(await listShort('history list')).toEqual([`${run}-2`, `${run}-1`]);
      const shown = await at(`history show ${run} --json`);
      expect(JSON.parse(shown.stdout)).toMatchObject([{ target: '105' }, { target: '106' }]);
      const start = String(run).slice(0, -1);
      const { stdout } = await at(`history list --run ${start} --output ids`);
      expect(stdout).toBe(`${run}-2\n${run}-1\n`);
      expect((await sandbox.run(`history list --run ${start}`)).exit).toBe(2);
      await sandbox.run('members archive 107 108 --yes');
      const several = await at(`history list --run ${String(run).slice(0, 8)}`);
      expect(several.exit).toBe(2);
      expect(several.screen).toContain('matches 2 ids');
    });

    it('jobs', async () => {
      await sandbox.run('members archive 105 106 --yes');
      const [{ id = '' } = {}] = await sandbox.rows('jobs list');
      expect(await listShort('jobs list')).toEqual([String(id).slice(0, 8)]);
      const { stdout } = await at(`jobs show ${String(id).slice(0, 8)} --json`);
      expect(JSON.parse(stdout)).toMatchObject([{ target: '105' }, { target: '106' }]);
    });

    it('deliveries', async () => {
      const store = new DeliveryStore(
        { directories: {}, output: {}, machine: { redactor: {} } } as unknown as Run,
        join(sandbox.state, 'webhooks'),
      );
      store.prepare();
      for (const id of ['msg_2aaaaaaaaaaaaaaa', 'msg_2aabaaaaaaaaaaaa']) {
        const headers = [['webhook-id', id]] as const;
        const arrival = { method: 'POST', target: '/', headers, body: Buffer.from('{}') };
        store.keep(toDelivery(arrival, 1, { state: 'none' }));
      }
      expect([...(await listShort('webhooks received'))].sort()).toEqual(['msg_2aaa', 'msg_2aab']);
      const { stdout } = await at('webhooks received msg_2aab --json');
      expect(JSON.parse(stdout)).toMatchObject({ id: 'msg_2aabaaaaaaaaaaaa' });
      expect((await at('webhooks replay msg_2aa --exec true')).stderr).toContain('matches 2 ids');
      expect((await sandbox.run('webhooks received msg_2aab')).exit).toBe(2);
    });
  });
});
