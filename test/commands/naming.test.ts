import { beforeEach, describe, expect, it } from 'vitest';
import { words } from '../support/in-process.ts';
import { envelope, onePage, serviceEnv, startRecorder } from '../support/service.ts';
import { sitDown } from '../support/terminal.ts';
import { ask, useCli } from '../support/use-cli.ts';

/** How records are named, and what is said of a name that is none. */

const PEOPLE = [
  { id: 17, firstname: 'Kofi', lastname: 'Mensah', email: 'kofi@example.com', current_role: 'Regular User' },
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

  it.each(['members get kofi', 'leaves balances --period 2026 --member KOFI', 'members archive kofi --yes'])(
    'is not named by a word: %s',
    async (line) => {
      const { stderr, exit } = await run(line);
      expect(exit).toBe(5);
      expect(stderr).toMatch(/^error: no member "kofi"$/im);
      expect(stderr).toContain('Use an id, an e-mail address, or a full name.');
      expect(stderr).toContain('Did you mean Kofi Mensah (kofi@example.com)?');
      expect(stderr).toContain('ttctl members list');
      expect(sent()).toEqual([]);
    },
  );

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
  it.each(['members', 'viewers', 'projects', 'contracts'])('needs a filter or a bound: %s', async (noun) => {
    const { stderr, exit } = await run(`${noun} archive --all --yes`);
    expect(stderr).toContain('--all without a filter would archive every ');
    expect(stderr).toContain('--max-changes');
    expect([exit, lines()]).toEqual([2, []]);
    const planned = await run(`${noun} archive --all --dry-run --json`);
    expect(planned.exit).toBe(0);
  });

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
  const service = await startRecorder(({ line }) => ({
    body: line.startsWith('POST')
      ? envelope({ user_id: 41, invitation_link: 'https://h.example/i/5f2e' })
      : onePage([]),
  }));
  const line = 'members invite ana@example.com --firstname Ana --lastname Sousa --role regular-user';
  const { screen } = await sitDown(words(line), { env: serviceEnv(service), answer: () => '\r' });
  await service.close();
  expect(screen).toContain('Undo with: ttctl members archive 41');
});
