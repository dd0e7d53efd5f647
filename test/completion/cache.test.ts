import { existsSync, mkdirSync, readdirSync, rmSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { offers, values } from '../support/completing.ts';
import { member, timesheet } from '../support/records.ts';
import { envelope } from '../support/service.ts';
import { useCli } from '../support/use-cli.ts';

/** What ordinary commands leave for the completion, and what it makes of that and of profiles. */

const people = [
  member(17, 'Ana'),
  member(18, 'Bo', { deleted_at: '2026-01-01T00:00:00Z' }),
  member(19, 'Cy'),
];
const t = useCli({ service: { members: people } });

beforeEach(() => {
  t.env['TTCTL_CACHE_DIR'] = t.file('cache');
  // Somebody has worked here at a terminal before.
  mkdirSync(t.file('cache/completion'), { recursive: true, mode: 0o700 });
});

const files = () =>
  readdirSync(t.file('cache'), { recursive: true, encoding: 'utf8' }).filter((name) =>
    name.endsWith('.json'),
  );
const everything = () =>
  files()
    .map((name) => t.text(`cache/${name}`))
    .join();
const complete = (line: string, more: Readonly<Record<string, string>> = {}) =>
  values(line.split(' '), { ...t.env, ...more });

describe('a list that was read', () => {
  beforeEach(() => t.read('members list -o json'));

  it('is what is offered next, with names; archived people only to be restored', () => {
    expect(offers(['members', 'update', ''], t.env)).toEqual([
      { value: 'ana@example.com', about: 'Ana Ek, id 17' },
      { value: 'cy@example.com', about: 'Cy Ek, id 19' },
    ]);
    expect(complete('members restore ')).toEqual(['bo@example.com']);
    expect(complete('members get ')).toHaveLength(3);
    expect(complete('contracts list --member ')).toEqual(['ana@example.com', 'cy@example.com']);
    expect(complete('tasks assign 3 --member ana@example.com,')).toEqual(['cy@example.com']);
    expect(complete('members archive ana@example.com ')).toEqual(['cy@example.com']);
  });

  it('is a file of this user alone, in folders of this user alone', () => {
    const modes = files().map((name) => {
      const path = t.file(`cache/${name}`);
      return [path, dirname(path)].map((one) => statSync(one).mode & 0o777);
    });
    expect(modes).toEqual([[0o600, 0o700]]);
  });

  it.each([
    ['--workspace 8 members get ', {}],
    ['--profile sandbox members get ', {}],
    ['members get ', { TTCTL_WORKSPACE: '8' }],
    ['members get ', { TTCTL_BASE_URL: 'https://other.example/api/v2' }],
  ])('is of this profile, service and workspace alone: %s %o', (line, env) => {
    expect(complete('--workspace 7 members get ')).toContain('ana@example.com');
    expect(complete(line, env)).not.toContain('ana@example.com');
  });

  it('asks nothing of the service, and writes nothing, when it is completed', () => {
    const before = [t.requests.length, everything()];
    complete('members get ');
    expect([t.requests.length, everything()]).toEqual(before);
    expect(existsSync(t.file('config'))).toBe(false);
    expect(existsSync(t.file('state/sandbox'))).toBe(false);
  });

  it('may be deleted: what is static is still there, and nothing is said', () => {
    rmSync(t.file('cache'), { recursive: true });
    expect(complete('members ')).toContain('list');
    expect(complete('contracts list --member ')).toEqual([]);
  });

  it.each(['{', '[]', '{"version":1,"entries":5}', '{"version":2}'])('may be damaged: %s', async (text) => {
    t.file(`cache/${files()[0]}`, text);
    expect(complete('contracts list --member ')).toEqual([]);
    await t.read('members list -o json');
    expect(complete('contracts list --member ')).toHaveLength(2);
  });

  it('takes the place of the one before; a part of one is added to it', async () => {
    t.lists['members'] = [member(20, 'Di')];
    await t.read('members list --status active -o json');
    expect(complete('members update ')).toEqual(['di@example.com', 'ana@example.com', 'cy@example.com']);
    await t.read('members list -o json');
    expect(complete('members update ')).toEqual(['di@example.com']);
    t.lists['members'] = [];
    await t.read('members list -o json');
    expect(complete('contracts list --member ')).toEqual([]);
  });

  it('is not taken for the whole when only some of it was asked for', async () => {
    t.answer = () => {
      const page = { total: 3, per_page: 1, current_page: 1, last_page: 3, from: 1, to: 1 };
      return { body: envelope([member(19, 'Cy')], { pagination: page }) };
    };
    await t.read('members list --limit 1 -o json');
    expect(complete('members update ')).toEqual(['cy@example.com', 'ana@example.com']);
  });

  it('is forgotten when the profile is signed out or removed', async () => {
    const credentials = { TTCTL_TOKEN: '' };
    t.lists['workspaces'] = [{ id: 7, workspace_name: 'Northwind', role: 'Owner' }];
    const stdin = 'pat_123456789\n';
    await t.run(`auth login --token-stdin --base-url ${t.baseUrl}`, { env: credentials, stdin });
    expect(complete('members update ')).toContain('ana@example.com');
    await t.read('auth logout --yes', { env: credentials });
    expect(everything()).toBe('');
    expect(complete('contracts list --member ')).toEqual([]);
  });
});

it('records in the right state are offered to be decided, with whose they are', async () => {
  t.lists['timesheets'] = ['submitted s1', 'open o1', 'pending p1', 'submitted s2'].map((one) => {
    const [status, id = ''] = one.split(' ');
    return timesheet(id, 17, 8, { status });
  });
  await t.read('members list -o json');
  await t.read('timesheets list -o json');
  expect(offers(['timesheets', 'approve', ''], t.env)).toEqual([
    { value: 's1', about: 'Ana Ek, 2026-11-09 to 2026-11-15' },
    { value: 's2', about: 'Ana Ek, 2026-11-09 to 2026-11-15' },
  ]);
  expect(complete('timesheets submit ')).toEqual(['o1', 'p1']);
  expect(complete('timesheets list --id ')).toHaveLength(4);
});

it.each([
  ['leaves', 'pending', 'approve'],
  ['time-requests', 'pending', 'reject'],
])('%s that are %s are offered to %s', async (noun, state, verb) => {
  t.lists[noun] = [
    { id: 'a1', user_id: 17, status: 'approved' },
    { id: 'w1', user_id: 17, status: state },
  ];
  await t.read(`${noun} list -o json`);
  expect(complete(`${noun} ${verb} `)).toEqual(['w1']);
});

it('other records are kept by name or id: projects, contracts, tasks, policies, categories, expenses, workspaces', async () => {
  Object.assign(t.lists, {
    projects: ['North Wind', 'north wind', '2026', 'Süd'].map((name, i) => ({ id: i + 3, name })),
    contracts: [
      { id: 31, project_id: 3, project_name: 'North Wind', user_firstname: 'Ana', status: 'active' },
      { id: 32, project_id: 6, project_name: 'Süd', status: 'paused' },
    ],
    tasks: [{ id: 41, title: 'Proofs', project_id: 6, status: 0 }],
    policies: [{ id: 1, name: 'Annual leave' }],
    categories: [{ id: 'c1', name: 'Travel' }],
    expenses: [{ id: 'e1', expense_name: 'Train', expense_date: 'Jan 15, 2024' }],
    workspaces: [{ id: 7, workspace_name: 'Northwind', role: 'Owner' }],
  });
  const lists = ['projects', 'contracts', 'expenses', 'workspaces'].map((noun) => `${noun} list`);
  for (const line of [...lists, 'tasks list --project 6', 'leaves policies', 'expenses categories'])
    await t.read(`${line} -o json`);
  // A name that two have, or that reads as an id, would mean another one.
  expect(complete('projects update ')).toEqual(['3', '4', '5', 'Süd']);
  expect(offers(['time-requests', 'create', '--contract', ''], t.env)).toEqual([
    { value: '31', about: 'Ana, North Wind' },
    { value: '32', about: 'Süd' },
  ]);
  expect(offers(['tasks', 'get', ''], t.env)).toEqual([{ value: '41', about: 'Proofs, Süd' }]);
  expect(complete('leaves list --policy ')).toEqual(['Annual leave']);
  expect(complete('expenses create --category ')).toEqual(['Travel']);
  expect(offers(['expenses', 'delete', ''], t.env)).toEqual([{ value: 'e1', about: 'Train, Jan 15, 2024' }]);
  expect(complete('--workspace ')).toEqual(['Northwind']);
  expect(complete('workspaces use ')).toEqual(['Northwind']);
  expect(complete('-w Northwind projects update ')).toContain('Süd');
});

it('other records are kept without secrets', async () => {
  const url = 'https://user:hush-pass@hooks.example/in?key=hush-key#hush';
  const hook = { id: 'h1', url, events: [], token: 'whsec_hush' };
  t.answer = ({ line }) =>
    line.startsWith('GET /webhooks')
      ? { body: { max_rows: 50, current_page: 1, total_pages: 1, data: [hook] } }
      : { body: envelope({ user_id: 5, invitation_link: 'https://x.example/hush-link' }) };
  await t.read('webhooks list -o json');
  await t.read('members invite ana@example.com --firstname A --lastname B --role regular-user -o json');
  expect(everything()).not.toContain('hush');
  expect(everything()).not.toContain('TOKEN');
  expect(offers(['webhooks', 'get', ''], t.env)).toEqual([
    { value: 'h1', about: 'https://hooks.example/in' },
  ]);
});

it('other records with names that could press keys, hide or run are named by their id, and shown harmlessly', async () => {
  const names = ['\u001b[2Jclear', 'a\u202eb', 'line\nfeed', '-rf', '  ', '$(touch x)', 'zero\u200bwidth'];
  t.lists['projects'] = names.map((name, index) => ({ id: 100 + index, name }));
  await t.read('projects list -o json');
  expect(complete('projects update ')).toEqual(['100', '101', '102', '103', '104', '$(touch x)', '106']);
  const abouts = offers(['projects', 'update', ''], t.env).map(({ about }) => about);
  expect(abouts.slice(0, 2)).toEqual(['\\x1b[2Jclear', 'a\\u202eb']);
});

it('a list that cannot be kept changes nothing for the command', async () => {
  t.file('file', '');
  const outcome = await t.run('members list -o ids', { env: { TTCTL_CACHE_DIR: t.file('file/below') } });
  expect(outcome).toEqual({ stdout: '17\n18\n19\n', stderr: '', exit: 0 });
});

it('no list is kept by a run that nobody watches, where nobody has worked at a terminal', async () => {
  rmSync(t.file('cache'), { recursive: true });
  await t.read('members list -o ids');
  expect(existsSync(t.file('cache'))).toBe(false);
});

describe('the embedded sandbox', () => {
  beforeEach(() => {
    for (const name of ['TTCTL_BASE_URL', 'TTCTL_TOKEN', 'TTCTL_WORKSPACE']) delete t.env[name];
  });

  it('has nothing to offer before its first use, and is not made by asking', () => {
    expect(complete('--profile sandbox contracts list --member ')).toEqual([]);
    expect(existsSync(t.state)).toBe(false);
  });

  it('offers what was listed, as any other service, until it is reset', async () => {
    await t.read('--profile sandbox members list');
    const submitted = await t.read('--profile sandbox timesheets list --status submitted -o ids');
    expect(submitted.split('\n').length).toBeGreaterThan(4);
    const offered = complete('-p sandbox timesheets approve ').toSorted();
    expect(offered).toEqual(submitted.trim().split('\n').toSorted());
    expect(complete('-p sandbox members update ')).toContain('nora@lindenhof.example');
    expect(complete('members update ')).not.toContain('nora@lindenhof.example');
    await t.read('--profile sandbox sandbox reset');
    expect(complete('-p sandbox contracts list --member ')).toEqual([]);
  });

  it('is a profile, as others are, which are offered with their address', async () => {
    await t.read('profile set --profile work --base-url https://api.example.com/api/v2');
    expect(offers(['profile', 'use', ''], t.env)).toEqual([
      { value: 'work', about: 'https://api.example.com/api/v2' },
      { value: 'sandbox', about: 'run the whole service locally, for trials and tests' },
    ]);
    expect(complete('-p ')).toContain('work');
    expect(complete('--profile=w')).toContain('work');
  });
});
