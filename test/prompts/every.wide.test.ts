import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { quickClock } from '../support/clocks.ts';
import { member, timesheet } from '../support/records.ts';
import { envelope, onePage, readsList } from '../support/service.ts';
import type { Prompt } from '../support/terminal.ts';
import { leaves } from '../support/tree.ts';
import { useCli } from '../support/use-cli.ts';

/**
 * Every command of the tree, run with nothing: at a terminal it asks for all that it needs; elsewhere it names what is
 * missing, and sends nothing.
 */

/** Those that cannot do without something, by what help says of them; `api` sends what it is told. */
const lacking = (await leaves()).filter(
  ({ path, command: { positionals, flags } }) =>
    path !== 'api' &&
    (positionals.some(({ required }) => required) ||
      flags.some(({ about, name }) => / required$/.test(about) || name === 'from-file')),
);

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
let written = {};
const t = useCli({
  shared: true,
  clock: quickClock,
  service: (request) => {
    const { line, body } = request;
    /** One record that is everything. */
    const record = {
      ...{ id: 17, user_id: 17, email: 'ana@example.com', firstname: 'Ana', lastname: 'Sousa' },
      ...{ name: 'Harbour', title: 'Home page', workspace_name: 'Northwind', project_id: 5 },
      ...{ project_name: 'Harbour', url: 'https://h.example/x', deleted_at: null },
      events: ['member.invited'],
      ...{ expense_name: 'Lunch', expense_date: 'Nov 20, 2026', amount: 12.5, category: 'Harbour' },
      status: /[?&]status=(\w+)/.exec(line)?.[1] ?? 'active',
    };
    if (readsList(request)) return { body: onePage([record]) };
    if (line.startsWith('DELETE ')) return { body: envelope(null) };
    if (!line.startsWith('GET ')) written = Object(body);
    return { body: envelope({ ...record, ...written }) };
  },
});
beforeAll(() => t.read('profile set --profile work --base-url https://x.example/api/v2'));

it.each(lacking.map(({ path }) => path))(
  'without a terminal %s names what is missing, and sends nothing',
  async (path) => {
    const before = t.requests.length;
    const { exit, stderr } = await t.run(path);
    expect(exit, stderr).toBe(2);
    expect(stderr).toMatch(/missing|no \w[\w ]* given|nothing to/);
    expect(t.lines().slice(before)).toEqual([]);
  },
);

it.each([
  ['--no-input', ['--no-input'], {}],
  ['CI', [], { CI: '1' }],
  ['--dry-run', ['--dry-run'], {}],
])('nothing is asked with %s', async (_name, more, env) => {
  for (const { path } of lacking) {
    const { exit, prompts } = await t.sit([...path.split(' '), ...more], () => '\x03', { env });
    expect([exit, prompts], path).toEqual([2, []]);
  }
});

it.each(lacking.map(({ path, command }) => [path, command.operation] as const))(
  '%s at a terminal: Ctrl-C at each question is 130 and no write; answered, it does what it is for',
  async (path, operation) => {
    const isOfSandbox = path.startsWith('sandbox ');
    // The embedded one: on loopback a sandbox would be looked for behind the address.
    const env: Record<string, string> = isOfSandbox ? { TTCTL_BASE_URL: '' } : {};
    const sit = async (answered: number) => {
      const before = t.sent().length;
      const answer = (prompt: Prompt, index: number) => (index < answered ? answerTo(prompt) : '\x03');
      const sitting = await t.sit(path, answer, { env });
      return { ...sitting, asked: sitting.prompts.length, writes: t.sent().slice(before) };
    };
    let answered = 0;
    let ended = await sit(answered);
    while (ended.asked > answered) {
      expect([ended.exit, ended.writes], ended.screen).toEqual([130, []]);
      if (isOfSandbox) return;
      answered = ended.asked;
      ended = await sit(answered);
    }
    // Of jobs and deliveries there are none here.
    if (answered === 0) expect(ended.screen).toMatch(/there is no (job|delivery|write) to/);
    if (operation === undefined && path !== 'workspaces use') return;
    expect(ended.exit, ended.screen).toBe(0);
    // The record that is everything is on the task already, and was never archived.
    const isSo = path === 'tasks assign' || path.endsWith(' restore');
    const writes = (operation?.method ?? 'GET') !== 'GET' && !isSo;
    expect(ended.writes.length > 0).toBe(writes);
  },
);

