// Counts the requests of every command against the least it needs: `npm run bench:requests [words of its name]`, with a
// name also each route. The built program runs against a sandbox on a port, whose log is counted. Requests are exact, so
// test/real-service.wide.test.ts holds each line.
//
// The least of a command: the pages of the lists it needs (100 rows a page, each list once), a write for each row that
// changes, and the looks that are asked for: the end of a list whose length the service does not tell, a list again
// before decisions that somebody agreed to, the state of a record that the service would change again.
import { spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';

const BIN = fileURLToPath(new URL('../bin/ttctl.js', import.meta.url));

/** Members of the seed, its owner among them, and the pages of their list. */
const MEMBERS = 300;
const PAGES = MEMBERS / 100;
const ROWS = 200;

/** At most this much more than the least, in requests. */
export const most = (least) => 1.05 * least + 3;

const pagesOf = (count) => Math.max(1, Math.ceil(count / 100));

/** All that can be listed of a seed: from a sandbox of its own, so that it counts nowhere. */
const readState = async (createSandbox, seed) => {
  const sandbox = await createSandbox({ seed, limits: 'off' });
  const headers = { authorization: `Bearer ${sandbox.token().token}` };
  const list = async (path) => {
    const rows = [];
    for (let page = 1, last = 1; page <= last; page += 1) {
      const query = new URLSearchParams({ workspace_id: sandbox.workspaceId, per_page: 100, page });
      const answer = await sandbox.fetch(`${sandbox.baseUrl}/${path}?${query}`, { headers });
      const { data, meta } = await answer.json();
      rows.push(...data);
      last = meta?.pagination?.last_page ?? 1;
    }
    return rows;
  };
  const people = [...(await list('members')), ...(await list('project-viewers'))];
  const state = {
    members: people.map((one) => ({ ...one, role: one.current_role ?? 'Project viewer' })),
    projects: await list('projects'),
    contracts: await list('contracts'),
    timesheets: await list('timesheets'),
    leaves: await list('leaves'),
    time_requests: await list('time-requests'),
    expense_categories: await list('expenses/categories'),
    webhooks: await list('webhooks'),
  };
  await sandbox.close();
  return state;
};

/** A sandbox, a folder, and the program that goes there. */
const start = async ({ createSandbox, run: runProgram }, { seed = `big:${MEMBERS}`, dialect }) => {
  const sandbox = await createSandbox({ seed, limits: 'off', ...(dialect && { dialect }) });
  const server = await sandbox.listen();
  const state = await readState(createSandbox, seed);
  const home = mkdtempSync(join(tmpdir(), 'ttctl-requests-'));
  const env = {
    PATH: process.env.PATH,
    HOME: home,
    TTCTL_STATE_DIR: join(home, 'state'),
    TTCTL_RATE_LIMIT: 'off',
    ...server.env(),
  };
  const path = (name) => join(home, name);
  /** @throws where the program ends with another exit code than it should */
  const expect = async (args, { input, exit = 0 } = {}) => {
    const ended = await runProgram(args, { env, input });
    if (ended.exit === exit) return ended;
    throw new Error(`ttctl ${args.join(' ')}: exit ${ended.exit}\n${ended.stderr}`);
  };
  return {
    ...{ state: () => state, path, expect },
    write: (name, text) => {
      writeFileSync(path(name), text);
      return path(name);
    },
    read: (name) => readFileSync(path(name), 'utf8'),
    json: async (args) => JSON.parse((await expect([...args, '-o', 'json'])).stdout),
    forget: () => sandbox.control.clearLog(),
    log: () => sandbox.control.log(),
    async close() {
      await sandbox.close();
      rmSync(home, { recursive: true, force: true });
    },
  };
};

/** Members that can be changed: all but the owner. */
const people = (t, count = ROWS) =>
  t
    .state()
    .members.filter(({ role }) => role !== 'Owner')
    .slice(0, count);
const times = (count, make) => Array.from({ length: count }, (_, n) => make(n));
const lines = (rows) => rows.map((row) => `${row}\n`).join('');
/** A command that takes the rows of a file. */
const fromFile = (t, words, heading, rows) => [
  ...words.split(' '),
  ...['--from-file', t.write(`${words.replaceAll(' ', '-')}.csv`, lines([heading, ...rows])), '--yes'],
];
const update = (t, key = 'email', some = people(t)) => {
  const rows = some.map((one) => `${one[key]},17`);
  return fromFile(t, 'members update', `${key},weekly_hours_limit`, rows);
};
const updateOne = (one) => ['members', 'update', String(one), '--weekly-hours-limit', '17'];
const archive = (people, key, least) => {
  const input = lines(people.map((one) => one[key]));
  return { args: ['members', 'archive', '-', '--yes'], input, least };
};
const waiting = (records) => records.filter(({ status }) => ['submitted', 'pending'].includes(status));

/** A plan of updates in `plan.ndjson`. */
const planUpdates = (t) => [...update(t), '--plan', t.path('plan.ndjson')];
const plan = async (t) => {
  await t.expect(planUpdates(t));
  return t.path('plan.ndjson');
};

/** What was written last, as the history lists it. */
const readLast = async (t) => (await t.json(['history', 'list', '--limit', '1']))[0];

/** A folder of the workspace, with 50 of its people changed. */
const folder = async (t) => {
  await t.expect(['workspaces', 'export', t.path('workspace')]);
  const [heading, ...rows] = t.read('workspace/members.csv').split('\n');
  const at = heading.trim().split(',').indexOf('weekly_hours_limit');
  let left = 50;
  const edited = rows.map((row) => {
    const cells = row.split(',');
    if (left === 0 || row.includes('"') || row.includes('Owner') || cells.length < at) return row;
    left -= 1;
    cells[at] = '17';
    return cells.join(',');
  });
  t.write('workspace/members.csv', [heading, ...edited].join('\n'));
  return t.path('workspace');
};

const exportPages = (t) => {
  const { members, projects, contracts, webhooks } = t.state();
  const viewers = members.filter(({ role }) => role === 'Project viewer');
  const pages = [members, viewers, projects, contracts, webhooks].map(({ length }) => pagesOf(length));
  // The tasks of each project.
  return pages.reduce((sum, count) => sum + count, projects.length);
};

/** The list of balances takes `page` alone. */
const balancePages = (t) => Math.ceil(t.state().members.length / 20);

/** What waits, and what its warnings rest on: those approved of these days, contracts, balances of each year, names. */
const inboxPages = (t) => {
  const { timesheets, leaves, time_requests: requests, contracts, members, projects } = t.state();
  const lists = [timesheets, leaves, requests].map((all) => pagesOf(waiting(all).length));
  const years = new Set(waiting(leaves).map(({ start_date: day }) => day.slice(0, 4))).size;
  const others = [contracts, members, projects].map(({ length }) => pagesOf(length));
  const [approvedLeaves, approvedRequests, policies] = [1, 1, 1];
  const all = [...lists, ...others, approvedLeaves, approvedRequests, policies];
  return all.reduce((sum, pages) => sum + pages, 0) + years * balancePages(t);
};

const monthEnd = (name, begin) => ({ name, seed: 'month-end', begin });

/** What is measured. `begin` makes what the command needs, and gives its arguments and the least. */
export const cases = [
  { name: 'update one by id', begin: (t) => ({ args: updateOne(people(t)[0].id), least: 2 }) },
  { name: 'update one by e-mail', begin: (t) => ({ args: updateOne(people(t)[0].email), least: 2 }) },
  { name: `update ${ROWS} by id`, begin: (t) => ({ args: update(t, 'id'), least: PAGES + ROWS }) },
  { name: `update ${ROWS} by e-mail`, begin: (t) => ({ args: update(t), least: PAGES + ROWS }) },
  {
    name: `update ${ROWS} by e-mail, nothing to change`,
    async begin(t) {
      await t.expect(update(t));
      return { args: update(t), least: PAGES };
    },
  },
  {
    name: `update ${ROWS} by e-mail, no pagination`,
    dialect: { pagination: 'none' },
    begin: (t) => ({ args: update(t), least: PAGES + 1 + ROWS }),
  },
  {
    name: 'update 5 by e-mail',
    begin: (t) => ({ args: update(t, 'email', people(t, 5)), least: PAGES + 5 }),
  },
  {
    name: 'a mistyped address in a file',
    begin(t) {
      const nobody = times(ROWS, (n) => ({ email: `no.one.${n}@example.com` }));
      return { args: update(t, 'email', nobody), exit: 5, least: PAGES };
    },
  },
  {
    name: 'archive one by e-mail',
    begin: (t) => ({ args: ['members', 'archive', people(t)[0].email, '--yes'], least: 2 }),
  },
  ...['id', 'email'].flatMap((key) => [
    {
      name: `archive 100 by ${key === 'id' ? 'id' : 'e-mail'}`,
      begin: (t) => archive(people(t, 100), key, PAGES + 100),
    },
    {
      name: `archive the last 100 of 3,000 by ${key === 'id' ? 'id' : 'e-mail'}`,
      seed: 'big:3000',
      begin: (t) => archive(t.state().members.slice(-100), key, 30 + 100),
    },
  ]),
  {
    name: 'invite 100',
    begin(t) {
      const rows = times(100, (n) => `new.${n}@example.com,New,Person${n},regular-user`);
      return { args: fromFile(t, 'members invite', 'email,firstname,lastname,role', rows), least: 100 };
    },
  },
  {
    name: 'create 100 expenses',
    seed: 'demo',
    begin(t) {
      const [{ name }] = t.state().expense_categories;
      const rows = times(100, (n) => `Taxi ${n},2026-10-0${1 + (n % 9)},12.50,${name}`);
      return {
        args: fromFile(t, 'expenses create', 'expense_name,date,amount,category', rows),
        least: 100 + 1,
      };
    },
  },
  {
    name: 'create 50 contracts by e-mail',
    async begin(t) {
      await t.expect(['projects', 'create', '--name', 'Bench']);
      const rows = people(t, 50).map(({ email }) => `Bench,${email},20`);
      const args = fromFile(t, 'contracts create', 'project,member,weekly_hours_limit', rows);
      return { args, least: 50 + PAGES + pagesOf(t.state().projects.length) };
    },
  },
  {
    // The list of the contracts there are shows what became of a lost answer.
    name: 'create 30 contracts on as many projects',
    async begin(t) {
      const names = times(30, (n) => `Bench ${n}`);
      await t.expect(fromFile(t, 'projects create', 'name', names));
      const made = await t.json(['projects', 'list', '--name', 'Bench']);
      const rows = made.map(({ id }, n) => `${id},${people(t, 30)[n].id}`);
      return { args: fromFile(t, 'contracts create', 'project,member', rows), least: 30 + 1 };
    },
  },
  {
    name: 'assign 20 people to tasks',
    seed: 'agency',
    async begin(t) {
      const { contracts } = t.state();
      const [{ project_id: project }] = contracts;
      const both = contracts.filter((contract) => contract.project_id === project).slice(0, 2);
      const titles = times(10, (n) => `Bench ${n}`);
      await t.expect(fromFile(t, `tasks create --project ${project}`, 'title', titles));
      const all = await t.json(['tasks', 'list', '--project', `${project}`]);
      const rows = all
        .filter(({ title }) => title.startsWith('Bench'))
        .flatMap(({ id }) => both.map(({ user_id: user }) => `${id},${user}`));
      const args = fromFile(t, `tasks assign --project ${project}`, 'task,member', rows);
      return { args, least: pagesOf(all.length) + 20 };
    },
  },
  { name: `plan ${ROWS} updates by e-mail`, begin: (t) => ({ args: planUpdates(t), least: PAGES }) },
  {
    name: `plan check of ${ROWS} updates`,
    begin: async (t) => ({ args: ['plan', 'check', await plan(t)], least: PAGES }),
  },
  {
    name: `plan apply of ${ROWS} updates`,
    begin: async (t) => ({ args: ['plan', 'apply', await plan(t), '--yes'], least: PAGES + ROWS }),
  },
  {
    name: `undo of ${ROWS} updates`,
    async begin(t) {
      await t.expect(update(t));
      return { args: ['undo', (await readLast(t)).run, '--yes'], least: PAGES + ROWS };
    },
  },
  {
    name: 'undo of one update',
    async begin(t) {
      await t.expect(updateOne(people(t)[0].email));
      return { args: ['undo', (await readLast(t)).id, '--yes'], least: 2 };
    },
  },
  monthEnd('approve one timesheet', (t) => {
    const [{ id }] = waiting(t.state().timesheets);
    return { args: ['timesheets', 'approve', id, '--yes'], least: 1 };
  }),
  monthEnd('approve all timesheets', (t) => {
    const { length } = waiting(t.state().timesheets);
    return { args: ['timesheets', 'approve', '--all', '--yes'], least: pagesOf(length) + length };
  }),
  monthEnd('approve 40 leaves', (t) => {
    const ids = waiting(t.state().leaves).map(({ id }) => id);
    return { args: ['leaves', 'approve', '-', '--yes'], input: lines(ids), least: ids.length };
  }),
  monthEnd('inbox decide by a rule', (t) => {
    const when = 'user_id != `0`';
    const rules = ['timesheet', 'leave', 'time-request'].map(
      (kind) => `{"name":"${kind}","kind":"${kind}","when":"${when}","then":"approve"}`,
    );
    const file = t.write('rules.json', `[${rules.join(',')}]`);
    const { timesheets, leaves, time_requests: requests } = t.state();
    const decisions = [timesheets, leaves, requests].flatMap(waiting).length;
    const args = ['inbox', 'decide', '--rules', file, '--yes', '--max-changes', '900'];
    return { args, least: inboxPages(t) + decisions };
  }),
  monthEnd('inbox', (t) => ({ args: ['inbox', '-o', 'json'], least: inboxPages(t) })),
  // What waits as in the inbox, with the sheets that are late.
  monthEnd('status', (t) => ({ args: ['status'], least: inboxPages(t) })),
  // Members, contracts, and of the month: timesheets, leaves, requests, expenses, balances.
  monthEnd('close check', (t) => {
    const { members, contracts } = t.state();
    const least = pagesOf(members.length) + pagesOf(contracts.length) + 4 + balancePages(t);
    return { args: ['close', 'check', '--period', 'last-month'], exit: 10, least };
  }),
  {
    name: 'workspaces export',
    begin: (t) => ({ args: ['workspaces', 'export', t.path('workspace')], least: exportPages(t) }),
  },
  {
    name: 'workspaces diff',
    begin: async (t) => ({ args: ['workspaces', 'diff', await folder(t)], exit: 10, least: exportPages(t) }),
  },
  {
    name: 'workspaces apply',
    begin: async (t) => ({
      args: ['workspaces', 'apply', await folder(t), '--yes'],
      least: exportPages(t) + 50,
    }),
  },
];

/**
 * @param program its sandbox, and what runs it
 * @returns what a command took, and the least
 */
export const measure = async (program, { begin, ...options }) => {
  const t = await start(program, options);
  try {
    const { args, input, exit, least } = await begin(t);
    await t.forget();
    const { stderr } = await t.expect(args, { input, exit });
    const log = await t.log();
    if (log.length >= 1000) throw new Error('more requests than the log keeps');
    return { requests: log.length, least, stderr, routes: log.map(({ method, route }) => route ?? method) };
  } finally {
    await t.close();
  }
};

/** The built program, in a process of its own. */
const runBuilt = (args, { env, input = '' }) =>
  new Promise((resolve) => {
    const child = spawn(process.execPath, [BIN, ...args], { env });
    let [stdout, stderr] = ['', ''];
    child.stdout.on('data', (part) => {
      stdout += part;
    });
    child.stderr.on('data', (part) => {
      stderr += part;
    });
    child.once('close', (exit) => resolve({ exit, stdout, stderr }));
    child.stdin.on('error', () => {}).end(input);
  });

const printAll = async () => {
  const { createSandbox } = await import('../dist/sandbox.js');
  const [wanted] = process.argv.slice(2);
  console.log('requests   least   ratio   command');
  for (const one of cases.filter(({ name }) => name.includes(wanted ?? ''))) {
    const { requests, least, routes } = await measure({ createSandbox, run: runBuilt }, one);
    const isOver = requests > most(least);
    if (isOver) process.exitCode = 1;
    const cells = [requests, least, (requests / least).toFixed(2)].map((cell) => String(cell).padStart(8));
    console.log(`${cells.join('')}   ${one.name}${isOver ? '   too many' : ''}`);
    if (wanted === undefined) continue;
    for (const route of new Set(routes)) {
      const { length } = routes.filter((each) => each === route);
      console.log(`${String(length).padStart(12)} ${route}`);
    }
  }
};

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) await printAll();
