// Counts the requests of every command against the least it needs: `npm run bench:requests [words of its name]`, with a
// name also each route. The built program runs against a sandbox on a port, whose log is counted. Requests are exact, so
// test/requests.test.ts holds each line.
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
  const run = (args, input) => runProgram(args, { env, input });
  return {
    state: () => state,
    path,
    write: (name, text) => {
      writeFileSync(path(name), text);
      return path(name);
    },
    read: (name) => readFileSync(path(name), 'utf8'),
    run,
    /** @throws where the program ends with another exit code than it should */
    async expect(args, { input, exit = 0 } = {}) {
      const ended = await run(args, input);
      if (ended.exit !== exit)
        throw new Error(`ttctl ${args.join(' ')}: exit ${ended.exit}\n${ended.stderr}`);
      return ended;
    },
    forget: () => sandbox.control.clearLog(),
    log: () => sandbox.control.log(),
    async close() {
      await sandbox.close();
      rmSync(home, { recursive: true, force: true });
    },
  };
};

/** Members that can be changed: all but the owner. */
const people = (t, count) =>
  t
    .state()
    .members.filter(({ role }) => role !== 'Owner')
    .slice(0, count);
const lines = (rows) => `${rows.join('\n')}\n`;
const hoursFile = (key) => (t) => {
  const rows = people(t, ROWS).map((one) => `${one[key]},17`);
  return t.write('hours.csv', lines([`${key === 'id' ? 'id' : 'email'},weekly_hours_limit`, ...rows]));
};
const update = (file) => ['members', 'update', '--from-file', file, '--yes'];
const waiting = (records) => records.filter(({ status }) => ['submitted', 'pending'].includes(status));

/** A plan of updates in `plan.ndjson`. */
const plan = async (t) => {
  await t.expect([...update(hoursFile('email')(t)), '--plan', t.path('plan.ndjson')]);
  return t.path('plan.ndjson');
};

/** A folder of the workspace, with 50 of its people changed and 10 projects more. */
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
  const viewers = members.filter(({ role }) => role === 'Project viewer').length;
  return (
    pagesOf(members.length) +
    pagesOf(viewers) +
    pagesOf(projects.length) +
    pagesOf(contracts.length) +
    projects.length + // the tasks of each project
    pagesOf(webhooks.length)
  );
};

const MONTH = 'month-end';

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

