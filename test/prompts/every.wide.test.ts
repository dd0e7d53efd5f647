import { chmodSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { envelope, onePage, type Recorded, readsList } from '../support/service.ts';
import type { Prompt } from '../support/terminal.ts';
import { type Leaf, leaves } from '../support/tree.ts';
import { openCli, useCli } from '../support/use-cli.ts';

/**
 * Every command of the tree, run with nothing: at a terminal it asks for all that it needs; elsewhere it names what is
 * missing, and sends nothing.
 */

/** Commands that need nothing, or that never ask: `api` sends what it is told. */
const NEVER_ASKS = ['api'];

/** Whether a command cannot do without something, by what help says of it. */
const lacks = ({ path, command }: Leaf): boolean =>
  !NEVER_ASKS.includes(path) &&
  (command.positionals.some(({ required }) => required) ||
    command.flags.some(({ about, name }) => / required$/.test(about) || name === 'from-file'));

const lacking = (await leaves()).filter(lacks);
const isLocal = ({ path, command }: Leaf): boolean =>
  command.operation === undefined && path !== 'workspaces use';

/** One record that is everything. */
const recordOf = ({ line }: Recorded) => ({
  id: 17,
  user_id: 17,
  email: 'ana@example.com',
  firstname: 'Ana',
  lastname: 'Sousa',
  name: 'Harbour',
  title: 'Home page',
  workspace_name: 'Northwind',
  project_id: 5,
  project_name: 'Harbour',
  url: 'https://h.example/x',
  status: /[?&]status=(\w+)/.exec(line)?.[1] ?? 'active',
  deleted_at: null,
});

const ANSWERS: Readonly<Record<string, string>> = {
  'E-mail address': 'eve@client.example',
  Email: 'eve@client.example',
  'Members to restore': '17',
  'Viewers to restore': '17',
  Start: '2026-11-20T09:00',
  End: '2026-11-20T10:30',
  'From this day on': '-7d',
  'Date from': '-7d',
  'Date to': 'today',
  'Day of the expense': 'yesterday',
  Amount: '12.50',
  'Weekly limit in hours': '32',
  'Address that receives the events': "https://h.example/it's $HOME `x`",
};

const answerTo = ({ message, kind }: Prompt): string => {
  if (kind === 'confirm') return 'y\r';
  // Not here: an export writes there.
  if (/^folder\b/i.test(message)) return `${join(t.folder, '-some "text" with \'quotes\'')}\r`;
  if (kind === 'mark') return ' \r';
  return kind === 'pick' ? '\r' : `${ANSWERS[message] ?? '-some "text" with \'quotes\''}\r`;
};

/** What the records show of the last write. */
let written: object = {};
const t = useCli({
  shared: true,
  env: { TZ: 'UTC' },
  service: (request) => {
    if (readsList(request)) return { body: onePage([recordOf(request)]) };
    if (request.line.startsWith('DELETE ')) return { body: envelope(null) };
    // A record shows what was written last.
    if (!request.line.startsWith('GET ')) written = Object(request.body);
    return { body: envelope({ ...recordOf(request), ...written }) };
  },
});
beforeAll(() => {
  t.file(
    'config/settings.json',
    JSON.stringify({ version: 1, profiles: { work: { base_url: 'https://x.example/api/v2' } } }),
  );
  chmodSync(t.file('config'), 0o700);
  chmodSync(t.file('config/settings.json'), 0o600);
});

// The sandbox is the embedded one: on loopback a sandbox would be looked for behind the address.
const env = (path: string): Record<string, string> =>
  path.startsWith('sandbox ') ? { TTCTL_BASE_URL: '' } : {};
const since = (before: number) => t.lines().slice(before);
const isWrite = (line: string) => !line.startsWith('GET');

describe('without a terminal', () => {
  it.each(lacking.map(({ path }) => path))('%s names what is missing, and sends nothing', async (path) => {
    const before = t.requests.length;
    const { exit, stderr } = await t.run(path);
    expect(exit, stderr).toBe(2);
    expect(stderr).toMatch(/missing|no \w[\w ]* given|nothing to/);
    expect(since(before)).toEqual([]);
  });

  it.each([
    ['--no-input', ['--no-input'], {}],
    ['CI', [], { CI: '1' }],
    ['--dry-run', ['--dry-run'], {}],
  ])('nor with %s is anything asked', async (_name, more, extra) => {
    for (const { path } of lacking) {
      const answer = () => '\x03';
      const { exit, prompts } = await t.sit([...path.split(' '), ...more], answer, { env: extra });
      expect([exit, prompts], path).toEqual([2, []]);
    }
  });
});

describe('at a terminal', () => {
  it.each(lacking.map((leaf) => [leaf.path, leaf] as const))(
    '%s asks; Ctrl-C at each question ends it with 130 and no write',
    async (path) => {
      let asked = 0;
      let screen = '';
      for (let last = 0; last <= asked; last += 1) {
        const before = t.requests.length;
        const answer = (prompt: Prompt, index: number) => (index < last ? answerTo(prompt) : '\x03');
        const sitting = await t.sit(path, answer, { env: env(path) });
        ({ screen } = sitting);
        if (sitting.prompts.length <= last) break;
        asked = sitting.prompts.length;
        expect(sitting.exit, sitting.screen).toBe(130);
        expect(since(before).filter(isWrite), path).toEqual([]);
        // What would be run by local commands is not of this test.
        if (path.startsWith('sandbox ')) break;
      }
      // Of jobs and deliveries there are none here.
      if (asked === 0) expect(screen).toMatch(/there is no (job|delivery) to/);
    },
  );

  it.each(lacking.filter((leaf) => !isLocal(leaf)))('$path does what was answered', async (leaf) => {
    const before = t.requests.length;
    const { exit, screen } = await t.sit(leaf.path, answerTo);
    expect(exit, screen).toBe(0);
    const { method = 'GET' } = leaf.command.operation ?? {};
    // The record that is everything is on the task already.
    expect(since(before).some(isWrite)).toBe(method !== 'GET' && leaf.path !== 'tasks assign');
  });
});

it('a prompt that does not accept its answer is named, instead of waited for', async () => {
  const answer = (prompt: Prompt) => (prompt.message === 'Amount' ? 'wrong\r' : answerTo(prompt));
  await expect(t.sit('expenses create', answer)).rejects.toThrow(
    '"Amount" did not accept "wrong\\r": "wrong" is not a number.',
  );
});

/** What stands on the screen where records are offered to be picked. */
const offered = async (line: string, rows: readonly object[]): Promise<string> => {
  const t = await openCli({ service: () => ({ body: onePage(rows) }) });
  return (await t.sit(line, () => '\x03')).screen;
};

describe('an archived record', () => {
  const projects = [
    { id: 5, name: 'Harbour', deleted_at: null },
    { id: 6, name: 'Lighthouse', deleted_at: '2026-11-01T09:00:00Z' },
  ];
  const members = [
    { id: 17, firstname: 'Ana', lastname: 'Sousa', email: 'ana@x.example', deleted_at: null },
    { id: 18, firstname: 'Ben', lastname: 'Okafor', email: 'ben@x.example', deleted_at: '2026-11-01' },
  ];

  it('is offered to be looked at, with those that are not', async () => {
    const screen = await offered('projects get', projects);
    expect(screen).toContain('Harbour');
    expect(screen).toContain('Lighthouse');
  });

  it('is not offered to be archived, or changed', async () => {
    for (const command of ['projects archive', 'projects update']) {
      const screen = await offered(command, projects);
      expect(screen, command).toContain('Harbour');
      expect(screen, command).not.toContain('Lighthouse');
    }
  });

  it('is all that is offered to be restored', async () => {
    const screen = await offered('members restore', members);
    expect(screen).toContain('Okafor');
    expect(screen).not.toContain('Sousa');
  });
});

it('the owner is not offered to be archived, but to be looked at', async () => {
  const people = ['Owner', 'Regular User'].map((current_role, n) => ({
    id: 17 + n,
    firstname: ['Ana', 'Ben'][n],
    current_role,
    deleted_at: null,
  }));
  const screen = await offered('members archive', people);
  expect(screen).toContain('Ben');
  expect(screen).not.toContain('Ana');
  expect(await offered('members get', people)).toContain('Ana');
});

describe('a timesheet', () => {
  const sheets = ['open', 'pending', 'submitted', 'approved'].map((status, n) => ({
    id: `t${n}`,
    user_id: 17,
    date_from: `2020-11-0${n + 1}`,
    date_to: `2020-11-0${n + 1}`,
    status,
  }));

  it('that is open, or pending as newer services say, is offered to be submitted; no other is', async () => {
    const screen = await offered('timesheets submit', sheets);
    expect(screen).toMatch(/Nov 1 2020[\s\S]*Nov 2 2020/);
    expect(screen).not.toMatch(/Nov [34] 2020/);
  });

  it('that is submitted is offered to be approved; no other is', async () => {
    const screen = await offered('timesheets approve', sheets);
    expect(screen).toContain('Nov 3 2020');
    expect(screen).not.toMatch(/Nov [124] 2020/);
  });
});

describe('before a service', () => {
  const ana = { id: 17, firstname: 'Ana', lastname: 'Sousa', email: 'ana@x.example' };
  const northwind = { id: 7, role: 'Owner', workspace_name: 'Northwind' };
  const southwind = { id: 8, role: 'Owner', workspace_name: 'Southwind' };
  const t = useCli({ service: { members: [ana], workspaces: [northwind] } });
  const told = 'To make this workspace the default: ttctl workspaces use 7';

  it.each([
    ['is chosen where none is set', [northwind, southwind], 'members get', ['Workspace', 'Member to show']],
    ['that is the only one is taken', [northwind], 'members get 17', []],
  ])('the workspace %s, and how to keep it is told', async (_name, workspaces, line, asked) => {
    t.lists['workspaces'] = workspaces;
    const { exit, screen, prompts } = await t.sit(line, () => '\r', { env: { TTCTL_WORKSPACE: '' } });
    expect([exit, prompts.map(({ message }) => message)], screen).toEqual([0, asked]);
    expect(t.lines().at(-1)).toBe('GET /members/17?workspace_id=7');
    expect(screen).toContain(told);
  });

  it('who may not see the list names the record', async () => {
    t.refused = /^GET \/members\?/;
    const { exit, screen } = await t.sit('members get', () => '17\r');
    expect([exit, t.lines().at(-1)], screen).toEqual([0, 'GET /members/17?workspace_id=7']);
  });

  it('what is wrong on the command line is told before anything is asked', async () => {
    const { exit, screen } = await t.sit('contracts create --rate much');
    expect([exit, t.lines()]).toEqual([2, []]);
    expect(screen).toContain('--rate: "much" is not a number');
  });

  it('a profile that is read-only is asked nothing', async () => {
    await t.read('profile set --read-only');
    const { exit, prompts, screen } = await t.sit('projects create');
    expect([exit, prompts, t.lines()]).toEqual([2, [], []]);
    expect(screen).toContain('is read-only');
  });
});