describe('before a service', () => {
  const northwind = { id: 7, role: 'Owner', workspace_name: 'Northwind' };
  const southwind = { id: 8, role: 'Owner', workspace_name: 'Southwind' };
  const t = useCli({ service: { members: [member(17, 'Ana')], workspaces: [northwind] }, clock: quickClock });

  it.each([
    ['is chosen where none is set', [northwind, southwind], 'members get', ['Workspace', 'Member to show']],
    ['that is the only one is taken', [northwind], 'members get 17', []],
  ])('the workspace %s, and how to keep it is told', async (_name, workspaces, line, asked) => {
    t.lists['workspaces'] = workspaces;
    const { exit, screen, prompts } = await t.sit(line, () => '\r', { env: { TTCTL_WORKSPACE: '' } });
    expect([exit, prompts.map(({ message }) => message)], screen).toEqual([0, asked]);
    expect(t.lines().at(-1)).toBe('GET /members/17?workspace_id=7');
    expect(screen).toContain('To make this workspace the default: ttctl workspaces use 7');
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

  it.each(["timesheets reject 'Nobody At All'", "members update 'Nobody At All'"])(
    'O9: who cannot be found is told before anything is asked: %s',
    async (line) => {
      const { exit, prompts, screen } = await t.sit(line);
      expect([exit, prompts], screen).toEqual([5, []]);
      expect(screen).toContain('Nobody At All');
    },
  );

  it.each(['members', 'viewers'])('%s invite looks for nobody, and asks the rest', async (noun) => {
    const { exit, prompts, screen } = await t.sit(`${noun} invite eve@example.com`, () => '\x03');
    expect([exit, t.lines(), prompts.length], screen).toEqual([130, [], 1]);
  });

  it('a profile that is read-only is asked nothing', async () => {
    await t.read('profile set --read-only');
    const { exit, prompts, screen } = await t.sit('projects create');
    expect([exit, prompts, t.lines()]).toEqual([2, [], []]);
    expect(screen).toContain('is read-only');
  });

  it.each([
    ['all, archived or not, to be looked at', 'projects get', ['Harbour', 'Lighthouse'], []],
    ['no archived one to be archived', 'projects archive', ['Harbour'], ['Lighthouse']],
    ['no archived one to be changed', 'projects update', ['Harbour'], ['Lighthouse']],
    ['archived people alone to be restored', 'members restore', ['Cleo'], ['Ana', 'Ben']],
    ['the owner not to be archived', 'members archive', ['Ben'], ['Ana']],
    ['the owner to be looked at', 'members get', ['Ana', 'Ben'], []],
    // As newer services say, a pending one is open.
    [
      'open timesheets alone to be submitted',
      'timesheets submit',
      ['Nov 1 2020', 'Nov 2'],
      ['Nov 3', 'Nov 4'],
    ],
    [
      'submitted ones alone to be approved',
      'timesheets approve',
      ['Nov 3 2020'],
      ['Nov 1', 'Nov 2', 'Nov 4'],
    ],
  ])('offers %s: %s', async (_what, line, offered, others) => {
    const sheets = ['open', 'pending', 'submitted', 'approved'].map((status, n) => {
      const date_from = `2020-11-0${n + 1}`;
      return timesheet(`t${n}`, 17, 8, { status, date_from, date_to: date_from });
    });
    const lists: Record<string, readonly object[]> = {
      projects: ['Harbour', 'Lighthouse'].map((name, id) => ({
        id,
        name,
        deleted_at: [null, '2026-11-01'][id],
      })),
      members: [
        member(17, 'Ana', { current_role: 'Owner' }),
        member(18, 'Ben', { deleted_at: null }),
        member(19, 'Cleo', { deleted_at: '2026-11-01' }),
      ],
      timesheets: sheets,
    };
    // It heeds no filter.
    t.answer = ({ line: asked }) => ({ body: onePage(lists[/\w+/.exec(asked.slice(5))?.[0] ?? ''] ?? []) });
    const { screen } = await t.sit(line, () => '\x03');
    for (const one of offered) expect(screen).toContain(one);
    for (const one of others) expect(screen).not.toContain(one);
  });
});