/** What is measured. `begin` makes what the command needs, and gives its arguments and the least. */
export const cases = [
  {
    name: 'update one by id',
    begin: (t) => ({
      args: ['members', 'update', String(people(t, 1)[0].id), '--weekly-hours-limit', '17'],
      least: 2,
    }),
  },
  {
    name: 'update one by e-mail',
    begin: (t) => ({
      args: ['members', 'update', people(t, 1)[0].email, '--weekly-hours-limit', '17'],
      least: 2,
    }),
  },
  {
    name: `update ${ROWS} by id`,
    begin: (t) => ({ args: update(hoursFile('id')(t)), least: PAGES + ROWS }),
  },
  {
    name: `update ${ROWS} by e-mail`,
    begin: (t) => ({ args: update(hoursFile('email')(t)), least: PAGES + ROWS }),
  },
  {
    name: `update ${ROWS} by e-mail, nothing to change`,
    async begin(t) {
      const args = update(hoursFile('email')(t));
      await t.expect(args);
      return { args, least: PAGES };
    },
  },
  {
    name: `update ${ROWS} by e-mail, no pagination`,
    dialect: { pagination: 'none' },
    begin: (t) => ({ args: update(hoursFile('email')(t)), least: PAGES + 1 + ROWS }),
  },
  {
    name: 'update 5 by e-mail',
    begin: (t) => ({
      args: update(
        t.write(
          'few.csv',
          lines(['email,weekly_hours_limit', ...people(t, 5).map((one) => `${one.email},17`)]),
        ),
      ),
      least: PAGES + 5,
    }),
  },
  {
    name: 'a mistyped address in a file',
    begin: (t) => ({
      args: update(
        t.write(
          'few.csv',
          lines([
            'email,weekly_hours_limit',
            ...Array.from({ length: ROWS }, (_, n) => `no.one.${n}@example.com,17`),
          ]),
        ),
      ),
      exit: 5,
      least: PAGES,
    }),
  },
  {
    name: 'archive one by e-mail',
    begin: (t) => ({ args: ['members', 'archive', people(t, 1)[0].email, '--yes'], least: 2 }),
  },
  {
    name: 'archive 100 by id',
    begin: (t) => ({
      args: ['members', 'archive', '-', '--yes'],
      input: lines(people(t, 100).map(({ id }) => id)),
      least: PAGES + 100,
    }),
  },
  {
    name: 'archive 100 by e-mail',
    begin: (t) => ({
      args: ['members', 'archive', '-', '--yes'],
      input: lines(people(t, 100).map(({ email }) => email)),
      least: PAGES + 100,
    }),
  },
  ...['id', 'email'].map((field) => ({
    name: `archive the last 100 of 3,000 by ${field === 'id' ? 'id' : 'e-mail'}`,
    seed: 'big:3000',
    begin: (t) => ({
      args: ['members', 'archive', '-', '--yes'],
      input: lines(
        t
          .state()
          .members.slice(-100)
          .map((one) => one[field]),
      ),
      least: 30 + 100,
    }),
  })),
  {
    name: 'invite 100',
    begin: (t) => ({
      args: [
        'members',
        'invite',
        '--from-file',
        t.write(
          'new.csv',
          lines([
            'email,firstname,lastname,role',
            ...Array.from({ length: 100 }, (_, n) => `new.${n}@example.com,New,Person${n},regular-user`),
          ]),
        ),
        '--yes',
      ],
      least: 100,
    }),
  },
  {
    name: 'create 100 expenses',
    seed: 'demo',
    begin: (t) => ({
      args: [
        'expenses',
        'create',
        '--from-file',
        t.write(
          'new.csv',
          lines([
            'expense_name,date,amount,category',
            ...Array.from(
              { length: 100 },
              (_, n) => `Taxi ${n},2026-10-0${1 + (n % 9)},12.50,${t.state().expense_categories[0].name}`,
            ),
          ]),
        ),
        '--yes',
      ],
      least: 100 + 1,
    }),
  },
  {
    name: 'create 50 contracts by e-mail',
    async begin(t) {
      await t.expect(['projects', 'create', '--name', 'Bench']);
      return {
        args: [
          'contracts',
          'create',
          '--from-file',
          t.write(
            'new.csv',
            lines([
              'project,member,weekly_hours_limit',
              ...people(t, 50).map(({ email }) => `Bench,${email},20`),
            ]),
          ),
          '--yes',
        ],
        least: 50 + PAGES + pagesOf(t.state().projects.length),
      };
    },
  },
  {
    // The list of the contracts there are shows what became of a lost answer.
    name: 'create 30 contracts on as many projects',
    async begin(t) {
      const names = Array.from({ length: 30 }, (_, n) => `Bench ${n}`);
      await t.expect([
        'projects',
        'create',
        '--from-file',
        t.write('projects.csv', lines(['name', ...names])),
        '--yes',
      ]);
      const made = JSON.parse((await t.expect(['projects', 'list', '--name', 'Bench', '-o', 'json'])).stdout);
      const rows = made.map(({ id }, n) => `${id},${people(t, 30)[n].id}`);
      const file = t.write('new.csv', lines(['project,member', ...rows]));
      return { args: ['contracts', 'create', '--from-file', file, '--yes'], least: 30 + 1 };
    },
  },
  {
    name: 'assign 20 people to tasks',
    seed: 'agency',
    async begin(t) {
      const { contracts } = t.state();
      const [{ project_id: project }] = contracts;
      const [one, other] = contracts.filter((contract) => contract.project_id === project);
      const titles = lines(['title', ...Array.from({ length: 10 }, (_, n) => `Bench ${n}`)]);
      const file = t.write('tasks.csv', titles);
      await t.expect(['tasks', 'create', '--project', `${project}`, '--from-file', file, '--yes']);
      const all = JSON.parse(
        (await t.expect(['tasks', 'list', '--project', `${project}`, '-o', 'json'])).stdout,
      );
      const rows = all
        .filter(({ title }) => title.startsWith('Bench'))
        .flatMap(({ id }) => [one, other].map(({ user_id: user }) => `${id},${user}`));
      const pairs = t.write('assign.csv', lines(['task,member', ...rows]));
      return {
        args: ['tasks', 'assign', '--project', `${project}`, '--from-file', pairs, '--yes'],
        least: pagesOf(all.length) + 20,
      };
    },
  },
  {
    name: `plan ${ROWS} updates by e-mail`,
    begin: (t) => ({
      args: [...update(hoursFile('email')(t)), '--plan', t.path('plan.ndjson')],
      least: PAGES,
    }),
  },
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
      await t.expect(update(hoursFile('email')(t)));
      const [{ run }] = JSON.parse(
        (await t.expect(['history', 'list', '--limit', '1', '-o', 'json'])).stdout,
      );
      return { args: ['undo', run, '--yes'], least: PAGES + ROWS };
    },
  },
  {
    name: 'undo of one update',
    async begin(t) {
      await t.expect(['members', 'update', people(t, 1)[0].email, '--weekly-hours-limit', '17']);
      const [{ id }] = JSON.parse((await t.expect(['history', 'list', '--limit', '1', '-o', 'json'])).stdout);
      return { args: ['undo', id, '--yes'], least: 2 };
    },
  },
  {
    name: 'approve one timesheet',
    seed: MONTH,
    begin: (t) => ({
      args: ['timesheets', 'approve', waiting(t.state().timesheets)[0].id, '--yes'],
      least: 1,
    }),
  },
  {
    name: 'approve all timesheets',
    seed: MONTH,
    begin(t) {
      const { length } = waiting(t.state().timesheets);
      return { args: ['timesheets', 'approve', '--all', '--yes'], least: pagesOf(length) + length };
    },
  },
  {
    name: 'approve 40 leaves',
    seed: MONTH,
    begin(t) {
      const leaves = waiting(t.state().leaves);
      return {
        args: ['leaves', 'approve', '-', '--yes'],
        input: lines(leaves.map(({ id }) => id)),
        least: leaves.length,
      };
    },
  },
  {
    name: 'inbox decide by a rule',
    seed: MONTH,
    begin(t) {
      const ruleOf = (kind) =>
        `{"name":"${kind}","kind":"${kind}","when":"user_id != \`0\`","then":"approve"}`;
      const rules = ['timesheet', 'leave', 'time-request'].map(ruleOf);
      const file = t.write('rules.json', `[${rules.join(',')}]`);
      const { timesheets, leaves, time_requests: requests } = t.state();
      const decisions = [timesheets, leaves, requests].flatMap(waiting).length;
      const args = ['inbox', 'decide', '--rules', file, '--yes', '--max-changes', '900'];
      return { args, least: inboxPages(t) + decisions };
    },
  },
  {
    name: 'inbox',
    seed: MONTH,
    begin: (t) => ({ args: ['inbox', '-o', 'json'], least: inboxPages(t) }),
  },
  {
    name: 'status',
    seed: MONTH,
    // What waits as in the inbox, with the sheets that are late.
    begin: (t) => ({ args: ['status'], least: inboxPages(t) }),
  },
  {
    name: 'close check',
    seed: MONTH,
    // Members, contracts, and of the month: timesheets, leaves, requests, expenses, balances.
    begin(t) {
      const { members, contracts } = t.state();
      const least = pagesOf(members.length) + pagesOf(contracts.length) + 4 + balancePages(t);
      return { args: ['close', 'check', '--period', 'last-month'], exit: 10, least };
    },
  },
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
  for (const one of cases) {
    if (wanted !== undefined && !one.name.includes(wanted)) continue;
    const { requests, least, routes, problem } = await measure({ createSandbox, run: runBuilt }, one).catch(
      (error) => ({
        problem: error.message,
      }),
    );
    if (problem !== undefined) {
      process.exitCode = 1;
      console.log(`${one.name}: ${problem}`);
      continue;
    }
    const over = requests > most(least);
    if (over) process.exitCode = 1;
    const cells = [
      String(requests).padStart(8),
      String(least).padStart(8),
      (requests / least).toFixed(2).padStart(8),
    ];
    console.log(`${cells.join('')}   ${one.name}${over ? '   too many' : ''}`);
    if (wanted === undefined) continue;
    const counts = new Map();
    for (const route of routes) counts.set(route, (counts.get(route) ?? 0) + 1);
    for (const [route, count] of counts) console.log(`${String(count).padStart(12)} ${route}`);
  }
};

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) await printAll();
